// Whether the OpenAPI document agrees with itself and with the code.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PROBLEMS, type ProblemCode } from '../../src/errors.ts';
import { PARAMETERS } from '../../src/http/params.ts';
import { AnswerSchemas, type OpenApiDocument, type Operation } from './answer-schemas.ts';
import { openService, type Service } from './service.ts';

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
      Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
        path,
        method,
        operation,
      ]),
    );

  it('is of version 3.1 and holds the two endpoints, with GET alone', () => {
    assert.match(document.openapi, /^3\.1\./);
    assert.deepEqual(
      operations().map(([path, method]) => `${method} ${path}`),
      ['get /api/v1/search/posts', 'get /api/v1/search/comments'],
    );
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

  it('operations have names of their own', () => {
    const names = operations().map(([, , { operationId }]) => operationId);
    assert.equal(new Set(names).size, names.length);
  });

  it('parameters are those that are read', () => {
    for (const [, , { parameters }] of operations()) {
      assert.deepEqual(
        parameters.map(({ name }) => name),
        PARAMETERS,
      );
      assert.deepEqual(
        parameters.filter(({ required }) => required).map(({ name }) => name),
        ['query'],
      );
    }
  });

  it('every example is as its schema says', () => {
    let checked = 0;
    for (const [, , { parameters, responses }] of operations()) {
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
      for (const { schema, value } of given) {
        if (value === undefined) continue;
        assert.ok(schemas.validator(schema).Check(value), JSON.stringify(value));
        checked++;
      }
    }
    assert.ok(checked > 10);
  });

  it('every code that the endpoints give is listed under its status', () => {
    const listed = Object.entries(document.components.schemas)
      .filter(([name]) => name.startsWith('Problem'))
      .flatMap(([name, schema]) => {
        const { code } = (schema as { properties: { code: { enum: ProblemCode[] } } }).properties;
        for (const value of code.enum) assert.equal(`Problem${PROBLEMS[value].status}`, name, value);
        return code.enum;
      });
    const missing = (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) => !listed.includes(code));
    assert.deepEqual(missing, ['before_without_after', 'forbidden']);
  });
});
