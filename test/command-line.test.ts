// What the command line says to people, and what it keeps between two calls.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Accounts } from '../src/accounts/accounts.ts';
import { openApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { credentialsOf } from '../src/features/account/credentials.ts';
import { newTotpSecret, stepAt, totpCode } from '../src/features/account/second-factors.ts';
import type { CoverageAnswer } from '../src/features/coverage/coverage.ts';
import { savedOf } from '../src/features/saved/store.ts';
import { comment, jsonLines, post, temporaryFolder } from './helpers.ts';
import { commentLine } from './import/import-helpers.ts';
import { ofTests } from './of-tests.ts';
import { type CommandResult, expectRefused, colloquy as run } from './one-process.ts';
import { project } from './project.ts';

const PROGRAM = join('bin', 'colloquy.mjs');

/** Runs `bin/colloquy.mjs` in the project's folder, with no settings but these. */
function startColloquy(words: readonly string[], settings: Readonly<Record<string, string>>) {
  return new Promise<CommandResult>((resolve) => {
    const options = { cwd: project, env: settings };
    execFile(process.execPath, [PROGRAM, ...words], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** The same in one process for all. */
const colloquy = (words: readonly string[], settings: Readonly<Record<string, string>> = {}) =>
  run(words, '', { program: PROGRAM, settings });

/** A data folder in which the invented sample answers. */
const sample = ofTests(temporaryFolder());
before(async () => {
  await using _app = await openApp({ ...readConfig({}), dataFolder: sample.path }, { sample: true });
});

it('colloquy timeline prints one table; the answer of the API; the table of the API', async () => {
  const timeline = (...words: string[]) =>
    colloquy(['timeline', 'comments', ...words, '--data', sample.path]);
  const json = JSON.parse((await timeline('the', 'solar', '--step', 'year', '--json')).stdout);
  assert.deepEqual([json.type, json.query, json.series.length], ['timeline', null, 2]);
  const [the, solar] = json.series;
  assert.ok(the.total_count > 0);
  const { stdout: csv } = await timeline('the', 'solar', '--step', 'year', '--format', 'csv');
  const [head, ...rows] = csv.trimEnd().split('\n');
  assert.equal(head, 'start,count_1,of_1,share_1,count_2,of_2,share_2');
  assert.equal(rows.length, the.buckets.length);
  const { stdout } = await timeline('the', 'solar', '--step', 'year');
  const lines = stdout.trimEnd().split('\n');
  assert.match(lines[0]!, /^1: [\d,]+ comments match the, as a share of \(everything\)$/);
  assert.match(lines[2]!, /^year \(UTC\) +count_1 +of_1 +share_1 +count_2/);
  assert.equal(lines.length, 3 + solar.buckets.length);
});

it('colloquy explain prints one table, the answer of the API, or CSV, and tells the window that a search adds', async () => {
  const asked = ['explain', 'posts', '--data', sample.path];
  const table = await colloquy([...asked, 'solar', 'before:2024-01-01']);
  assert.equal(table.code, 0);
  const expected =
    /^\d+ posts? match(es)? solar,before:2024-01-01\nA search adds after:2023-12-31, because .*: \d+ posts\n\nITEM +ALONE +WITHOUT +SO FAR +/;
  assert.match(table.stdout, expected);
  assert.match(table.stdout, /\nsolar +1 +\d+ +1 +contains the word `solar`\n/);
  const answer = JSON.parse((await colloquy([...asked, '--json', '--', '-solar'])).stdout);
  const [item] = answer.rows;
  assert.deepEqual([answer.type, answer.total_count], ['explain', item.alone]);
  assert.equal(item.means, 'does not contain the word `solar`');
  const csv = await colloquy([...asked, '--format', 'csv', '/r/a+b']);
  assert.equal(
    csv.stdout,
    'item,offset,length,means,alone,without,so_far\n' +
      `"/r/a,/r/b",0,6,is in /r/a or /r/b,0,${answer.index.records},0\n`,
  );
});

it('colloquy breakdown prints one table, and the command for more rows; the answer of the API; the table of the API', async () => {
  const breakdown = (...words: string[]) =>
    colloquy(['breakdown', 'comments', ...words, '--data', sample.path]);
  const json = JSON.parse((await breakdown('the', '--limit', '1', '--json')).stdout);
  assert.deepEqual([json.type, json.query, json.rows.length, json.next], ['breakdown', 'the', 1, 1]);
  const { stdout: csv } = await breakdown('the', '--limit', '1', '--format', 'csv');
  const { name, count, of, share, mean_sentiment, rated } = json.rows[0];
  const row = [name, count, of, share, mean_sentiment, rated].join();
  assert.equal(csv, `name,count,of,share,mean_sentiment,rated\n${row}\n`);
  const { stdout, stderr } = await breakdown('the', '--limit', '1');
  const lines = stdout.trimEnd().split('\n');
  assert.match(lines[0]!, /^[\d,]+ comments match the; \d+ different by subreddit$/);
  assert.match(lines[1]!, /^subreddit +count +of +share +mean_sentiment +rated$/);
  assert.equal(lines.length, 3);
  const next = / *More: node bin\/colloquy\.mjs (.*)\n$/.exec(stderr)![1]!;
  assert.equal(next, `breakdown comments --limit=1 --after 1 --data ${sample.path} the`);
});

it('colloquy sample prints the records for people, or as an export has them', async () => {
  const drawn = (...words: string[]) =>
    colloquy(['sample', 'comments', 'the', '--limit', '2', '--data', sample.path, ...words]);
  assert.match((await drawn()).stdout, /^2 of \d+ comments that match the, by the seed 1\n\/r\/\w+ {2}/);
  const { data } = JSON.parse((await drawn('--json', '--fields', 'id')).stdout);
  const lines = (await drawn('--format', 'ndjson', '--fields', 'id')).stdout;
  assert.equal(lines, data.map((record: object) => `${JSON.stringify(record)}\n`).join(''));
});

describe('commands refuse, with exit code 2 and one line, what a kind or a field has not, and too much', () => {
  for (const [words, message] of [
    ['timeline posts x --measure sentiment', /expected `count` or `score`, found/],
    ['timeline posts x --under y', /`--under`: expected it with `comments`/],
    ['timeline posts a b c d e f g h i', /expected at most 8 queries, found 9/],
    ['breakdown posts x --field sentiment', /`--field`: expected `subreddit`.*, found/],
    ['breakdown posts x --limit 0', /expected a whole number from 1 to 10000/],
    ['search posts --under solar', /`--under`: expected it with `comments`, found `posts`/],
    ['search posts solar --fields score,id', /`--fields`: expected `--format` with it, found none/],
    [
      'search posts solar --fields id,body,ups --json',
      /`fields`: expected fields of a post .*, found `body`, `ups`/,
    ],
    ['explain posts score:x', /score/],
    ['sample posts --fields id', /`--fields`: expected `--format` with it, found none/],
    ['sample posts --limit 0', /`--limit`: expected a whole number from 1 to 10000, found `0`/],
    ['search comments the --timeout 0', /--timeout <ms>.*expected 1 to 3600000/],
    ['search comments the --timeout 3600001', /--timeout <ms>.*expected 1 to 3600000/],
    ['search comments the --timeout soon', /--timeout <ms>.*expected 1 to 3600000/],
  ] as const)
    it(words, async () =>
      expectRefused(await colloquy([...words.split(' '), '--data', sample.path]), message),
    );
});

describe('colloquy search', () => {
  it('names no next page under the last one; the one that it names is a command to paste', async () => {
    const data = ['--data', sample.path];
    const query = ['search', 'comments', 'the', '-solar'];
    const flags = ['--order', 'top', '--limit', '300'];
    const all = JSON.parse(
      (await colloquy([...query.slice(0, 2), ...flags, '--json', ...data, '--', ...query.slice(2)])).stdout,
    );
    assert.equal(all.data.length, 300);
    const first = await colloquy([...query.slice(0, 2), ...flags, ...data, '--', ...query.slice(2)]);
    const next = / *More: node bin\/colloquy\.mjs (.*)\n$/.exec(first.stderr)![1]!;
    const cursor = all.sort_key[0][0];
    const pasted = `search comments --order-by=top --limit=300 --after ${cursor} --data ${sample.path} -- the -solar`;
    assert.equal(next, pasted);
    let last = first;
    let pages = 1;
    for (; last.stderr.includes('More:'); pages++) {
      last = await colloquy(/More: node \S+ (.*)\n$/.exec(last.stderr)![1]!.split(' '));
      assert.equal(last.code, 0);
    }
    assert.equal(pages, Math.ceil(all.total_count / 300));
  });

  it('gives its records alone in the forms of an export, and names the next page beside them', async () => {
    const flags = ['--fields', 'id,score', '--limit', '2', '--order-by', 'top', '--data', sample.path];
    const csv = await colloquy(['search', 'comments', '--format', 'csv', ...flags]);
    assert.match(csv.stdout, /^id,score\n\w+,-?\d+\n\w+,-?\d+\n$/);
    const next = /search comments --format=csv --fields=id,score --limit=2 --order-by=top --after \d+/;
    assert.match(csv.stderr, next);
    const ndjson = await colloquy(['search', 'comments', '--format', 'ndjson', ...flags]);
    const rows = jsonLines(ndjson.stdout).map(({ id, score }) => `${id},${score}`);
    assert.equal(csv.stdout, ['id,score', ...rows, ''].join('\n'));
  });

  it('says `1 post matches`, and which signs are not searched for', async () => {
    const { stdout, stderr } = await colloquy(['search', 'posts', 'solar++', '--data', sample.path]);
    assert.match(stdout, /^1 post matches/);
    assert.match(stderr, /`solar\+\+` searches for `solar`: signs are not indexed/);
  });

  it('has the fields asked for with `--json`', async () => {
    const words = ['search', 'posts', 'solar', '--data', sample.path, '--fields', 'score,id'];
    const { data } = JSON.parse((await colloquy([...words, '--json'])).stdout);
    assert.deepEqual(data.map(Object.keys), [['score', 'id']]);
  });

  it('searches comments under posts, and names the same posts for the next page', async () => {
    const data = ['--data', sample.path];
    const asked = ['search', 'comments', '--limit', '2', '--under', 'Solar -zebra', ...data];
    const { total_count, under, data: shown } = JSON.parse((await colloquy([...asked, '--json'])).stdout);
    assert.equal(under, 'Solar,-zebra');
    assert.ok(total_count > 2, `${total_count}`);
    const { stdout, stderr: told } = await colloquy(asked);
    assert.match(stdout, /comments match \(everything\), under posts that match Solar,-zebra\n/);
    const next = /More: node bin\/colloquy\.mjs (.*)\n$/.exec(told)![1]!;
    assert.match(next, /^search comments --limit=2 '--under=Solar -zebra' --after \d+ --data /);
    const words = next.split(/ (?![^']*'(?: |$))/).map((word) => word.replaceAll("'", ''));
    const second = JSON.parse((await colloquy([...words, '--json'])).stdout);
    assert.equal(second.total_count, total_count);
    assert.notEqual(second.data[0].id, shown[0].id);
  });

  it('has no time budget but that of `--timeout`, whatever the setting of the server says', async () => {
    const words = ['search', 'comments', 'the', '--data', sample.path];
    const { code, stdout } = await colloquy(words, { COLLOQUY_QUERY_TIMEOUT_MS: '1' });
    assert.equal(code, 0);
    assert.match(stdout, /comments match the\n/);
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
    const { code, stdout, stderr } = await startColloquy(['--help'], { XDG_CACHE_HOME: file });
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^Usage: node bin\/colloquy\.mjs /);
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
      assert.match(outcome.stderr.replaceAll(folder.path, 'FOLDER'), hint, words);
    }
  });
});

describe('--version', () => {
  it('prints the versions of Colloquy and Node, and the engine', async () => {
    const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    const { code, stdout, stderr } = await colloquy(['--version']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(stdout, `colloquy ${version} (Node ${process.versions.node}, engine embedded)\n`);
  });

  it('COLLOQUY_ENGINE chooses the engine: another word stops the start with one line', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    for (const words of [
      ['serve', '--port', '0', '--data', data],
      ['import', 'x', '--data', data],
      ['--version'],
    ]) {
      const message = /^colloquy: setting `COLLOQUY_ENGINE`: expected `embedded` [^\n]*, found `lucene`\n$/;
      expectRefused(await colloquy(words, { COLLOQUY_ENGINE: 'lucene' }), message);
    }
    assert.equal(existsSync(data), false);
  });
});

const THREAD = [
  comment({ id: 'a', post: 'p1', parent: 'p1', created: 0, body: 'first\nline two' }),
  comment({ id: 'lost', post: 'p1', parent: 'gone', created: 1, body: 'lost, "quoted"', score: -3 }),
  comment({ id: 'odd', post: 'p1', parent: '', created: 2, body: 'odd' }),
  ...Array.from({ length: 10 }, (_, i) => {
    const parent = i === 0 ? 'a' : `d${i - 1}`;
    return comment({ id: `d${i}`, post: 'p1', parent, created: 10 + i, body: `deep ${i}` });
  }),
];

describe('colloquy thread', () => {
  const folder = ofTests(temporaryFolder());
  before(async () => {
    await using app = await openApp({ ...readConfig({}), dataFolder: folder.path });
    await app.engine.index('post', packRecords([post({ id: 'p1', title: 'A title', selftext: 'the text' })]));
    await app.engine.index('comment', packRecords(THREAD));
  });

  const thread = (...words: string[]) => colloquy(['thread', ...words, '--data', folder.path]);

  it('lists the post, and each comment below what it answers; from the ninth step on it says how deep', async () => {
    const { code, stdout } = await thread('https://www.reddit.com/r/energy/comments/p1/');
    assert.equal(code, 0);
    const lines = stdout.split('\n');
    assert.deepEqual(lines.slice(0, 7), [
      'A title',
      '    /r/energy  2008-01-01, 00:00:00  1 score',
      '    https://www.reddit.com/r/energy/comments/p1/',
      '    the text',
      '13 comments',
      '1970-01-01, 00:00:00  1 score  a',
      '    first line two',
    ]);
    const deep = lines.indexOf(`${'  '.repeat(8)}1970-01-01, 00:00:17  1 score  d7`);
    assert.deepEqual(lines.slice(deep + 2, deep + 4), [
      `${'  '.repeat(8)}1970-01-01, 00:00:18  1 score  d8  level 9, answers d7`,
      `${'  '.repeat(8)}    deep 8`,
    ]);
    assert.deepEqual(lines.slice(-5), [
      '1970-01-01, 00:00:01  -3 score  lost  answers gone, not here',
      '    lost, "quoted"',
      '1970-01-01, 00:00:02  1 score  odd  answers something unknown',
      '    odd',
      '',
    ]);
  });

  it('--format csv is a table of all comments, the oldest first', async () => {
    const fields = ['--fields', 'id,parent_id,depth,body'];
    const { stdout } = await thread('p1', '--format', 'csv', '--around', 'a', ...fields);
    assert.equal(stdout, 'id,parent_id,depth,body\na,p1,0,"first\nline two"\nd0,a,1,deep 0\n');
    const whole = await thread('p1', '--format', 'csv');
    assert.match(whole.stdout, /^type,id,subreddit\.id,.*,score,parent_id,depth\ncomment,a,/);
    assert.match(whole.stdout, /"lost, ""quoted""",,-3,gone,\n/);
  });

  it('--json is the answer of the API, in both shapes', async () => {
    const page = JSON.parse((await thread('p1', '--json', '--limit', '2')).stdout);
    assert.deepEqual([page.type, page.comments.length, page.next], ['thread', 2, 1000]);
    const rest = JSON.parse((await thread('p1', '--json', '--after', '1000', '--fields', 'id')).stdout);
    assert.deepEqual([rest.comments.length, rest.comments[0]], [11, { id: 'odd' }]);
    const tree = JSON.parse((await thread('p1', '--json', '--shape', 'tree')).stdout);
    assert.equal(tree.comments[0].replies[0].replies[0].id, 'd1');
  });

  for (const [line, message] of [
    ['nope', /expected something of the post `nope`, found nothing/],
    ['t1_a', /parameter `post`: expected the id or permalink of a post/],
    ['p1 --limit 3', /`--limit`: expected `--json` with it/],
    ['p1 --fields id', /`--fields`: expected `--format` with it/],
    ['p1 --format csv --fields title', /`fields`: expected fields of a comment/],
  ] as const) {
    it(`thread ${line}: exit code 2 and one line`, async () => {
      expectRefused(await thread(...line.split(' ')), message);
    });
  }
});

const [ANN, BOB] = ['ann@example.org', 'bob@example.org'];

describe('commands of accounts', () => {
  const place = ofTests(temporaryFolder());
  let folders = 0;

  /** Commands over a data folder of their own, which the test has open as a server would; `told` is their log. */
  function runs() {
    const data = join(place.path, `${folders++}`);
    const log = `${data}.log`;
    const run = (words: readonly string[], settings: Readonly<Record<string, string>> = {}) =>
      colloquy([...words, '--data', data], { COLLOQUY_SECURITY_LOG: log, ...settings });
    const told = () => jsonLines(readFileSync(log, 'utf8'));
    return { run, told, accounts: Accounts.open(data) };
  }

  it('saved adds in canonical form, lists, and removes; the address is printed once and noted nowhere', async () => {
    const { run, told, accounts: opened } = runs();
    await using accounts = opened;
    credentialsOf(accounts).createAccount(ANN!);
    const of = ['--account', ANN!];
    const solar = ['saved', 'add', 'solar', 'comments', 'solar', 'R/Energy', ...of];
    expectRefused(await run([...solar, '--feed']), /COLLOQUY_PUBLIC_URL/);
    const url = { COLLOQUY_PUBLIC_URL: 'https://search.example.org' };
    const { stdout, stderr } = await run([...solar, '--feed'], url);
    const [, token = ''] = /^https:\/\/search\.example\.org\/feed\/(\w{32})\.atom\n$/.exec(stdout)!;
    assert.equal(savedOf(accounts).byToken(token)!.query, 'solar,/r/energy');
    assert.ok(!stderr.includes(token) && !JSON.stringify(told()).includes(token));
    await run(['saved', 'add', 'everything', 'posts', ...of, '--order-by', 'top']);

    const { saved: listed } = JSON.parse((await run(['saved', 'list', ...of, '--json'])).stdout);
    const shown = ['id', 'name', 'kind', 'query', 'order_by', 'total_count'];
    const rows = listed.map((one: Record<string, unknown>) => [
      ...shown.map((name) => one[name]),
      one.feed !== null,
    ]);
    assert.deepEqual(rows, [
      [1, 'solar', 'comments', 'solar,/r/energy', 'newest', 0, true],
      [2, 'everything', 'posts', '', 'top', 0, false],
    ]);
    assert.match((await run(['saved', 'list', ...of])).stdout, /^ID {2}NAME .*\n1 {3}solar /);
    assert.equal((await run(['saved', 'remove', '1'])).stderr, 'removed the saved search 1, `solar`\n');
    assert.equal(savedOf(accounts).byToken(token), null);
    const events = told().map(({ security, saved }) => [security, saved].join(' '));
    assert.deepEqual(events, ['feed_made 1', 'feed_revoked 1']);
    for (const [more, message] of [
      [['remove', '1'], /expected the id of a saved search/],
      [['add', 'a', 'posts', 'x', '--account', 'eve@example.org'], /expected an account/],
      [['add', 'a', 'posts', 'before:2020-01-01', ...of], /expected an `after:` beside `before:`/],
    ] as const)
      expectRefused(await run(['saved', ...more]), message);
  });

  it('second-factor-off: the operator turns it off; the account, its password and a one-time link stay as they are', async () => {
    const { run, told, accounts: opened } = runs();
    await using accounts = opened;
    await run(['accounts', 'create', ANN!]);
    const secret = newTotpSecret();
    const code = totpCode(secret, stepAt(Math.floor(Date.now() / 1000)));
    credentialsOf(accounts).secondFactors.turnOn(1, secret, code);
    await run(['accounts', 'reset', ANN!]);
    assert.notEqual(credentialsOf(accounts).secondFactors.of(1), null);
    assert.equal(JSON.parse((await run(['accounts', 'list', '--json'])).stdout)[0].second_factor, true);

    const off = ['accounts', 'second-factor-off'];
    assert.equal((await run([...off, ANN!])).stderr, `the second factor of ${ANN} is off\n`);
    assert.equal(credentialsOf(accounts).secondFactors.of(1), null);
    assert.equal(accounts.idOf(ANN!), 1);
    assert.deepEqual(JSON.parse((await run([...off, ANN!, '--json'])).stdout), { email: ANN, was_on: false });
    const events = told().map(({ security }) => security);
    assert.deepEqual(events, ['account_made', 'link_made', 'second_factor_off']);
    expectRefused(await run([...off, 'eve@example.org']), /./);
  });

  it('end-sessions ends those of one account or of all, at once in every process; keys stay', async () => {
    const { run, told, accounts: opened } = runs();
    await using accounts = opened;
    const [ann, bob] = [ANN!, BOB!].map(
      (one) => accounts.idOf(credentialsOf(accounts).createAccount(one)!.email)!,
    );
    const { key } = accounts.createKeyFor(ann!, { name: 'kettle', expiresInDays: null });
    const tokens = [ann!, ann!, bob!].map((id) => accounts.sessions.start(id, 'a browser'));
    const areSignedIn = () => tokens.map((token) => accounts.sessions.check(token!) !== null);

    const end = (...words: string[]) => run(['accounts', 'end-sessions', ...words]);
    assert.deepEqual(JSON.parse((await end(ANN!, '--json')).stdout), { email: ANN, sessions: 2 });
    assert.deepEqual(areSignedIn(), [false, false, true]);
    assert.match((await end(ANN!)).stderr, /^ended 0 sessions of ann@example\.org;/);
    assert.match((await end('--all')).stderr, /^ended 1 session of all accounts; keys and passwords stay/);
    assert.deepEqual(areSignedIn(), [false, false, false]);
    assert.notEqual(accounts.keys.check(key), null);

    const events = told().map(({ security, account }) => [security, account]);
    assert.deepEqual(events, [['sessions_ended', ann], ...[['sessions_ended', undefined]]]);
    for (const words of [[], [ANN!, '--all'], ['eve@example.org']])
      assert.equal((await end(...words)).code, 2);
  });
});

describe('colloquy coverage', () => {
  const folder = ofTests(temporaryFolder());
  const data = join(folder.path, 'data');
  const content = [commentLine('a'), commentLine('b', { subreddit: 'cats' })].join('\n');

  before(async () => {
    const file = join(folder.path, 'RC_2020-09');
    writeFileSync(file, content);
    assert.equal((await colloquy(['import', file, '--data', data])).code, 0);
  });

  const coverage = (...words: string[]) => colloquy(['coverage', ...words, '--data', data]);

  it('prints a table of months, and the sources with their checksums', async () => {
    const { code, stdout } = await coverage();
    const lines = stdout.trimEnd().split('\n');
    assert.equal(code, 0);
    assert.match(lines[0]!, /^kind +month +records +communities +withdrawn +unrated +score_at_capture$/);
    assert.match(lines[1]!, /^comments +2020-09 +2 +2 +0 +2$/);
    const digest = createHash('sha256').update(content).digest('hex');
    const source = `RC_2020-09 \\(comments; imported [-0-9]+; ${content.length} bytes, SHA-256 ${digest}\\)`;
    assert.match(lines[2]!, new RegExp(`^source: ${source}$`));
    assert.equal(lines.length, 3);
  });

  it('--json is the answer of the API, --format csv the months, those of communities behind those of all', async () => {
    const json = await coverage('--json', '--step', 'day', '--subreddit', 'cats');
    const answer = JSON.parse(json.stdout) as CoverageAnswer;
    assert.deepEqual([answer.type, answer.step, answer.kinds.comments.records], ['coverage', 'day', 2]);
    assert.equal(answer.kinds.comments.subreddits?.[0]?.records, 1);
    assert.deepEqual((await coverage('--format', 'csv', '--subreddit', 'cats')).stdout.split('\n'), [
      'kind,subreddit,start,records,communities,withdrawn,unrated,score_at_capture',
      'comments,,1598918400,2,2,0,2,',
      'comments,cats,1598918400,1,,,,',
      '',
    ]);
  });

  it('what is no name is exit code 2, and so is a folder that is not there, which is not made', async () => {
    const message = /^colloquy: `--subreddit`: expected names of communities, separated by commas/;
    expectRefused(await coverage('--subreddit', 'a,,b'), message);
    const nowhere = join(folder.path, 'nowhere');
    assert.equal((await colloquy(['coverage', '--data', nowhere])).code, 2);
    assert.ok(!existsSync(nowhere));
  });
});
