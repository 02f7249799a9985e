// Whether the OpenAPI document agrees with itself and with the code.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PROBLEMS, type ProblemCode } from '../../src/errors.ts';
import { EXPORT_PARAMETERS } from '../../src/features/export/parameters.ts';
import { pathOf } from '../../src/operation/operation.ts';
import { FIELD_NAMES } from '../../src/search/presenter.ts';
import { allFeatures } from '../archive.ts';
import { AnswerSchemas, type OpenApiDocument, type Operation, type Parameter } from './answer-schemas.ts';
import { nextOf } from './asking.ts';
import { POSTS } from './corpus.ts';
import { openService, type Service } from './service.ts';
import { ofTomorrow } from './tomorrow.ts';

const PROBLEM_TYPE = 'application/problem+json';

/** Of all features, but for those with a part in their path. */
const OPERATIONS = (
  await Promise.all((await allFeatures()).map(async ({ operations }) => (await operations?.()) ?? []))
).flat();

function parametersOf(isOpen: boolean): Readonly<Record<string, readonly string[]>> {
  const those = OPERATIONS.filter((one) => one.part === undefined && (one.isOpen ?? false) === isOpen);
  return Object.fromEntries(those.map((one) => [pathOf(one), Object.keys(one.parameters)]));
}

const PARAMETERS = {
  ...parametersOf(false),
  '/api/v1/export/posts': Object.keys(EXPORT_PARAMETERS.post),
  '/api/v1/export/comments': Object.keys(EXPORT_PARAMETERS.comment),
};

/** Of what needs no key and no query. */
const OPEN_PARAMETERS = parametersOf(true);

describe('the OpenAPI document', () => {
  let service: Service;
  let document: OpenApiDocument;
  let schemas: AnswerSchemas;

  before(async () => {
    service = await openService([], []);
    const server = await service.build();
    document = (await server.inject('/api/v1/openapi.json')).json();
    schemas = new AnswerSchemas(document);
  });
  after(() => service[Symbol.asyncDispose]());

  const operations = (): [string, string, Operation][] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, of]): [string, string, Operation] => [path, method, of]),
    );

  /** Of the two endpoints. */
  const searches = (): Operation[] =>
    operations()
      .filter(([path]) => path.startsWith('/api/v1/search/'))
      .map(([, , operation]) => operation);

  it('is of version 3.1 and holds the two endpoints and all others, with GET and HEAD, and /healthz and /readyz', () => {
    assert.match(document.openapi, /^3\.1\./);
    const kinds = 'search records timeline counts sample words explain breakdown compare'.split(' ');
    const paths = [
      ...kinds.flatMap((name) => [`${name}/posts`, `${name}/comments`]),
      ...['export/posts', 'export/posts/schema', 'export/comments', 'export/comments/schema', 'coverage'],
      ...['citations/{id}', 'citations/{id}/check', 'datasets', 'datasets/{name}', 'datasets/{name}/{file}'],
      ...['saved', 'saved/{id}', 'thread/{post}'],
    ];
    const expected = paths.flatMap((path) => [`get /api/v1/${path}`, `head /api/v1/${path}`]);
    expected.push('get /readyz', 'get /healthz', 'get /livez');
    const told = operations().map(([path, method]) => `${method} ${path}`);
    assert.deepEqual(told.sort(), expected.sort());
  });

  it('every reference leads to a schema, and every schema compiles', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, reference]) => reference!,
    );
    assert.ok(references.length > 10);
    for (const reference of references) assert.ok(schemas.resolve(reference));
    for (const schema of Object.values(document.components.schemas)) assert.ok(schemas.validator(schema));
  });

  it('every schema is used', () => {
    const text = JSON.stringify(document);
    const unused = Object.keys(document.components.schemas).filter(
      (name) => !text.includes(`schemas/${name}"`),
    );
    assert.deepEqual(unused, []);
  });

  it('503 names each of its causes: too much to do, too long, an index that cannot be read', () => {
    for (const { responses } of searches()) {
      assert.match(responses['503']!.description, /busy.*took too long.*index cannot be read/);
    }
  });

  it('operations have names of their own', () => {
    const names = operations().map(([, , { operationId }]) => operationId);
    assert.equal(new Set(names).size, names.length);
  });

  it('parameters are those that are read', () => {
    for (const [path, names] of Object.entries(PARAMETERS)) {
      const { parameters } = document.paths[path]!.get!;
      const told = parameters.map(({ name, in: place, required }) => `${place} ${name} ${required}`);
      const expected = names.map((name) => `query ${name} ${name === 'query' || name === 'ids'}`);
      assert.deepEqual(told, [...expected, 'header If-None-Match false']);
    }
    for (const [path, names] of Object.entries(OPEN_PARAMETERS)) {
      const told = (document.paths[path]!.get!.parameters ?? []).map((one) => `${one.name} ${one.required}`);
      const expected = names.map((name) => `${name} false`);
      assert.deepEqual(told, expected);
    }
  });

  it('the parameters of a thread: its post is in the path, none other has to be there', () => {
    const { parameters } = document.paths['/api/v1/thread/{post}']!.get!;
    const names = Object.keys(OPERATIONS.find(({ name }) => name === 'thread')!.parameters).map(
      (name) => `query ${name} false`,
    );
    const told = parameters.map(({ name, in: place, required }) => `${place} ${name} ${required}`);
    assert.deepEqual(told.sort(), ['header If-None-Match false', 'path post true', ...names].sort());
  });

  it('every example is as its schema says', () => {
    let checked = 0;
    for (const [, , { parameters = [], responses }] of operations()) {
      const given = [
        ...parameters.flatMap(({ schema, example, examples = {} }) =>
          [example, ...Object.values(examples).map(({ value }) => value)].map((value) => ({ schema, value })),
        ),
        ...Object.values(responses).flatMap(({ content = {} }) =>
          Object.values(content).flatMap(({ schema, examples = {} }) =>
            Object.values(examples).map(({ value }) => ({ schema, value })),
          ),
        ),
      ];
      for (const { schema, value } of given.filter((one) => one.value !== undefined)) {
        assert.ok(schemas.validator(schema).Check(value), JSON.stringify(value));
        checked++;
      }
    }
    assert.ok(checked > 10);
  });

  it('one example hid the others of its status: every code that the endpoints give has its own', () => {
    for (const { responses } of searches()) {
      const listed = Object.entries(responses).flatMap(([status, { content = {} }]) =>
        Object.entries(content[PROBLEM_TYPE]?.examples ?? {}).map(([name, { value }]) => {
          const { code } = value as { code: ProblemCode };
          assert.deepEqual([name, PROBLEMS[code].status], [code, Number(status)]);
          return code;
        }),
      );
      if (listed.length === 0) continue;
      const missing = (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) => !listed.includes(code));
      assert.deepEqual(missing, ['forbidden', 'dataset_withdrawn', 'range_not_satisfiable']);
    }
  });

  it('its examples of parameters combined to a refused request: each combination is answered', async () => {
    const server = await service.build();
    let asked = 0;
    for (const [path, method, { parameters = [] }] of operations()) {
      const queried = parameters.filter((parameter) => parameter.in === 'query');
      const given = queried.map(exampleValues);
      if (method !== 'get' || given.length === 0) continue;
      for (const values of combinations(given)) {
        const pairs = values.flatMap((value, i) => [value].flat().map((one) => [queried[i]!.name, `${one}`]));
        const search = new URLSearchParams(pairs);
        const response = await server.inject({
          url: `${path.replace('{post}', 'kofq2a')}?${search}`,
          headers: { authorization: `Bearer ${service.keys.good}` },
        });
        // What a path names is not here.
        const expected = path.includes('{post}') ? 404 : 200;
        assert.equal(response.statusCode, expected, `${search}: ${response.body}`);
        asked++;
      }
    }
    assert.ok(asked >= 12, `${asked}`);
  });

  it('the fields that a schema has are those that can be chosen, and none has to be there', () => {
    for (const [kind, name] of [
      ['post', 'PostFields'],
      ['comment', 'CommentFields'],
    ] as const) {
      const schema = document.components.schemas[name] as { properties: object; required?: unknown };
      assert.deepEqual(Object.keys(schema.properties).sort(), [...FIELD_NAMES[kind]].sort());
      assert.equal(schema.required, undefined);
      const whole = document.components.schemas[name.replace('Fields', '')] as { required: string[] };
      assert.deepEqual(whole.required, FIELD_NAMES[kind].slice(0, whole.required.length));
    }
  });

  it('an empty order_by is allowed', () => {
    for (const { parameters } of searches())
      assert.ok(schemas.validator(parameters.find(({ name }) => name === 'order_by')!.schema).Check(''));
  });

  for (const fields of [{}, { fields: 'id,created' }]) {
    it(`its links lead from a page to the next one, with ${JSON.stringify(fields)}`, async () => {
      await using filled = await openService(POSTS, []);
      const server = await filled.build();
      const written = { query: 'score:>=-9 -"a b"', order_by: 'oldest', limit: '2' };
      const request: Record<string, string> = { ...written, ...fields };
      const headers = { authorization: `Bearer ${filled.keys.good}` };
      const path = '/api/v1/search/posts';
      const url = (given: Record<string, string>) => `${path}?${new URLSearchParams(given)}`;
      const answer = await server.inject({ url: url(request), headers });
      const { parameters } = document.paths[path]!.get!.responses['200']!.links!.next!;
      const next = Object.fromEntries(
        Object.entries(parameters).flatMap(([name, expression]) => {
          const value = evaluate(expression, request, answer.json());
          return value === undefined ? [] : [[name, value]];
        }),
      );
      const told = new URL(nextOf(answer)!);
      assert.equal(told.pathname, path);
      assert.deepEqual(Object.fromEntries(told.searchParams), next);
    });
  }

  it('every header of an answer is described', async () => {
    const server = await service.build({ requestsPerMinute: 60 });
    const unsaid =
      /^(?:access-control-|content-|x-content-type-options|referrer-policy|vary|date|connection|keep-alive|cache-control)/;
    const { good } = service.keys;
    for (const [search, key] of [
      ['query=before:2021-01-02', good],
      ['query=score:x', good],
      ['query=', 'x'],
    ] as const) {
      const { statusCode, headers } = await server.inject({
        url: `/api/v1/search/posts?${search}`,
        headers: { authorization: `Bearer ${key}` },
      });
      const described = document.paths['/api/v1/search/posts']!.get!.responses[statusCode]!.headers ?? {};
      const known = Object.keys(described).map((name) => name.toLowerCase());
      const missing = Object.keys(headers).filter((name) => !known.includes(name) && !unsaid.test(name));
      assert.deepEqual(missing, [], `${statusCode}`);
    }
    const { headers = {} } = document.paths['/api/v1/search/posts']!.get!.responses['200']!;
    const expected = ['Link', 'ETag', 'RateLimit', 'RateLimit-Policy', 'Colloquy-Implied', 'Colloquy-Page'];
    for (const name of expected) assert.ok(name in headers, name);
  });

  it('a new field and a new code broke clients: answers that have them are as the document says', async () => {
    await using filled = await openService(POSTS, []);
    const server = await filled.build();
    const open = new AnswerSchemas(document, 'open');
    const path = '/api/v1/search/posts';
    for (const [search, status, type] of [
      ['query=', 200, 'application/json'],
      ['query=score:x', 400, PROBLEM_TYPE],
    ] as const) {
      const headers = { authorization: `Bearer ${filled.keys.good}` };
      const answer = (await server.inject({ url: `${path}?${search}`, headers })).json();
      const tomorrow = ofTomorrow(answer);
      assert.deepEqual(open.faults(path, status, type, tomorrow), []);
      // Our own answers are held closed.
      assert.notDeepEqual(schemas.faults(path, status, type, tomorrow), []);
      assert.deepEqual(schemas.faults(path, status, type, answer), []);
    }
  });
});

function exampleValues({ example, examples = {} }: Parameter): unknown[] {
  return example === undefined ? Object.values(examples).map(({ value }) => value) : [example];
}

function combinations(given: readonly (readonly unknown[])[]): unknown[][] {
  return given.reduce<unknown[][]>(
    (made, values) => made.flatMap((start) => values.map((value) => [...start, value])),
    [[]],
  );
}

/** A runtime expression of OpenAPI: of the query string (undefined: not given), or a JSON pointer into the answer. */
function evaluate(expression: string, request: Record<string, string>, answer: unknown): string | undefined {
  const name = /^\$request\.query\.(\w+)$/.exec(expression)?.[1];
  if (name !== undefined) return request[name];
  const pointer = /^\$response\.body#\/(.*)$/.exec(expression)![1]!;
  return String(pointer.split('/').reduce((at, step) => (at as Record<string, unknown>)[step], answer));
}
