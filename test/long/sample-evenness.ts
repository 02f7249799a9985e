// `npm run test:long -- sample-evenness [seeds]`: whether samples are drawn evenly, over so many seeds (10,000 where
// none is named). Of 1,000 records, 50 a seed: how often each is drawn, how often each two of some are drawn together,
// and how often each stands first. Each is a chi-square, whose standard score must be below 5. Two folders that were
// filled in other orders must give equal samples.

import assert from 'node:assert/strict';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { comment, START_OF_2008, temporaryFolder } from '../helpers.ts';

const seeds = Number(process.argv[2] ?? 10_000);
const RECORDS = 1_000;
const SIZE = 50;
/** Records whose pairs are counted: 780 pairs. */
const PAIRED = 40;

const records = Array.from({ length: RECORDS }, (_, i) =>
  comment({ id: `c${i}`, created: START_OF_2008 + i, body: `${i}`, community: `r${i % 7}` }),
);
using folder = temporaryFolder();
const open = (name: string) =>
  openEmbeddedEngine(`${folder.path}/${name}`, { rules: { keepOriginals: false }, workers: 0 });
await using engine = await open('one');
await using other = await open('other');
await engine.index('comment', packRecords(records));
for (let part = 4; part >= 0; part--) {
  await other.index('comment', packRecords(records.filter((_, i) => i % 5 === part).reverse()));
}

async function draw(from: SearchEngine, seed: number): Promise<number[]> {
  const page = { order: 'sample', size: SIZE, seed: String(seed) } as const;
  const answer = await from.ask({ kind: 'comment', query: { items: [] }, page });
  return answer.page!.records.map(({ id }) => Number(id.slice(1)));
}

const drawn = new Uint32Array(RECORDS);
const first = new Uint32Array(RECORDS);
const together = new Uint32Array(PAIRED * PAIRED);
for (let seed = 0; seed < seeds; seed++) {
  const sample = await draw(engine, seed);
  if (seed % 100 === 0) assert.deepEqual(await draw(other, seed), sample);
  for (const number of sample) drawn[number]!++;
  first[sample[0]!]!++;
  const paired = sample.filter((number) => number < PAIRED);
  for (const a of paired) for (const b of paired) if (a < b) together[a * PAIRED + b]!++;
}

const pairs = [...together].filter((_, i) => Math.floor(i / PAIRED) < i % PAIRED);
const share = SIZE / RECORDS;
const shareOfPair = (SIZE * (SIZE - 1)) / (RECORDS * (RECORDS - 1));
let worst = 0;
for (const [name, counts, probability] of [
  ['drawn', [...drawn], share],
  ['first', [...first], 1 / RECORDS],
  ['drawn together', pairs, shareOfPair],
] as const) {
  const expected = seeds * probability;
  // Each count is binomial: over its own variance, a square has the mean 1.
  const chi = counts.reduce(
    (sum, count) => sum + (count - expected) ** 2 / (expected * (1 - probability)),
    0,
  );
  const score = (chi - counts.length) / Math.sqrt(2 * counts.length);
  worst = Math.max(worst, Math.abs(score));
  process.stdout.write(
    `${name}: chi-square ${chi.toFixed(1)} of ${counts.length}, standard score ${score.toFixed(2)}\n`,
  );
}
assert.ok(worst < 5, 'samples are not drawn evenly');
