// `colloquy watch` as cron and scripts see it: what it tells, with which exit code, and that nothing is lost when it is
// killed or its command fails. Contract 22.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type App, openApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { credentialsOf } from '../src/features/account/credentials.ts';
import { savedOf } from '../src/features/saved/store.ts';
import { writeWatchState } from '../src/features/saved/watch.ts';
import type { StoredRecord } from '../src/model/record.ts';
import { interpretWithoutWindow } from '../src/search/language/interpret.ts';
import { comment, jsonLines, START_OF_2008, temporaryFolder } from './helpers.ts';
import { colloquy, expectRefused } from './one-process.ts';
import { PROGRAM, colloquy as startColloquy } from './processes.ts';
import { killedWatches } from './watch-kills.ts';

const DAY = 86_400;
const NOW = Math.floor(Date.now() / 1000);

describe('colloquy watch', { skip: process.platform === 'win32' && 'cmd.exe has no `cat`' }, () => {
  const folder = temporaryFolder();
  const data = join(folder.path, 'data');
  let app: App;

  before(async () => {
    app = await openApp({ ...readConfig({}), dataFolder: data, threads: 0 });
    await add(said('a1', 'solar one'), said('a2', 'rain'));
  });
  after(async () => {
    await app?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const said = (id: string, body: string, created = NOW) => comment({ id, body, created });
  const add = (...records: StoredRecord[]) => app.engine.index('comment', packRecords(records));
  let states = 0;
  const newState = () => join(folder.path, `state-${states++}`);
  const runWith =
    (state: string, ...words: string[]) =>
    (...more: string[]) =>
      watch('comments', ...words, '--state', state, ...more);
  const FIRST = '(the first run: from now on, what comes in is told)\n';
  const FIRST_RUN = { code: 0, stdout: '', stderr: FIRST };

  /** Runs a watch with a state of its own, such as its first run leaves. */
  async function watcher(...words: string[]) {
    const state = newState();
    const { query, echo } = interpretWithoutWindow(words.join(' '));
    const { arrival } = await app.engine.ask({ kind: 'comment', query });
    writeWatchState(state, { ...{ kind: 'comment', query: echo, under: null, watch: 'news' }, arrival });
    return { run: runWith(state, ...words), state };
  }

  function watch(...words: string[]) {
    const settings = { XDG_STATE_HOME: join(folder.path, 'home') };
    return colloquy(['watch', ...words, '--data', data], '', { settings });
  }

  const idsOf = (lines: string) =>
    jsonLines(lines)
      .map(({ id }) => id)
      .sort();

  it('tells what came in since the last run, once; the first run only remembers', async () => {
    const { state } = await watcher('solar');
    const left = readFileSync(state, 'utf8');
    const own = newState();
    const run = runWith(own, 'solar');
    assert.deepEqual(await run(), FIRST_RUN);
    assert.equal(readFileSync(own, 'utf8'), left, 'the other tests begin with the same');
    await add(said('b1', 'solar two'), said('b2', 'solar three'), said('b3', 'wind'), said('a2', 'rain'));
    const told = await run();
    assert.equal(told.code, 10);
    assert.match(told.stdout, /^2 comments came in: solar\n\/r\/\S+ .*\n {4}solar t/);
    await add(said('b4', 'solar four'));
    const { code, stdout } = await run('--json');
    assert.equal(code, 10);
    const record = JSON.parse(stdout);
    assert.deepEqual([record.type, record.id, record.body], ['comment', 'b4', 'solar four']);
    assert.ok(Math.abs(record.arrived_utc - NOW) < 600);
  });

  it('tells a changed text again, and no newer score', async () => {
    const { run } = await watcher('solar', 'again');
    await add(said('c1', 'solar again'));
    assert.equal((await run()).code, 10);
    await add({ ...said('c1', 'solar again'), score: 99, retrieved: 2 });
    assert.deepEqual(await run(), { code: 0, stdout: '', stderr: '' });
    await add({ ...said('c1', 'solar and again'), retrieved: 3 });
    assert.deepEqual(idsOf((await run('--json')).stdout), ['c1']);
  });

  it('gives a command the records as lines of JSON; what fails is told again', async () => {
    const { run, state } = await watcher('solar', 'exec');
    await add(said('d1', 'solar exec'), said('d2', 'solar exec'));
    const before = readFileSync(state, 'utf8');
    const failed = await run('--exec', 'cat > /dev/null; exit 3');
    assert.deepEqual([failed.code, failed.stdout], [1, '']);
    assert.match(failed.stderr, /the command failed \(exit code 3\); the next run tells the same again/);
    assert.match((await run('--exec', 'kill -9 $$')).stderr, /ended by SIGKILL/);
    assert.equal(readFileSync(state, 'utf8'), before);
    // It writes to the output of its process.
    const words = [...['watch', 'comments', 'solar', 'exec'], ...['--state', state, '--data', data]];
    const { code, stdout } = await startColloquy([...words, '--exec', 'cat']);
    assert.deepEqual([code, idsOf(stdout)], [10, ['d1', 'd2']]);
    await add(said('d3', 'solar exec'));
    assert.equal((await run('--exec', 'true')).code, 10, 'it need not read its input');
  });

  it('remembers nothing when the reader of its output goes', async () => {
    const { run, state } = await watcher('solar', 'pipe');
    await add(...Array.from({ length: 400 }, (_, i) => said(`e${i}`, `solar pipe ${'long '.repeat(60)}`)));
    const before = readFileSync(state, 'utf8');
    const words = ['watch', 'comments', 'solar', 'pipe', '--json', '--state', state, '--data', data];
    const command = [process.execPath, PROGRAM, ...words].map((word) => `'${word}'`).join(' ');
    await new Promise((done) => execFile('sh', ['-c', `${command} | head -n 1`], done));
    assert.equal(readFileSync(state, 'utf8'), before);
    assert.equal(idsOf((await run('--json')).stdout).length, 400);
  });

  it('counts what is older than --max-age in one line', async () => {
    const { run } = await watcher('solar', 'dump');
    const old = Array.from({ length: 50 }, (_, i) => said(`f${i}`, 'solar dump', START_OF_2008 + i));
    await add(...old, said('f-new', 'solar dump'));
    const told = jsonLines((await run('--json', '--max-age', '30')).stdout);
    const names = told.map(({ type, id, count }) => id ?? [type, count]);
    assert.deepEqual(names, ['f-new', ['older', 50]]);
  });

  it('--above tells a day once that has more than usual', async () => {
    const day = Math.floor(NOW / DAY) * DAY + 40 * DAY;
    const on = (at: number, count: number, name: string) =>
      Array.from({ length: count }, (_, i) => said(`${name}${i}`, 'outage', at + i));
    await add(...on(day - 3 * DAY, 28, 'g'), said('g', 'rain', day));
    const run = runWith(newState(), 'outage', '--above', '3x');
    assert.deepEqual(await run(), FIRST_RUN);
    await add(...on(day, 3, 'h'));
    assert.equal((await run()).code, 0, 'three times one a day is not above');
    await add(said('h', 'outage', day + 9));
    const { code, stdout } = await run('--json');
    assert.equal(code, 10);
    const { type, count, mean } = JSON.parse(stdout);
    assert.deepEqual([type, count, mean], ['above', 4, 1]);
    assert.equal((await run()).code, 0, 'told once');
  });

  it('keeps its state in the state folder of the user; says what is wrong with one', async () => {
    const home = join(folder.path, 'home', 'colloquy');
    assert.equal((await watch('comments', 'nothing', 'yet')).code, 0);
    const [name] = readdirSync(home);
    assert.match(name!, /^watch-[0-9a-f]{32}\.json$/);
    assert.equal((await watch('comments', 'nothing,yet')).stderr, '', 'the same query in other words');
    const { state } = await watcher('solar');
    const other = await watch('comments', 'wind', '--state', state);
    assert.equal(other.code, 2);
    assert.match(other.stderr, /expected the state of comments `wind`, found that of comments `solar`/);
    writeFileSync(state, '{"form":1');
    const broken = await watch('comments', 'solar', '--state', state);
    assert.deepEqual([broken.code, readFileSync(state, 'utf8')], [1, '{"form":1']);
    for (const words of [
      ['comments', 'before:2020-01-01'],
      ['posts', '--above', 'x'],
      ['posts', 'site:'],
    ]) {
      assert.equal((await watch(...words)).code, 2, words.join(' '));
    }
  });

  it('--saved watches a saved search by its id, with a state of its own', async () => {
    const { accounts } = app;
    credentialsOf(accounts).createAccount('ann@example.org');
    const ann = accounts.idOf('ann@example.org')!;
    const wish = { name: 'kept', kind: 'comment', query: 'solar,kept', order: 'top' } as const;
    const { id } = savedOf(accounts).add(ann, wish);
    const watches = [
      ['--saved', `${id}`],
      ['comments', 'solar', 'kept'],
    ];
    const below = savedOf(accounts).add(ann, { ...wish, under: 'score:1000000' });
    await watch('--saved', `${below.id}`);
    for (const words of watches) assert.match((await watch(...words)).stderr, /^\(the first run/);
    await add(said('s1', 'solar kept'), said('s2', 'solar'));
    for (const words of watches) {
      const { code, stdout } = await watch(...words, '--json');
      assert.deepEqual([code, idsOf(stdout)], [10, ['s1']], words.join(' '));
    }
    assert.equal((await watch('--saved', `${id}`)).code, 0);
    assert.equal((await watch('--saved', `${below.id}`)).code, 0, 'none is of such a post');
    savedOf(accounts).remove(ann, id);
    const refused = [
      [['--saved', `${id}`], /expected the id of a saved search .*found `\d+`/],
      [['comments', 'solar', '--saved', `${id}`], /found `comments` beside `--saved`/],
      [[], /expected `posts` or `comments` with a query, or `--saved ID`/],
    ] as const;
    for (const [words, message] of refused) expectRefused(await watch(...words), message);
  });

  it('an index that begins anew is not taken for the one before', async () => {
    const { run, state } = await watcher('solar', 'anew');
    const known = JSON.parse(readFileSync(state, 'utf8'));
    writeFileSync(state, JSON.stringify({ ...known, arrival: 1_000_000 }));
    const { code, stderr } = await run();
    assert.equal(code, 2);
    assert.match(stderr, /delete the state/);
  });

  it('killed at random moments, it loses nothing', async () => {
    const { kills, told, expected } = await killedWatches({ rounds: 3, seed: 1 });
    // The first and the third die by their own command, however fast the machine is.
    assert.ok(kills >= 2, `${kills} kills`);
    assert.deepEqual(told, expected);
  });
});
