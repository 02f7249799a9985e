// How late the event loop of a server is while it answers a random mix of questions and another process imports:
// the delay of a timer (perf_hooks), beside that of a loop that has nothing to do in the same run.
//
//   npm run test:long -- event-loop [--records 200000] [--seconds 20] [--callers 4]

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { randomNumbers, syntheticComments } from '../../bench/corpus.ts';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { ORDERS } from '../../src/model/pages.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { SearchService } from '../../src/search/search-service.ts';
import { temporaryFolder } from '../helpers.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '200000' },
    seconds: { type: 'string', default: '20' },
    callers: { type: 'string', default: '4' },
    writer: { type: 'string' },
  },
});
const records = Number(values.records);
const SETTINGS = { impliedWindow: 'off', permalinkBase: '', queryTimeoutMs: 2_000 } as const;
const RULES = { keepOriginals: false };
const COMMUNITIES = 5_000;
const BATCH = 5_000;
/** Records of a page are what the loop gets as objects: a caller's default, and none. */
const LIMITS = [100, 25, 0];

const QUERIES = [
  ...['the', 'of the', '"of the"', 'people time', '-the', 'score:10', 'score:..-1', "don't", 'gover*', ''],
  ...['after:2023-01-01 before:2023-02-01', 'site:com', '"in the" score:5', 'government|water -people'],
];

if (values.writer === undefined) await measure();
else await write(values.writer);

async function measure(): Promise<void> {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  await fill(folder);
  await using engine = await openEmbeddedEngine(folder, { rules: RULES });
  await engine.warm();
  // Questions of every form once, so that nothing is compiled or loaded for the first time below.
  await ask(engine, performance.now() + 1_000, 1);
  tell('idle', await delays(() => sleep(Number(values.seconds) * 1_000)));
  const writer = spawn(process.execPath, [fileURLToPath(import.meta.url), '--writer', folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  try {
    const seconds = Number(values.seconds) * 1_000;
    tell('idle, an import beside', await delays(() => watchCommits(engine, seconds)));
    let asked = 0;
    const until = performance.now() + seconds;
    const callers = Array.from({ length: Number(values.callers) }, (_, i) => i + 1);
    const mixed = await delays(async () => {
      const counts = await Promise.all(callers.map((seed) => ask(engine, until, seed)));
      asked = counts.reduce((sum, count) => sum + count, 0);
    });
    tell(`${asked} questions, an import beside`, mixed);
  } finally {
    await stop(writer);
  }
}

async function fill(folder: string): Promise<void> {
  await using engine = await openEmbeddedEngine(folder, { rules: RULES, workers: 1 });
  for (const batch of syntheticComments(records, { batch: BATCH, communities: COMMUNITIES })) {
    await engine.index('comment', packRecords(batch));
  }
}

/** Newer copies of the records, over and over, until it is told to stop: each commit kills some in every segment. */
async function write(folder: string): Promise<void> {
  let isOver = false;
  process.stdin.once('end', () => (isOver = true)).resume();
  await using engine = await openEmbeddedEngine(folder, { rules: RULES, workers: 1 });
  for (let round = 1; !isOver; round++) {
    for (const batch of syntheticComments(records, { batch: BATCH, communities: COMMUNITIES })) {
      if (isOver) break;
      const newer = batch.map((record) => ({ ...record, retrieved: record.retrieved + round * 86_400 }));
      await engine.index('comment', packRecords(newer));
      await sleep(200);
    }
  }
}

async function watchCommits(engine: SearchEngine, ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    await engine.refresh();
    await sleep(20);
  }
}

/** One caller, one question after the other; returns how many. */
async function ask(engine: SearchEngine, until: number, seed: number): Promise<number> {
  const search = new SearchService(engine, { knowledgeOf: () => new Map() }, SETTINGS);
  const random = randomNumbers(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  let asked = 0;
  while (performance.now() < until) {
    const order = pick(ORDERS);
    await search.search({ kind: 'comment', query: pick(QUERIES), order, limit: pick(LIMITS), after: null });
    asked++;
  }
  return asked;
}

interface Delays {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** How late a timer of 10 ms was while `work` went on, in milliseconds. */
async function delays(work: () => Promise<unknown>): Promise<Delays> {
  const RESOLUTION_MS = 10;
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  monitor.enable();
  await work();
  monitor.disable();
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  return { p50: late(monitor.percentile(50)), p99: late(monitor.percentile(99)), max: late(monitor.max) };
}

function tell(what: string, { p50, p99, max }: Delays): void {
  const cells = Object.entries({ p50, p99, max }).map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`);
  console.log(`${what.padEnd(40)} ${cells.join('   ')}`);
}

async function stop(writer: ChildProcess): Promise<void> {
  writer.stdin!.end();
  if (writer.exitCode === null) await once(writer, 'exit');
}
