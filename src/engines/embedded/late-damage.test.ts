// Damage that the opening of an index does not find: what reads it names the kind, what writes is not taken for it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COLUMN_DAMAGE, INDEX_DAMAGES, LATE_DAMAGE } from '../../../test/corruption.ts';
import { EVERYTHING, RULES } from '../../../test/engine-suite.ts';
import { comment, post, START_OF_2008, temporaryFolder } from '../../../test/helpers.ts';
import { silenceLog } from '../../../test/silent-log.ts';
import { StorageError } from '../../errors.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import { packRecords } from '../packing/packed-records.ts';
import { checkIndex } from './check.ts';
import { openEmbeddedEngine } from './engine.ts';
import { SegmentDamage } from './format/segment-file.ts';
import { KindStore } from './index/view.ts';
import { KindIndex } from './kind-index.ts';
import { AnsweringCalls } from './threads/answering-calls.ts';
import { ThreadPool } from './threads/thread-pool.ts';

silenceLog();
const rules = RULES;

const isOfPosts = (error: unknown) => error instanceof IndexDamage && error.kind === 'post';

/** A folder with posts, one of them hidden, of which pages are changed. */
async function damagedFolder() {
  const folder = temporaryFolder();
  {
    await using engine = await openEmbeddedEngine(folder.path, { rules, workers: 0 });
    const posts = Array.from({ length: 2_100 }, (_, i) => post({ id: `${i}`, title: `solar word${i}` }));
    await engine.index('post', packRecords(posts));
    await engine.hide(1, 'post', { ids: ['2099'] });
  }
  LATE_DAMAGE.apply(folder.path, 'post');
  return folder;
}

describe('damage that is found on reading', () => {
  for (const workers of [0, 1]) {
    it(`was a plain StorageError to hide, restore, index and purge, with ${workers} threads`, async () => {
      using folder = await damagedFolder();
      await using engine = await openEmbeddedEngine(folder.path, { rules, workers });
      assert.equal((await engine.damages()).post, null);
      for (const work of [
        () => engine.hide(2, 'post', { ids: ['7'] }),
        () => engine.hide(2, 'post', { community: 'energy' }),
        () => engine.restore(1),
        () => engine.index('post', packRecords([post({ id: '1', retrieved: START_OF_2008 })])),
        () => engine.purge(['post']),
      ]) {
        await assert.rejects(work(), isOfPosts);
      }
      assert.equal(await engine.hiddenCount(['post']), 1);
    });

    it(`of posts was told as damage of the comments that were asked for under them, with ${workers} threads`, async () => {
      using folder = await damagedFolder();
      await using engine = await openEmbeddedEngine(folder.path, { rules, workers });
      await engine.index('comment', packRecords([comment({ id: '1', post: '7' })]));
      const asked = { kind: 'comment', query: EVERYTHING } as const;
      await assert.rejects(engine.ask({ ...asked, under: EVERYTHING }), isOfPosts);
      assert.equal((await engine.ask(asked)).total, 1);
    });
  }

  it('a disk that is full while segments are merged is no damage', async () => {
    using folder = temporaryFolder();
    const store = new KindStore(folder.path, 'post');
    await using threads = new ThreadPool({ folder: folder.path, rules }, 0, () => index);
    const inTurn = <T>(work: () => Promise<T>) => work();
    const index: KindIndex = new KindIndex(store, {
      threads,
      isClosing: () => false,
      inTurn,
      logged: new Map(),
    });
    const full = new StorageError('`x.seg`: expected free space, found none');
    const named = (error: Error) => index.reading(() => Promise.reject(error));
    await assert.rejects(named(full), (error) => error === full);
    const changed = new SegmentDamage('`x.seg`: expected other bytes');
    await assert.rejects(named(changed), (error) => error instanceof IndexDamage && error.cause === changed);
    store.close();
  });
});

describe('damage in a column that is read by page', () => {
  for (const workers of [0, 2]) {
    it(`is told when the column is read, and by a check, never as an answer, with ${workers} threads`, async () => {
      using folder = temporaryFolder();
      const posts = Array.from({ length: 40_000 }, (_, i) =>
        post({ id: i.toString(36), title: 'solar', community: `c${i % 300}`, created: START_OF_2008 + i }),
      );
      {
        await using engine = await openEmbeddedEngine(folder.path, { rules, workers: 0 });
        await engine.index('post', packRecords(posts));
      }
      COLUMN_DAMAGE.apply(folder.path, 'post');
      const paged = { rules, workers, memoryBytes: 2 ** 25, wholeDocs: 1_000 };
      await using engine = await openEmbeddedEngine(folder.path, paged);
      assert.equal((await engine.damages()).post, null);
      const query = EVERYTHING;
      assert.equal((await engine.ask({ kind: 'post', query })).total, 40_000);
      const breakdowns = [{ field: 'community', size: 5 }] as const;
      // Twice: what could not be read is not taken for read.
      for (let i = 0; i < 2; i++)
        await assert.rejects(engine.ask({ kind: 'post', query, breakdowns }), isOfPosts);
      const page = { order: 'top', limit: 5, after: null } as const;
      await assert.rejects(engine.ask({ kind: 'post', query, page }), isOfPosts);
      assert.match((await checkIndex(folder.path)).problems.join('\n'), /section.* place/);
      await using whole = await openEmbeddedEngine(folder.path, { rules, workers: 0 });
      assert.ok((await whole.damages()).post instanceof IndexDamage, 'read as a whole, found on opening');
    });
  }
});

describe('a scan of a kind that is damaged', () => {
  it('was opened in the thread and never closed', async (t) => {
    using folder = await damagedFolder();
    const opened = t.mock.method(AnsweringCalls.prototype, 'openScan').mock;
    const closed = t.mock.method(AnsweringCalls.prototype, 'closeScan').mock;
    const scanned = async (folderPath: string) => {
      await using engine = await openEmbeddedEngine(folderPath, { rules, workers: 0 });
      for await (const _ of engine.scan('post', { items: [] }, 'newest'));
    };
    await assert.rejects(scanned(folder.path), IndexDamage);
    assert.deepEqual([opened.callCount(), closed.callCount()], [1, 1], 'found on reading');
    INDEX_DAMAGES[0]!.apply(folder.path, 'post');
    await assert.rejects(scanned(folder.path), IndexDamage);
    assert.equal(opened.callCount(), closed.callCount(), 'found on opening');
  });
});
