// `npm run bench -- sign-ins [--seconds 60] [--rate 200] [--searches 20] [--guesses 10000] [--networks 500]
// [--pairs 0] [--checkout FOLDER]`: a server on this machine, over 50,000 invented comments:
//   1. sign-ins of strangers beside a light load of searches, in turns without them: the searches' p95 in both
//   2. guesses at one account: how many reached a hash, and whether its owner gets in meanwhile
//   3. pairs of an unknown address and a wrong password: whether their times differ (Mann and Whitney's U)
// The client takes a part of the same cores. --checkout measures another commit.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Accounts } from '../src/accounts/accounts.ts';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { credentialsOf } from '../src/features/account/credentials.ts';
import { syntheticComments, syntheticVocabulary } from './corpus.ts';
import { searchLoop } from './search-loop.ts';
import { networkOf, SignInForm } from './sign-in-form.ts';
import type { SignInLoad, SignInReport } from './sign-in-load.ts';
import { medianGap } from './time-gap.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '200' },
    searches: { type: 'string', default: '20' },
    guesses: { type: 'string', default: '10000' },
    networks: { type: 'string', default: '500' },
    pairs: { type: 'string', default: '0' },
    checkout: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
  },
});
const [seconds, rate, searches] = [Number(values.seconds), Number(values.rate), Number(values.searches)];
const ROUNDS = 4;
const GUESSES_AT_ONCE = 12;
const COMMENTS = 50_000;
const COMMUNITIES = 500;
const OWNER = 'owner@example.org';
const PASSWORD = 'the password of the owner';
/** Of the accounts that part 3 guesses at: fewer wrong passwords each than the brake takes. */
const PAIRS_AN_ACCOUNT = 20;

const folder = mkdtempSync(join(tmpdir(), 'colloquy-sign-ins-'));
try {
  const key = await fill();
  await withServer(async (address) => {
    if (seconds > 0) await besideSearches(address, key);
    if (Number(values.guesses) > 0) await guessing(address);
    if (Number(values.pairs) > 0) await pairs(address);
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function fill(): Promise<string> {
  await using engine = await openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 1 });
  const options = { batch: 10_000, communities: COMMUNITIES, seed: 1 };
  for (const batch of syntheticComments(COMMENTS, options)) await engine.index('comment', packRecords(batch));
  await using accounts = Accounts.open(folder);
  const id = (await credentialsOf(accounts).register(OWNER, PASSWORD))!;
  for (let i = 0; i * PAIRS_AN_ACCOUNT < Number(values.pairs); i++) {
    await credentialsOf(accounts).register(`somebody-${i}@example.net`, PASSWORD);
  }
  return accounts.createKeyFor(id, { name: 'benchmark', expiresInDays: null }).key;
}

async function withServer(work: (address: string) => Promise<void>): Promise<void> {
  const words = [join(values.checkout, 'bin/colloquy.mjs'), 'serve', '--data', folder, '--port', '0'];
  const server = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, COLLOQUY_TRUSTED_PROXIES: '127.0.0.1' },
  });
  try {
    let text = '';
    for await (const chunk of server.stdout) {
      text += chunk;
      if (/ready: http:\S+\n/.test(text)) break;
    }
    await work(/http:\S+/.exec(text)![0]);
  } finally {
    server.kill('SIGTERM');
  }
}

/** 1. In turns, so that both have the same share of whatever else the machine does. */
async function besideSearches(address: string, key: string): Promise<void> {
  const vocabulary = syntheticVocabulary(COMMUNITIES);
  const paths = Array.from({ length: 500 }, (_, i) => {
    const query = `${vocabulary.term(20 + 13 * i)}${i % 2 === 0 ? ` ${vocabulary.term(i % 50)}` : ''}`;
    return `/api/v1/search/comments?limit=25&query=${encodeURIComponent(query)}`;
  });
  const during = (ms: number) => searchLoop({ address, key, paths, aSecond: searches, ms });
  await during(5_000);
  const turnMs = (seconds * 1000) / ROUNDS;
  const times = { alone: [] as number[], beside: [] as number[] };
  const answers: Record<string, number> = {};
  const refusedMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    times.alone.push(...(await during(turnMs)));
    const load = await startLoad({ address, aSecond: rate, first: (round + 1) << 20 });
    await sleep(500);
    times.beside.push(...(await during(turnMs)));
    const report = await load.stop();
    for (const [status, times] of Object.entries(report.answers))
      answers[status] = (answers[status] ?? 0) + times;
    refusedMs.push(...report.refusedMs);
  }
  print(`searches, ${searches} a second, alone`, times.alone);
  print(`beside ${rate} sign-ins a second`, times.beside);
  const ratio = at(times.beside, 0.95) / at(times.alone, 0.95);
  say(`p95 beside : alone = ${ratio.toFixed(2)}; sign-ins by status: ${JSON.stringify(answers)}`);
  print('refused with 503', refusedMs);
}

/** 2. As fast as they go, fewer at once than fill the line; then the owner tries while others go on. */
async function guessing(address: string): Promise<void> {
  using form = await new SignInForm(address).open();
  const known = (await form.send(OWNER, PASSWORD, networkOf(1))).cookies.filter((cookie) =>
    cookie.includes('browser'),
  );
  const guesses = Number(values.guesses);
  const answers: Record<number, number> = {};
  let sent = 0;
  const began = performance.now();
  const guessOn = async () => {
    while (sent < guesses) {
      const network = networkOf((9 << 20) + (sent++ % Number(values.networks)));
      const { status } = await form.send(OWNER, 'a wrong password', network);
      answers[status] = (answers[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: GUESSES_AT_ONCE }, guessOn));
  const took = ((performance.now() - began) / 1000).toFixed(0);
  say(`${guesses} guesses at one account from ${values.networks} networks in ${took} s, by status:`);
  say(`  ${JSON.stringify(answers)}; a hash was computed for each 400`);
  const load = await startLoad({
    address,
    aSecond: rate,
    first: 10 << 20,
    email: OWNER,
    networks: Number(values.networks),
  });
  const flood = await startLoad({ address, aSecond: rate, first: 11 << 20 });
  await sleep(1_000);
  for (const [name, cookies] of [
    ['a browser that has signed in before', known],
    ['one that has not', []],
  ] as const) {
    const answer = await form.send(OWNER, PASSWORD, networkOf(2), cookies);
    const wait = answer.retryAfter === null ? '' : `, Retry-After ${answer.retryAfter} s`;
    say(
      `the owner, beside ${rate} guesses and ${rate} other sign-ins a second, from ${name}: ` +
        `${answer.status}${wait}, ${answer.ms.toFixed(0)} ms`,
    );
  }
  await Promise.all([load.stop(), flood.stop()]);
}

/** 3. One after the other, in turns. */
async function pairs(address: string): Promise<void> {
  using form = await new SignInForm(address).open();
  const times = { unknown: [] as number[], wrong: [] as number[] };
  for (let i = 0; i < Number(values.pairs); i++) {
    const number = Math.floor(i / PAIRS_AN_ACCOUNT);
    const timed = async (email: string, network: number) =>
      (await form.send(email, 'a wrong password', networkOf(network))).ms;
    const first = (12 << 20) + 2 * i;
    const ask = {
      unknown: async () => times.unknown.push(await timed(`nobody-${number}@example.net`, first)),
      wrong: async () => times.wrong.push(await timed(`somebody-${number}@example.net`, first + 1)),
    };
    if (i % 2 === 0) await ask.unknown();
    await ask.wrong();
    if (i % 2 === 1) await ask.unknown();
  }
  const { gapMs, p } = medianGap(times.unknown, times.wrong);
  print('unknown addresses', times.unknown);
  print('wrong passwords', times.wrong);
  say(`medians are ${gapMs.toFixed(2)} ms apart; p = ${p.toFixed(3)} that such times come from one source`);
}

async function startLoad(load: SignInLoad): Promise<{ stop(): Promise<SignInReport> }> {
  const worker = new Worker(new URL('./sign-in-load.ts', import.meta.url), { workerData: load });
  await once(worker, 'message');
  return {
    async stop() {
      const report = once(worker, 'message');
      worker.postMessage('stop');
      return (await report)[0] as SignInReport;
    },
  };
}

function at(ms: readonly number[], share: number): number {
  const sorted = [...ms].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function print(name: string, ms: readonly number[]): void {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => at(ms, share).toFixed(1));
  say(`${name}: ${ms.length} answers, p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms`);
}

function say(words: string): void {
  process.stdout.write(`${words}\n`);
}
