// The comments that bench/analysis.ts asks about: spread over twenty years and 5,000 communities.

import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { comment } from '../test/helpers.ts';
import { communityName, randomNumbers, sampler } from './corpus.ts';

const BATCH = 50_000;
/** 2005-01-01, and twenty years. */
const START = 1_104_537_600;
const SECONDS = 20 * 365.25 * 86_400;

/**
 * Makes an index of so many comments: one in three has the first of the words, one in twenty each of the others; one in
 * five has no rating.
 */
export async function fill(folder: string, words: readonly string[], records: number): Promise<void> {
  await using into = await openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 1 });
  const random = randomNumbers(1);
  const community = sampler(5_000, (rank) => 1 / (rank + 1) ** 1.1);
  for (let from = 0; from < records; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, records - from) }, (_, i) => {
      const number = from + i;
      const held = words.filter((_word, rank) => random() < (rank === 0 ? 0.33 : 0.05));
      return comment({
        id: (10_000_000 + number).toString(36),
        created: Math.floor(START + (number / records) * SECONDS),
        body: `${held.join(' ')} ${textOf(random)}`,
        score: Math.floor(1 / (random() + 0.001)) - 1,
        sentiment: random() < 0.2 ? null : Math.round(random() * 20_000 - 10_000) / 10_000,
        community: communityName(community(random)),
      });
    });
    await into.index('comment', packRecords(batch));
    if ((from + BATCH) % 1_000_000 === 0) process.stderr.write(`${from + BATCH} records in\n`);
  }
  await into.maintain();
}

/** Long enough to be looked for copies of: one in 30 is one of 300 texts, the commonest of them hundreds of times. */
function textOf(random: () => number): string {
  if (random() < 1 / 30)
    return `a text that others have written before, number ${Math.floor(300 * random() ** 3)}`;
  return `a text that nobody has written before, number ${Math.floor(random() * 1e12)}`;
}
