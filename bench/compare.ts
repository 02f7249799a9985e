// `npm run bench -- compare [--records N] [--folder FOLDER] [--queries A;B;C;D]`: what a comparison costs, beside the
// same numbers asked one by one. N (default: a million) comments as bench/analysis.ts has them, or those of an index
// that is there. Milliseconds of CPU of the one thread that answers, median of 20 tries, from warm memory; before them,
// that the numbers are equal.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { breakdownOf } from '../src/features/analysis/breakdown.ts';
import {
  COMPARED_SAMPLE,
  COMPARED_WORDS,
  compareOf,
  pairsOf,
} from '../src/features/analysis/compare/compare.ts';
import { countsOf, timelineOf } from '../src/features/analysis/timeline.ts';
import { wordsOf } from '../src/features/analysis/words.ts';
import { type AnalysisContext, readQueries } from '../src/search/asking.ts';
import { fill } from './analysis-corpus.ts';
import { percentiles } from './measure.ts';

const WORDS = ['the', 'cat', 'dog', 'sun', 'rain', 'wind', 'snow', 'tree'];
const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    folder: { type: 'string' },
    queries: { type: 'string' },
  },
});
const TRIES = 20;
const ROWS = [
  ['four words, one in 20 comments each', ['cat', 'dog', 'sun', 'rain']],
  ['four, each two words', ['cat dog', 'dog sun', 'sun rain', 'rain wind']],
  ['a word in every third comment, and three', ['the', 'cat', 'dog', 'sun']],
  ['two words', ['cat', 'dog']],
] as const;

const home = mkdtempSync(join(tmpdir(), 'colloquy-compare-'));
try {
  const folder = values.folder ?? join(home, 'index');
  if (!existsSync(join(folder, 'comments.db'))) await fill(folder, WORDS, Number(values.records));
  await using engine = await openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 0 });
  const { records } = (await engine.fingerprints()).comment as { readonly records: number };
  const machine = `${cpus()[0]?.model.trim()}; Node ${process.version}`;
  process.stdout.write(`${machine}; ${records.toLocaleString('en')} comments\n\n`);
  process.stdout.write('| | matches | together | one by one |\n| --- | ---: | ---: | ---: |\n');
  const context: AnalysisContext = { engine, queryTimeoutMs: Infinity };
  const rows = values.queries === undefined ? ROWS : ([[values.queries, values.queries.split(';')]] as const);
  for (const [name, texts] of rows) {
    const wish = { kind: 'comment', queries: readQueries(texts), words: [0, 1] } as const;
    const together = async () => (await compareOf(context, wish)).answer;
    const matches = await expectEqual(await together(), await oneByOne(context, texts));
    const times = [await timesOf(together), await timesOf(() => oneByOne(context, texts))];
    process.stdout.write(`| ${name} | ${matches.toLocaleString('en')} | ${times.join(' | ')} |\n`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** The questions that the API has for the same numbers; what is in common is counted by a query of both. */
async function oneByOne(context: AnalysisContext, queries: readonly string[]) {
  const kind = 'comment' as const;
  const normalise = 'scope' as const;
  const series = { kind, queries, step: 'auto', measure: 'sentiment', normalise } as const;
  const timeline = (await timelineOf(context, series)).answer;
  const both = pairsOf(queries.length).map((pair) => pair.map((number) => queries[number]).join(' '));
  const { rows: counts } = (await countsOf(context, { kind, queries: both, normalise: 'none' })).answer;
  const rows = {
    kind,
    field: 'subreddit',
    step: 'none',
    limit: 1_000,
    after: null,
    normalise: 'none',
  } as const;
  const communities = [];
  for (const query of queries) communities.push((await breakdownOf(context, { ...rows, query })).answer);
  const sizes = { sample: COMPARED_SAMPLE, limit: COMPARED_WORDS };
  const words = await wordsOf(context, { kind, query: queries[0]!, against: queries[1]!, ...sizes });
  return { timeline, counts, communities, words: words.answer };
}

async function expectEqual(
  answer: Awaited<ReturnType<typeof compareOf>>['answer'],
  { timeline, counts, communities, words }: Awaited<ReturnType<typeof oneByOne>>,
): Promise<number> {
  for (const [i, { total_count: count, sentiment, buckets: cells }] of answer.series.entries()) {
    const { total_count, buckets } = timeline.series[i]!;
    assert.equal(count, total_count);
    assert.equal(
      sentiment!.rated,
      buckets.reduce((sum, { n = 0 }) => sum + n, 0),
    );
    assert.deepEqual(
      cells,
      buckets.map(({ start, count: one, of, share }) => ({ start, count: one, of, share })),
    );
    for (const { name, cells: all } of answer.communities) {
      const row = communities[i]!.rows.find((one) => one.name === name);
      if (row !== undefined) assert.equal(all[i]!.count, row.count);
    }
  }
  assert.deepEqual(
    answer.overlaps.map(({ both }) => both),
    counts.map(({ total_count }) => total_count),
  );
  assert.deepEqual(answer.words!.lists, [words.rows, words.rows_against]);
  return answer.series.reduce((sum, { total_count }) => sum + total_count, 0);
}

async function timesOf(ask: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  for (let i = -3; i < TRIES; i++) {
    const before = process.threadCpuUsage();
    // Systems count the time of a thread in ticks of some milliseconds.
    for (let asked = 0; asked < 4; asked++) await ask();
    const { user, system } = process.threadCpuUsage(before);
    if (i >= 0) times.push((user + system) / 4_000);
  }
  const { p50, p99 } = percentiles(times);
  return `${p50.toFixed(1)} (${p99.toFixed(1)})`;
}
