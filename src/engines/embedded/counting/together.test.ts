import assert from 'node:assert/strict';
import { it } from 'node:test';
import { embeddedEngine } from '../../../../test/embedded-index.ts';
import { queryOf } from '../../../../test/engine-suite.ts';
import { someComments } from '../../../../test/helpers.ts';

/** Enough of a chunk that its columns are read as a whole. */
const DOCS = 900;
const WORDS = ['every', 'second', 'third', 'seventh'] as const;
/** The words are in one of so many comments. */
const STEPS = [1, 2, 3, 7] as const;

const SENTIMENTS = {
  'of all values': (i: number) => (i % 5 === 0 ? null : ((i * 7_919) % 20_001) / 10_000 - 1),
  'of few values': (i: number) => (i % 3) / 10_000,
  'of which few are rated': (i: number) => (i % 90 === 0 ? 0.5 : null),
  'that none has': () => null,
  'that are all highest': () => 3,
  'of which the column does not say one': (i: number) => (i === 42 ? 0.123456 : -0.5),
};

for (const [name, ratingOf] of Object.entries(SENTIMENTS)) {
  it(`the ratings of many docs, ${name}, are summed up as those of their records`, async () => {
    const ratings = Array.from({ length: DOCS }, (_, i) => {
      const rating = ratingOf(i);
      return rating === null ? null : Number(rating.toFixed(6));
    });
    const bodyOf = (i: number) => WORDS.filter((_, word) => i % STEPS[word]! === 0).join(' ');
    const records = someComments(DOCS, (i) => ({ body: bodyOf(i), sentiment: ratings[i]! }));
    await using engine = await embeddedEngine(records);
    const [query, ...others] = WORDS.map(queryOf);
    const compared = { with: others, communities: 0 };
    const { ratings: found } = (await engine.ask({ kind: 'comment', query: query!, compared })).compared!;
    const expected = STEPS.map((step) => {
      const rated = ratings.filter((rating, i) => i % step === 0 && rating !== null);
      const sum = rated.reduce<number>((all, rating) => all + Math.round(rating! * 10_000), 0);
      return { sum, rated: rated.length };
    });
    assert.deepEqual(found, expected);
  });
}
