import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../../test/helpers.ts';
import { UsageError } from '../../../errors.ts';
import { WriterLock } from './writer-lock.ts';

describe("the writer's lock", () => {
  it('who wants to write waits for upkeep, and is refused at once by one that writes', async () => {
    using folder = temporaryFolder();
    const [keeper, writer, third] = [1, 2, 3].map(() => new WriterLock(folder.path));
    assert.ok(keeper!.tryToTake('upkeep'));
    assert.equal(writer!.tryToTake('upkeep'), false);
    let isTaken = false;
    const taking = writer!.take().then(() => {
      isTaken = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isTaken, false);
    keeper!.release();
    await taking;
    const message = new RegExp(`process ${process.pid} .*wait until it has ended`);
    await assert.rejects(third!.take(), { name: 'UsageError', message });
    writer!.release();
  });

  it('upkeep that goes over into writing says so', async () => {
    using folder = temporaryFolder();
    const [one, two] = [new WriterLock(folder.path), new WriterLock(folder.path)];
    assert.ok(one.tryToTake('upkeep'));
    await one.take();
    await assert.rejects(two.take(), UsageError);
    one.release();
    await two.take();
    two.release();
  });

  for (const note of [null, '', 'nobody knows']) {
    it(`names who holds it by the note that is there, \`${note}\``, async () => {
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
