// `colloquy export` as scripts and people see it: what goes where, with which exit code, and how it ends.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { before, describe, it } from 'node:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { openApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { idsOf } from './api/asking.ts';
import { comment, jsonLines, post, START_OF_2008, temporaryFolder } from './helpers.ts';
import { ofTests } from './of-tests.ts';
import { expectRefused, colloquy as run } from './one-process.ts';
import { project } from './project.ts';

const PROGRAM = join('bin', 'colloquy.mjs');

/** More than a pipe holds. */
const RECORDS = 4_000;

const folder = ofTests(temporaryFolder());
const data = join(folder.path, 'data');

before(async () => {
  await using app = await openApp({ ...readConfig({}), dataFolder: data, threads: 0 });
  const records = Array.from({ length: RECORDS }, (_, i) =>
    comment({ id: `c${i}`, created: START_OF_2008 + i, body: `solar ${i}`, post: i % 2 === 0 ? 'p' : 'q' }),
  );
  await app.engine.index('comment', packRecords(records));
  await app.engine.index('post', packRecords([post({ id: 'p', title: 'panels' })]));
});

const colloquy = (words: readonly string[], cwd = project) =>
  run([...words, '--data', data], '', { settings: {}, cwd });

/** An export to standard output, in a process of its own. */
const started = (kind: string) =>
  spawn(process.execPath, [PROGRAM, 'export', kind, '--data', data], { cwd: project, env: {} });

async function fingerprintOfPosts() {
  await using app = await openApp({ ...readConfig({}), dataFolder: data, threads: 0 }, { toRead: true });
  return (await app.engine.fingerprints()).post;
}

const digest = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

describe('colloquy export to standard output', () => {
  it('writes every match as NDJSON, oldest first, and the report on standard error', async () => {
    const { code, stdout, stderr } = await colloquy(['export', 'comments', 'solar']);
    assert.equal(code, 0);
    const expected = Array.from({ length: RECORDS }, (_, i) => `c${i}`);
    assert.deepEqual(idsOf(jsonLines(stdout)), expected);
    const summary =
      /^4,000 comments, [\d.]+ MB \([\d,]+ bytes\), \d+s\nSHA-256 [0-9a-f]{64}\nfrom the index [0-9a-f]{16} of 4,000 comments\n$/;
    assert.match(stderr, summary);
    assert.ok(stderr.includes(digest(stdout)));
  });

  it('has the order, limit, place, fields, format and posts asked for', async () => {
    const asked = ['--order-by', 'newest', '--limit', '3', '--fields', 'id,score', '--format', 'csv'];
    const place = ['--after', String((START_OF_2008 + 10) * 1000), '--under', 'panels'];
    const { code, stdout } = await colloquy(['export', 'comments', ...asked, ...place]);
    assert.deepEqual([code, stdout], [0, 'id,score\nc8,1\nc6,1\nc4,1\n']);
  });

  it('with --json the report is one object, on standard error', async () => {
    const { stdout, stderr } = await colloquy(['export', 'posts', '--compress', 'none', '--json']);
    const report = JSON.parse(stderr);
    const names =
      'kind query under order_by format compress fields file matches total count withheld cut_cells';
    const more = 'resumed_behind bytes sha256 seconds index arrival';
    assert.equal(Object.keys(report).join(' '), `${names} ${more}`);
    assert.deepEqual([report.file, report.total, report.count, report.withheld], [null, 1, 1, 0]);
    assert.deepEqual([report.bytes, report.sha256], [Buffer.byteLength(stdout), digest(stdout)]);
    assert.deepEqual(report.index, await fingerprintOfPosts());
  });

  it('with --sample it is those of the lowest ranks, in the order asked for', async () => {
    const sample = ['sample', 'comments', '--limit', '7', '--seed', 's', '--format', 'csv'];
    const drawn = await colloquy([...sample, '--fields', 'id']);
    assert.deepEqual([drawn.code, drawn.stderr], [0, '']);
    const ids = drawn.stdout.trimEnd().split('\n').slice(1);
    assert.equal(ids.length, 7);
    const asked = ['export', 'comments', '--sample', '7', '--seed', 's', '--fields', 'id', '--format', 'csv'];
    const { code, stdout, stderr } = await colloquy(asked);
    const inTime = [...ids].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
    assert.deepEqual([code, stdout], [0, ['id', ...inTime, ''].join('\n')]);
    assert.match(stderr, /^7 comments, /);
  });

  it('with --from-ids it is the records of a file; what is not there is told and counted', async () => {
    const file = join(folder.path, 'ids.txt');
    const link = 'https://www.reddit.com/r/energy/comments/p/_/c9/';
    const lines = ['c7', 't1_c3', 'none', '', 't3_c4', link, 'c3', 'T1_C5'];
    writeFileSync(file, `\ufeff${lines.join('\r\n')}`);
    const asked = ['export', 'comments', '--from-ids', file, '--fields', 'id', '--format', 'csv'];
    const { code, stdout, stderr } = await colloquy(asked);
    assert.deepEqual([code, stdout], [0, 'id\nc3\nc7\nc9\n']);
    assert.match(stderr, /\n3 of 6 ids are not here: none, t3_c4, T1_C5\n/);
    const { stderr: json } = await colloquy([...asked, '--json', '--sample', '2']);
    const { ids, missing, missing_ids, matches, count, sample, seed } = JSON.parse(json);
    assert.deepEqual([ids, missing, missing_ids], [6, 3, ['none', 't3_c4', 'T1_C5']]);
    assert.deepEqual([matches, count, sample, seed], [3, 2, 2, '1']);
  });

  it('a size below 100 kB is told in bytes alone', async () => {
    const { stdout, stderr } = await colloquy(['export', 'posts']);
    const bytes = Buffer.byteLength(stdout);
    assert.ok(bytes < 1000, `${bytes}`);
    assert.match(stderr, new RegExp(`^1 post, ${bytes} bytes, \\d+s\n`));
  });

  it('a reader that has enough ends it in silence, with exit code 1', async () => {
    const child = started('comments');
    child.stdout.once('data', () => child.stdout.destroy());
    const [words, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    assert.deepEqual([code, words], [1, '']);
  });

  it('a reader that closes before the only record comes ends it with exit code 1, not 0', async () => {
    const child = started('posts');
    child.stdout.destroy();
    const [words, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    assert.deepEqual([code, words], [1, '']);
  });

  it('a signal ends it at once, also while nobody reads, and it says that what was written is not whole', async () => {
    const child = started('comments');
    const words = text(child.stderr);
    const ended = once(child, 'exit');
    await once(child.stdout, 'readable');
    child.kill('SIGINT');
    assert.deepEqual((await ended)[0], 1);
    child.stdout.destroy();
    assert.equal(await words, 'stopped: what was written is not whole\n');
  });
});

describe('colloquy export --out', () => {
  it('the name of the file says its format and compression, and flags win', async () => {
    using place = temporaryFolder();
    const cases: readonly (readonly [name: string, flags: readonly string[], (bytes: Buffer) => string])[] = [
      ['a.ndjson', [], (bytes) => bytes.toString()],
      ['a.ndjson.zst', [], (bytes) => zstdDecompressSync(bytes).toString()],
      ['B.NDJSON.ZST', [], (bytes) => zstdDecompressSync(bytes).toString()],
      ['a.json', ['--format', 'ndjson'], (bytes) => bytes.toString()],
      ['a.csv.gz', [], (bytes) => gunzipSync(bytes).toString()],
      ['a.parquet', [], (bytes) => bytes.toString('latin1', 0, 4)],
      ['a.csv', ['--format', 'ndjson', '--compress', 'gzip'], (bytes) => gunzipSync(bytes).toString()],
      ['a', [], (bytes) => bytes.toString()],
    ];
    const starts: Record<string, RegExp> = { csv: /^type,id,/, parquet: /^PAR1$/, ndjson: /^\{"type"/ };
    for (const [name, flags, read] of cases) {
      const out = join(place.path, name);
      const { code, stderr } = await colloquy(['export', 'posts', '--out', out, ...flags]);
      assert.deepEqual([code, stderr], [0, ''], name);
      const format = flags[1] ?? /csv|parquet/.exec(name)?.[0] ?? 'ndjson';
      assert.match(read(readFileSync(out)), starts[format]!, name);
    }
    assert.equal(readdirSync(place.path).length, 2 * cases.length);
  });

  it('the report is on standard output, with the digest as `sha256sum --check` reads it', async () => {
    using place = temporaryFolder();
    const { code, stdout, stderr } = await colloquy(['export', 'comments', '--out', 'x.csv'], place.path);
    assert.deepEqual([code, stderr], [0, '']);
    const sum = digest(readFileSync(join(place.path, 'x.csv')));
    assert.match(stdout, /^4,000 comments, /);
    assert.ok(stdout.includes(`\nSHA256 (x.csv) = ${sum}\nfrom the index `), stdout);
    const again = await colloquy(['export', 'comments', '--out', 'x.csv', '--restart', '--json'], place.path);
    const report = JSON.parse(again.stdout);
    assert.deepEqual([report.sha256, report.file, again.stderr], [sum, 'x.csv', '']);
  });

  it('a finished export run again by cron was exit 2: it says that the file is complete', async () => {
    using place = temporaryFolder();
    const file = join(place.path, 'x.csv');
    const asked = ['export', 'comments', '--out', 'x.csv', '--limit', '3'];
    await colloquy(asked, place.path);
    const made = readFileSync(file);
    const { code, stdout, stderr } = await colloquy(asked, place.path);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^`x\.csv` is complete already, by the same command: 3 comments; .*\n$/);
    assert.equal(JSON.parse((await colloquy([...asked, '--json'], place.path)).stdout).sha256, digest(made));
    const other = await colloquy([...asked, '--order', 'newest'], place.path);
    assert.deepEqual([other.code, readFileSync(file)], [2, made]);
    writeFileSync(file, 'mine');
    const refused = await colloquy(asked, place.path);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /expected no file `x\.csv` yet, found one/);
    assert.equal(readFileSync(file, 'utf8'), 'mine');
    // Taken away, it is made as at first.
    rmSync(file);
    assert.match((await colloquy(asked, place.path)).stdout, /^3 comments, /);
    assert.deepEqual(readFileSync(file), made);
  });
});

describe('colloquy export refuses, with exit code 2 and one line', () => {
  const out = join(folder.path, 'refused.ndjson');
  const cases: readonly (readonly [words: readonly string[], message: RegExp])[] = [
    [
      ['comments', 'x', 'before:2024-01-01'],
      /expected an `after:` beside `before:`, found none.*`x,before:2024-01-01,after:2023-12-31`.*`x,before:2024-01-01,after:1970-01-01`/,
    ],
    [['posts', '--under', 'x'], /`--under`: expected it with `comments`, found `posts`/],
    [['posts', '--restart'], /`--restart`: expected `--out` with it, found none/],
    [['posts', '--out', '-'], /`--out`: expected the name of a file, found `-`/],
    [
      ['posts', '--out', join(folder.path, 'book.xlsx')],
      /`--out`: expected a name that ends in `\.ndjson`, .*found `\.xlsx`; with `--format`/,
    ],
    [['posts', '--out', join(folder.path, 'q.ndjson.xz'), '--compress', 'gzip'], /`--out`: .*found `\.xz`/],
    [['posts', '--out', out, '--fields', 'id,body'], /`fields`: expected fields of a post .*, found `body`/],
    [
      ['posts', '--format', 'parquet', '--compress', 'gzip'],
      /`compress`: expected `none` with `format=parquet`/,
    ],
    [['posts', '--format', 'xml'], /Allowed choices are ndjson, csv, csv-excel, parquet/],
    [['posts', '--limit', '0'], /`--limit`: expected a whole number from 1 to 999999999, found `0`/],
    [['posts', '--after', 'soon'], /`after`: expected the number of a `sort_key`/],
    [['posts', '--order', 'top', '--after', '1199145600000'], /`after`: expected a cursor of/],
    [['posts', '--out', folder.path], /expected a file to write at .*found a folder/],
    [['posts', '--out', join(folder.path, 'no', 'x')], /expected a folder for /],
    [['posts', '"open'], /./],
    [['posts', '--seed', 'x'], /`--seed`: expected `--sample` with it, found none/],
    [['posts', '--sample', '0'], /`--sample`: expected a whole number from 1 to 1000000, found `0`/],
    [['posts', '--sample', '3', '--seed', 'x'.repeat(65)], /`--seed`: expected at most 64 characters/],
    [['posts', '--from-ids', 'x', 'cats'], /`--from-ids`: expected it in place of a query, found `cats`/],
    [['posts', '--from-ids', join(folder.path, 'nowhere')], /expected a file of lines, found ENOENT/],
    [
      ['posts', '--from-ids', join(project, 'LICENSE')],
      /`--from-ids`: expected an id or permalink of a post on each line, found .*LICENSE:1: .*and \d+ more lines/,
    ],
  ];
  for (const [words, message] of cases) {
    it(words.join(' ').replaceAll(folder.path, 'FOLDER'), async () => {
      expectRefused(await colloquy(['export', ...words]), message);
      assert.equal(existsSync(out), false);
    });
  }

  const terminal = spawnSync('script', ['--version'], { encoding: 'utf8' });
  const skip = !/util-linux/.test(terminal.stdout ?? '') && 'no `script` that makes a terminal';
  it('compressed and binary formats are refused on a terminal', { skip }, () => {
    for (const flags of ['--format parquet', '--compress gzip', '--format csv --compress zstd']) {
      const command = `${process.execPath} ${PROGRAM} export posts --data ${data} ${flags}`;
      const options = { cwd: project, encoding: 'utf8' } as const;
      const { status, stdout } = spawnSync('script', ['-qec', command, '/dev/null'], options);
      assert.equal(status, 2, stdout);
      assert.match(stdout, /expected a file or a pipe, found a terminal; add `--out FILE`\s*$/);
    }
  });
});
