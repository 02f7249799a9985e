// What callers do during a soak, and what their answers are held against.

import { createHash } from 'node:crypto';
import { type Answer, type Caller, WrongAnswer } from './caller.ts';
import { threadOf, wordOf } from './folder.ts';
import type { Ledger } from './ledger.ts';
import { DATASET, type Kind, type Operator, questionOf } from './operator.ts';

export interface World {
  readonly caller: Caller;
  readonly operator: Operator;
  readonly ledger: Ledger;
  readonly email: string;
  readonly password: string;
  /** From 0 to 1. */
  random(): number;
}

export interface Call {
  readonly name: string;
  /** How often, against the others. */
  readonly weight: number;
  /** Throws a WrongAnswer, or a Refused. */
  run(world: World): Promise<void>;
}

const ORDERS = ['newest', 'oldest', 'top'];
/** Of the records of the beginning, which no round changes but in their scores. */
const BASE_QUERIES = [
  ...['the people', '"of the"', "don't", 'gover*', 'government|water -people', 'site:com the'],
  ...['after:2023-01-01 before:2023-02-01', '"in the" -"to the"', 'time', 'people after:2022-06-01'],
];

export const CALLS: readonly Call[] = [
  { name: 'search', weight: 40, run: search },
  { name: 'search of a round', weight: 12, run: searchRound },
  { name: 'everything', weight: 5, run: everything },
  { name: 'walk', weight: 3, run: walk },
  { name: 'page', weight: 14, run: page },
  { name: 'thread', weight: 5, run: thread },
  { name: 'timeline', weight: 4, run: timeline },
  { name: 'breakdown', weight: 4, run: breakdown },
  { name: 'export', weight: 4, run: exportWhole },
  { name: 'export, cut', weight: 3, run: exportCut },
  { name: 'data set', weight: 2, run: dataset },
  { name: 'sign-in', weight: 2, run: signIn },
  { name: 'coverage', weight: 2, run: coverage },
];

/** What the base queries find now, before anything changes. */
export async function learn(caller: Caller, ledger: Ledger): Promise<void> {
  for (const question of baseQuestions()) {
    ledger.set(question, totalOf(await caller.api(`${question}&limit=0`)));
  }
}

function baseQuestions(): string[] {
  return BASE_QUERIES.flatMap((query) => [questionOf('comments', query), questionOf('posts', query)]);
}

async function search(world: World): Promise<void> {
  const path = `&limit=25&order_by=${pick(world, ORDERS)}`;
  await counted(world, pick(world, baseQuestions()), path);
}

async function searchRound(world: World): Promise<void> {
  const round = Math.max(1, world.operator.round + (world.random() < 0.3 ? 1 : 0));
  await counted(world, questionOf(pickKind(world), wordOf(round)), '&limit=100');
}

async function everything(world: World): Promise<void> {
  await counted(world, questionOf(pickKind(world), ''), '&limit=10');
}

async function counted(world: World, question: string, rest: string): Promise<void> {
  const since = world.ledger.moment();
  const answer = await world.caller.api(question + rest);
  hold(world, question, since, totalOf(answer));
}

/** Page by page to the end: where nothing changes meanwhile, each record once. */
async function walk(world: World): Promise<void> {
  const question = questionOf('comments', wordOf(Math.max(1, world.operator.round)));
  const since = world.ledger.moment();
  const ids: string[] = [];
  let total: number | null = null;
  let path: string | undefined = `${question}&limit=97&order_by=${pick(world, ORDERS)}&fields=id`;
  while (path !== undefined) {
    const answer: Answer = await world.caller.api(path);
    total ??= totalOf(answer);
    ids.push(...(JSON.parse(answer.body) as { data: { id: string }[] }).data.map(({ id }) => id));
    const next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    path =
      next === undefined
        ? undefined
        : new URL(next, world.caller.address).href.slice(world.caller.address.length);
  }
  if (new Set(ids).size !== ids.length) throw new WrongAnswer(`a walk of ${question} gave a record twice`);
  if (!world.ledger.isSteady(question, since)) return;
  if (ids.length !== total) throw new WrongAnswer(`a walk of ${question} gave ${ids.length} of ${total}`);
  hold(world, question, since, ids.length);
}

async function page(world: World): Promise<void> {
  const query = world.random() < 0.5 ? pick(world, BASE_QUERIES) : wordOf(world.operator.round);
  const answer = await world.caller.page(`/?query=${encodeURIComponent(query)}`);
  if (!answer.body.includes('</html>')) throw new WrongAnswer(`a page of ${query} without an end`);
}

async function thread(world: World): Promise<void> {
  const post = threadOf(Math.max(1, world.operator.round));
  const response = await fetch(`${world.caller.address}/thread/${post}`);
  const body = await response.text();
  // It may just have been removed, or not have come yet.
  if (response.status !== 200 && response.status !== 404 && response.status !== 503) {
    throw new WrongAnswer(`/thread/${post}: ${response.status} ${body.slice(0, 200)}`);
  }
}

/** The steps add up to the total of the query. */
async function timeline(world: World): Promise<void> {
  const question = questionOf('comments', pick(world, BASE_QUERIES));
  const answer = await world.caller.api(`${question.replace('/search/', '/timeline/')}&step=month`);
  const { series } = JSON.parse(answer.body) as { series: { buckets: { count: number }[] }[] };
  const sum = series[0]!.buckets.reduce((all, { count }) => all + count, 0);
  hold(world, question, world.ledger.moment(), sum);
}

async function breakdown(world: World): Promise<void> {
  const question = questionOf('comments', pick(world, BASE_QUERIES));
  const since = world.ledger.moment();
  const answer = await world.caller.api(
    `${question.replace('/search/', '/breakdown/')}&field=subreddit&limit=20`,
  );
  hold(world, question, since, totalOf(answer));
}

/** As many lines as its head tells. */
async function exportWhole(world: World): Promise<void> {
  const question = questionOf('comments', wordOf(Math.max(1, world.operator.round)));
  const since = world.ledger.moment();
  const answer = await world.caller.api(`${question.replace('/search/', '/export/')}&format=ndjson`);
  const lines = answer.body.split('\n').length - 1;
  if (world.ledger.isSteady(question, since)) hold(world, question, since, lines);
}

async function exportCut(world: World): Promise<void> {
  await world.caller.cut('/api/v1/export/comments?query=&format=ndjson', 100 * world.random());
}

/** Each file has the bytes that its digest tells, or is withdrawn. */
async function dataset(world: World): Promise<void> {
  const response = await fetch(`${world.caller.address}/api/v1/datasets/${DATASET}`);
  const text = await response.text();
  if (response.status === 404) return;
  if (response.status !== 200)
    throw new WrongAnswer(`the data set: ${response.status} ${text.slice(0, 200)}`);
  const { files } = JSON.parse(text) as { files: { url: string; sha256: string }[] };
  for (const { url, sha256 } of files) {
    const file = await world.caller.file(url);
    if (file === null) return;
    const found = createHash('sha256').update(file.bytes).digest('hex');
    // A new edition has other bytes at the same address, and another tag.
    if (found !== sha256 && file.tag.includes(sha256)) throw new WrongAnswer(`${url}: other bytes`);
  }
}

async function signIn(world: World): Promise<void> {
  await world.caller.signInAndOut(world.email, world.password, `/?query=${wordOf(world.operator.round)}`);
}

async function coverage(world: World): Promise<void> {
  await world.caller.api('/api/v1/coverage');
}

function hold({ ledger }: World, question: string, since: number, found: number): void {
  const bounds = ledger.allowed(question, since);
  if (bounds === null || (found >= bounds.least && found <= bounds.most)) return;
  throw new WrongAnswer(`${question}: expected ${bounds.least} to ${bounds.most} records, found ${found}`);
}

function totalOf(answer: Answer): number {
  return (JSON.parse(answer.body) as { total_count: number }).total_count;
}

function pick<T>(world: World, from: readonly T[]): T {
  return from[Math.floor(world.random() * from.length)]!;
}

function pickKind(world: World): Kind {
  return pick(world, ['posts', 'comments'] as const);
}
