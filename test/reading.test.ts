// Commands that only read make nothing, and read folders that may only be read; those that write leave what is not
// theirs alone.

import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { temporaryFolder } from './helpers.ts';
import { ofTests } from './of-tests.ts';
import { type CommandResult, expectRefused } from './one-process.ts';
import { PROGRAM } from './processes.ts';

/** The user `nobody` of most systems: the superuser may write everywhere. */
const NOBODY = 65_534;

/** Compiled code of the commands, those of another user too: most of their time would go into compiling. */
const cache = ofTests(temporaryFolder());
chmodSync(cache.path, 0o777);

function colloquy(line: string, data: string, identity: { uid?: number; gid?: number } = {}) {
  return new Promise<CommandResult>((resolve) => {
    const words = [PROGRAM, ...line.split(' '), '--data', data];
    const env = { HOME: '/nowhere', XDG_CACHE_HOME: cache.path, PATH: process.env.PATH };
    execFile(process.execPath, words, { ...identity, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const READING = [
  ...['search comments', 'search posts --json', 'stats', 'stats --json', 'check --json', 'keys list --json'],
  ...['accounts list --json', 'remove --list --json', 'remove comments c1 --dry-run --json'],
];

/** They work in a folder of ours alone, too. */
const CHANGING = [
  ...['keys revoke 1', 'saved remove 1', 'accounts reset a@b.org', 'accounts remove a@b.org'],
  'remove --undo 1',
];

/** Other places than one that is not there, too. */
const TRYING_ALL: readonly string[] = [READING[0]!, READING[5]!, CHANGING[0]!];

const MAKING = [
  ...[
    'import DUMP',
    'keys create --account a@b.org',
    'accounts create a@b.org',
    'communities set energy --nsfw no',
  ],
  ...['config set keep-originals yes', 'serve --port 0', 'communities import DUMP'],
];

const POSTS = `${JSON.stringify({ id: 'p1', name: 't3_p1', title: 'solar', selftext: '', subreddit: 'energy', created_utc: 1_200_000_000, score: 1 })}\n`;
const DUMP = [1, 2, 3]
  .map(
    (n) =>
      `{"id":"c${n}","created_utc":${n},"subreddit":"energy","body":"solar ${n}","link_id":"t3_p1","score":1}\n`,
  )
  .join('');

describe('a folder that is not there, or not ours', { concurrency: 2 }, () => {
  for (const line of [...READING, ...CHANGING]) {
    it(`${line}: 2 and one line, and nothing is made`, async () => {
      using folder = temporaryFolder();
      const missing = join(folder.path, 'mistyped');
      const empty = join(folder.path, 'empty');
      const foreign = join(folder.path, 'foreign');
      mkdirSync(empty);
      mkdirSync(foreign);
      writeFileSync(join(foreign, 'letter.txt'), '');
      const places = [
        [missing, 'none'],
        [empty, 'an empty folder'],
        [foreign, 'a folder that contains something else'],
        [join(foreign, 'letter.txt'), 'a file'],
      ] as const;
      // All of it is found out in one place: a command of each sort tries all.
      for (const [data, found] of places.slice(0, TRYING_ALL.includes(line) ? undefined : 1)) {
        const message = `^colloquy: expected a data folder at \`[^\n]*\`, found ${found}`;
        expectRefused(await colloquy(line, data), new RegExp(message));
      }
      const names = globSync('**', { cwd: folder.path }).sort();
      assert.deepEqual(names, ['.', 'empty', 'foreign', 'foreign/letter.txt']);
    });
  }

  for (const line of MAKING) {
    it(`${line}: leaves a folder that holds something else as it is`, async () => {
      using folder = temporaryFolder();
      const dump = join(folder.path, 'dump.ndjson');
      writeFileSync(dump, DUMP);
      const foreign = join(folder.path, 'foreign');
      mkdirSync(foreign);
      writeFileSync(join(foreign, 'letter.txt'), '');
      const message = /^colloquy: expected [^\n]* found one that contains something else/;
      expectRefused(await colloquy(line.replace('DUMP', dump), foreign), message);
      assert.deepEqual(readdirSync(foreign), ['letter.txt']);
    });
  }
});

describe('a folder that may only be read', async () => {
  const folder = temporaryFolder();
  const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const known = new Map<string, CommandResult>();
  let data = '';
  /** Why this cannot be tried here; null where it can. */

  const reason = obstacle();
  chmodSync(folder.path, 0o755);
  data = join(folder.path, 'data');
  const dump = join(folder.path, 'dump.ndjson');
  writeFileSync(dump, DUMP);
  const posts = join(folder.path, 'posts.ndjson');
  writeFileSync(posts, POSTS);
  const imports = [`import ${dump}`, `import ${posts}`];
  for (const line of [...imports, 'keys create --account a@b.org', 'remove comments c3']) {
    assert.equal((await colloquy(line, data)).code, 0, line);
  }
  for (const line of READING) known.set(line, await colloquy(line, data));
  after(() => {
    setModes(0o700, 0o600);
    folder[Symbol.dispose]();
  });

  function setModes(ofFolders: number, ofFiles: number): void {
    for (const name of globSync('**', { cwd: data })) {
      const path = join(data, name);
      if (identity.uid !== undefined) chownSync(path, identity.uid, NOBODY);
      chmodSync(path, statSync(path).isDirectory() ? ofFolders : ofFiles);
    }
  }

  function obstacle(): string | null {
    if (process.platform === 'win32') return 'modes of another kind';
    const { status } = spawnSync(process.execPath, [PROGRAM, '--help'], { ...identity, stdio: 'ignore' });
    return status === 0 ? null : 'another user cannot read the project';
  }

  async function expectReadable(lines: readonly string[]): Promise<void> {
    const names = globSync('**', { cwd: data }).sort();
    for (const line of lines) {
      const found = await colloquy(line, data, identity);
      assert.deepEqual([found.code, found.stdout], [0, known.get(line)!.stdout], `${line}: ${found.stderr}`);
    }
    assert.deepEqual(globSync('**', { cwd: data }).sort(), names);
    const refused = await colloquy('keys create --account a@b.org', data, identity);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /accounts\.db`: expected a writable file or folder[^\n]*\n$/);
  }

  it('is searched, counted and checked, with the same answers', async (t) => {
    if (reason !== null) return t.skip(reason);
    assert.ok(known.get('search comments')!.stdout.startsWith('2 comments match (everything)\n'));
    setModes(0o500, 0o400);
    await expectReadable(READING);
  });

  it('where the posts may not be read, their file is named, and the comments are searched', async (t) => {
    if (reason !== null) return t.skip(reason);
    setModes(0o500, 0o400);
    chmodSync(join(data, 'posts.db'), 0);
    const refused = await colloquy('search posts', data, identity);
    assert.equal(refused.code, 1);
    const message = /^colloquy: `[^`]*posts\.db`: expected a file that can be opened, [^\n]*\n$/m;
    assert.match(refused.stderr, message);
    const found = await colloquy('search comments', data, identity);
    assert.deepEqual([found.code, found.stdout], [0, known.get('search comments')!.stdout], found.stderr);
  });

  it('also as a process that was killed has left it: what it committed is there', async (t) => {
    if (reason !== null) return t.skip(reason);
    setModes(0o700, 0o600);
    const script = `
      import { openEmbeddedEngine } from ${JSON.stringify(new URL('../src/engines/embedded/engine.ts', import.meta.url).href)};
      import { packRecords } from ${JSON.stringify(new URL('../src/engines/packing/packed-records.ts', import.meta.url).href)};
      import { post } from ${JSON.stringify(new URL('helpers.ts', import.meta.url).href)};
      const engine = await openEmbeddedEngine(process.argv[1], { rules: { keepOriginals: false }, workers: 0 });
      await engine.index('post', packRecords([post({ id: 'p7', title: 'after' })]));
      process.kill(process.pid, 'SIGKILL');`;
    spawnSync(process.execPath, ['--input-type=module', '-e', script, data]);
    assert.ok(existsSync(join(data, 'posts.db-wal')));
    setModes(0o500, 0o400);
    const { stdout } = await colloquy('search posts after --json', data, identity);
    assert.equal(JSON.parse(stdout).total_count, 1);
    const some = ['stats --json', 'check --json', 'accounts list --json'];
    for (const line of some) known.set(line, await colloquy(line, data, identity));
    await expectReadable(some);
  });
});
