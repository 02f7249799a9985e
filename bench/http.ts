// `npm run bench -- http DATA_FOLDER [--rate 100] [--seconds 20] [--page | --exports 2]`: an open loop over HTTP, on
// this machine alone. Requests begin on a schedule whether or not earlier ones are answered; the time of each counts
// from its schedule. The folder is one that `npm run bench -- --keep DATA_FOLDER` left. `--page` asks for the search
// page, signed in. `--exports N`: then once more beside N exports of everything, and how long exports took to the first
// byte.

import { execFileSync, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Accounts } from '../src/accounts/accounts.ts';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { credentialsOf } from '../src/features/account/credentials.ts';
import { printQuery } from '../src/search/language/syntax.ts';
import { randomNumbers, syntheticVocabulary } from './corpus.ts';
import { queryClasses } from './queries.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rate: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '20' },
    communities: { type: 'string', default: '5000' },
    page: { type: 'boolean', default: false },
    exports: { type: 'string', default: '0' },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  process.stderr.write(
    'expected a data folder: npm run bench -- http DATA_FOLDER [--rate 100] [--seconds 20] [--page | --exports 2]\n',
  );
  process.exit(2);
}
const colloquy = fileURLToPath(new URL('../bin/colloquy.mjs', import.meta.url));
const FIRST_BYTES = 20;
const ORDERS = ['newest', 'oldest', 'top'];

const paths = await requestPaths();
const headers = await requestHeaders();
const server = spawn(process.execPath, [colloquy, 'serve', '--port', '0', '--data', folder], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const address = await ready();
  // The first questions open files and warm the threads.
  for (const path of paths.slice(0, 100)) await ask(address + path);
  await report(address, values.page ? 'page' : 'API');
  if (values.exports !== '0') await besideExports(address);
} finally {
  server.kill('SIGTERM');
}

async function report(address: string, name: string): Promise<void> {
  const requests = Number(values.rate) * Number(values.seconds);
  const began = performance.now();
  const answers: Promise<{ status: number; ms: number; bytes: number }>[] = [];
  for (let i = 0; i < requests; i++) {
    const scheduled = began + (i * 1000) / Number(values.rate);
    const wait = scheduled - performance.now();
    if (wait > 0) await sleep(wait);
    const asked = ask(address + paths[i % paths.length]!);
    answers.push(asked.then((answer) => ({ ...answer, ms: performance.now() - scheduled })));
  }
  const all = await Promise.all(answers);
  const failed = all.filter(({ status }) => status !== 200).length;
  const ms = all.map((answer) => answer.ms).sort((a, b) => a - b);
  const at = (share: number) => ms[Math.min(ms.length - 1, Math.floor(ms.length * share))]!.toFixed(1);
  const bytes = Math.round(all.reduce((sum, answer) => sum + answer.bytes, 0) / all.length);
  process.stdout.write(
    `${name}: ${requests} requests, ${values.rate} a second, ${bytes} bytes each: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms; ${failed} not 200\n`,
  );
}

async function besideExports(address: string): Promise<void> {
  const url = `${address}/api/v1/export/comments?query=`;
  const firsts: number[] = [];
  for (let i = 0; i < FIRST_BYTES; i++) {
    firsts.push(await firstByteMs(url));
    // Until the next thread stands ready.
    await sleep(1_000);
  }
  firsts.sort((a, b) => a - b);
  process.stdout.write(
    `first byte of ${FIRST_BYTES} exports: median ${firsts[FIRST_BYTES / 2]!.toFixed(0)} ms, slowest ${firsts.at(-1)!.toFixed(0)} ms\n`,
  );
  let isOver = false;
  const exporting = Array.from({ length: Number(values.exports) }, async () => {
    while (!isOver) await readWhile(url, () => !isOver);
  });
  await sleep(1_000);
  await report(address, `API beside ${values.exports} exports`);
  isOver = true;
  await Promise.all(exporting);
}

/** From the request to the first byte of the body. */
async function firstByteMs(url: string): Promise<number> {
  const began = performance.now();
  let ms = Number.NaN;
  await readWhile(url, () => {
    ms = performance.now() - began;
    return false;
  });
  return ms;
}

/** By a process of its own, as a caller's would be; `more` is asked with each piece. */
async function readWhile(url: string, more: () => boolean): Promise<void> {
  const words = ['--silent', '--fail', '--no-buffer', '-H', `Authorization: ${headers.authorization}`, url];
  const curl = spawn('curl', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    for await (const _ of curl.stdout) if (!more()) return;
  } finally {
    curl.kill('SIGTERM');
  }
}

/** Queries of all classes in a fixed random order. */
async function requestPaths(): Promise<string[]> {
  await using engine = await openEmbeddedEngine(folder!, { rules: { keepOriginals: false }, workers: 1 });
  const classes = await queryClasses(engine, syntheticVocabulary(Number(values.communities)));
  const random = randomNumbers(11);
  return classes
    .flatMap(({ queries }) => queries)
    .map((query, i) => {
      const search = new URLSearchParams({ query: printQuery(query), order_by: ORDERS[i % 3]! });
      if (values.page) search.set('in', 'comments');
      else search.set('limit', '25');
      const path = values.page ? '/search' : '/api/v1/search/comments';
      return { path: `${path}?${search}`, place: random() };
    })
    .sort((a, b) => a.place - b.place)
    .map(({ path }) => path);
}

async function requestHeaders(): Promise<Record<string, string>> {
  const email = 'bench@example.org';
  if (!values.page) {
    const words = [colloquy, 'keys', 'create', '--account', email, '--data', folder!];
    const key = execFileSync(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim();
    return { authorization: `Bearer ${key}` };
  }
  await using accounts = Accounts.open(folder!);
  const link = credentialsOf(accounts).createAccount(email) ?? credentialsOf(accounts).resetAccount(email)!;
  const accountId = (await credentialsOf(accounts).setPasswordByLink(
    link.token,
    'a password for the benchmark',
  ))!;
  return { cookie: `colloquy_session=${accounts.sessions.start(accountId, 'benchmark')}` };
}

async function ask(url: string): Promise<{ status: number; bytes: number }> {
  const response = await fetch(url, { headers });
  return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
}

async function ready(): Promise<string> {
  let text = '';
  for await (const chunk of server.stdout) {
    text += chunk;
    const address = /ready: (http:\S+)/.exec(text)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`not ready: ${text}`);
}
