import assert from 'node:assert/strict';
import { globSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { embeddedEngine, openOwnEngine } from '../../../test/embedded-index.ts';
import { RULES } from '../../../test/engine-suite.ts';
import { comment, post, someComments, temporaryFolder } from '../../../test/helpers.ts';
import { silenceLog } from '../../../test/silent-log.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import { NO_REMOVALS } from '../../model/removals.ts';
import { isBusy } from '../../sqlite/database.ts';
import { packRecords } from '../packing/packed-records.ts';
import { emptyView, KindStore } from './index/view.ts';
import { type PooledKind, ThreadPool } from './threads/thread-pool.ts';
import { type KeptKind, MAX_HELD, Upkeep } from './upkeep.ts';

/** Upkeep of an empty index from which a purge is asked for; its turn comes when `release` is called. */
async function waitingUpkeep(folder: string) {
  await using opened = new AsyncDisposableStack();
  const store = new KindStore(folder, 'comment');
  opened.defer(() => store.close());
  store.manifest.make();
  const pooled: PooledKind = {
    damage: null,
    expectWhole: () => {},
    pin: () => store.pin(),
    fingerprintOf: async () => null,
  };
  const threads = opened.use(new ThreadPool({ folder, rules: RULES }, 0, () => pooled));
  const events: string[] = [];
  const gate = Promise.withResolvers<void>();
  const index: KeptKind = {
    ...{ kind: 'comment', store, view: emptyView('comment'), sumOf: async ({ sum }) => sum },
    refresh: () => events.push('begun'),
    reading: (work) => work(),
  };
  const upkeep = new Upkeep(index, {
    threads,
    inTurn: async (work) => {
      await gate.promise;
      return await work();
    },
  });
  const owned = opened.move();
  return {
    upkeep,
    events,
    askPurge: () => store.manifest.askPurge(),
    release: () => gate.resolve(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

describe('upkeep of a kind', () => {
  it('does not hold up the event loop while another process writes the manifest', async () => {
    await using engine = await openOwnEngine({ workers: 1 }, [post({ id: 'a' }), post({ id: 'b' })]);
    await engine.hide(1, 'post', { ids: ['a'] });
    const other = new DatabaseSync(join(engine.path, 'posts.db'), { timeout: 0 });
    // Only this event loop gives the lock back.
    const locking = setInterval(() => {
      try {
        other.exec(other.isTransaction ? 'ROLLBACK' : 'BEGIN IMMEDIATE');
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    }, 70);
    other.exec('BEGIN IMMEDIATE');
    await engine.purge(['post']);
    clearInterval(locking);
    other.close();
    assert.equal(await engine.hiddenCount(['post']), 0);
  });

  it('two that finish at once do so one after the other', async () => {
    using folder = temporaryFolder();
    await using waiting = await waitingUpkeep(folder.path);
    const { upkeep, events } = waiting;
    waiting.askPurge();
    const first = upkeep.finish();
    const second = upkeep.finish();
    for (let i = 0; i < 5; i++) await setImmediate();
    assert.deepEqual(events, ['begun']);
    waiting.release();
    await first;
    await second;
    assert.deepEqual(events, ['begun', 'begun']);
  });

  it('closing waits for all that is under way, and nothing begins after', async () => {
    using folder = temporaryFolder();
    await using waiting = await waitingUpkeep(folder.path);
    const { upkeep, events } = waiting;
    waiting.askPurge();
    const finishing = Promise.all([upkeep.finish(), upkeep.finish(), upkeep.finish()]);
    await setImmediate();
    const closing = upkeep.close().then(() => events.push('closed'));
    waiting.release();
    await Promise.all([finishing, closing]);
    assert.deepEqual(events, ['begun', 'closed']);
  });
});

describe('what is hidden', () => {
  it('is erased early where more than MAX_HELD segments hold some', async () => {
    await using engine = await embeddedEngine();
    const removals = Array.from({ length: MAX_HELD + 6 }, (_, i) => i + 1);
    for (const number of removals) {
      await engine.index('comment', packRecords([comment({ id: `c${number}` })]));
      await engine.hide(number, 'comment', { ids: [`c${number}`] });
    }
    await engine.maintain();
    assert.equal(await engine.hiddenCount(), MAX_HELD);
    let back = 0;
    for (const number of removals) back += (await engine.restore(number)).records;
    assert.equal(back, MAX_HELD);
  });
});

describe('a batch that is committed', () => {
  it('is told so, though it cannot be shown afterwards; who asks next is told why', async () => {
    silenceLog();
    // The list is looked at last before the commit: then the file of the batch is there, and is cut.
    const cutFiles = () => {
      for (const name of globSync('**/*.seg', { cwd: engine.path }))
        truncateSync(join(engine.path, name), 100);
      return 0;
    };
    const removals = { ...NO_REMOVALS, version: cutFiles };
    await using engine = await openOwnEngine({ removals });
    const batch = packRecords(someComments(3_000));
    const report = await engine.index('comment', batch, { source: 'dump', state: 'half' });
    assert.deepEqual(report, { added: 3_000, replaced: 0, unchanged: 0, removed: 0 });
    await assert.rejects(engine.ask({ kind: 'comment', query: { items: [] } }), IndexDamage);
  });
});
