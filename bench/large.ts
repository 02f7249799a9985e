// `npm run bench -- large FOLDER [--records 100000000] [--memory 1024] [--workers 2] [--kills 3] [--batch 100000]
// [--until N] [--backup FOLDER]`: an index of so many synthetic comments, built in a process that is killed now and
// then and goes on, merged, opened and asked within so many MiB of memory (`COLLOQUY_MEMORY`), and copied. Prints what
// each step took, and the memory of its process. FOLDER stays, and a later run goes on with it, also with batches of
// another size: `--until` ends the build there. Batches of 1,000,000 become full segments at once, which are not merged
// again: a hundred million take 23 GB and most of an hour with them, hours with small ones.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { IndexSnapshot } from '../src/engines/embedded/backup.ts';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import type { StoredComment } from '../src/model/record.ts';
import { syntheticComments, syntheticVocabulary } from './corpus.ts';
import { percentiles } from './measure.ts';
import { queryClasses } from './queries.ts';
import { WHOLE_ANSWER } from './questions.ts';

const { values, positionals } = parseArgs({
  options: {
    records: { type: 'string', default: '100000000' },
    memory: { type: 'string', default: '1024' },
    workers: { type: 'string', default: '2' },
    kills: { type: 'string', default: '3' },
    batch: { type: 'string', default: '100000' },
    until: { type: 'string' },
    backup: { type: 'string' },
    step: { type: 'string' },
  },
  allowPositionals: true,
});
const folder = positionals[0]!;
if (folder === undefined) throw new Error('expected the folder of the index');
const records = Number(values.records);

const batchSize = Number(values.batch);
/** So many are built in this run; a later one goes on. */
const until = Number(values.until ?? records);
/** Records that are drawn together. */
const PIECE = 100_000;
const COMMUNITIES = 5_000;
/** Queries of a class. */
const A_CLASS = 10;
/** Each is asked so often, and the least time taken: first answers wait for the disk. */
const ROUNDS = 3;
const SOURCE = 'large';
/** A build is killed when it has gone on for so long. */
const KILL_AFTER_MS = 60_000;
const MIB = 2 ** 20;

const STEPS: Readonly<Record<string, () => Promise<void>>> = { build, serve, copy };

if (values.step === undefined) await all();
else {
  await STEPS[values.step]!();
  tellMemory(values.step);
}

async function all(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (let kill = 0; kill < Number(values.kills); kill++) await run('build', KILL_AFTER_MS);
  await run('build');
  if (until < records) return;
  await run('serve');
  if (values.backup !== undefined) await run('copy');
}

/** In a process of its own, killed after `killMs`. */
async function run(step: string, killMs?: number): Promise<void> {
  const started = performance.now();
  const words = [...process.execArgv, import.meta.filename, ...process.argv.slice(2), '--step', step];
  const child = spawn(process.execPath, words, { stdio: 'inherit' });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const isKilled =
    killMs !== undefined && (await Promise.race([ended, sleep(killMs, 'late' as const)])) === 'late';
  if (isKilled) child.kill('SIGKILL');
  const code = await ended;
  if (!isKilled) assert.equal(code, 0, step);
  tell(`${step}: ${((performance.now() - started) / 1000).toFixed(0)} s${isKilled ? ', then killed' : ''}`);
}

/** Goes on where the last one was committed. A batch is made while the one before it is indexed in a thread. */
async function build(): Promise<void> {
  await using engine = await open();
  const done = Number((await engine.checkpoints('comment')).get(SOURCE) ?? 0);
  // All of the last commit, and nothing of one that was broken off.
  assert.equal((await engine.ask({ kind: 'comment', query: { items: [] } })).total, done);
  tell(`build: ${done.toLocaleString('en')} records are there`);
  let made = done;
  let batch: StoredComment[] = [];
  let indexing: Promise<unknown> = Promise.resolve();
  const corpus = { batch: PIECE, communities: COMMUNITIES, from: done };
  for (const piece of syntheticComments(records, corpus)) {
    if (made >= until) break;
    // The engine's threads are sent what they wait for meanwhile.
    await setImmediate();
    for (const one of piece) batch.push(one);
    made += piece.length;
    if (made % batchSize !== 0 && made < until) continue;
    const packed = packRecords(batch);
    batch = [];
    await indexing;
    if (made % 1_000_000 === 0) tellMemory(`build: ${made.toLocaleString('en')} records`);
    indexing = engine.index('comment', packed, { source: SOURCE, state: String(made) });
  }
  await indexing;
  await engine.maintain();
}

async function serve(): Promise<void> {
  const started = performance.now();
  await using engine = await open();
  const { total } = await engine.ask({ kind: 'comment', query: { items: [] } });
  tell(
    `serve: opened and counted ${total.toLocaleString('en')} in ${(performance.now() - started).toFixed(0)} ms`,
  );
  assert.equal(total, records);
  tell('\n| class | whole answer, median (p99) ms | newest | top | resident, MiB | evictions |');
  tell('|---|---:|---:|---:|---:|---:|');
  for (const { name, queries } of await queryClasses(engine, syntheticVocabulary(COMMUNITIES))) {
    const asked = queries.slice(0, A_CLASS);
    const cells: string[] = [];
    for (const ask of [
      WHOLE_ANSWER.question,
      { page: { order: 'newest', limit: 25, after: null } },
      { page: { order: 'top', limit: 25, after: null } },
    ] as const) {
      const times: number[] = [];
      for (const query of asked) {
        const rounds: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const from = performance.now();
          await engine.ask({ kind: 'comment', query, ...ask });
          rounds.push(performance.now() - from);
        }
        times.push(Math.min(...rounds));
      }
      const { p50, p99 } = percentiles(times);
      cells.push(`${p50.toFixed(1)} (${p99.toFixed(1)})`);
    }
    const resident = Math.round(process.memoryUsage.rss() / MIB);
    tell(`| ${name} | ${cells.join(' | ')} | ${resident} | ${engine.memoryUse!()!.evictions} |`);
  }
  const { held, budget, wanted } = engine.memoryUse!()!;
  const [now, most, all] = [held, budget, wanted].map((bytes) => Math.round(bytes / MIB));
  tell(`\nserve: ${now} MiB of the index in memory, of at most ${most}; ${all} without a limit`);
}

async function copy(): Promise<void> {
  mkdirSync(values.backup!, { recursive: true });
  using snapshot = await IndexSnapshot.take(folder, values.backup!);
  await snapshot.copy({ onBytes: () => {}, signal: new AbortController().signal });
  tell(`copy: ${snapshot.files} files of ${Math.round(snapshot.bytes / MIB).toLocaleString('en')} MiB`);
}

function open(): Promise<SearchEngine> {
  const memoryBytes = Number(values.memory) * MIB;
  return openEmbeddedEngine(folder, {
    ...{ rules: { keepOriginals: false }, workers: Number(values.workers), memoryBytes },
  });
}

/** Of this process: files that it reads are not part of it. */
function tellMemory(what: string): void {
  const { maxRSS } = process.resourceUsage();
  const resident = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  tell(
    `${what}: ${Math.round(Number(resident ?? 0) / 1024)} MiB of memory, at most ${Math.round(maxRSS / 1024)}`,
  );
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
