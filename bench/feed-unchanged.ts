// What a feed costs of which nothing came in: `npm run bench -- feed-unchanged [RECORDS]` prints the processor time of
// a 304, with the whole way of a request, beside that of an answer, on the embedded engine.

import { openApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { credentialsOf } from '../src/features/account/credentials.ts';
import { feature } from '../src/features/saved/feature.ts';
import { savedOf } from '../src/features/saved/store.ts';
import { buildServer } from '../src/http/server.ts';
import { NO_LIMITS } from '../test/archive.ts';
import { comment, temporaryFolder } from '../test/helpers.ts';

const RECORDS = Number(process.argv[2] ?? 100_000);
const BATCH = 20_000;
const ROUNDS = 500;

using folder = temporaryFolder();
const publicUrl = 'http://localhost:80';
const config = { ...readConfig({}), dataFolder: folder.path, publicUrl, threads: 1 };
await using app = await openApp(config);
const created = Math.floor(Date.now() / 1000) - 86_400;
for (let from = 0; from < RECORDS; from += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, RECORDS - from) }, (_, i) =>
    comment({ id: `c${from + i}`, body: `solar ${(from + i) % 1000}`, created: created + (i % 1000) }),
  );
  await app.engine.index('comment', packRecords(batch));
}
credentialsOf(app.accounts).createAccount('ann@example.org');
const saved = savedOf(app.accounts);
const { id } = saved.add(1, { name: 'solar', kind: 'comment', query: 'solar', order: 'newest' });
const token = saved.makeFeed(1, id)!;
const server = await buildServer({
  ...{ archive: app, features: [feature] },
  settings: { ...config, ...NO_LIMITS },
});
const url = `/feed/${token}.atom`;
const first = await server.inject({ url });
const headers = { 'if-none-match': String(first.headers.etag) };

async function msOf(rounds: number, given: Record<string, string>, status: number): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < rounds; i++) {
    const { statusCode } = await server.inject({ url, headers: given });
    if (statusCode !== status) throw new Error(`expected ${status}, found ${statusCode}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / rounds;
}

await msOf(50, headers, 304);
const answer = await msOf(50, {}, 200);
const unchanged = await msOf(ROUNDS, headers, 304);
process.stdout.write(
  `records   ${RECORDS}\nanswer    ${answer.toFixed(3)} ms\nunchanged ${unchanged.toFixed(3)} ms\n`,
);
await server.close();
