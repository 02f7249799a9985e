// npm run test:long -- late-dump [RECORDS]: a dump of a million comments of years ago comes into a folder with a feed
// and a watch, by the commands that people use. It must be one entry and one line, and its link must lead to all of it.
// Prints what was seen, with times on this machine.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { dumpLines } from '../../bench/dump-lines.ts';
import { readAtom, readJsonFeed } from '../feeds/rules.ts';
import { temporaryFolder } from '../helpers.ts';
import { program, start, until } from '../import/cli-helpers.ts';
import { commentLine } from '../import/import-helpers.ts';

const RECORDS = Number(process.argv[2] ?? 1_000_000);
const COUNT = RECORDS.toLocaleString('en');
/** How many came in before it, a day old. */
const RECENT = 3;
const DUMP = 'RC_late.zst';
const ACCOUNT = 'ann@example.org';
const HOST = 'search.example.org';
/** Of which everything is a match. */
const QUERY = 'after:2000-01-01';

using home = temporaryFolder();
const settings = { COLLOQUY_DATA: join(home.path, 'data'), COLLOQUY_PUBLIC_URL: `https://${HOST}` };

const recent = join(home.path, 'RC_recent');
const yesterday = Math.floor(Date.now() / 1000) - 86_400;
const lines = Array.from({ length: RECENT }, (_, i) =>
  commentLine(`recent${i}`, { created_utc: yesterday + i }),
);
writeFileSync(recent, lines.join('\n'));
await run(0, 'import', recent);
await run(0, 'accounts', 'create', ACCOUNT);
const saved = await run(0, 'saved', 'add', 'all', 'comments', QUERY, '--account', ACCOUNT, '--feed');
const feedPath = new URL(saved.trim()).pathname;
const watch = ['watch', '--saved', '1', '--max-age', '30', '--json', '--state', join(home.path, 'watched')];
await run(0, ...watch);

const dump = join(home.path, DUMP);
await pipeline(Readable.from(dumpLines(RECORDS)), createZstdCompress(), createWriteStream(dump));
await timed('import', () => run(0, 'import', dump));

const told = await timed('watch', () => run(10, ...watch));
assert.deepEqual(JSON.parse(told), { type: 'older', kind: 'comments', query: QUERY, count: RECORDS });
assert.equal(await run(0, ...watch), '', 'once');

const server = start(['serve', '--port', '0'], settings);
try {
  const [, address = ''] = await until(async () => {
    assert.equal(server.process.exitCode, null, server.output.stderr);
    return /ready: (\S+)/.exec(server.output.stdout);
  });
  for (const [form, read] of [['atom', readAtom] as const, ['json', readJsonFeed] as const]) {
    const url = address + feedPath.replace(/\w+$/, form);
    const answer = await timed(`feed, ${form}`, () => fetch(url));
    const { entries, next } = read(await answer.text());
    const [first, ...others] = entries;
    assert.equal(first!.id, `tag:${HOST},2026:saved:1:import:2`);
    assert.equal(first!.title, `${COUNT} older comments came in: ${DUMP}`);
    assert.deepEqual(
      others.map(({ id }) => id.split(':').at(-1)),
      ['recent2', 'recent1', 'recent0'],
    );
    assert.equal(next, null);
    const etag = answer.headers.get('etag')!;
    const again = await timed('304', () => fetch(url, { headers: { 'if-none-match': etag } }));
    assert.equal(again.status, 304);
    const link = new URL(first!.link);
    const page = await timed('its link', () => fetch(address + link.pathname + link.search));
    assert.match(await page.text(), new RegExp(`<h1 id="total">${COUNT} `));
  }
} finally {
  server.process.kill('SIGTERM');
  await server.ended;
}
process.stdout.write(`${COUNT} old comments: one entry of each form of the feed, one line of the watch\n`);

/** The standard output of a command that ends with this code. */
function run(code: number, ...words: readonly string[]): Promise<string> {
  const own = { env: { ...process.env, ...settings }, maxBuffer: 2 ** 26 };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, ...words], own, (error, stdout, stderr) => {
      const found = error === null ? 0 : error.code;
      if (found === code) resolve(stdout);
      else reject(new Error(`${words[0]}: expected exit code ${code}, found ${found}: ${stderr}`));
    });
  });
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  process.stdout.write(`${what.padEnd(12)} ${Math.round(performance.now() - started)} ms\n`);
  return result;
}
