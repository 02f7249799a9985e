// Pages of large records under load: 1,000 posts of 40,000 characters, and 300 comments of 1 MiB, asked for by 30
// requests at once. Prints what was answered, the longest time that the event loop was held up, and memory.
// `node bench/large-pages.ts`

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { ExportService } from '../src/exporting/export-service.ts';
import { buildServer } from '../src/http/server.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import { SearchService } from '../src/search/search-service.ts';
import { comment, post } from '../test/helpers.ts';

const AT_ONCE = 30;
const settings = {
  impliedWindow: '1d',
  permalinkBase: 'https://www.reddit.com',
  queryTimeoutMs: 60_000,
} as const;

const folder = mkdtempSync(join(tmpdir(), 'colloquy-large-'));
const engine = await openEmbeddedEngine(folder, { rules: { keepOriginals: false } });
const words = (bytes: number, seed: number) => {
  let text = '';
  for (let i = seed; text.length < bytes; i = (i * 48_271) % 2_147_483_647)
    text += `${(i % 5_000).toString(36)} `;
  return text.slice(0, bytes);
};
await engine.index(
  'post',
  packRecords(
    Array.from({ length: 1_000 }, (_, i) =>
      post({ id: `p${1000 + i}`, created: i, selftext: words(40_000, i + 1) }),
    ),
  ),
);
for (let i = 0; i < 300; i += 20) {
  const batch = Array.from({ length: 20 }, (_, at) =>
    comment({ id: `c${1000 + i + at}`, created: i + at, body: words(1_048_576, i + at + 1) }),
  );
  await engine.index('comment', packRecords(batch));
}
const search = new SearchService(engine, { knowledgeOf: () => new Map() }, settings);
const keys = { checkKey: () => ({ keyId: 1, accountId: 1 }) };
const server = await buildServer({
  search,
  exports: new ExportService(engine, { path: null, generation: () => 0 }, settings),
  analysis: { engine, queryTimeoutMs: settings.queryTimeoutMs },
  keys,
  settings: { requestsPerMinute: 0, exportsAtOnce: 4, publicUrl: null, trustedProxies: [] },
});
await server.listen({ port: 0, host: '127.0.0.1' });
const base = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/api/v1/search`;

/** Asks in a process of its own, so that reading the answers is no part of what is measured. */
const CALLERS = `
const [address, count] = process.argv.slice(1);
const headers = { Authorization: 'Bearer x', 'Accept-Encoding': 'gzip' };
const ask = async () => {
  const response = await fetch(address, { headers });
  await response.arrayBuffer();
  return response.status + ' ' + (response.headers.get('colloquy-page') ?? 'whole');
};
console.log([...new Set(await Promise.all(Array.from({ length: Number(count) }, ask)))].join(', '));
`;
const run = promisify(execFile);
const ask = (kind: string, count: number) =>
  run(process.execPath, [
    '--input-type=module',
    '-e',
    CALLERS,
    `${base}/${kind}?query=&limit=1000`,
    `${count}`,
  ]);

for (const kind of ['posts', 'comments']) {
  await ask(kind, 1);
  const lag = monitorEventLoopDelay({ resolution: 5 });
  let peak = 0;
  const start = process.memoryUsage().rss;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  lag.enable();
  const before = process.cpuUsage();
  const { stdout } = await ask(kind, AT_ONCE);
  lag.disable();
  clearInterval(watch);
  const { user, system } = process.cpuUsage(before);
  console.log(
    `${kind}, ${AT_ONCE} at once: ${stdout.trim()}; longest hold ${(lag.max / 1e6).toFixed(0)} ms, ` +
      `p99 ${(lag.percentile(99) / 1e6).toFixed(0)} ms, CPU ${((user + system) / 1e6).toFixed(1)} s, ` +
      `memory ${(start / 1e6).toFixed(0)} MB, at most ${(peak / 1e6).toFixed(0)} MB`,
  );
}
await server.close();
await engine[Symbol.asyncDispose]();
rmSync(folder, { recursive: true });
