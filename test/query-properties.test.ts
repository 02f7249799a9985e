// Properties of the query language: what holds for every query and every text.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../src/errors.ts';
import { MAX_QUERY_TIME } from '../src/model/query.ts';
import { interpretQuery, interpretWithoutWindow } from '../src/search/language/interpret.ts';
import { parse } from '../src/search/language/parser.ts';
import { printQuery } from '../src/search/language/syntax.ts';
import {
  garbageArbitrary,
  type QueryVocabulary,
  queryArbitrary,
  spelledQueryArbitrary,
} from './generators/queries.ts';
import { VOCABULARY } from './generators/records.ts';

/** Words that would be something else without quotes, names that look like operators, numbers at their bounds. */
const NASTY: QueryVocabulary = {
  words: [
    ...VOCABULARY.words,
    ...['r/x', '/U/x', 'before:2020', 'Site:a.org', 'title:x', 'id:', 'id:t1_a', '/r/x/comments/abc/_/def'],
    ...['-a', '--a', 'a|b', '|a', 'a*', 'ab**', '*a'],
    ...['a, b', ' a ', 'a\nb', 'foo:bar', 'https://example.org/a?b=c&d', 'redd.it/abc', '/r/x/comments/abc'],
    "'a'",
    ...['a\u00adb', '#️⃣', '*️⃣', '½', '«a»', '&amp;a', '\ud800a', 'x\u0000y', 'İ', 'post:1', '@a', '+a', 'a+b'],
  ],
  communities: [
    ...VOCABULARY.communities,
    ...['r', 'u', 'u_', '-a', '*', 'ǆ', 'before:2020', '&amp;', 'a.', '日本'],
  ],
  domains: [
    ...VOCABULARY.domains,
    ...['self', 'self.energy', 'self.reddit.com', 'com', '127.0.0.1', 'a_b.example.org'],
  ],
  ids: [...VOCABULARY.ids, 't3_x', 't3_', '-', '_', 'ABC', 'x'.repeat(64), 't3_t3_x', 't1_x', 't5_', 't8_x'],
  times: [...VOCABULARY.times, MAX_QUERY_TIME],
  scores: [...VOCABULARY.scores, -999_999_999, 999_999_999, 1, -1].filter((score) => Math.abs(score) < 1e9),
};

const off = { impliedWindow: 'off' } as const;

describe('query language', () => {
  it('parse(print(query)) = query', () => {
    fc.assert(
      fc.property(queryArbitrary(NASTY, 8), (query) => {
        assert.deepEqual(interpretQuery(printQuery(query), off).query, query);
      }),
      { numRuns: 2000 },
    );
  });

  it('every spelling means its query', () => {
    fc.assert(
      fc.property(spelledQueryArbitrary(NASTY, 6), ({ text, query }) => {
        assert.deepEqual(interpretQuery(text, off).query, query);
      }),
      { numRuns: 2000 },
    );
  });

  it('the echo gives the same query and the same echo, and no second `after:` is added', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          spelledQueryArbitrary(NASTY, 6).map(({ text }) => text),
          garbageArbitrary(),
        ),
        (text) => {
          const first = interpretedOrNull(text);
          if (first === null) return;
          const { query, echo } = first;
          const { dropped: _, ...again } = interpretQuery(echo, { impliedWindow: '1d' });
          assert.deepEqual(again, { query, echo, implied: null });
          const { dropped: __, ...alone } = interpretWithoutWindow(echo);
          assert.deepEqual(alone, { query, echo });
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('a word is quoted only where it would mean something else without', () => {
    fc.assert(
      fc.property(queryArbitrary(NASTY, 1), (query) => {
        const printed = printQuery(query);
        if (query.items[0]?.kind !== 'words' || query.items[0].words.length !== 1 || !printed.includes('"'))
          return;
        const tree = parse(printed.replaceAll('"', ''));
        const meant = tree.items.flatMap((item) => ('meaning' in item ? item.meaning : []));
        assert.notDeepEqual(meant, query.items);
      }),
      { numRuns: 2000 },
    );
  });

  it('the parser never throws; interpreting throws nothing but errors of the query', () => {
    fc.assert(
      fc.property(fc.oneof(garbageArbitrary(), fc.string({ unit: 'binary' })), (text) => {
        parse(text);
        interpretedOrNull(text);
      }),
      { numRuns: 5000 },
    );
  });

  it('items lie in order, apart from one another, with separators alone between them', () => {
    fc.assert(
      fc.property(garbageArbitrary(), (text) => {
        let end = 0;
        for (const { position } of parse(text).items) {
          assert.ok(position.length > 0);
          assert.match(text.slice(end, position.offset), /^[\p{White_Space},]*$/u);
          end = position.offset + position.length;
        }
        assert.match(text.slice(end), /^[\p{White_Space},]*$/u);
      }),
      { numRuns: 2000 },
    );
  });
});

/** null where the text is refused, with a place inside it. */
function interpretedOrNull(text: string) {
  try {
    return interpretQuery(text, { impliedWindow: '1d' });
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.status, 400);
    assert.ok(error.position !== undefined);
    assert.ok(error.position.offset >= 0 && error.position.offset + error.position.length <= text.length);
    assert.match(error.message, /expected .*, found /s);
    return null;
  }
}
