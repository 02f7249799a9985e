// How long the pages of a search hold the event loop, over real records: asks a server for 200 different pages of
// /search, one after the other, and the API for the same queries, and prints how long each took, as the caller and as
// the server's log has it, and the delay of the event loop meanwhile.
// Run: npm run bench -- page-delay [--data FOLDER] [--checkout FOLDER] [--comments FILE] [--posts FILE] [--reading]
// FOLDER is an index that is there already; absent, the two files of ../shared/data/corpus are imported into a
// temporary one. --checkout measures another commit's code on the same folder. --reading asks the pages of long
// records as well.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { realComments, vocabularyOf } from './real-corpus.ts';

const corpus = fileURLToPath(new URL('../../shared/data/corpus/', import.meta.url));
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    checkout: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
    comments: { type: 'string', default: join(corpus, 'comments_550k.ndjson.zst') },
    posts: { type: 'string', default: join(corpus, 'posts_190k.ndjson.zst') },
    reading: { type: 'boolean', default: false },
  },
});

const PAGES = 200;
const WARM_ROUNDS = 3;
const main = join(values.checkout, 'bin/colloquy.mjs');

/** Runs in the server's main thread: answers `reset` and `read` with the delay so far, in milliseconds. */
const PRELOAD = `data:text/javascript,${encodeURIComponent(`
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';
if (isMainThread) watch();
function watch() {
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('message', (what) => {
  const ms = (ns) => ns / 1e6;
  const at = (share) => ms(delay.percentile(share));
  process.send({ p50: at(50), p99: at(99), p999: at(99.9), max: ms(delay.max), cpu: process.threadCpuUsage() });
  if (what === 'reset') delay.reset();
});
process.channel.unref();
}
`)}`;

interface Delay {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  readonly cpu: NodeJS.CpuUsage;
}

if (existsSync(values.comments)) await measure();
else console.log(`skipped: ${values.comments} is not here`);

async function measure(): Promise<void> {
  const folder = values.data ?? mkdtempSync(join(tmpdir(), 'colloquy-delay-'));
  try {
    if (values.data === undefined) await run(['import', values.posts, values.comments, '--data', folder]);
    const key = (await run(['keys', 'create', '--account', 'delay@example.org', '--data', folder])).trim();
    await ask(folder, key);
  } finally {
    if (values.data === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function ask(folder: string, key: string): Promise<void> {
  const server = spawn(
    process.execPath,
    ['--import', PRELOAD, main, 'serve', '--data', folder, '--port', '0'],
    {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Each request as a visitor of another address, who gets as many results as somebody who is signed in.
      env: {
        ...process.env,
        COLLOQUY_TRUSTED_PROXIES: '127.0.0.1',
        COLLOQUY_VISITOR_RESULTS: '25',
        COLLOQUY_QUERY_TIMEOUT_MS: '60000',
      },
    },
  );
  const readDelay = (what: 'read' | 'reset') =>
    new Promise<Delay>((resolve) => {
      server.once('message', (answer) => resolve(answer as Delay));
      server.send(what);
    });
  try {
    const base = await new Promise<string>((resolve, reject) => {
      let said = '';
      server.once('exit', () => reject(new Error('the server ended')));
      server.stdout!.on('data', (bytes) => {
        said += String(bytes);
        const address = /http:\/\/\S+/.exec(said)?.[0];
        if (address !== undefined) resolve(address);
      });
    });
    const addresses = await pageAddresses(0);
    const logged = loggedTimes(server.stderr!);
    const get = async (address: string, i: number) => {
      const headers = {
        authorization: `Bearer ${key}`,
        'x-forwarded-for': `10.0.${i >> 8}.${i & 255}`,
        // As Chromium and Firefox ask.
        'accept-encoding': 'gzip, deflate, br, zstd',
      };
      const began = performance.now();
      const response = await fetch(base + address, { headers });
      const body = await response.text();
      if (response.status !== 200) throw new Error(`${response.status} ${address}: ${body.slice(0, 200)}`);
      return { ms: performance.now() - began, body };
    };
    const measureAll = async (name: string, all: readonly string[]) => {
      const before = await readDelay('reset');
      const loggedBefore = logged.length;
      const times: number[] = [];
      for (const [i, address] of all.entries()) times.push((await get(address, i)).ms);
      const delay = await readDelay('read');
      // The last lines come when they come.
      for (let i = 0; i < 100 && logged.length < loggedBefore + all.length; i++) await sleep(10);
      const cpu = (delay.cpu.user + delay.cpu.system - before.cpu.user - before.cpu.system) / 1000;
      print(name, [times, logged.slice(loggedBefore)], delay, cpu);
    };
    const api = addresses.map(apiOf);
    const pages = addresses.map(pageOf);
    // Threads started, code compiled, files in memory: by other questions, since code of this size is compiled for good
    // after some hundred pages.
    for (let round = 1; round <= WARM_ROUNDS; round++) {
      for (const [i, other] of (await pageAddresses(round)).entries()) {
        await get(apiOf(other), i);
        await get(pageOf(other), i);
      }
    }
    console.log(
      '                 answers    ms: median     p95    most | in the log: median     p95    most | event loop, ms: p50     p99   p99.9    most | CPU ms each',
    );
    await measureAll('API', api);
    await measureAll('/search', pages);
    if (values.reading) {
      const links = new Set<string>();
      for (const [i, address] of pages.entries()) {
        const { body } = await get(address, i);
        for (const [, link] of body.matchAll(/href="(\/(?:record|thread)\/[^"#]+)/g))
          links.add(link!.replaceAll('&amp;', '&'));
      }
      for (const path of ['/record/', '/thread/']) {
        await measureAll(path, [...links].filter((link) => link.startsWith(path)).slice(0, PAGES));
      }
    }
  } finally {
    server.kill();
  }
}

interface Asked {
  readonly query: string;
  readonly kind: 'posts' | 'comments';
}

function apiOf({ query, kind }: Asked): string {
  return `/api/v1/search/${kind}?limit=25&query=${query}`;
}

function pageOf({ query, kind }: Asked): string {
  return `/search?query=${query}&kind=${kind}`;
}

/** Frequent and rare words, pairs, prefixes and any-of, of both kinds; encoded. Other ones for each number below 7. */
async function pageAddresses(number: number): Promise<Asked[]> {
  for await (const batch of realComments(values.comments, 20_000)) {
    const { term } = vocabularyOf(batch);
    return Array.from({ length: PAGES }, (_, i) => {
      const rank = 10 + i * 7 + number;
      const query = [
        term(rank),
        `${term(rank)} ${term(20 + i)}`,
        `${term(rank)}|${term(rank + 3)}`,
        `${term(rank)} -${term(rank + 5)}`,
      ][i % 4]!;
      return { query: encodeURIComponent(query), kind: i % 3 === 0 ? 'posts' : 'comments' };
    });
  }
  return [];
}

/** Grows by the milliseconds that each request took, as the log has them: without what its caller does. */
function loggedTimes(log: NodeJS.ReadableStream): number[] {
  const times: number[] = [];
  createInterface({ input: log }).on('line', (line) => {
    const ms = /"msg":"request".*"ms":([\d.]+)/.exec(line)?.[1];
    if (ms !== undefined) times.push(Number(ms));
    else console.error(line);
  });
  return times;
}

function print(
  name: string,
  [times, logged]: readonly (readonly number[])[],
  delay: Delay,
  cpu: number,
): void {
  const cell = (value: number) => value.toFixed(1).padStart(8);
  const spread = (all: readonly number[] = []) => {
    const sorted = [...all].sort((a, b) => a - b);
    return [0.5, 0.95, 1].map((share) => cell(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)).join('');
  };
  const count = times!.length;
  console.log(
    `${name.padEnd(16)} ${String(count).padStart(7)}    ${spread(times)} |           ${spread(logged)} |          ${cell(delay.p50)}${cell(delay.p99)}${cell(delay.p999)}${cell(delay.max)} | ${cell(cpu / count)}`,
  );
}

async function run(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (bytes) => {
    output += String(bytes);
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${args[0]}: exit ${code}`);
  return output;
}
