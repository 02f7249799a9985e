import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { abortConformance } from '../../../../test/engine-aborts.ts';
import { folderHarness } from '../../../../test/engine-harness.ts';
import { comment, temporaryFolder } from '../../../../test/helpers.ts';
import { packRecords } from '../../../packing/packed-records.ts';
import { openEmbeddedEngine } from '../engine.ts';
import { AbortFlag } from './abort-flag.ts';
import { WorkerThread } from './thread-handle.ts';

const rules = { keepOriginals: false };
const QUESTION = { kind: 'comment', query: { items: [] } } as const;
/** A thread looks for these for long. */
const MANY = Array.from({ length: 300_000 }, (_, i) => `x${i}`);

abortConformance(
  folderHarness('embedded engine on threads', (folder, options) =>
    openEmbeddedEngine(folder, { ...options, workers: 1 }),
  ),
);

describe('a caller that goes, on threads', () => {
  it('is told at once, though the only thread is at work on something else', async () => {
    using folder = temporaryFolder();
    await using engine = await openEmbeddedEngine(folder.path, { rules, workers: 1 });
    await engine.index('comment', packRecords([comment({ id: '1' })]));
    await engine.warm();
    let isBusy = true;
    const other = engine.present('comment', MANY).finally(() => {
      isBusy = false;
    });
    const controller = new AbortController();
    const asked = engine.ask(QUESTION, controller.signal);
    controller.abort();
    await assert.rejects(asked, { name: 'AbortError' });
    assert.ok(isBusy);
    await other;
    assert.equal((await engine.ask(QUESTION)).total, 1);
  });

  it('leaves no work: the thread that has its question gives it up', async () => {
    using folder = temporaryFolder();
    await using thread = new WorkerThread({ folder: folder.path, rules });
    const controller = new AbortController();
    const flag = new AbortFlag(controller.signal);
    const before = thread.call('present', 'comment', MANY);
    const asked = thread.call('ask', QUESTION, false, flag.gone);
    controller.abort();
    await assert.rejects(asked, { name: 'CallerGone' });
    assert.equal(await before, 0);
  });
});
