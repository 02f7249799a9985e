// Tables of parameters, which state each parameter of an endpoint once. The table reads an address, and OpenAPI, the
// reference, docs/api.md and links to the endpoint follow it. Contract 4.6. The query string of an address is pairs of
// texts, strictly: bytes that are not UTF-8 and broken escapes are errors. Otherwise it is read as
// `application/x-www-form-urlencoded` of the URL standard (https://url.spec.whatwg.org/#urlencoded-parsing), which
// would replace them by U+FFFD. Raw UTF-8, which people type (`curl '…?query=日本'`), is percent-encoded first.
//
// Tables and the shapes of answers are made by builders of JSON Schema. What a builder knows comes first, then the
// options, in their order: the OpenAPI document shows them so.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { codeOfParameter, type ProblemCode, parameterFault, ServiceError } from '../errors.ts';
import { quoted } from '../text/quoted.ts';

export interface Schema {
  readonly [keyword: string]: unknown;
}

export type Properties = Readonly<Record<string, Schema>>;

export interface ObjectSchema extends Schema {
  readonly type: 'object';
  readonly required?: readonly string[];
  readonly properties: Properties;
}

/** Schemas of properties that may be absent. */
const optional = new WeakSet<Schema>();

/** Keywords, or the description alone; absent: neither. */
type Options = Schema | string;

function typed(type: string, given: Schema = {}) {
  return (options: Options = {}): Schema => ({ type, ...given, ...keywords(options) });
}

function keywords(options: Options): Schema {
  return typeof options === 'string' ? { description: options } : options;
}

export const Type = {
  String: typed('string'),
  Integer: typed('integer'),
  /** A whole number from 0. */
  Count: typed('integer', { minimum: 0 }),
  Number: typed('number'),
  Boolean: typed('boolean'),
  Null: typed('null'),
  Nullable: (schema: Schema): Schema => ({ ...schema, type: [schema.type, 'null'] }),
  Literal: (value: string | number | boolean): Schema => ({ type: typeof value, const: value }),
  Enum: (values: readonly string[], options: Schema): Schema => ({ enum: values, ...options }),
  Ref: ($ref: string): Schema => ({ $ref }),
  Union: (anyOf: readonly Schema[], options: Options = {}): Schema => ({ anyOf, ...keywords(options) }),
  Array: (items: Schema, options: Options = {}): Schema => ({ type: 'array', items, ...keywords(options) }),
  /** A schema without a builder of its own. */
  Unsafe: (schema: Schema): Schema => ({ ...schema }),

  /** A property that may be absent. */
  Optional: (schema: Schema): Schema => {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },

  Object: <Named extends Properties>(
    properties: Named,
    options: Options = {},
  ): ObjectSchema & { readonly properties: Named } => {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name]!));
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...keywords(options) };
  },
};

export interface Parameter<Value> {
  /** Reads the value; null: the address does not contain the parameter. Throws a ServiceError with its own code. */
  readonly read: (given: string | null, name: string) => Value;
  /** Where it may be given several times: reads all values, at least one. Absent: it may not. */
  readonly readAll?: (given: readonly string[], name: string) => Value;
  /** Type, range, default, meaning and examples, as in OpenAPI; optional if the endpoint answers without it. */
  readonly schema: Schema;
  /** Its row in docs/api.md, in Markdown. */
  readonly documented: { readonly values: string; readonly default: string };
}

/** By name, in the order in which they are read, documented and named in messages. */
export type ParameterTable = Readonly<Record<string, Parameter<unknown>>>;

export type ParameterValues<Table extends ParameterTable> = {
  readonly [Name in keyof Table]: ReturnType<NonNullable<Table[Name]>['read']>;
};

/**
 * Reads the query string of an address (path and query string). Throws `malformed_request`, `bad_encoding`,
 * `unknown_parameter` and `repeated_parameter`, the first in this order; then what the parameters throw, in
 * the order of the table.
 */
export function readParameters<Table extends ParameterTable>(
  table: Table,
  address: string,
): ParameterValues<Table> {
  if (address.includes('#')) {
    throw new ServiceError(
      'malformed_request',
      'address: expected no `#` (written `%23` in a value), found one',
    );
  }
  const question = address.indexOf('?');
  const given = collect(table, question === -1 ? '' : address.slice(question + 1));
  const values = Object.entries(table).map(([name, parameter]) => [
    name,
    readParameter(parameter, name, given.get(name) ?? []),
  ]);
  return Object.fromEntries(values) as ParameterValues<Table>;
}

/** `given`: every value, in their order; one at most where it may not be given several times. */
export function readParameter<Value>(
  { read, readAll }: Parameter<Value>,
  name: string,
  given: readonly string[],
): Value {
  return given.length > 0 && readAll ? readAll(given, name) : read(given[0] ?? null, name);
}

function collect(table: ParameterTable, raw: string): Map<string, readonly string[]> {
  const pairs = parseQueryString(raw);
  const unknown = pairs.find(({ name }) => !Object.hasOwn(table, name));
  if (unknown !== undefined) {
    const known = Object.keys(table).map((name) => `\`${name}\``);
    const expected = known.length === 0 ? 'no parameter' : known.join(', ');
    throw new ServiceError(
      'unknown_parameter',
      `expected ${expected}, found parameter ${quoted(unknown.name)}${clauseOf(unknown.name, table)}`,
    );
  }
  const given = new Map<string, readonly string[]>();
  for (const { name, value } of pairs) {
    const before = given.get(name);
    if (before !== undefined && table[name]!.readAll === undefined) {
      throw parameterFault('repeated_parameter', name, 'it once', 'it again');
    }
    given.set(name, [...(before ?? []), value]);
  }
  return given;
}

/** What other services call a parameter: ours, or what stands in `query`. */
const ELSEWHERE: readonly (readonly [names: string, ours: string, words: string])[] = [
  ['size n', 'limit', 'here it is `limit`'],
  ['q', 'query', 'here it is `query`'],
  ['sort sort_type sort_field order', 'order_by', 'here it is `order_by`'],
  ['from page', 'after', 'here `after` leads to the next page, with the cursor of the last one'],
  ['subreddit', 'query', 'write `/r/name` in `query`'],
  ['author', 'query', 'authors are not stored, so nothing can be found by them'],
  ['since', 'query', 'write `after:2024-01-31` in `query`'],
  ['until before', 'query', 'write `before:2024-01-31` in `query`'],
];

function clauseOf(name: string, table: ParameterTable): string {
  const is = ([names, ours]: (typeof ELSEWHERE)[number]) =>
    names.split(' ').includes(name) && Object.hasOwn(table, ours);
  const words = ELSEWHERE.find(is)?.[2];
  return words === undefined ? '' : `; ${words}`;
}

export function parameterSchema(table: ParameterTable): ObjectSchema {
  const properties = Object.entries(table).map(([name, { schema }]) => [name, schema]);
  return Type.Object(Object.fromEntries(properties), { additionalProperties: false });
}

interface ParameterDetails {
  readonly description: string;
  readonly examples: readonly unknown[];
}

/** A text that need not be given, as it is; null if it is absent or empty. */
export function optionalText(
  schema: Schema,
  documented: Parameter<string | null>['documented'],
): Parameter<string | null> {
  return { read: (given) => given || null, schema: Type.Optional(schema), documented };
}

/** One of a few words; `standard` if it is absent or empty. */
export function choice<Value extends string>(
  values: readonly Value[],
  { standard, description, examples }: ParameterDetails & { readonly standard: Value },
): Parameter<Value> {
  const options = { type: 'string', default: standard, description, examples } as const;
  return {
    read: (given, name) => (given ? readChoice(name, given, values) : standard),
    schema: Type.Optional(Type.Enum([...values, ''], options)),
    documented: { values: values.map((value) => `\`${value}\``).join(', '), default: `\`${standard}\`` },
  };
}

/** Throws an error with this code, or with that of the parameter, if the text is not one of the values. */
export function readChoice<Value extends string>(
  name: string,
  given: string,
  values: readonly Value[],
  code: ProblemCode = codeOfParameter(name),
): Value {
  const value = values.find((known) => known === given);
  if (value !== undefined) return value;
  const known = values.map((word) => `\`${word}\``);
  const expected = [known.slice(0, -1).join(', '), known.at(-1)].join(' or ');
  throw parameterFault(code, name, expected, quoted(given));
}

/**
 * A number in decimal digits, from 0 to 999,999,999 at most; `standard` if it is absent (null: all there are).
 * `unit`: what it counts, for docs/api.md.
 */
export function wholeNumber<Standard extends number | null>({
  from,
  to,
  standard,
  unit,
  description,
  examples,
}: ParameterDetails & {
  readonly from: number;
  readonly to: number;
  readonly standard: Standard;
  readonly unit: string;
}): Parameter<number | Standard> {
  const options = {
    ...{ minimum: from, maximum: to, description, examples },
    ...(standard === null ? {} : { default: standard }),
  };
  return {
    read(given, name) {
      if (given === null) return standard;
      const value = /^\d{1,9}$/.test(given) ? Number(given) : NaN;
      if (value >= from && value <= to) return value;
      const expected = `a whole number from ${from} to ${to}`;
      throw parameterFault(codeOfParameter(name), name, expected, quoted(given));
    },
    schema: Type.Optional(Type.Integer(options)),
    documented: { values: `${from} to ${to} ${unit}`, default: standard === null ? 'all' : `${standard}` },
  };
}

export interface Pair {
  readonly name: string;
  readonly value: string;
}

/**
 * Pairs in the order given; a piece without `=` has an empty value, empty pieces (`&&`) are skipped. `raw` is
 * the text after the `?`, one character for each byte, as Node gives it. Throws `bad_encoding`.
 */
export function parseQueryString(raw: string): Pair[] {
  return raw
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const equals = piece.indexOf('=');
      const name = decode(equals === -1 ? piece : piece.slice(0, equals), () => 'name of a parameter');
      const value = equals === -1 ? '' : decode(piece.slice(equals + 1), () => `parameter ${quoted(name)}`);
      return { name, value };
    });
}

/** A text as a value in an address; also safe between single quotes in a shell. */
export function encodeValue(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** `place`: for the message of an error. */
function decode(raw: string, place: () => string): string {
  const spaced = raw.replaceAll('+', ' ');
  if (/^[\x20-\x24\x26-\x7e]*$/.test(spaced)) return spaced;
  const [strange] = /[^\x00-\xff]/u.exec(spaced) ?? [];
  if (strange !== undefined) throw badEncoding(place, `the character \`${strange}\``);
  const [fault] = /%(?![0-9a-f]{2}).{0,2}/is.exec(spaced) ?? [];
  if (fault !== undefined) {
    throw badEncoding(place, `\`${fault}\`; a percent sign itself is written \`%25\``);
  }
  try {
    return decodeURIComponent(inEscapes(spaced));
  } catch {
    throw badEncoding(place, 'bytes that are no UTF-8');
  }
}

/** With bytes beyond ASCII percent-encoded. `bytes`: one character for each. */
function inEscapes(bytes: string): string {
  return bytes.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

function badEncoding(place: () => string, found: string): ServiceError {
  return new ServiceError(
    'bad_encoding',
    `${place()}: expected UTF-8 in percent-encoding (\`%\` and two hexadecimal digits), found ${found}`,
  );
}

export interface ParseError extends Error {
  readonly code?: string | undefined;
  /** A Buffer of the last bytes received; absent if the connection failed. (Fastify's type says otherwise.) */
  readonly rawPacket?: unknown;
  /** The offset of the fault in those bytes. */
  readonly bytesParsed?: number | undefined;
}

const NEWLINE = 0x0a;
const FIRST_BEYOND_ASCII = 0x80;

/**
 * Takes over a connection whose request has bytes beyond ASCII in its address: Node's parser accepts only ASCII and
 * gives up the connection. The request is passed to the server again, with those bytes percent-encoded, on a
 * connection of its own that is closed after the answer. Whether they are UTF-8 is checked where addresses are read.
 * Returns false, having done nothing, if the fault is another, or the request line began in an earlier packet.
 */
export function retryInEscapes(
  server: Server,
  { code, rawPacket, bytesParsed = 0 }: ParseError,
  socket: Socket,
): boolean {
  if (code !== 'HPE_INVALID_URL' || !Buffer.isBuffer(rawPacket)) return false;
  if ((rawPacket[bytesParsed] ?? 0) < FIRST_BEYOND_ASCII) return false;
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf(NEWLINE, bytesParsed - 1) + 1;
  if (!/^[A-Z-]+ [^\s]/.test(rawPacket.toString('latin1', start, bytesParsed + 1))) return false;

  const [inner, outer] = duplexPair();
  Object.defineProperty(inner, 'remoteAddress', { value: socket.remoteAddress });
  const escaped = requestLineEscaper();
  // The parser that gave up must not see the bytes that follow.
  socket.removeAllListeners('data').removeAllListeners('end');
  outer.write(escaped(rawPacket.subarray(start)));
  socket.on('data', (chunk: Buffer) => outer.write(escaped(chunk)));
  socket.on('end', () => outer.end());
  socket.on('close', () => inner.destroy());
  inner.on('close', () => socket.destroySoon());
  outer.pipe(socket);
  server.emit('connection', inner);
  return true;
}

/**
 * Percent-encodes bytes beyond ASCII up to the end of the first line, and adds a header there that closes the
 * connection.
 */
function requestLineEscaper(): (bytes: Buffer) => Buffer {
  let isInLine = true;
  return (bytes) => {
    if (!isInLine) return bytes;
    const newline = bytes.indexOf(NEWLINE);
    const line = newline === -1 ? bytes : bytes.subarray(0, newline + 1);
    isInLine = newline === -1;
    const text = inEscapes(line.toString('latin1'));
    const close = isInLine ? '' : 'Connection: close\r\n';
    return Buffer.concat([Buffer.from(text + close, 'latin1'), bytes.subarray(line.length)]);
  };
}
