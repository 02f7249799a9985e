// Pages of large records under load: 1,000 posts of 40,000 characters, and 300 comments of 1 MiB, asked for by 30
// requests at once. Prints what was answered, how long the event loop was held, by the clock and by the processor time
// of its thread alone, and the memory of the server, which is a process of its own.
// `npm run bench -- large-pages [--at-once 30] [--coding gzip]`

import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import type { Accounts } from '../src/accounts/accounts.ts';
import { Catalogue } from '../src/catalogue/catalogue.ts';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { buildServer } from '../src/http/server.ts';
import { archiveOver, NO_LIMITS } from '../test/archive.ts';
import { comment, post } from '../test/helpers.ts';
import { type LoopHold, watchHolds } from './loop-holds.ts';

const { values } = parseArgs({
  options: {
    'at-once': { type: 'string', default: '30' },
    coding: { type: 'string', default: 'gzip' },
    serve: { type: 'string' },
  },
});
const RULES = { keepOriginals: false };
const SETTINGS = {
  impliedWindow: '1d',
  permalinkBase: 'https://www.reddit.com',
  queryTimeoutMs: 60_000,
} as const;
const PATHS = ['/api/v1/search/posts?query=&limit=1000', '/api/v1/search/comments?query=&limit=1000'];

/** Asks in a process of its own, so that reading the answers is no part of what is measured. */
const CALLERS = `
const [address, count, coding] = process.argv.slice(1);
const headers = { Authorization: 'Bearer x', 'Accept-Encoding': coding };
const ask = async () => {
  const response = await fetch(address, { headers });
  await response.arrayBuffer();
  return response.status + ' ' + (response.headers.get('colloquy-page') ?? 'whole');
};
const counts = {};
for (const told of await Promise.all(Array.from({ length: Number(count) }, ask))) {
  counts[told] = (counts[told] ?? 0) + 1;
}
console.log(Object.entries(counts).map(([told, times]) => times + ' × ' + told).join(', '));
`;

interface Report extends LoopHold {
  /** Bytes. */
  readonly rss: number;
  readonly peakRss: number;
  readonly cpuSeconds: number;
}

if (values.serve !== undefined) await serve(values.serve);
else await measure();

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-large-'));
  try {
    await fill(folder);
    const server = fork(fileURLToPath(import.meta.url), ['--serve', folder]);
    const [base] = (await once(server, 'message')) as [string];
    for (const path of PATHS) await ask(base + path, 1);
    for (const path of PATHS) {
      await tell(server);
      const answers = await ask(base + path, Number(values['at-once']));
      print(path, answers, (await tell(server))!);
    }
    server.disconnect();
    await once(server, 'exit');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function print(path: string, answers: string, report: Report): void {
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  console.log(
    `${path}, ${values['at-once']} at once: ${answers}; longest hold ${ms(report.longestMs)} ` +
      `(${ms(report.longestCpuMs)} of processor time), p99 ${ms(report.p99Ms)}; ` +
      `CPU ${report.cpuSeconds.toFixed(1)} s, memory ${mb(report.rss)}, at most ${mb(report.peakRss)}`,
  );
}

async function fill(folder: string): Promise<void> {
  await using engine = await openEmbeddedEngine(folder, { rules: RULES });
  const posts = Array.from({ length: 1_000 }, (_, i) =>
    post({ id: `p${1000 + i}`, created: i, selftext: words(40_000, i + 1) }),
  );
  await engine.index('post', packRecords(posts));
  for (let i = 0; i < 300; i += 20) {
    const batch = Array.from({ length: 20 }, (_, at) =>
      comment({ id: `c${1000 + i + at}`, created: i + at, body: words(1_048_576, i + at + 1) }),
    );
    await engine.index('comment', packRecords(batch));
  }
}

function words(bytes: number, seed: number): string {
  let text = '';
  for (let i = seed; text.length < bytes; i = (i * 48_271) % 2_147_483_647) {
    text += `${(i % 5_000).toString(36)} `;
  }
  return text.slice(0, bytes);
}

async function ask(address: string, count: number): Promise<string> {
  const words = ['--input-type=module', '-e', CALLERS, address, `${count}`, values.coding];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return stdout.trim();
}

/** Begins a watch, or ends the one that is under way and gives its report. */
async function tell(server: ChildProcess): Promise<Report | null> {
  server.send('watch');
  const [{ report }] = (await once(server, 'message')) as [{ readonly report: Report | null }];
  return report;
}

/** Until its parent lets go of it. */
async function serve(folder: string): Promise<void> {
  const engine = await openEmbeddedEngine(folder, { rules: RULES });
  const keys = { check: () => ({ keyId: 1, accountId: 1 }), isLive: () => true };
  const accounts = { keys } as unknown as Accounts;
  const catalogue = Catalogue.open(folder);
  const server = await buildServer({
    archive: archiveOver({ engine, catalogue, accounts, config: SETTINGS }),
    features: [],
    settings: { ...NO_LIMITS, publicUrl: null, trustedProxies: [] },
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  let endWatch: (() => Report) | null = null;
  process.on('message', () => {
    const report = endWatch?.() ?? null;
    endWatch = report === null ? watchServer() : null;
    process.send!({ report });
  });
  process.send!(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`);
  await once(process, 'disconnect');
  await server.close();
  await engine[Symbol.asyncDispose]();
}

function watchServer(): () => Report {
  const end = watchHolds();
  const before = process.cpuUsage();
  let peakRss = 0;
  const see = () => (peakRss = Math.max(peakRss, process.memoryUsage.rss()));
  const timer = setInterval(see, 20);
  return () => {
    clearInterval(timer);
    see();
    const { user, system } = process.cpuUsage(before);
    return { ...end(), rss: process.memoryUsage.rss(), peakRss, cpuSeconds: (user + system) / 1e6 };
  };
}
