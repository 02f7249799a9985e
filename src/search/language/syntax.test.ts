import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { QueryItem, Word } from '../../model/query.ts';
import { printQuery } from './syntax.ts';

const term = (typed: string): Word => ({ kind: 'term', token: 'x', typed });
const words = (...some: Word[]): QueryItem => ({ kind: 'words', words: some, negated: false });
const score = (min: number | null, max: number | null): QueryItem => ({ kind: 'score', min, max });

/** What the parser gives is printed in test/queries.txt and test/query-properties.test.ts. */
const CASES: readonly (readonly [rule: string, items: readonly QueryItem[], printed: string])[] = [
  ['no item prints as nothing', [], ''],
  ['items are joined by commas', [words(term('a')), words(term('b'))], 'a,b'],
  ['quotes stand where they are needed', [words(term('a'), term('r/b'), term('c*'))], 'a|"r/b"|"c*"'],
  ['a quote inside does not ask for quotes', [words(term('a"b'))], 'a"b'],
  ['a quote that no parser put there separates', [words(term('a "b"'))], '"a  b "'],
  ['a prefix that cannot stand as typed', [words({ kind: 'prefix', prefix: 'ab', typed: 'x ab' })], 'ab*'],
  ['a community', [{ kind: 'community', name: 'askmen', negated: true }], '-/r/askmen'],
  ['a site', [{ kind: 'site', domain: 'self.x', negated: true }], '-site:self.x'],
  ['an id that looks prefixed gets a prefix', [{ kind: 'post', id: 't3_x', negated: false }], 'post:t3_t3_x'],
  ['a least score', [score(-5, null)], 'score:-5'],
  ['a most score', [score(null, -5)], 'score:..-5'],
  ['a score without bounds has the least that can be typed', [score(null, null)], 'score:-999999999'],
  ['a range', [score(1, 5)], 'score:1..5'],
  ['bounds of ten digits', [score(1e9, null), score(null, -1e9)], 'score:>999999999,score:<-999999999'],
];

describe('printQuery', () => {
  for (const [rule, items, printed] of CASES) {
    it(rule, () => assert.equal(printQuery({ items }), printed));
  }
});
