import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { INDEX_DAMAGES, LATE_DAMAGE } from '../../../../test/corruption.ts';
import { openOwnEngine } from '../../../../test/embedded-index.ts';
import { abortConformance } from '../../../../test/engine-conformance.ts';
import { folderHarness } from '../../../../test/engine-harness.ts';
import { EVERYTHING, queryOf, RULES } from '../../../../test/engine-suite.ts';
import { comment, post, someComments, temporaryFolder } from '../../../../test/helpers.ts';
import { silenceLog } from '../../../../test/silent-log.ts';
import type { SearchEngine } from '../../../model/engine.ts';
import { MAX_PREFIX_TOKENS, type Query } from '../../../model/query.ts';
import { packRecords } from '../../packing/packed-records.ts';
import { peerStates } from '../answering/sharing.ts';
import { openEmbeddedEngine } from '../engine.ts';
import { AbortFlag } from '../matching/deadline.ts';
import type { Answering } from './answering-calls.ts';
import { resultOf } from './result-messages.ts';
import { WorkerThread } from './thread.ts';

const rules = RULES;
const QUESTION = { kind: 'comment', query: EVERYTHING } as const;
/** A thread looks for these for long. */
const MANY = Array.from({ length: 300_000 }, (_, i) => `x${i}`);

abortConformance(
  folderHarness('embedded engine on threads', (folder, options) =>
    openEmbeddedEngine(folder, { ...options, workers: 1 }),
  ),
);

/** The listeners that a scan of comments leaves, and whether it failed. */
async function leftByScan(engine: SearchEngine, query: Query, takes = Infinity): Promise<[number, boolean]> {
  const { signal } = new AbortController();
  let hasFailed = false;
  try {
    for await (const _ of engine.scan('comment', query, 'oldest', signal)) if (--takes === 0) break;
  } catch {
    hasFailed = true;
  }
  return [getEventListeners(signal, 'abort').length, hasFailed];
}

for (const workers of [0, 1]) {
  describe(`nothing listens to a signal any more (of damaged kinds and closed engines, scans did), with ${workers} threads`, () => {
    silenceLog();
    const tooMany = Array.from({ length: MAX_PREFIX_TOKENS + 1 }, (_, i) => `wo${i}`).join(' ');
    const records = someComments(2_500, (i) => ({ body: i === 0 ? tooMany : `solar x${i}` }));

    it('behind an answer, a scan, one that is given up and one that is refused', async () => {
      await using engine = await openOwnEngine({ workers }, records);
      const { signal } = new AbortController();
      await engine.ask(QUESTION, signal);
      assert.equal(getEventListeners(signal, 'abort').length, 0);
      assert.deepEqual(await leftByScan(engine, EVERYTHING), [0, false]);
      assert.deepEqual(await leftByScan(engine, EVERYTHING, 1), [0, false]);
      assert.deepEqual(await leftByScan(engine, queryOf('wo*')), [0, true]);
    });

    it('behind a scan whose engine is closed meanwhile: one listener stayed', async () => {
      const engine = await openOwnEngine({ workers }, records);
      const { signal } = new AbortController();
      const scan = engine.scan('comment', EVERYTHING, 'oldest', signal)[Symbol.asyncIterator]();
      await scan.next();
      await engine[Symbol.asyncDispose]();
      await Promise.allSettled([scan.return?.()]);
      assert.equal(getEventListeners(signal, 'abort').length, 0);
    });

    for (const damage of [...INDEX_DAMAGES, LATE_DAMAGE]) {
      it(`behind a scan of a kind of which ${damage.name}`, async () => {
        using folder = temporaryFolder();
        {
          await using engine = await openEmbeddedEngine(folder.path, { rules, workers });
          await engine.index('post', packRecords([post({ id: '1' })]));
          await engine.index('comment', packRecords(records));
        }
        damage.apply(folder.path, 'comment');
        await using engine = await openEmbeddedEngine(folder.path, { rules, workers });
        assert.deepEqual(await leftByScan(engine, queryOf('solar')), [0, true]);
      });
    }
  });
}

describe('a caller that goes, on threads', () => {
  it('is told at once, though the only thread is at work on something else', async () => {
    await using engine = await openOwnEngine({ workers: 1 }, [comment({ id: '1' })]);
    await engine.warm();
    let isBusy = true;
    const other = engine.records({ kind: 'comment', ids: MANY }).finally(() => {
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
    const reader = { states: peerStates(), number: 0, isSpare: false };
    await using thread = new WorkerThread<Answering>({ folder: folder.path, rules, reader }, resultOf);
    const controller = new AbortController();
    const flag = new AbortFlag(controller.signal);
    const before = thread.calls.records({ kind: 'comment', ids: MANY }, false, null);
    const asked = thread.calls.ask(QUESTION, false, flag.gone);
    controller.abort();
    await assert.rejects(asked, { name: 'CallerGone' });
    assert.deepEqual((await before).records, []);
  });
});
