// What the way to a worker and back costs a question: the same engine in the caller's thread and behind its workers,
// asked by turns. Of several checkouts at once, each of which asks the same.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Question, SearchEngine } from '../src/model/engine.ts';
import { pageRequest } from '../src/model/pages.ts';
import type { Kind } from '../src/model/record.ts';
import { percentiles } from './measure.ts';
import { WHOLE_ANSWER } from './questions.ts';

interface Way {
  readonly engine: SearchEngine;
  readonly name: string;
  readonly workers: number;
}

interface Taken {
  readonly wall: number;
  /** Processor time of this thread, and of all others of this process. */
  readonly own: number;
  readonly others: number;
}

const WORKERS = [0, 1, 2];
const DAY = 86_400;

/** Prints a table for each kind: medians of `rounds` questions, which ask of a different time each. */
export async function compareWays(folder: string, checkouts: readonly string[], rounds: number) {
  await using opened = new AsyncDisposableStack();
  const ways: Way[] = [];
  for (const checkout of checkouts) {
    const file = pathToFileURL(join(checkout, 'src/engines/embedded/engine.ts')).href;
    const { openEmbeddedEngine } = await import(file);
    for (const workers of WORKERS) {
      const options = { rules: { keepOriginals: false }, workers, isReadOnly: true };
      const engine: SearchEngine = opened.use(await openEmbeddedEngine(folder, options));
      await engine.warm();
      ways.push({ engine, name: `${checkout}, ${workers} workers`, workers });
    }
  }
  for (const kind of ['comment', 'post'] as const) await compare(kind, ways, rounds);
}

async function compare(kind: Kind, ways: readonly Way[], rounds: number): Promise<void> {
  const stats = (await ways[0]!.engine.stats())[kind];
  if (!('first' in stats)) throw stats;
  const [first, last] = [stats.first ?? 0, stats.last ?? 0];
  const asks = { count: 1, 'a day': 1, newest: 1, 'newest 1,000': 5, 'whole answer': 1 } as const;
  process.stdout.write(`\n${kind}s | ways | median ms | p99 | own CPU | other CPU | over none\n`);
  for (const [name, thinned] of Object.entries(asks)) {
    const taken = new Map<Way, Taken[]>(ways.map((way) => [way, []]));
    const count = Math.ceil(rounds / thinned);
    for (let round = -Math.ceil(count / 4); round < count; round++) {
      const share = (((round + count) * 0.618) % 1) * 0.9 + 0.1;
      const question = questionOf(
        kind,
        name as keyof typeof asks,
        Math.floor(first + (last - first) * share),
      );
      for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
        const one = await takenBy(way.engine, question);
        if (round >= 0) taken.get(way)!.push(one);
      }
    }
    for (const way of ways) {
      const all = taken.get(way)!;
      const none = taken.get(ways[ways.indexOf(way) - way.workers]!)!;
      const of = (field: keyof Taken) => percentiles(all.map((one) => one[field]));
      const over = percentiles(all.map(({ wall }, i) => wall - none[i]!.wall)).p50;
      const { p50, p99 } = of('wall');
      const figures = [p50, p99, of('own').p50, of('others').p50, over].map((ms) => ms.toFixed(3));
      process.stdout.write(`${name} | ${way.name} | ${figures.join(' | ')}\n`);
    }
  }
}

function questionOf(kind: Kind, name: string, time: number): Question {
  const until = { kind: 'before', time } as const;
  const page = (limit: number) => ({ page: pageRequest('newest', null, { limit, maxBytes: 2 ** 26 }) });
  const evidence = { kind, evidence: true, timeoutMs: 30_000 } as const;
  const query = { items: [until] };
  if (name === 'count') return { ...evidence, query };
  if (name === 'newest') return { ...evidence, query, ...page(25) };
  if (name === 'newest 1,000') return { ...evidence, query, ...page(1000) };
  if (name === 'whole answer') return { ...evidence, query, ...WHOLE_ANSWER.question };
  return { ...evidence, query: { items: [{ kind: 'after', time: time - DAY }, until] }, ...page(25) };
}

async function takenBy(engine: SearchEngine, question: Question): Promise<Taken> {
  const controller = new AbortController();
  const [all, own, began] = [process.cpuUsage(), process.threadCpuUsage(), performance.now()];
  const answer = await engine.ask(question, controller.signal);
  // Whatever of the answer is made late belongs to it.
  for (const record of answer.page?.records ?? []) void record.permalink;
  const wall = performance.now() - began;
  const [allTook, ownTook] = [process.cpuUsage(all), process.threadCpuUsage(own)];
  const ms = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
  return { wall, own: ms(ownTook), others: ms(allTook) - ms(ownTook) };
}
