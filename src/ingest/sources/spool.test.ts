import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { deleteLeftSpools, Spool } from './spool.ts';

describe('spooled standard input', () => {
  it('goes with the scope; what a killed import left goes with the next one, what is in use stays', async () => {
    const ended = spawnSync(process.execPath, ['--eval', '0']).pid;
    const left = mkdtempSync(join(tmpdir(), `colloquy-import-${ended}-`));
    writeFileSync(join(left, 'input'), 'text of a dump');
    let path: string;
    {
      await using spool = new Spool();
      async function* bytes() {
        yield Buffer.from('archive');
      }
      const kept = await spool.keep(bytes());
      path = kept.path;
      assert.equal(kept.size, 7);
      assert.ok(!existsSync(left));
      deleteLeftSpools();
      assert.ok(existsSync(path));
    }
    assert.ok(!existsSync(dirname(path)));
  });
});
