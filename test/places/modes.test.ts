// Who may read what the service makes, and what it says where it has too many rights.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { warningsOf } from '../../src/cli/serving/serve.ts';
import { readConfig } from '../../src/config.ts';
import { jsonLines, temporaryFolder } from '../helpers.ts';
import { commentLine } from '../import/import-helpers.ts';
import { PROGRAM, serve } from '../processes.ts';

/** So many records that the index has a file of its own, and one that is rejected. */
const DUMP = `${Array.from({ length: 3_000 }, (_, i) => commentLine(`c${i}`)).join('\n')}\n{"id":"x"}\n`;

/** Under the most generous mask there is. */
const UNDER = ['sh', '-c', 'umask 000; exec "$0" "$@"'];

/** `made`: beginnings of names, of which there is one at least. The folder `data` was there. */
function expectOwn(folder: string, made: readonly string[]): void {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const lacking = made.filter((part) => !names.some((name) => name.startsWith(part)));
  assert.deepEqual(lacking, []);
  const open = names.filter((name) => {
    const found = statSync(join(folder, name));
    const own = found.isDirectory() ? 0o700 : 0o600;
    return (found.mode & 0o777) !== (name === 'data' ? 0o755 : own);
  });
  assert.deepEqual(open, []);
}

describe('modes', { skip: process.platform === 'win32' ? 'modes of another kind' : false }, () => {
  it('every file is its owner’s alone, and every folder, whatever the mask; one that was there stays, and is told', async () => {
    using folder = temporaryFolder();
    const at = (name: string) => join(folder.path, name);
    writeFileSync(at('dump.ndjson'), DUMP);
    chmodSync(at('dump.ndjson'), 0o600);
    mkdirSync(at('data'));
    chmodSync(at('data'), 0o755);
    await using served = await serve(['--data', at('data')], {}, { under: UNDER });
    expectOwn(folder.path, ['data/.sample/']);
    for (const words of [
      ['import', at('dump.ndjson')],
      ['datasets', 'publish', 'all', 'comments', '', '--title', 'All', '--formats', 'ndjson.zst'],
      ['export', 'comments', '', '--out', at('all.csv')],
      ['backup', at('backup'), '--with-datasets'],
    ]) {
      const [program, ...rest] = [...UNDER, process.execPath, PROGRAM, ...words, '--data', at('data')];
      const { status, stderr } = spawnSync(program!, rest, { encoding: 'utf8' });
      assert.equal(status, 0, `${words.join(' ')}: ${stderr}`);
    }
    const made = [
      ...['data/comments/', 'data/rejects/', 'data/catalogue.db-wal', 'all.csv', 'backup/accounts.db'],
      'backup/datasets/',
    ];
    expectOwn(folder.path, made);
    await served.kill('SIGTERM');
    const told = jsonLines(served.output.stderr);
    assert.deepEqual([...new Set(told.map(({ level }) => level))], ['warn', 'info']);
    const [, command] = /is open to others \(mode 755\); this keeps them out: (.*)$/.exec(told[0].msg)!;
    // A folder of an older version.
    chmodSync(at('data/rejects'), 0o755);
    assert.equal(spawnSync('sh', ['-c', command!]).status, 0);
    for (const name of readdirSync(at('data'), { recursive: true, encoding: 'utf8' }))
      assert.equal(statSync(at(join('data', name))).mode & 0o077, 0, name);
    assert.deepEqual(warningsOf({ ...readConfig({}), dataFolder: at('data') }, 1000), []);
  });

  const rows: readonly (readonly [string, mode: number, Record<string, string>, uid: number, RegExp[]])[] = [
    ['a folder of the owner alone', 0o700, {}, 1000, []],
    ['a group that may read', 0o750, {}, 1000, []],
    ['a group that may write', 0o770, {}, 1000, [/mode 770/]],
    ['others that may enter', 0o701, {}, 1000, [/mode 701/]],
    ['root on loopback', 0o700, {}, 0, []],
    ['root on the network', 0o700, { COLLOQUY_HOST: '0.0.0.0' }, 0, [/runs as root/]],
    ['root at a socket', 0o700, { COLLOQUY_HOST: '/run/s' }, 0, [/runs as root/]],
    ['root behind a proxy', 0o700, { COLLOQUY_TRUSTED_PROXIES: '127.0.0.1' }, 0, [/runs as root/]],
    ['root in public', 0o755, { COLLOQUY_PUBLIC_URL: 'https://a.example' }, 0, [/root/, /mode 755/]],
    ['somebody else on the network', 0o700, { COLLOQUY_HOST: '::' }, 1000, []],
  ];
  for (const [rule, mode, settings, uid, told] of rows) {
    it(`${rule}: ${told.length === 0 ? 'nothing is said' : `${told.length} warned of`}`, () => {
      using folder = temporaryFolder();
      chmodSync(folder.path, mode);
      const warnings = warningsOf({ ...readConfig(settings), dataFolder: folder.path }, uid);
      assert.equal(warnings.length, told.length, warnings.join('\n'));
      for (const [i, words] of told.entries()) assert.match(warnings[i]!, words);
    });
  }

  it('root that writes into another user’s folder is told who could not read it', (t) => {
    if (process.getuid?.() !== 0) return t.skip('only root may give folders away');
    using folder = temporaryFolder();
    chownSync(folder.path, 65_534, 65_534);
    const words = [PROGRAM, 'keys', 'create', '--account', 'a@example.org', '--data', folder.path];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.match(stderr, /expected the owner of the data folder \(65534\), found root/);
  });
});
