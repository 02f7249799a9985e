// What it costs to be seen: processor time of a request with metrics and a line in the log beside one without, and of
// reading the metrics. Run by: npm run bench -- seen

import { openApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { watcherOf } from '../src/features/monitoring/watcher.ts';
import { buildServer, type Server } from '../src/http/server.ts';
import { openLogLines } from '../src/log.ts';
import { NO_LIMITS } from '../test/archive.ts';
import { temporaryFolder } from '../test/helpers.ts';

/** Of which the least is told: whatever else runs on the machine only adds. */
const ROUNDS = 40;
const REQUESTS = 500;
const SCRAPES = 200;

using folder = temporaryFolder();
const config = { ...readConfig({}), dataFolder: folder.path, threads: 1 };
await using app = await openApp(config, { sample: true });
await using lines = openLogLines('/dev/null');
const deps = {
  archive: app,
  features: [],
  settings: { ...config, ...NO_LIMITS },
};
const { key } = app.accounts.createKey({ email: 'bench@example.org', name: 'bench', expiresInDays: null });
const url = '/api/v1/search/posts?query=cat&limit=1';
const headers = { authorization: `Bearer ${key}` };
await using plain = await buildServer(deps);
await using watched = await buildServer({
  ...deps,
  watch: watcherOf(config, { lines, security: () => undefined }),
});

/** Microseconds of processor time of this process, all threads, for each of so many requests. */
async function cost(server: Server, path: string, times: number): Promise<number> {
  const start = process.cpuUsage();
  for (let i = 0; i < times; i++) await server.inject({ url: path, headers });
  const { user, system } = process.cpuUsage(start);
  return (user + system) / times;
}

for (const path of ['/livez', url]) {
  const costs: Record<'plain' | 'watched', number[]> = { plain: [], watched: [] };
  for (let round = -2; round < ROUNDS; round++) {
    const found = { plain: await cost(plain, path, REQUESTS), watched: await cost(watched, path, REQUESTS) };
    if (round < 0) continue;
    costs.plain.push(found.plain);
    costs.watched.push(found.watched);
  }
  const [before, after] = [Math.min(...costs.plain), Math.min(...costs.watched)];
  const share = ((after / before - 1) * 100).toFixed(1);
  console.log(`${path}: ${before.toFixed(1)} µs alone, ${after.toFixed(1)} µs seen (+ ${share} %)`);
}
console.log(
  `/metrics: ${((await cost(watched, '/metrics', SCRAPES)) / 1000).toFixed(2)} ms of processor time`,
);
