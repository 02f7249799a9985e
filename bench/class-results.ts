// Measures the engine and its opponents, class by class and task by task: one side answers all queries of a class, then
// the other, so that both see the machine in the same minute.

import type { Answer, SearchEngine } from '../src/model/engine.ts';
import type { Query } from '../src/model/query.ts';
import { type Fts5, matchExpression } from './fts5.ts';
import { bytesRead, percentiles, type Times, timed } from './measure.ts';
import { askPeer } from './peer-comparison.ts';
import { peerConditions, peerTask } from './peer-questions.ts';
import type { Peer } from './peers.ts';
import type { QueryClass } from './queries.ts';
import type { Task } from './questions.ts';
import type { ClassResult } from './results.ts';

export interface Opponents {
  /** null: not asked. */
  readonly fts5: Fts5 | null;
  readonly peers: readonly Peer[];
}

export interface ClassResults {
  readonly found: readonly ClassResult[];
  /** Answers that a peer gave too, and what was different. */
  readonly compared: number;
  readonly differences: readonly string[];
}

/** A line of 64 bytes of the memory holds so many numbers of a column of 16 bits. */
const NUMBERS_A_LINE = 32;

export interface Measure {
  /** How many records there are. */
  readonly held: number;
  /** How often each query is measured. */
  readonly rounds: number;
}

export async function classResults(
  engine: SearchEngine,
  classes: readonly QueryClass[],
  tasks: readonly Task[],
  { held, rounds }: Measure,
  { fts5, peers }: Opponents,
): Promise<ClassResults> {
  const found: ClassResult[] = [];
  const differences: string[] = [];
  let compared = 0;
  await warmUp(engine, peers, classes, tasks);
  for (const { name, queries } of classes) {
    process.stderr.write(`${name}\n`);
    const times: Record<string, Times> = {};
    const theirs: Record<string, Record<string, Times>> = Object.fromEntries(
      peers.map(({ name: peer }) => [peer, {}]),
    );
    let totals: readonly number[] = [];
    let fileBytes: number | null = null;
    for (const task of tasks) {
      const ask = (query: Query) => engine.ask({ kind: 'comment', query, ...task.question });
      const answers: Answer[] = [];
      const before = bytesRead();
      for (const query of queries) answers.push(await ask(query));
      times[task.name] = await timed(queries, ask, { unmeasured: 0, rounds });
      const after = bytesRead();
      const runs = queries.length * (rounds + 1);
      fileBytes = before === null || after === null ? null : (after - before) / runs;
      totals = answers.map(({ total }) => total);
      for (const peer of peers) {
        const asked = await askPeer(peer, task, queries, answers, rounds);
        theirs[peer.name]![task.name] = asked.times;
        compared += asked.compared;
        differences.push(...asked.differences);
      }
    }
    const matches = percentiles(totals).p50;
    // A breakdown by community looks at the place of every match; domains are looked at for those that have one.
    const columnBytes = Math.min(matches * NUMBERS_A_LINE, held) * 2;
    const others = { fts5: await fts5Times(fts5, queries), peers: theirs };
    found.push({ name, matches, times, fileBytes, columnBytes, ...others });
  }
  return { found, compared, differences };
}

/** Of each side, before anything is measured. */
const WARM_UP_MS = 10_000;

/**
 * Each side answers queries of all classes by turns, as a server does that has been up for some seconds: ours is
 * compiled while it runs, and the class that happens to come first would be measured in the midst of it.
 */
async function warmUp(
  engine: SearchEngine,
  peers: readonly Peer[],
  classes: readonly QueryClass[],
  tasks: readonly Task[],
): Promise<void> {
  const ours = ({ question }: Task, query: Query) => engine.ask({ kind: 'comment', query, ...question });
  const theirs = peers.map(
    (peer) =>
      ({ question }: Task, query: Query) =>
        peer.ask({ task: peerTask(question), rounds: 1, queries: [peerConditions(query)] }),
  );
  for (const ask of [ours, ...theirs]) {
    const end = performance.now() + WARM_UP_MS;
    for (let i = 0; performance.now() < end; i++) {
      for (const { queries } of classes) {
        for (const task of tasks) await ask(task, queries[i % queries.length]!);
      }
    }
  }
}

async function fts5Times(fts5: Fts5 | null, queries: readonly Query[]): Promise<Record<string, Times>> {
  const matches = queries.flatMap((query) => matchExpression(query) ?? []).slice(0, 15);
  if (fts5 === null || matches.length === 0) return {};
  // Some take seconds each: two are enough to warm up.
  const ask = (run: (match: string) => unknown) =>
    timed(matches, async (match) => run(match), { unmeasured: 2 });
  return {
    count: await ask((match) => fts5.count(match)),
    newest: await ask((match) => fts5.newest(match, 25)),
    top: await ask((match) => fts5.top(match, 25)),
    breakdown: await ask((match) => fts5.breakdown(match)),
  };
}
