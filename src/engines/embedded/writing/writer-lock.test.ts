import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../../test/helpers.ts';
import { WriterLock } from './writer-lock.ts';

describe('the lock of who writes', () => {
  for (const note of [null, '', 'nobody knows']) {
    it(`names the holder by its note, \`${note}\``, async () => {
      using folder = temporaryFolder();
      const [first, second] = [new WriterLock(folder.path), new WriterLock(folder.path)];
      await first.take();
      const path = join(folder.path, 'writer.pid');
      if (note === null) rmSync(path);
      else writeFileSync(path, note);
      const holder = note ? `process ${note}` : 'another process';
      await assert.rejects(second.take(), {
        name: 'UsageError',
        message: new RegExp(`alone, found ${holder} writing there: wait until it has ended`),
      });
      first.release();
      await second.take();
      assert.ok(second.isHeld);
      second.release();
    });
  }
});
