// Random requests made of the OpenAPI document: its parameters, with values its schemas allow, and some they do not.

import fc from 'fast-check';
import type { OpenApiDocument, Parameter } from './answer-schemas.ts';

export interface RandomRequest {
  readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'DELETE';
  /** As in the document. */
  readonly path: string;
  /** Path and query string. */
  readonly address: string;
  readonly key: 'good' | 'revoked' | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Requests to the paths of a document that have parameters; most of them as the document asks. */
export function requestsOf(document: OpenApiDocument): fc.Arbitrary<RandomRequest> {
  const paths = Object.entries(document.paths).flatMap(([path, { get }]) => {
    if (!get?.parameters) return [];
    const inQuery = get.parameters.filter((parameter) => parameter.in === 'query');
    const inPath = get.parameters.filter((parameter) => parameter.in === 'path');
    const arbitrary = fc.tuple(fc.constant(path), addressOf(path, inPath), queryString(inQuery));
    // What a path names is rarely there.
    return [{ weight: inPath.length > 0 ? 1 : 4, arbitrary }];
  });
  const slash = mostly(9, fc.constant(''), fc.constant('/'));
  return fc
    .record({
      place: fc.oneof(...paths),
      slash,
      method: mostly(19, fc.constant('GET' as const), fc.constantFrom('HEAD', 'OPTIONS', 'POST', 'DELETE')),
      key: mostly(19, fc.constant('good' as const), fc.constantFrom('revoked', null)),
      headers: fc.record(
        {
          accept: fc.constantFrom('application/json', 'text/html', '*/*'),
          'accept-encoding': fc.constantFrom('gzip', 'br', 'zstd', 'identity', 'gzip;q=0'),
          'if-none-match': fc.constantFrom('W/"x"', '"x", "y"', 'x'),
        },
        { requiredKeys: [] },
      ),
    })
    .map(({ place: [path, address, search], slash: end, ...rest }) => ({
      path,
      address: `${address}${end}?${search}`,
      ...rest,
    }));
}

/** The path with good values for its parameters: `/api/v1/thread/rock1`. */
function addressOf(path: string, parameters: readonly Parameter[]): fc.Arbitrary<string> {
  return fc
    .tuple(...parameters.map(goodValue))
    .map((values) =>
      parameters.reduce(
        (address, { name }, at) => address.replace(`{${name}}`, () => encodeURIComponent(values[at]!)),
        path,
      ),
    );
}

function queryString(parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const chosen = parameters.map((parameter) => {
    const value = mostly(9, goodValue(parameter), badValue(parameter));
    return parameter.required ? mostly(49, value, fc.constant(null)) : fc.option(value);
  });
  const extra = mostly(
    29,
    fc.constant(''),
    fc.constantFrom('&page=2', '&%zz', '&query=twice', '&', '&limit'),
  );
  return fc
    .tuple(fc.tuple(...chosen), extra)
    .map(
      ([values, end]) =>
        values
          .flatMap((value, at) =>
            value === null ? [] : [`${parameters[at]!.name}=${encodeURIComponent(value)}`],
          )
          .join('&') + end,
    );
}

/** A value that the schema of the parameter allows. */
function goodValue({ schema, example, examples = {} }: Parameter): fc.Arbitrary<string> {
  const given = [
    ...Object.values(examples).map(({ value }) => value),
    ...(example === undefined ? [] : [example]),
  ];
  const fromExamples = given.length === 0 ? [] : [fc.constantFrom(...given.map(String))];
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum.map(String));
  if (schema.type === 'integer') {
    const range = { min: Number(schema.minimum), max: Number(schema.maximum) };
    return fc.oneof(fc.integer(range).map(String), ...fromExamples);
  }
  if (typeof schema.pattern === 'string') {
    return fc.oneof(fc.stringMatching(new RegExp(schema.pattern)), ...fromExamples, ...fromExamples);
  }
  return fc.oneof(
    words(given.map(String)),
    words(given.map(String)),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
  );
}

/** Pieces of the examples in a new order, so that most queries mean something. */
function words(examples: readonly string[]): fc.Arbitrary<string> {
  const pieces = examples.flatMap((example) => example.split(','));
  return fc
    .array(fc.constantFrom(...pieces, 'cat*', '"a box"', 'a|b', '-many', 'post:rock1'), { maxLength: 6 })
    .map((list) => list.join(','));
}

function badValue({ schema }: Parameter): fc.Arbitrary<string> {
  if (schema.type === 'integer') {
    return fc.oneof(fc.integer({ min: Number(schema.maximum) + 1 }).map(String), fc.string({ maxLength: 5 }));
  }
  return fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.toWellFormed()),
    fc.constantFrom('"open', 'score:x', '/r/', '--a', '2'),
  );
}

/** The first in `weight` of `weight + 1` cases. */
function mostly<A, B>(weight: number, usual: fc.Arbitrary<A>, other: fc.Arbitrary<B>): fc.Arbitrary<A | B> {
  return fc.oneof({ weight, arbitrary: usual as fc.Arbitrary<A | B> }, { weight: 1, arbitrary: other });
}
