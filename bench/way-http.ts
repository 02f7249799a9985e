// What HTTP costs beside the engine's own time: the same searches asked of the engine in this thread and of servers of
// several checkouts, by turns, on kept connections; then so many a second, whether or not earlier ones are answered.

import { join } from 'node:path';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { pageRequest } from '../src/model/pages.ts';
import type { Query } from '../src/model/query.ts';
import { KIND_NAMES, type Kind } from '../src/model/record.ts';
import { printQuery } from '../src/search/language/syntax.ts';
import { elapsed, percentiles } from './measure.ts';
import { type Answered, Connections, openLoop, requestBytes } from './raw-load.ts';
import { startServer, type WatchedServer } from './watched-server.ts';

interface Served {
  readonly name: string;
  readonly server: WatchedServer;
  readonly connections: Connections;
}

interface Sort {
  readonly kind: Kind;
  readonly limit: number;
}

const SORTS: readonly Sort[] = [
  { kind: 'comment', limit: 25 },
  { kind: 'post', limit: 25 },
  { kind: 'comment', limit: 1000 },
  { kind: 'post', limit: 1000 },
];
/** Of a page with many records fewer are asked for. */
const THINNED = 8;
/**
 * Of each kind, before anything is measured: until code is compiled that is used often, an answer takes twice the
 * processor time, and what is measured first would seem to cost most.
 */
const FIRST = 1500;

/** Prints medians and processor time of `rounds` searches, then those at `rate` a second for so many seconds. */
export async function compareServers(
  folder: string,
  checkouts: readonly string[],
  { rounds, rate, seconds }: { readonly rounds: number; readonly rate: number; readonly seconds: number },
): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const engine = opened.use(
    await openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 0, isReadOnly: true }),
  );
  const all: Served[] = [];
  for (const name of checkouts) {
    const server = opened.use(await startServer(folder, 1, join(name, 'bin/colloquy.mjs')));
    all.push({ name, server, connections: opened.use(new Connections(server.port)) });
  }
  for (const sort of SORTS.slice(0, 2)) {
    const queries = await queriesOf(engine, sort.kind);
    for (let i = 0; i < FIRST; i++) await askEach(engine, all, sort, queries[i % queries.length]!);
  }
  for (const sort of SORTS) {
    const queries = await queriesOf(engine, sort.kind);
    await oneByOne(engine, all, sort, queries, sort.limit > 100 ? Math.ceil(rounds / THINNED) : rounds);
  }
  const sort = SORTS[0]!;
  const queries = await queriesOf(engine, sort.kind);
  for (let round = 0; round < 4; round++) {
    for (const served of round % 2 === 0 ? all : all.toReversed()) {
      let number = 0;
      const next = () => requestOf(served, sort, queries[number++ % queries.length]!);
      const { answers } = await openLoop(served.connections, next, rate, seconds / 4);
      const { p50, p99 } = percentiles(answers.map(({ ms }) => ms));
      const refused = answers.filter(({ status }) => status !== 200).length;
      const figures = `${p50.toFixed(2)} | p99 ${p99.toFixed(2)} | ${refused} refused`;
      process.stdout.write(`${rate} a second | ${served.name} | ${figures}\n`);
    }
  }
}

async function askEach(
  engine: SearchEngine,
  all: readonly Served[],
  sort: Sort,
  query: Query,
): Promise<void> {
  await engine.ask({ kind: sort.kind, query, page: pageOf(sort), evidence: true });
  for (const served of all) expectWhole([await served.connections.ask(requestOf(served, sort, query))]);
}

function pageOf({ limit }: Sort) {
  return pageRequest('newest', null, { limit, maxBytes: 2 ** 26 });
}

async function oneByOne(
  engine: SearchEngine,
  all: readonly Served[],
  sort: Sort,
  queries: readonly Query[],
  rounds: number,
): Promise<void> {
  const own: number[] = [];
  const ms = new Map(all.map((served) => [served, [] as number[]]));
  const page = pageOf(sort);
  for (let round = -Math.ceil(rounds / 2); round < rounds; round++) {
    const query = queries[(round + rounds) % queries.length]!;
    const took = await elapsed(() => engine.ask({ kind: sort.kind, query, page, evidence: true }));
    if (round >= 0) own.push(took);
    for (const served of round % 2 === 0 ? all : all.toReversed()) {
      const answer = await served.connections.ask(requestOf(served, sort, query));
      expectWhole([answer]);
      if (round >= 0) ms.get(served)!.push(answer.sentMs);
    }
  }
  process.stdout.write(
    `\n${sort.limit} ${KIND_NAMES[sort.kind]} | ms | over the engine's | loop CPU | all CPU\n`,
  );
  process.stdout.write(`the engine | ${percentiles(own).p50.toFixed(3)}\n`);
  for (const served of all) {
    const over = percentiles(ms.get(served)!.map((one, i) => one - own[i]!)).p50;
    await served.server.figures();
    const asks = Math.ceil(rounds);
    for (let i = 0; i < asks; i++) {
      expectWhole([await served.connections.ask(requestOf(served, sort, queries[i % queries.length]!))]);
    }
    const { cpu, ownCpu } = await served.server.figures();
    const figures = [percentiles(ms.get(served)!).p50, over, ownCpu / asks, cpu / asks];
    process.stdout.write(`${served.name} | ${figures.map((one) => one.toFixed(3)).join(' | ')}\n`);
  }
}

function requestOf({ server }: Served, { kind, limit }: Sort, query: Query): string {
  const search = new URLSearchParams({ query: printQuery(query), limit: String(limit) });
  return requestBytes(`/api/v1/search/${KIND_NAMES[kind]}?${search}`, server.keys[0]!);
}

function expectWhole(answers: readonly Answered[]): void {
  const other = answers.find(({ status }) => status !== 200);
  if (other !== undefined) throw new Error(`expected 200, found ${other.status}: ${other.code}`);
}

/** Of different times, in the later part of those that the index covers. */
async function queriesOf(engine: SearchEngine, kind: Kind): Promise<Query[]> {
  const stats = (await engine.stats())[kind];
  if (!('first' in stats)) throw stats;
  const [first, last] = [stats.first ?? 0, stats.last ?? 0];
  const times = Array.from(
    { length: 200 },
    (_, i) => first + (last - first) * (0.2 + 0.8 * ((i * 0.618) % 1)),
  );
  // With a beginning, since otherwise a server may add one.
  const after = { kind: 'after', time: first } as const;
  return times.map((time) => ({ items: [after, { kind: 'before', time: Math.floor(time) }] }));
}
