// `npm run bench -- beside OTHER [--records 500000] [--rounds 12] [--seconds 10] [--keep FOLDER]`: the classes of the
// benchmark in this checkout beside another one, each over an index of its own making, in one process and one thread.
// The two answer by turns, each first as often as the other. A table of ratios, this one by the other: of each query
// the least time of the rounds after the first third, summed over the queries of a class. Then very frequent words, one
// question at a time, and a random mix of whole answers, two at a time, by two threads of each: of so many seconds by
// turns, three times. `--keep` leaves the indexes in FOLDER/here and FOLDER/there, and uses them again.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { SearchEngine } from '../src/model/engine.ts';
import type { Query } from '../src/model/query.ts';
import { syntheticVocabulary } from './corpus.ts';
import { askMix } from './load.ts';
import { type QueryClass, queryClasses } from './queries.ts';
import type { Task } from './questions.ts';

const { values, positionals } = parseArgs({
  options: {
    records: { type: 'string', default: '500000' },
    rounds: { type: 'string', default: '12' },
    seconds: { type: 'string', default: '10' },
    keep: { type: 'string' },
  },
  allowPositionals: true,
});
const [other] = positionals;
if (other === undefined) throw new Error('expected the folder of another checkout');

/** Queries of a class that are asked. */
const A_CLASS = 12;
const COMMUNITIES = 5_000;
const BATCH = 100_000;
const RULES = { keepOriginals: false };
const THREADS = 2;
const TURNS = 3;

interface Checkout {
  open(workers: number): Promise<SearchEngine>;
  /** Without threads. */
  readonly engine: SearchEngine;
  /** Only the count, the newest page, and the whole answer. */
  readonly tasks: readonly Task[];
}

const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'colloquy-beside-'));
try {
  const here = await checkoutAt(join(import.meta.dirname, '..'), 'here');
  const there = await checkoutAt(resolve(other), 'there');
  process.stdout.write(`${cpus()[0]?.model}, ${values.records} synthetic comments, one thread\n\n`);
  process.stdout.write(`| class | ${here.tasks.map(({ name }) => name).join(' | ')} |\n`);
  process.stdout.write(`|---|${here.tasks.map(() => '---:|').join('')}\n`);
  const classes = await queryClasses(here.engine, syntheticVocabulary(COMMUNITIES));
  for (const { name, queries } of classes) {
    const ratios: string[] = [];
    for (const number of here.tasks.keys()) {
      ratios.push((await ratioOf(here, there, number, queries.slice(0, A_CLASS))).toFixed(2));
    }
    process.stdout.write(`| ${name} | ${ratios.join(' | ')} |\n`);
  }
  for (const { engine } of [here, there]) await engine[Symbol.asyncDispose]();
  const common = classes.filter(({ name }) => name === 'very frequent');
  const mixed = classes.filter(({ isInMix }) => isInMix);
  await tellThreads(`very frequent, ${THREADS} threads, one at a time`, common, 1, [here, there]);
  await tellThreads(`random mix, ${THREADS} threads, ${THREADS} at a time`, mixed, THREADS, [here, there]);
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}

/** `name`: of its folder. */
async function checkoutAt(path: string, name: string): Promise<Checkout> {
  const load = (file: string) => import(pathToFileURL(join(path, file)).href);
  const { openEmbeddedEngine } = await load('src/engines/embedded/engine.ts');
  const { syntheticComments } = await load('bench/corpus.ts');
  const { tasksOf } = await load('bench/questions.ts');
  // Older ones have it elsewhere.
  const places = ['src/engines/packing/packed-records.ts', 'src/packing/packed-records.ts'];
  const { packRecords: pack } = await load(places.find((file) => existsSync(join(path, file)))!);
  const place = join(folder, name);
  const isThere = existsSync(join(place, 'comments.db'));
  const open = (workers: number): Promise<SearchEngine> =>
    openEmbeddedEngine(place, { rules: RULES, workers });
  const engine = await open(0);
  if (!isThere) {
    const sizes = { batch: BATCH, communities: COMMUNITIES };
    for (const batch of syntheticComments(Number(values.records), sizes)) {
      await engine.index('comment', pack(batch));
    }
    await engine.maintain();
  }
  const all: readonly Task[] = await tasksOf(engine);
  const tasks = all.filter(({ name: task }) => ['count', 'newest', 'whole answer'].includes(task));
  return { open, engine, tasks };
}

/** Whole answers a second, of this checkout by those of the other one. */
async function tellThreads(
  name: string,
  classes: readonly QueryClass[],
  atOnce: number,
  checkouts: readonly Checkout[],
): Promise<void> {
  const engines = await Promise.all(checkouts.map((checkout) => checkout.open(THREADS)));
  const rates: number[][] = checkouts.map(() => []);
  for (let turn = 0; turn <= TURNS; turn++) {
    for (const [i, engine] of engines.entries()) {
      const { question } = checkouts[i]!.tasks.at(-1)!;
      const { aSecond } = await askMix(engine, {
        classes,
        question,
        atOnce,
        seconds: Number(values.seconds),
      });
      // The first turn warms up.
      if (turn > 0) rates[i]!.push(aSecond);
    }
  }
  for (const engine of engines) await engine[Symbol.asyncDispose]();
  const [here, there] = rates.map((all) => all.sort((a, b) => a - b)[TURNS >> 1]!);
  const each = rates.map((all) => all.map((rate) => rate.toFixed(0)).join(', ')).join(' beside ');
  process.stdout.write(`\n${name}: ${(here! / there!).toFixed(2)} times as many a second (${each})\n`);
}

/** Time of this checkout by time of the other one. */
async function ratioOf(here: Checkout, there: Checkout, task: number, queries: readonly Query[]) {
  const rounds = Number(values.rounds);
  const sums = new Map<Checkout, number>();
  for (const query of queries) {
    const least = new Map([
      [here, Infinity],
      [there, Infinity],
    ]);
    for (let round = 0; round < rounds; round++) {
      for (const checkout of round % 2 === 0 ? [here, there] : [there, here]) {
        const from = performance.now();
        await checkout.engine.ask({ kind: 'comment', query, ...checkout.tasks[task]!.question });
        const took = performance.now() - from;
        if (round >= rounds / 3) least.set(checkout, Math.min(least.get(checkout)!, took));
      }
    }
    for (const [checkout, time] of least) sums.set(checkout, (sums.get(checkout) ?? 0) + time);
  }
  return sums.get(here)! / sums.get(there)!;
}
