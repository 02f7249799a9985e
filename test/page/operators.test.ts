// The box suggests the operators of the query language, and no others. Its list stands in web/page.js, which
// imports nothing: it is read as text.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { parse } from '../../src/search/language/parser.ts';
import { type OperatorKind, readOperator } from '../../src/search/language/syntax.ts';

/** A value that each operator takes. */
const VALUES: Readonly<Record<Exclude<OperatorKind, 'reserved'>, string>> = {
  community: 'cats',
  site: 'example.org',
  score: '10',
  after: '2024-01-31',
  before: '2024-01-31',
  post: 'abc',
  id: 'abc',
};

const script = readFileSync(new URL('../../src/web/page.js', import.meta.url), 'utf8');
const list = found(/^const OPERATORS = \[\n([\s\S]*?)^\];$/m);
const names = [...list.matchAll(/^ {2}\['([^']+)',/gm)].map(([, name]) => name!);

it('the box suggests every operator', () => {
  assert.deepEqual(names.map((name) => readOperator(name)?.kind).sort(), Object.keys(VALUES).sort());
});

it('behind a `-` the box suggests the operators that can be excluded', () => {
  const withoutMinus = new RegExp(found(/OPERATORS\.filter\(\(\[name\]\) => !\/([^/]+)\/\.test\(name\)\)/));
  const refused = names.filter((name) => {
    const { kind } = readOperator(name)!;
    return kind !== 'reserved' && parse(`-${name}${VALUES[kind]}`).faults.length > 0;
  });
  const failing = names.filter((name) => withoutMinus.test(name));
  assert.deepEqual(failing, refused);
  assert.ok(refused.length > 0 && refused.length < names.length);
});

function found(pattern: RegExp): string {
  const match = pattern.exec(script);
  assert.ok(match, `expected ${pattern} in web/page.js`);
  return match[1]!;
}
