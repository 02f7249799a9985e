// Files and folders that may not be read. The superuser may read all: for it the import runs as another user.

import assert from 'node:assert/strict';
import { type ExecFileSyncOptions, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { temporaryFolder } from '../helpers.ts';
import { PROGRAM } from '../processes.ts';
import { postLine } from './import-helpers.ts';

const NOBODY = 65_534;
const user: ExecFileSyncOptions = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

function whyNot(): string | false {
  if (process.platform === 'win32') return 'Windows has no modes of files';
  try {
    execFileSync(process.execPath, [PROGRAM, 'import', '--help'], { ...user, stdio: 'pipe' });
    return false;
  } catch {
    return 'the user that is not the superuser may not read the project';
  }
}

describe('sources that may not be read', { skip: whyNot() }, async () => {
  const place = temporaryFolder();
  const dumps = join(place.path, 'dumps');
  const locked = join(dumps, 'locked');
  const unlisted = join(dumps, 'unlisted');
  const data = join(place.path, 'data');
  // That of the tests may be read by its owner alone.
  const compiled = join(place.path, 'compiled');

  for (const folder of [dumps, locked, unlisted, data, compiled]) mkdirSync(folder);
  for (const name of ['a', 'secret', 'locked/b', 'unlisted/c', 'z'])
    writeFileSync(join(dumps, `${name}.ndjson`), postLine(name.at(-1)!));
  chmodSync(place.path, 0o755);
  for (const folder of [data, compiled]) chmodSync(folder, 0o777);
  chmodSync(join(dumps, 'secret.ndjson'), 0o000);
  chmodSync(locked, 0o000);
  // Names can be read, the files behind them cannot.
  chmodSync(unlisted, 0o444);
  after(() => {
    for (const folder of [locked, unlisted]) chmodSync(folder, 0o755);
    place[Symbol.dispose]();
  });

  const run = (...words: string[]) => {
    const given = [PROGRAM, 'import', ...words, '--data', data];
    const env = { ...process.env, NODE_COMPILE_CACHE: compiled };
    return spawnSync(process.execPath, given, { ...user, cwd: place.path, env, encoding: 'utf8' });
  };

  it('a subfolder and a file that may not be read are told, and the others are taken in', () => {
    const { status, stdout, stderr } = run(dumps, '--json');
    const report = JSON.parse(stdout);
    assert.deepEqual([report.added, status], [2, 1]);
    const unreadable = report.sources.filter(({ state }: { state: string }) => state === 'unreadable');
    const names = unreadable.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, [locked, join(dumps, 'secret.ndjson'), join(unlisted, 'c.ndjson')]);
    for (const { notes } of unreadable)
      assert.match(notes[0], /^expected a file or folder that may be read, /);
    assert.match(stderr, /^You have no right to read some files or folders\. /);
    assert.match(run(dumps).stdout, /\nunreadable +3 {2}files or folders that may not be read\n/);
  });

  it('a source that may not be read is told, and the others are taken in', () => {
    for (const path of [locked, join(dumps, 'secret.ndjson'), join(locked, 'b.ndjson')]) {
      const { status, stdout, stderr } = run(path, join(dumps, 'a.ndjson'), '--json');
      assert.deepEqual([status, JSON.parse(stdout).read], [2, 1]);
      const message = /^colloquy: `.*`: nothing could be imported: expected a file or folder that may be/;
      assert.match(stderr, message);
    }
  });

  it('alone it ends with 2 and one line', () => {
    const { status, stdout, stderr } = run(locked);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^colloquy: `.*locked`: expected a file or folder that may be read.*\n$/);
  });
});
