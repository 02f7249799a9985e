// Drills: what docs/backup.md tells people to type, typed, with a data folder that an older version wrote.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { Accounts } from '../../src/accounts/accounts.ts';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { askAll, type FixtureAnswers } from '../fixtures/answers.ts';
import { unpackFolder, unpackJson } from '../fixtures/packed-folder.ts';
import { temporaryFolder } from '../helpers.ts';
import { ofTests } from '../of-tests.ts';
import { type Served, serve } from '../processes.ts';
import { project, read } from '../project.ts';

const fixture = (name: string) => readFileSync(join(project, 'test/fixtures', name));
/** The oldest there is. */
const FORMAT = 'format-1';

/** The blocks of commands, in their order: a backup; a restoration; before an upgrade; the trial of one. */
const BLOCKS = [...read('docs/backup.md').matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) =>
  block!.trimEnd().split('\n'),
);

const skip = process.platform === 'win32' ? 'no shell' : false;

describe('the commands of docs/backup.md', { skip }, async () => {
  const folder = ofTests(temporaryFolder());
  const data = join(folder.path, 'srv/colloquy');
  const expected = unpackJson<FixtureAnswers>(fixture(`${FORMAT}.answers.zst`));
  let key = '';

  mkdirSync(join(folder.path, 'backups'));
  mkdirSync(join(folder.path, 'bin'));
  // `node` of the page is the one that runs this.
  symlinkSync(process.execPath, join(folder.path, 'bin/node'));
  unpackFolder(fixture(`${FORMAT}.folder.zst`), data);
  await using accounts = Accounts.open(data);
  key = accounts.createKey({ email: 'ann@example.org', name: 'a', expiresInDays: null }).key;

  const placed = (text: string) =>
    text.replaceAll(/\/(?:srv|backups)\//g, (place) => `${folder.path}${place}`);

  /** One line as it is printed, but for where the two folders are. */
  function type(line: string): void {
    const env = { ...process.env, PATH: `${join(folder.path, 'bin')}:${process.env.PATH}` };
    const options = { cwd: project, env, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync('sh', ['-c', placed(line)], options);
    assert.equal(status, 0, `${line}: ${stdout}${stderr}`);
  }

  /** A line that serves, at a port of its own. */
  async function served(line: string): Promise<Served> {
    const words = /^node bin\/colloquy\.mjs serve (.*)$/.exec(line)?.[1];
    assert.ok(words !== undefined, line);
    return await serve([...placed(words).split(' '), '--port', '0']);
  }

  async function answersOf({ address }: Served): Promise<readonly string[]> {
    const headers = { Authorization: `Bearer ${key}` };
    const answers: string[] = [];
    for (const path of [
      ...['search/posts?query=&limit=1000', 'search/comments?query=&order_by=top&limit=1000', 'coverage'],
      ...['export/comments?query=-cat&order_by=oldest', 'search/posts?query=cat&order_by=oldest'],
    ]) {
      const response = await fetch(`${address}/api/v1/${path}`, { headers });
      const body = await response.text();
      assert.equal(response.status, 200, body);
      answers.push(body);
    }
    return answers;
  }

  async function expectAnswers(folderPath: string): Promise<void> {
    const questions = expected.answers.map(({ question }) => question);
    const options = { rules: { keepOriginals: false }, workers: 0 };
    await using engine = await openEmbeddedEngine(folderPath, options);
    assert.deepEqual(await askAll(engine, questions), expected);
  }

  it('are the four blocks that are tried here', () => {
    const verbs = BLOCKS.map((lines) => lines.map((line) => /^(?:node \S+ )?(\S+)/.exec(line)![1]));
    const words = verbs.map((line) => line.join(' '));
    assert.deepEqual(words, ['backup check', 'check mv cp serve', 'backup cp', 'serve check']);
  });

  it('a folder of the oldest format is served, backed up meanwhile, lost, restored, and answers as before', async () => {
    const [backup, restore] = BLOCKS as [string[], string[]];
    let before: readonly string[];
    {
      await using first = await serve(['--data', data, '--port', '0']);
      before = await answersOf(first);
      for (const line of backup) type(line);
    }
    for (const line of restore.slice(0, -1)) type(line);
    {
      await using restored = await served(restore.at(-1)!);
      assert.deepEqual(await answersOf(restored), before);
    }
    await expectAnswers(data);
    for (const name of globSync('**', { cwd: data }))
      assert.equal(statSync(join(data, name)).mode & 0o077, 0, name);
  });

  it('an upgrade is tried on a copy; the backup that the old version made stays one of its format', async () => {
    const [, , prepare, trial] = BLOCKS as [string[], string[], string[], string[]];
    // What the old version's backup is: its folder, as it wrote it.
    const backup = placed(/ (\/backups\/\S+) /.exec(prepare[0]!)![1]!);
    unpackFolder(fixture(`${FORMAT}.folder.zst`), backup);
    const content = (path: string) => {
      const names = globSync('**/*.{db,seg}', { cwd: path }).sort();
      return names.map((name) => [name, readFileSync(join(path, name))]);
    };
    const untouched = content(backup);
    assert.ok(untouched.length > 4);
    type(prepare[1]!);
    {
      await using tried = await served(trial[0]!);
      assert.equal((await fetch(`${tried.address}/healthz`)).status, 200);
      type(trial[1]!);
    }
    await expectAnswers(join(dirname(backup), 'trial'));
    assert.deepEqual(content(backup), untouched);
    assert.equal(basename(backup), 'before-upgrade');
  });
});
