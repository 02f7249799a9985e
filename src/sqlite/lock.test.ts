import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../test/helpers.ts';
import { tryToLock } from './database.ts';

describe('a lock', () => {
  it('is held once, and free again when it is given back', () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'not', 'there', 'yet.lock');
    const held = tryToLock(file);
    assert.ok(held);
    assert.equal(tryToLock(file), null);
    held[Symbol.dispose]();
    const again = tryToLock(file);
    assert.ok(again);
    again[Symbol.dispose]();
  });

  it('of a process that was killed is free', async (t) => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'a.lock');
    const program = `
      import { tryToLock } from ${JSON.stringify(new URL('database.ts', import.meta.url).href)};
      const held = tryToLock(${JSON.stringify(file)});
      process.stdout.write(held === null ? 'none' : 'held');
      setInterval(() => held, 1_000_000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
    t.after(() => child.kill('SIGKILL'));
    const [said] = await once(child.stdout, 'data');
    assert.equal(String(said), 'held');
    assert.equal(tryToLock(file), null);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const ours = tryToLock(file);
    assert.ok(ours);
    ours[Symbol.dispose]();
  });
});
