import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { embeddedEngine, openKind } from '../../../../test/embedded-index.ts';
import { comment, post } from '../../../../test/helpers.ts';
import { conditionsOf, matches, type Query, type Word } from '../../../model/query.ts';
import type { Kind, StoredRecord } from '../../../model/record.ts';
import { tokens } from '../../../text/tokenizer.ts';
import { WordPool } from '../sets/chunk.ts';
import { Deadline } from './deadline.ts';
import { matchQuery, totalOf } from './matching.ts';

/** Few words, so that all pairs of a phrase are often there and the phrase is not. */
const WORDS = [
  ..."the of and is I think that don't the of solar cat government panel solar photovoltaics com".split(' '),
  ...['日', '本', '語', '日本', 'ไทย', '😀', '1', 'x', 'Straße', '&amp;', 'cafe\u0301'],
];
/** So many that some share their codes. */
const OTHERS = Array.from({ length: 300 }, (_, i) => `w${i * 7}`);
const PHRASES = [
  ...[
    'solar panel',
    'panel solar',
    'the solar panel',
    'solar panel com',
    'of the solar panel',
    'photovoltaics com',
  ],
  ...['solar panel photovoltaics', 'panel solar panel solar', 'w7 solar panel w14', 'solar w7 panel the'],
  ...['panel panel', 'solar the solar', 'x solar', 'straße com', 'photovoltaics w7', 'w7 solar', 'w14 w21'],
  ...['the of the', 'of the of', 'the of and', 'i think that', 'that is the', 'and the of and'],
  ...["i don't think", '日本語', '本日本', 'ไทย', '1 x 1', 'x 1 日', 'the solar of', 'of the solar'],
  ...['cat of the', '日 the 本', 'the government of', 'the of the of the', 'think that that is'],
];

const space = fc.constantFrom(' ', ' ', ', ', '');
const piece = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...WORDS) }, fc.constantFrom(...OTHERS));
const few = fc.array(fc.tuple(piece, space), { maxLength: 30 });
/** Longer than what places tell apart. */
const many = fc.array(fc.tuple(piece, space), { minLength: 250, maxLength: 600 });
const text = fc.oneof({ weight: 9, arbitrary: few }, many).map((pieces) => pieces.flat().join(''));

function recordsOf(kind: Kind, seed: number): StoredRecord[] {
  const texts = fc.sample(fc.tuple(text, text), { numRuns: 400, seed });
  return texts.map(([one, two], i) => {
    const shared = { id: `a${i + 1000}`, created: 1_200_000_000 + i };
    return kind === 'comment'
      ? comment({ ...shared, body: one })
      : post({ ...shared, title: one, selftext: two });
  });
}

const word = fc.constantFrom(...PHRASES, ...PHRASES, 'solar', 'of').map((typed): Word => {
  const held = tokens(typed);
  return held.length === 1
    ? { kind: 'term', token: held[0]!, typed }
    : { kind: 'phrase', tokens: held, typed };
});
const item = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 3 }), fc.constantFrom(false, false, true))
  .map(([words, negated]) => ({ kind: 'words', words, negated }) as const);
const query: fc.Arbitrary<Query> = fc
  .array(item, { minLength: 1, maxLength: 3 })
  .map((items) => ({ items: items.toSorted((a, b) => Number(a.negated) - Number(b.negated)) }));

describe('phrases that lists do not settle', () => {
  for (const kind of ['comment', 'post'] as const) {
    it(`${kind}s: are found as in the texts: asked for, any of, excluded`, async () => {
      const records = recordsOf(kind, 3);
      await using engine = await embeddedEngine(records);
      using opened = openKind(engine.path, kind);
      const pool = new WordPool();
      let some = 0;
      for (const one of fc.sample(query, { numRuns: 200, seed: 8 })) {
        const conditions = conditionsOf(one);
        const expected = records.filter((record) => matches(record, conditions)).length;
        const matching = matchQuery(opened.view, one, pool, Deadline.never());
        assert.equal(totalOf(matching), expected, JSON.stringify(one));
        pool.releaseAll();
        if (expected > 0 && expected < records.length) some++;
      }
      assert.ok(some > 30, `${some} queries with some matches`);
    });
  }
});
