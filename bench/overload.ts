// `npm run bench -- overload [DATA_FOLDER] [--seconds 60] [--records 400000] [--callers 8] [--pages 0.2]`: what a
// server does when it is asked for more than it can answer; with `--pages`, that share of it pages, by visitors. Its
// capacity is measured in the same run, by a few callers that wait for their answers; then come an open loop of twice
// and of ten times that, a light caller beside 32 accounts with heavy ones, and 300 heavy requests that are given up
// after 30 ms. Without a folder over synthetic comments.
//
// The callers are in one process and the server in another; both share the processors of this machine. The bars are
// those of docs/reliability.md.

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { syntheticComments } from './corpus.ts';
import { type Questions, questionsOf } from './overload-questions.ts';
import {
  type Answered,
  Connections,
  closedLoop,
  type Load,
  openLoop,
  pageBytes,
  requestBytes,
} from './raw-load.ts';
import { startServer, type WatchedServer } from './watched-server.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '60' },
    records: { type: 'string', default: '400000' },
    callers: { type: 'string', default: '8' },
    pages: { type: 'string', default: '0' },
  },
});
const PAGES = Number(values.pages);
/** So many networks that none meets the limit of its own. */
const NETWORKS = 4_000;
const SECONDS = Number(values.seconds);
const CAPACITY_CALLERS = 4;
const HEAVY = 32;
const LIGHT_A_SECOND = 20;
const ABORTED = 300;
const ABORTED_AFTER_MS = 30;
/** So many probes in a row as fast as before are a recovery. */
const PROBES = 20;

const [given] = positionals;
const folder = given ?? mkdtempSync(join(tmpdir(), 'colloquy-overload-'));
try {
  if (given === undefined) await fill(folder);
  await using server = await startServer(folder, 1 + HEAVY + Number(values.callers));
  await measure(server);
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}

async function fill(place: string): Promise<void> {
  await using engine = await openEmbeddedEngine(place, { rules: { keepOriginals: false } });
  for (const batch of syntheticComments(Number(values.records), { batch: 20_000, communities: 5_000 }))
    await engine.index('comment', packRecords(batch));
}

async function measure(server: WatchedServer): Promise<void> {
  const [lightKey = '', ...others] = server.keys;
  const heavyKeys = others.slice(0, HEAVY);
  const keys = others.slice(HEAVY);
  using connections = new Connections(server.port);
  const questions = await questionsOf((path) => readComments(server.port, path, lightKey));
  print(`${cpus()[0]?.model}, ${availableParallelism()} processors for the server and its callers together`);
  let asked = 0;
  const mixed = () => {
    const n = asked++;
    const isPage = Math.floor((n + 1) * PAGES) > Math.floor(n * PAGES);
    if (isPage) return pageBytes(questions.pages[n % questions.pages.length]!, networkOf(n % NETWORKS));
    return requestBytes(questions.mixed[n % questions.mixed.length]!, keys[n % keys.length]!);
  };
  const closed = (seconds: number) =>
    closedLoop(
      connections,
      Array.from({ length: CAPACITY_CALLERS }, () => mixed),
      seconds,
    );
  // All questions once and more, so that nothing is loaded or compiled for the first time below.
  await closed(Math.max(5, SECONDS / 4));
  await server.figures();
  const free = await closed(SECONDS / 2);
  const capacity = answeredOf(free.answers) / free.seconds;
  print(`\ncapacity: ${capacity.toFixed(0)} answers a second by ${CAPACITY_CALLERS} callers at once\n`);
  print(
    '| load | good-put | 503 | other | refusal p50, p99, longest | answered p50, p95 | loop p99, longest | memory | sent late p99 | processors: server, callers |',
  );
  print('|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|');
  await tell(server, 'closed', free, capacity);
  for (const times of [0.7, 2, 10]) {
    await server.figures();
    const load = await openLoop(connections, mixed, capacity * times, SECONDS);
    await tell(server, `${times}x`, load, capacity);
    if (times > 1)
      print(`| | recovered after ${await recoveryMs(connections, questions, lightKey)} ms ||||||||`);
  }
  const heavy = await slowest(connections, questions.long, heavyKeys[0]!);
  const beside = { questions, lightKey, heavyKeys, heavy };
  await besideHeavy(server, beside);
  await afterAborts(server, beside);
}

async function tell(server: WatchedServer, name: string, load: Load, capacity: number): Promise<void> {
  const { p99, max, peakMemory, cpu } = await server.figures();
  const { late, seconds } = load;
  const whole = [
    `${p99.toFixed(0)}, ${max.toFixed(0)} ms`,
    `${(peakMemory / 1e6).toFixed(0)} MB`,
    at(late, [0.99]),
    [cpu, load.cpu].map((ms) => `${(ms / seconds / 10).toFixed(0)} %`).join(', '),
  ];
  const row = (title: string, answers: readonly Answered[], share: number, rest: readonly string[] = []) =>
    print(`| ${[title, ...fares(answers, capacity * share * seconds), ...rest].join(' | ')} |`);
  row(name, load.answers, 1, whole);
  if (PAGES === 0) return;
  row(
    '– API',
    load.answers.filter(({ isPage }) => !isPage),
    1 - PAGES,
  );
  row(
    '– pages',
    load.answers.filter(({ isPage }) => isPage),
    PAGES,
  );
}

/** `most`: answers that the capacity allows. */
function fares(answers: readonly Answered[], most: number): string[] {
  const answered = answers.filter(({ status }) => status === 200).map(({ ms }) => ms);
  const isRefusal = ({ status, hasRetryAfter }: Answered) => status === 503 && hasRetryAfter;
  const refused = answers.filter(isRefusal);
  const others = answers.filter((answer) => answer.status !== 200 && !isRefusal(answer));
  const kinds = [...new Set(others.map(({ status, code }) => code ?? status))].join(' ');
  const share = (part: number) => `${((100 * part) / answers.length).toFixed(1)} %`;
  return [
    `${((100 * answeredOf(answers)) / most).toFixed(0)} %`,
    share(refused.length),
    `${others.length}${others.length === 0 ? '' : ` (${kinds})`}`,
    at(
      refused.map(({ ms }) => ms),
      [0.5, 0.99, 1],
    ),
    at(answered, [0.5, 0.95]),
  ];
}

function answeredOf(answers: readonly Answered[]): number {
  return answers.filter(({ status }) => status === 200).length;
}

function networkOf(number: number): string {
  return `10.0.${number >> 8}.${number & 0xff}`;
}

/** Milliseconds until light questions, one after the other, are answered again in `usual` time. */
async function recoveryMs(connections: Connections, { light }: Questions, key: string): Promise<number> {
  const began = performance.now();
  let since = began;
  for (let good = 0, i = 0; good < PROBES; i++) {
    const { status, ms } = await connections.ask(requestBytes(light[i % light.length]!, key));
    if (status === 200 && ms <= 50) good++;
    else {
      good = 0;
      since = performance.now();
    }
    if (performance.now() - began > 60_000) return Infinity;
    await sleep(10);
  }
  return Math.round(since - began);
}

/** Of these paths, the eight that take longest alone. */
async function slowest(connections: Connections, paths: readonly string[], key: string): Promise<string[]> {
  const timed: { readonly path: string; readonly ms: number }[] = [];
  for (const path of paths) {
    const request = requestBytes(path, key);
    const answers: Answered[] = [];
    for (let i = 0; i < 3; i++) answers.push(await connections.ask(request));
    if (answers.every(({ status }) => status === 200))
      timed.push({ path, ms: Math.min(...answers.map(({ ms }) => ms)) });
  }
  timed.sort((a, b) => b.ms - a.ms);
  const chosen = timed.slice(0, 8);
  print(`\nheavy requests take ${chosen.at(-1)!.ms.toFixed(0)} to ${chosen[0]!.ms.toFixed(0)} ms alone`);
  return chosen.map(({ path }) => path);
}

interface Beside {
  readonly questions: Questions;
  readonly lightKey: string;
  /** Each of an account of its own. */
  readonly heavyKeys: readonly string[];
  /** Paths. */
  readonly heavy: readonly string[];
}

async function besideHeavy(
  server: WatchedServer,
  { questions, lightKey, heavyKeys, heavy }: Beside,
): Promise<void> {
  using own = new Connections(server.port);
  using others = new Connections(server.port);
  let asked = 0;
  const light = () => requestBytes(questions.light[asked++ % questions.light.length]!, lightKey);
  const alone = await openLoop(own, light, LIGHT_A_SECOND, SECONDS / 2);
  let next = 0;
  const callers = heavyKeys.map((key) => () => requestBytes(heavy[next++ % heavy.length]!, key));
  const pressing = closedLoop(others, callers, SECONDS / 2 + 2);
  await sleep(1_000);
  await server.figures();
  const beside = await openLoop(own, light, LIGHT_A_SECOND, SECONDS / 2);
  const { p99, max } = await server.figures();
  const { answers: pressed } = await pressing;
  const ms = ({ answers }: Load) => answers.map((answer) => answer.ms);
  const failed = beside.answers.filter(({ status }) => status !== 200).length;
  const times = quantile(ms(beside), 0.95) / quantile(ms(alone), 0.95);
  print(
    `light caller, ${LIGHT_A_SECOND} a second: alone p50, p95 ${at(ms(alone), [0.5, 0.95])}; beside ${HEAVY} accounts with a heavy one each ${at(ms(beside), [0.5, 0.95])}: ${times.toFixed(1)} times; ${failed} not 200`,
  );
  const done = pressed.filter(({ status }) => status === 200).length;
  print(
    `the heavy ones meanwhile: ${done} answered, ${pressed.length - done} refused; loop p99 ${p99.toFixed(0)}, longest ${max.toFixed(0)} ms`,
  );
}

async function afterAborts(
  server: WatchedServer,
  { questions, lightKey, heavyKeys, heavy }: Beside,
): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    using connections = new Connections(server.port);
    using own = new Connections(server.port);
    const light = requestBytes(questions.light[round]!, lightKey);
    await own.ask(light);
    const gone = AbortSignal.timeout(ABORTED_AFTER_MS);
    const asked = Array.from({ length: ABORTED }, (_, i) =>
      connections.ask(requestBytes(heavy[i % heavy.length]!, heavyKeys[i % HEAVY]!), performance.now(), gone),
    );
    await Promise.all(asked);
    times.push((await own.ask(light)).ms);
    await sleep(500);
  }
  print(
    `after ${ABORTED} heavy requests given up after ${ABORTED_AFTER_MS} ms, the next light one: ${times.map((ms) => ms.toFixed(0)).join(', ')} ms`,
  );
}

async function readComments(port: number, path: string, key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  const { data } = (await response.json()) as { data: { body: string; subreddit: { name: string } }[] };
  return data.map(({ body, subreddit }) => ({ body, community: subreddit.name }));
}

function at(list: readonly number[], shares: readonly number[]): string {
  if (list.length === 0) return '–';
  return `${shares.map((share) => quantile(list, share).toFixed(0)).join(', ')} ms`;
}

function quantile(list: readonly number[], share: number): number {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
