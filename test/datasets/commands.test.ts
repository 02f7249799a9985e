// `colloquy datasets` and what other commands do to data sets, as processes.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { datasetsCommand } from '../../src/features/export/datasets/command.ts';
import { temporaryFolder } from '../helpers.ts';
import { commentLine } from '../import/import-helpers.ts';
import { ofTests } from '../of-tests.ts';
import { colloquy, expectRefused } from '../one-process.ts';
import { type Served, serve, colloquy as startColloquy, until } from '../processes.ts';
import { filesBelow, linesOf } from './house.ts';

describe('colloquy datasets', async () => {
  const folder = ofTests(temporaryFolder());
  const path = join(folder.path, 'data');
  const data = ['--data', path];

  const dump = join(folder.path, 'RC_2020-01.ndjson');
  const lines = ['wind', 'solar', 'solar', 'solar', 'solar'].map((body, i) =>
    commentLine(`c${i}`, { created_utc: 1_577_836_800 + i, body, link_id: 't3_p' }),
  );
  writeFileSync(dump, `${lines.join('\n')}\n`);
  const imported = await startColloquy(['import', dump, ...data]);
  assert.equal(imported.code, 0, imported.stderr);

  it('publishes, lists, makes anew and removes', async () => {
    const publish = ['datasets', 'publish', 'solar', 'comments', 'solar', ...data];
    const published = await startColloquy([...publish, '--json']);
    assert.equal(published.code, 0, published.stderr);
    const told = JSON.parse(published.stdout);
    assert.deepEqual([told.state, told.edition, told.records], ['published', 1, { comments: 4 }]);
    const names = told.files.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, [
      ...['solar-comments.ndjson.zst', 'solar-comments.csv.gz', 'solar-comments.parquet'],
      ...['README.md', 'datapackage.json', 'croissant.json', 'SHA256SUMS'],
    ]);
    const words = /found a data set `solar`: `.*datasets rebuild solar.*` rebuilds it/;
    expectRefused(await colloquy(publish), words);
    const rebuilt = await colloquy(['datasets', 'rebuild', 'solar', ...data]);
    assert.match(rebuilt.stdout, /^solar: 4 comments in 7 files, .* MB\n.*datasets\/solar\/2\n$/);
    const list = await colloquy(['datasets', 'list', ...data]);
    assert.match(list.stdout, /\nsolar +published +4 +7 +[\d,]+ +20\d\d-.* +comments: solar\n$/);
    const removed = await colloquy(['datasets', 'remove', 'solar', ...data]);
    assert.equal(removed.stdout, 'solar: removed, and its files with it\n');
    assert.deepEqual(JSON.parse((await colloquy(['datasets', 'list', '--json', ...data])).stdout), []);
    assert.deepEqual(filesBelow(join(path, 'datasets')), []);
  });

  it('refuses names, formats and numbers that are none', async () => {
    const refused: readonly (readonly [words: readonly string[], message: RegExp])[] = [
      [['Solar', 'comments'], /expected 1 to 64 lower-case letters, digits and hyphens.*found `Solar`/],
      [['../x', 'comments'], /expected 1 to 64 lower-case letters.*found `\.\.\/x`/],
      [['--', '-x', 'comments'], /expected 1 to 64 lower-case letters.*found `-x`/],
      [['x'.repeat(65), 'comments'], /expected 1 to 64 lower-case letters/],
      [['x', 'users'], /posts, comments, both/],
      [['x', 'comments', '--formats', 'csv.gz,xlsx'], /ndjson\.zst, csv\.gz, parquet, found `xlsx`/],
      [['x', 'comments', '--split-every', '0'], /expected 1 to 999999999/],
    ];
    for (const [words, message] of refused) {
      const publish = datasetsCommand().commands.find((command) => command.name() === 'publish')!;
      publish.exitOverride().configureOutput({ writeErr: () => {} });
      await assert.rejects(publish.parseAsync([...words], { from: 'user' }), message);
    }
  });

  it('refuses a query that matches nothing, an open window, and names that are not there', async () => {
    const refused: readonly (readonly [words: readonly string[], message: RegExp])[] = [
      [['publish', 'x', 'comments', 'before:2020-01-01'], /`after:/],
      [['publish', 'x', 'comments', 'nowhere'], /expected a query that matches something, found no match/],
      [['rebuild', 'x'], /expected the name of a data set, found `x`: there is none yet/],
    ];
    for (const [words, message] of refused)
      expectRefused(await colloquy(['datasets', ...words, ...data]), message);
  });

  it('list makes no folder, and publish none either', async () => {
    const none = join(folder.path, 'none');
    for (const words of [['list'], ['publish', 'x', 'comments']])
      expectRefused(await colloquy(['datasets', ...words, '--data', none]), /expected a data folder/);
    assert.ok(!existsSync(none));
    assert.deepEqual(JSON.parse((await colloquy(['datasets', 'list', '--json', ...data])).stdout), []);
  });

  it('a server refuses the files as soon as another process has removed a record, and makes them anew', async () => {
    await colloquy(['datasets', 'publish', 'wind', 'comments', ...data]);
    const created = await colloquy(['keys', 'create', '--account', 'a@example.org', ...data]);
    const headers = { authorization: `Bearer ${created.stdout.trim()}` };
    const file = '/api/v1/datasets/wind/wind-comments.ndjson.zst';
    const status = async ({ address }: Served) => (await fetch(address + file, { headers })).status;
    {
      await using server = await serve(data);
      assert.equal(await status(server), 200);
      const removed = await colloquy(['remove', 'comments', 'c0', ...data]);
      assert.equal(removed.code, 0, removed.stderr);
      assert.equal(await status(server), 410);
    }
    // What is due is made as soon as a server starts.
    await using server = await serve(data);
    await until(async () => ((await status(server)) === 200 ? true : null));
    const at = join(path, 'datasets', 'wind');
    const ids = linesOf(join(at, readdirSync(at)[0]!), 'wind-comments.ndjson.zst').map(({ id }) => id);
    assert.deepEqual(ids, ['c1', 'c2', 'c3', 'c4']);
  });

  it('a backup has the definitions, and the files where they are wanted', async () => {
    const [bare, full] = [join(folder.path, 'bare'), join(folder.path, 'full')];
    const copied = await colloquy(['backup', full, '--with-datasets', '--json', ...data]);
    assert.deepEqual([copied.code, JSON.parse(copied.stdout).datasets], [0, 1], copied.stderr);
    assert.equal((await colloquy(['backup', bare, ...data])).code, 0);
    const listed = async (copy: string) =>
      JSON.parse((await colloquy(['datasets', 'list', '--json', '--data', copy])).stdout).map(
        ({ name, state }: { name: string; state: string }) => [name, state],
      );
    assert.deepEqual(await listed(full), [['wind', 'published']]);
    assert.deepEqual(await listed(bare), [['wind', 'withdrawn']]);
    assert.ok(!existsSync(join(bare, 'datasets')));
    const withdrawn = await colloquy(['remove', 'comments', 'c1', '--data', full]);
    assert.equal(withdrawn.code, 0, withdrawn.stderr);
    assert.deepEqual(await listed(full), [['wind', 'withdrawn']]);
    const rebuilt = await colloquy(['datasets', 'rebuild', 'wind', '--data', bare]);
    assert.match(rebuilt.stdout, /^wind: 4 comments/);
  });
});
