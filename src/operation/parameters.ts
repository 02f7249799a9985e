// Tables of parameters, which state each parameter of an endpoint once. The table reads an address, and
// OpenAPI, the reference, docs/api.md and links to the endpoint follow it. Contract 4.6.

import { codeOfParameter, type ProblemCode, ServiceError } from '../errors.ts';
import { quoted } from '../text/quoted.ts';
import { type ObjectSchema, type Schema, Type } from './json-schema.ts';
import { encodeValue, parseQueryString } from './query-string.ts';

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
      throw new ServiceError('repeated_parameter', `parameter \`${name}\`: expected it once, found it again`);
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

/** `a=1&b=2`: parameters of the table, in the order given. */
export function parameterString<Table extends ParameterTable>(
  values: Partial<Record<keyof Table & string, string | number>>,
): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${encodeValue(String(value))}`)
    .join('&');
}

export function parameterSchema(table: ParameterTable): ObjectSchema {
  const properties = Object.entries(table).map(([name, { schema }]) => [name, schema]);
  return Type.Object(Object.fromEntries(properties), { additionalProperties: false });
}

interface ParameterDetails {
  readonly description: string;
  readonly examples: readonly unknown[];
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
  throw new ServiceError(code, `parameter \`${name}\`: expected ${expected}, found ${quoted(given)}`);
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
      throw new ServiceError(
        codeOfParameter(name),
        `parameter \`${name}\`: expected a whole number from ${from} to ${to}, found ${quoted(given)}`,
      );
    },
    schema: Type.Optional(Type.Integer(options)),
    documented: { values: `${from} to ${to} ${unit}`, default: standard === null ? 'all' : `${standard}` },
  };
}
