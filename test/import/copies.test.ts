import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { commentLine, importPlace, postLine } from './import-helpers.ts';

/** Copies of a few records that differ in all that ranks and in all that does not. */
const copy = fc
  .record({
    id: fc.constantFrom('a', 'b', 'c'),
    isPost: fc.boolean(),
    text: fc.constantFrom('one text', 'this is another text, and I love it', '[deleted]', '[removed]', ''),
    score: fc.constantFrom(null, -1, 0, 5),
    retrieved: fc.constantFrom(undefined, 10, 20),
    meta: fc.constantFrom(undefined, { removal_type: 'deleted' }, { retrieved_2nd_on: 15 }),
    community: fc.constantFrom('Energy', 'energy', 'Solar'),
    api: fc.constantFrom(undefined, { nsfw: true }, { nsfw: false }),
    rating: fc.constantFrom(undefined, null, 0.5, -0.25),
    link_id: fc.constantFrom(undefined, 't3_p'),
    parent_id: fc.constantFrom(undefined, 't3_p', 't1_d', 't1_e'),
    address: fc.constantFrom(undefined, '/r/Energy/comments/p/title/', 'https://old.example.org/'),
  })
  .map(({ id, isPost, text, score, retrieved, meta, community, api, rating, address, ...answered }) => {
    const subreddit = api === undefined ? community : { id: '2qh', name: community.toLowerCase(), ...api };
    const permalink = address && `${address}${id}/`;
    const more = { subreddit, score, permalink, retrieved_on: retrieved, _meta: meta };
    return isPost
      ? postLine(id, { ...more, selftext: text })
      : commentLine(id, { ...more, ...answered, body: text, sentiment: api && rating });
  });

const corpus = fc.array(copy, { minLength: 1, maxLength: 12 });

/** The copies again: in another order, in several files, some of them twice, files overlapping. */
function rearranged(copies: readonly string[]): fc.Arbitrary<string[][]> {
  return fc
    .tuple(
      fc.shuffledSubarray([...copies], { minLength: copies.length }),
      fc.shuffledSubarray([...copies]),
      fc.array(fc.nat(copies.length), { maxLength: 3 }),
    )
    .map(([shuffled, again, cuts]) => {
      const all = [...shuffled, ...again];
      const places = [0, ...cuts.sort((a, b) => a - b), all.length];
      // Each file begins one record before the last one ended.
      return places.slice(1).map((end, i) => all.slice(Math.max(0, (places[i] ?? 0) - 1), end));
    });
}

async function digestAfter(files: readonly (readonly string[])[], keepOriginals: boolean): Promise<string> {
  await using place = await importPlace({ keepOriginals });
  for (const [i, lines] of files.entries()) {
    if (lines.length > 0) await place.run([place.file(`${i}`, lines.join('\n'))]);
  }
  const known = place.catalogue.knowledgeOf(['energy', 'solar']);
  return `${await place.digest()} ${JSON.stringify([...known])}`;
}

describe('copies', () => {
  for (const keepOriginals of [false, true]) {
    it(`any order, split, repetition and overlap of imports gives the same index (keep originals: ${keepOriginals})`, async () => {
      const cases = corpus.chain((copies) => fc.tuple(fc.constant(copies), rearranged(copies)));
      await fc.assert(
        fc.asyncProperty(cases, async ([copies, files]) => {
          assert.equal(await digestAfter(files, keepOriginals), await digestAfter([copies], keepOriginals));
        }),
        { numRuns: 20 },
      );
    });
  }
});
