// What the command line says to people, and what it keeps between two calls.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { temporaryFolder } from './helpers.ts';
import { colloquy as run } from './one-process.ts';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = join('bin', 'colloquy.mjs');

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly words: string;
}

const { NODE_COMPILE_CACHE } = process.env;
const COMPILED = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

/** Runs `bin/colloquy.mjs` in the project's folder, with no settings but these. */
function startColloquy(
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = 'XDG_CACHE_HOME' in settings ? settings : { ...COMPILED, ...settings };
    const options = { cwd: PROJECT, env };
    execFile(process.execPath, [PROGRAM, ...words], options, (error, out, told) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, words: told });
    });
  });
}

/** The same in one process for all. */
async function colloquy(
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const { code, stdout, stderr } = await run(words, '', { program: PROGRAM, settings });
  return { code, out: stdout, words: stderr };
}

/** A data folder in which the invented sample answers. */
const sample = temporaryFolder();
before(async () => {
  await using _app = await openApp({ ...readConfig({}), dataFolder: sample.path }, { sample: true });
});
after(() => sample[Symbol.dispose]());

describe('colloquy timeline', () => {
  it('prints one table; the answer of the API; the table of the API', async () => {
    const timeline = (...words: string[]) =>
      colloquy(['timeline', 'comments', ...words, '--data', sample.path]);
    const json = JSON.parse((await timeline('the', 'solar', '--step', 'year', '--json')).out);
    assert.deepEqual([json.type, json.query, json.series.length], ['timeline', null, 2]);
    const [the, solar] = json.series;
    assert.ok(the.total_count > 0);
    const { out: csv } = await timeline('the', 'solar', '--step', 'year', '--csv');
    const [head, ...rows] = csv.trimEnd().split('\n');
    assert.equal(head, 'start,count_1,of_1,share_1,count_2,of_2,share_2');
    assert.equal(rows.length, the.buckets.length);
    const { out } = await timeline('the', 'solar', '--step', 'year');
    const lines = out.trimEnd().split('\n');
    assert.match(lines[0]!, /^1: [\d,]+ comments match the, as a share of \(everything\)$/);
    assert.match(lines[2]!, /^year \(UTC\) +count_1 +of_1 +share_1 +count_2/);
    assert.equal(lines.length, 3 + solar.buckets.length);
  });

  it('refuses what a kind has not, and too many queries', async () => {
    using folder = temporaryFolder();
    for (const [words, message] of [
      [['posts', 'x', '--measure', 'sentiment'], /expected `count` or `score` with `posts`/],
      [['posts', 'x', '--under', 'y'], /`--under`: expected it with `comments`/],
      [['posts', ...'abcdefghi'], /expected at most 8 queries, found 9/],
    ] as const) {
      const { code, words: told } = await colloquy(['timeline', ...words, '--data', folder.path]);
      assert.equal(code, 2);
      assert.match(told, message);
    }
  });
});

describe('colloquy explain', () => {
  it('prints one table, the answer of the API, or CSV, and tells the window that a search adds', async () => {
    const asked = ['explain', 'posts', '--data', sample.path];
    const table = await colloquy([...asked, 'solar', 'before:2024-01-01']);
    assert.equal(table.code, 0);
    assert.match(
      table.out,
      /^\d+ posts? match(es)? solar,before:2024-01-01\n\nITEM +ALONE +WITHOUT +SO FAR +/,
    );
    assert.match(table.out, /\nsolar +1 +\d+ +1 +contains the word `solar`\n/);
    assert.match(table.words, /^\(a search adds after:2023-12-31, because .*: \d+ posts\)\n/m);
    const answer = JSON.parse((await colloquy([...asked, '--json', '--', '-solar'])).out);
    const [item] = answer.items;
    assert.deepEqual(
      [answer.type, answer.total_count, item.means],
      [...['explain', item.alone, 'does not contain the word `solar`']],
    );
    const csv = await colloquy([...asked, '--csv', '/r/a+b']);
    assert.equal(
      csv.out,
      'item,offset,length,means,alone,without,so_far\n' +
        `"/r/a,/r/b",0,6,is in /r/a or /r/b,0,${answer.index.records},0\n`,
    );
    const refused = await colloquy([...asked, 'score:x']);
    assert.deepEqual([refused.code, refused.out], [2, '']);
  });
});

describe('colloquy breakdown', () => {
  it('prints one table, and the command for more rows; the answer of the API; the table of the API', async () => {
    const breakdown = (...words: string[]) =>
      colloquy(['breakdown', 'comments', ...words, '--data', sample.path]);
    const json = JSON.parse((await breakdown('the', '--size', '1', '--json')).out);
    assert.deepEqual([json.type, json.query, json.rows.length, json.next], ['breakdown', 'the', 1, 1]);
    const { out: csv } = await breakdown('the', '--size', '1', '--csv');
    const { name, count, of, share, mean_sentiment, rated } = json.rows[0];
    const row = [name, count, of, share, mean_sentiment, rated].join();
    assert.equal(csv, `name,count,of,share,mean_sentiment,rated\n${row}\n`);
    const { out, words } = await breakdown('the', '--size', '1');
    const lines = out.trimEnd().split('\n');
    assert.match(lines[0]!, /^[\d,]+ comments match the; \d+ different by subreddit$/);
    assert.match(lines[1]!, /^subreddit +count +of +share +mean_sentiment +rated$/);
    assert.equal(lines.length, 3);
    const next = / *More rows: node bin\/colloquy\.mjs (.*)\n$/.exec(words)![1]!;
    assert.equal(next, `breakdown comments --size 1 --after 1 --data ${sample.path} the`);
  });

  it('refuses what a kind or a field has not', async () => {
    using folder = temporaryFolder();
    for (const [words, message] of [
      [['posts', 'x', '--field', 'sentiment'], /`--field`: expected another field with `posts`/],
      [['posts', 'x', '--size', '0'], /expected 1 to 10000/],
    ] as const) {
      const { code, words: told } = await colloquy(['breakdown', ...words, '--data', folder.path]);
      assert.equal(code, 2);
      assert.match(told, message);
    }
  });
});

describe('colloquy search', () => {
  it('names no next page under the last one; the one that it names is a command to paste', async () => {
    const data = ['--data', sample.path];
    const query = ['search', 'comments', 'the', '-solar'];
    const flags = ['--order', 'top', '--limit', '300'];
    const all = JSON.parse(
      (await colloquy([...query.slice(0, 2), ...flags, '--json', ...data, '--', ...query.slice(2)])).out,
    );
    assert.equal(all.data.length, 300);
    const first = await colloquy([...query.slice(0, 2), ...flags, ...data, '--', ...query.slice(2)]);
    const next = / *Next page: node bin\/colloquy\.mjs (.*)\n$/.exec(first.out)![1]!;
    const cursor = all.sort_key[0][0];
    assert.equal(
      next,
      `search comments --order top --limit 300 --after ${cursor} --data ${sample.path} -- the -solar`,
    );
    let last = first;
    let pages = 1;
    for (; last.out.includes('Next page:'); pages++) {
      last = await colloquy(/Next page: node \S+ (.*)\n$/.exec(last.out)![1]!.split(' '));
      assert.equal(last.code, 0);
    }
    assert.equal(pages, Math.ceil(all.total_count / 300));
  });

  it('says `1 post matches`', async () => {
    const { out } = await startColloquy(['search', 'posts', 'solar', '--data', sample.path]);
    assert.match(out, /^1 post matches solar\n/);
  });

  it('says which signs are not searched for', async () => {
    const { out, words } = await colloquy(['search', 'posts', 'solar++', '--data', sample.path]);
    assert.match(out, /^1 post matches/);
    assert.match(words, /`solar\+\+` searches for `solar`: signs are not indexed/);
  });

  it('has the fields asked for with `--json`, and refuses `--fields` without it', async () => {
    const words = ['search', 'posts', 'solar', '--data', sample.path, '--fields', 'score,id'];
    const { data } = JSON.parse((await colloquy([...words, '--json'])).out);
    assert.deepEqual(data.map(Object.keys), [['score', 'id']]);
    const plain = await colloquy(words);
    assert.equal(plain.code, 2);
    assert.match(plain.words, /`--fields`: expected `--json` with it, found none/);
    const unknown = await colloquy([...words.slice(0, -1), 'id,body,ups', '--json']);
    assert.equal(unknown.code, 2);
    assert.match(unknown.words, /`fields`: expected fields of a post .*, found `body`, `ups`/);
  });

  it('searches comments under posts, and names the same posts for the next page', async () => {
    const data = ['--data', sample.path];
    const asked = ['search', 'comments', '--limit', '2', '--under', 'Solar -zebra', ...data];
    const { total_count, under, data: shown } = JSON.parse((await colloquy([...asked, '--json'])).out);
    assert.equal(under, 'Solar,-zebra');
    assert.ok(total_count > 2, `${total_count}`);
    const { out } = await colloquy(asked);
    assert.match(out, /comments match \(everything\), under posts that match Solar,-zebra\n/);
    const next = /Next page: node bin\/colloquy\.mjs (.*)\n$/.exec(out)![1]!;
    assert.match(next, /^search comments --limit 2 '--under=Solar -zebra' --after \d+ --data /);
    const words = next.split(/ (?![^']*'(?: |$))/).map((word) => word.replaceAll("'", ''));
    const second = JSON.parse((await colloquy([...words, '--json'])).out);
    assert.equal(second.total_count, total_count);
    assert.notEqual(second.data[0].id, shown[0].id);
    const refused = await colloquy(['search', 'posts', '--under', 'solar', ...data]);
    assert.equal(refused.code, 2);
    assert.match(refused.words, /`--under`: expected it with `comments`, found `posts`/);
  });

  it('has no time budget but that of `--timeout`, whatever the setting of the server says', async () => {
    const words = ['search', 'comments', 'the', '--data', sample.path];
    const { code, out } = await colloquy(words, { COLLOQUY_QUERY_TIMEOUT_MS: '1' });
    assert.equal(code, 0);
    assert.match(out, /comments match the\n/);
    for (const bad of ['0', '3600001', 'soon']) {
      const refused = await colloquy([...words, '--timeout', bad]);
      assert.equal(refused.code, 2);
      assert.match(refused.words, /--timeout <ms>.*expected 1 to 3600000/);
    }
    assert.equal((await colloquy([...words, '--timeout', '3600000'])).code, 0);
  });
});

describe('compiled code', () => {
  it('is kept in a cache folder of the user, that of threads too', async () => {
    using folder = temporaryFolder();
    const settings = { XDG_CACHE_HOME: join(folder.path, 'cache') };
    const { code } = await startColloquy(['search', 'posts', '--data', sample.path], settings);
    assert.equal(code, 0);
    const [version] = readdirSync(join(folder.path, 'cache', 'colloquy'));
    const before = readdirSync(join(folder.path, 'cache', 'colloquy', version!)).length;
    assert.ok(before > 100, `${before} files`);
  });

  it('is not kept, in silence, where the folder may not be written', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'file');
    writeFileSync(file, '');
    const { code, out, words } = await startColloquy(['--help'], { XDG_CACHE_HOME: file });
    assert.deepEqual([code, words], [0, '']);
    assert.match(out, /^Usage: node bin\/colloquy\.mjs /);
    assert.equal(existsSync(join(folder.path, 'colloquy')), false);
  });
});

describe('hints', () => {
  const cases: readonly (readonly [words: string, hint: RegExp])[] = [
    ['serach', / \(try: node bin\/colloquy\.mjs --help\)\n$/],
    ['search', / \(try: node bin\/colloquy\.mjs search --help\)\n$/],
    ['remove', / \(try: `node bin\/colloquy\.mjs remove --help`\)\n$/],
    ['keys create --account a@b.org', /running \(node bin\/colloquy\.mjs serve --data FOLDER\)/],
    ['keys revoke 9', /\(see `node bin\/colloquy\.mjs keys list --data FOLDER`\)/],
    [
      'accounts create a@b.org',
      /; `node bin\/colloquy\.mjs accounts reset --data FOLDER` makes a new link\n$/,
    ],
  ];
  it('name the command as it was typed, with its --data', async () => {
    using folder = temporaryFolder();
    for (const [words, hint] of cases) {
      const data = words.includes(' ') ? ['--data', folder.path] : [];
      const outcome = await colloquy([...words.split(' '), ...data]);
      assert.match(outcome.words.replaceAll(folder.path, 'FOLDER'), hint, words);
    }
  });
});

describe('--version', () => {
  it('prints the versions of Colloquy and Node, and the engine', async () => {
    const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
    const { code, out, words } = await startColloquy(['--version']);
    assert.deepEqual([code, words], [0, '']);
    assert.equal(out, `colloquy ${version} (Node ${process.versions.node}, engine embedded)\n`);
  });

  it('COLLOQUY_ENGINE chooses the engine: another word stops the start with one line', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    for (const words of [
      ['serve', '--port', '0', '--data', data],
      ['import', 'x', '--data', data],
      ['--version'],
    ]) {
      const { code, out, words: told } = await startColloquy(words, { COLLOQUY_ENGINE: 'lucene' });
      assert.deepEqual([code, out], [2, '']);
      assert.match(
        told,
        /^colloquy: setting `COLLOQUY_ENGINE`: expected `embedded` [^\n]*, found `lucene`\n$/,
      );
    }
    assert.equal(existsSync(data), false);
  });
});

describe('the data folder', () => {
  const skip = process.platform === 'win32' && 'modes of another kind';
  it("index files were everybody's to read: all that is made is its owner's alone", { skip }, async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    const dump = join(folder.path, 'dump.ndjson');
    const lines = Array.from(
      { length: 3_000 },
      (_, i) => `{"id":"c${i}","created_utc":${i},"subreddit":"energy","body":"solar ${i}","score":1}\n`,
    );
    writeFileSync(dump, `${lines.join('')}{"id":"x","body":"no time"}\n`);
    const previous = process.umask(0);
    try {
      assert.equal((await startColloquy(['import', dump, '--data', data])).code, 0);
      assert.equal((await startColloquy(['keys', 'create', '--account', 'a@b.org', '--data', data])).code, 0);
      assert.equal((await startColloquy(['remove', 'comments', 'c1', '--data', data])).code, 0);
    } finally {
      process.umask(previous);
    }
    const names = globSync('**', { cwd: data });
    assert.ok(
      names.some((name) => name.endsWith('.seg')) && names.some((name) => name.startsWith('rejects/')),
    );
    for (const name of names) {
      const stats = statSync(join(data, name));
      assert.equal((stats.mode & 0o777).toString(8), stats.isDirectory() ? '700' : '600', name);
    }
  });
});
