// What can be asked from outside is told once, by its operation: the sources have no parameter, schema, flag or example
// of it anywhere else.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOfParameter } from '../src/errors.ts';
import { EXPORT_PARAMETERS } from '../src/features/export/parameters.ts';
import { FEATURES } from '../src/features.ts';
import { formatsOf, operationIdOf } from '../src/operation/operation.ts';
import { allFeatures } from './archive.ts';
import { project, read } from './project.ts';
import { sourceFiles } from './source-tree.ts';

const SOURCES = sourceFiles(project, ['src'])
  .filter(({ path }) => !path.endsWith('.test.ts'))
  .map(({ path }) => ({ path, text: read(path) }));
const OPERATIONS = (
  await Promise.all((await allFeatures()).map(async ({ operations }) => (await operations?.()) ?? []))
).flat();

const holding = (pattern: RegExp) => SOURCES.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

describe('an operation is told once', () => {
  it('parameters are made where operations are told, and beside where several of a feature share them', () => {
    const telling = new Set(holding(/\boperation\(\{/));
    const builders = new Set(holding(/from '[./]*operation\/(?:parameters|shared)\.ts'/));
    const making = holding(/\b(?:wholeNumber|choice|severalQueries|cursor)\(\s*[[{'A-Z]/);
    const beside = making.filter((path) => !path.startsWith('src/operation/') && !telling.has(path));
    const shared = ['src/features/analysis/shared.ts', 'src/features/export/parameters.ts'];
    assert.deepEqual(beside.filter((path) => builders.has(path)).join(), shared.join());
    assert.ok(making.length > 5);
  });

  it('schemas of answers are named in one place each', () => {
    const ids = new Set(
      OPERATIONS.flatMap(({ schema, further = [] }) => [schema, ...further].map(({ $id }) => `${$id}`)),
    );
    for (const id of ids) {
      const places = holding(new RegExp(`\\$id: .*'${id}'`));
      assert.equal(places.length, 1, `${id}: ${places}`);
    }
    assert.ok(ids.size > 15);
  });

  it('a command of an operation has no other source, and its name is in the list of features', () => {
    const names = new Set(OPERATIONS.flatMap(({ name, command }) => (command === undefined ? [] : [name])));
    const listed = FEATURES.flatMap(({ commands }) => commands);
    for (const name of names) {
      assert.deepEqual(holding(new RegExp(`new Command\\('${name}'\\)`)), [], name);
      assert.ok(listed.includes(name) || name === 'counts', name);
    }
    assert.ok(names.size >= 7);
  });

  it('a flag of a parameter is made of the parameter', async () => {
    let asked = 0;
    for (const { name: feature, operations } of await allFeatures()) {
      const tables = ((await operations?.()) ?? []).map(({ parameters }) => parameters);
      if (feature === 'export') tables.push(EXPORT_PARAMETERS.comment);
      for (const name of new Set(tables.flatMap((table) => Object.keys(table)))) {
        const places = holding(new RegExp(`[Oo]ption\\(\\s*'[^']*--${name.replaceAll('_', '-')}\\b`));
        const own = places.filter((path) => path.startsWith(`src/features/${feature}/`));
        // The form in which a command prints an answer may be none of the answer's own.
        if (name !== 'format') assert.deepEqual(own, [], `${feature}: ${name}`);
        asked++;
      }
    }
    assert.ok(asked > 30, `${asked}`);
  });

  it('forms of an answer are those of its parameter', () => {
    for (const operation of OPERATIONS) {
      const { format } = operation.parameters;
      if (format === undefined || operation.isOpen) continue;
      const { enum: told } = format.schema as { readonly enum: readonly string[] };
      const forms = told.filter((form) => form !== '');
      assert.deepEqual(forms, formatsOf(operation), operationIdOf(operation));
    }
  });

  it('a bad value has the code of its parameter', () => {
    const tables = [...OPERATIONS.map(({ parameters }) => parameters), ...Object.values(EXPORT_PARAMETERS)];
    let asked = 0;
    for (const [name, parameter] of tables.flatMap((table) => Object.entries(table))) {
      // Others are read with the query, by what they are asked of.
      if (!('enum' in parameter.schema) && parameter.schema.type !== 'integer') continue;
      assert.throws(() => parameter.read('?', name), { code: codeOfParameter(name) }, name);
      asked++;
    }
    assert.ok(asked > 30, `${asked}`);
  });
});
