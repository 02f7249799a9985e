// `node bench/beside.ts OTHER [--records 500000] [--rounds 12]`: the classes of the benchmark in this checkout beside
// another one, each over an index of its own making, in one process and one thread. The two answer by turns, each first
// as often as the other. A table of ratios, this one by the other: of each query the least time of the rounds after the
// first third, summed over the queries of a class.

import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { SearchEngine } from '../src/model/engine.ts';
import type { Query } from '../src/model/query.ts';
import { syntheticVocabulary } from './corpus.ts';
import { queryClasses } from './queries.ts';
import type { Task } from './questions.ts';

const { values, positionals } = parseArgs({
  options: {
    records: { type: 'string', default: '500000' },
    rounds: { type: 'string', default: '12' },
  },
  allowPositionals: true,
});
const [other] = positionals;
if (other === undefined) throw new Error('expected the folder of another checkout');

/** Queries of a class that are asked. */
const A_CLASS = 12;
const COMMUNITIES = 5_000;
const BATCH = 100_000;
const OPTIONS = { rules: { keepOriginals: false }, workers: 0 };

interface Checkout {
  readonly engine: SearchEngine;
  /** Only the count, the newest page, and the whole answer. */
  readonly tasks: readonly Task[];
}

const folder = mkdtempSync(join(tmpdir(), 'colloquy-beside-'));
try {
  const here = await checkoutAt(join(import.meta.dirname, '..'), 'here');
  const there = await checkoutAt(resolve(other), 'there');
  process.stdout.write(`${cpus()[0]?.model}, ${values.records} synthetic comments, one thread\n\n`);
  process.stdout.write(`| class | ${here.tasks.map(({ name }) => name).join(' | ')} |\n`);
  process.stdout.write(`|---|${here.tasks.map(() => '---:|').join('')}\n`);
  for (const { name, queries } of await queryClasses(here.engine, syntheticVocabulary(COMMUNITIES))) {
    const ratios: string[] = [];
    for (const number of here.tasks.keys()) {
      ratios.push((await ratioOf(here, there, number, queries.slice(0, A_CLASS))).toFixed(2));
    }
    process.stdout.write(`| ${name} | ${ratios.join(' | ')} |\n`);
  }
  await here.engine[Symbol.asyncDispose]();
  await there.engine[Symbol.asyncDispose]();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** `name`: of its folder. */
async function checkoutAt(path: string, name: string): Promise<Checkout> {
  const load = (file: string) => import(pathToFileURL(join(path, file)).href);
  const { openEmbeddedEngine } = await load('src/engines/embedded/engine.ts');
  const { packRecords } = await load('src/packing/packed-records.ts');
  const { syntheticComments } = await load('bench/corpus.ts');
  const { tasksOf } = await load('bench/questions.ts');
  const engine: SearchEngine = await openEmbeddedEngine(join(folder, name), OPTIONS);
  const sizes = { batch: BATCH, communities: COMMUNITIES };
  for (const batch of syntheticComments(Number(values.records), sizes)) {
    await engine.index('comment', packRecords(batch));
  }
  await engine.maintain();
  const all: readonly Task[] = await tasksOf(engine);
  return {
    engine,
    tasks: all.filter(({ name: task }) => ['count', 'newest', 'whole answer'].includes(task)),
  };
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
