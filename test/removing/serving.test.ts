// Removals beside a running server and a running import, as processes.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { BATCH_RECORDS } from '../../src/ingest/batcher.ts';
import { temporaryFolder } from '../helpers.ts';
import { commentsIn } from '../import/cli-helpers.ts';
import { commentLine, postLine } from '../import/import-helpers.ts';
import { colloquy } from '../one-process.ts';
import { serve, start, until } from '../processes.ts';

it('a server leaves removed records out at the next request: records, totals, breakdowns, page', {
  timeout: 120_000,
}, async () => {
  using folder = temporaryFolder();
  const data = ['--data', join(folder.path, 'data')];
  const dump = join(folder.path, 'dump');
  const cats = { subreddit: 'cats', body: 'solar purring', link_id: 't3_a' };
  const lines = [postLine('a', { title: 'solar roof' }), postLine('b', { title: 'solar panel' })];
  lines.push(commentLine('c', cats), commentLine('d', { body: 'solar', link_id: 't3_b' }));
  writeFileSync(dump, lines.join('\n'));
  await colloquy(['import', dump, ...data]);
  const key = (await colloquy(['keys', 'create', '--account', 'ann@example.org', ...data])).stdout.trim();
  await using server = await serve(['--no-sample', ...data]);

  async function ids(kind: string): Promise<string[]> {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${server.address}/api/v1/search/${kind}?query=solar`, { headers });
    const envelope = (await response.json()) as { total_count: number; data: { id: string }[] };
    assert.equal(envelope.total_count, envelope.data.length);
    return envelope.data.map(({ id }) => id).sort();
  }
  /** Both lists with their breakdowns. */
  async function pages(): Promise<string> {
    const lists = ['posts', 'comments'].map((kind) =>
      fetch(`${server.address}/search?query=solar&kind=${kind}`),
    );
    return (await Promise.all(lists.map(async (list) => await (await list).text()))).join('');
  }

  assert.equal(`${await ids('posts')} ${await ids('comments')}`, 'a,b c,d');
  const before = await pages();
  for (const shown of ['roof', 'purring', 'panel', '/r/cats']) assert.ok(before.includes(shown), shown);
  const removed = await colloquy(['remove', 'posts', 'a', '--with-comments', ...data]);
  assert.equal(removed.code, 0, removed.stderr);
  assert.equal(`${await ids('posts')} ${await ids('comments')}`, 'b d');
  const after = await pages();
  assert.ok(after.includes('panel'));
  for (const gone of ['roof', 'purring', '/r/cats']) assert.ok(!after.includes(gone), gone);
  // Segments as small as these stand in the databases, whose logs the server has open.
  assert.notDeepEqual(filesWith(data[1]!, /solar roof|purring/), []);
  const purged = await colloquy(['remove', '--purge', ...data]);
  assert.equal(purged.code, 0, purged.stderr);
  assert.deepEqual(filesWith(data[1]!, /solar roof|purring/), []);
  assert.equal(`${await ids('posts')} ${await ids('comments')}`, 'b d');
  await colloquy(['remove', '--undo', '1', ...data]);
  await colloquy(['import', dump, ...data]);
  assert.equal(`${await ids('posts')} ${await ids('comments')}`, 'a,b c,d');
});

/** Names of the files below this folder that hold it. */
function filesWith(folder: string, text: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() && text.test(readFileSync(path, 'latin1'));
  });
}

it('removals during an import take out what is in and keep out what comes, also with a purge', {
  timeout: 300_000,
}, async (t) => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'data');
  const data = ['--data', path];
  // What comes first is read at once, and is more than a batch.
  const [first, second, records] = [1.5 * BATCH_RECORDS, 1.75 * BATCH_RECORDS, 2 * BATCH_RECORDS];
  const line = (i: number) =>
    `${commentLine(`c${i}`, { created_utc: 1_600_000_000 + i, subreddit: `s${i % 50}` })}\n`;
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => line(from + i)).join('');
  const importing = start(['import', '-', '--json', ...data]);
  t.after(() => importing.process.kill());
  importing.process.stdin!.write(lines(0, first));
  await until(async () => (await commentsIn(path)) > 0 || null);

  // Some are in, some on their way, some not yet read.
  const wanted = Array.from({ length: 600 }, (_, i) => `c${Math.floor((i * records) / 600)}`);
  const removing = colloquy(['remove', 'comments', '-', '--json', ...data], wanted.join('\n'));
  importing.process.stdin!.write(lines(first, second));
  const removed = await removing;
  assert.equal(removed.code, 0, removed.stderr);
  const community = await colloquy(['remove', 'community', 's7', '--purge', '--json', ...data]);
  assert.equal(community.code, 0, community.stderr);
  importing.process.stdin!.write(lines(second, records));
  importing.process.stdin!.end();
  assert.equal(await importing.ended, 0, importing.output.stderr);

  const report = JSON.parse(importing.output.stdout);
  const gone = wanted.length + records / 50;
  const taken = [JSON.parse(removed.stdout), JSON.parse(community.stdout)];
  assert.equal(report.added + report.skipped.removed, records);
  assert.equal(taken[0].comments + taken[1].comments + report.skipped.removed, gone);
  assert.equal(await commentsIn(path), records - gone);
  const left = await colloquy(['search', 'comments', '/r/s7', '--json', ...data]);
  assert.equal(JSON.parse(left.stdout).total_count, 0);
  assert.deepEqual(JSON.parse((await colloquy(['check', '--json', ...data])).stdout).problems, []);
});

it('a server brings to its end what a killed removal left', { timeout: 120_000 }, async () => {
  using folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const dump = join(folder.path, 'dump');
  writeFileSync(dump, [commentLine('a'), commentLine('b')].join('\n'));
  await colloquy(['import', dump, '--data', data]);
  await using catalogue = Catalogue.open(data);
  const removal = catalogue.removals.begin('comments', false);
  catalogue.removals.add(removal, [{ kind: 'comment', name: 'a' }]);
  catalogue.removals.hold(removal);
  assert.equal(await commentsIn(data), 2);
  await using server = await serve(['--no-sample', '--data', data]);
  await until(async () => catalogue.removals.all()[0]?.state === 'done' || null);
  assert.equal(await commentsIn(data), 1);
  assert.equal(await server.kill('SIGTERM'), 0);
});
