import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { comment, START_OF_2008, temporaryFolder } from '../../../../test/helpers.ts';
import { WholeThread } from '../../../../test/whole-thread.ts';
import type { StoredComment } from '../../../model/record.ts';
import { packRecords } from '../../../packing/packed-records.ts';
import { ONLY_LANE } from '../building/batch-records.ts';
import { checkIndex } from '../check.ts';
import { openEmbeddedEngine } from '../engine.ts';
import { KindStore } from '../index/kind-store.ts';

const RULES = { keepOriginals: false };
const SECONDS = 100_000;

/** Comments that span all the time, in no order of it. */
function dump(number: number, size: number): StoredComment[] {
  return Array.from({ length: size }, (_, i) =>
    comment({
      id: `d${number}x${i}`,
      community: `c${number}`,
      created: START_OF_2008 + ((i * 7919) % SECONDS),
      score: i % 50,
      body: `the comment ${i} of dump${number}, see http://site${i % 5}.com`,
      post: `p${i % 9}`,
    }),
  );
}

/** What an index of four such dumps and a thread of its own begin with. */
async function withSegments(run: (thread: WholeThread, store: KindStore, show: () => void) => void): Promise<{
  readonly ids: readonly string[];
  readonly hidden: number;
  readonly problems: readonly string[];
}> {
  using folder = temporaryFolder();
  {
    await using engine = await openEmbeddedEngine(folder.path, { rules: RULES, workers: 0 });
    for (let i = 0; i < 4; i++) await engine.index('comment', packRecords(dump(i, 3_000)));
    await engine.hide(1, 'comment', { ids: ['d0x7', 'd1x8', 'd2x9'] });
  }
  const store = new KindStore(folder.path, 'comment');
  const thread = new WholeThread({ folder: folder.path, rules: RULES });
  const show = () => {
    store.refresh();
    thread.show(store.current);
  };
  show();
  run(thread, store, show);
  // What is not needed any more is gone from the disk.
  const files = store.current.segments.flatMap(({ data }) =>
    data.file === null ? [] : [`${data.name}.seg`],
  );
  assert.deepEqual(readdirSync(join(folder.path, 'comments')).sort(), files.sort());
  thread.close();
  store.close();
  const { problems } = await checkIndex(folder.path);
  await using engine = await openEmbeddedEngine(folder.path, { rules: RULES, workers: 0 });
  const ids: string[] = [];
  const query = { items: [] };
  for await (const batch of engine.scan('comment', query, 'oldest')) for (const { id } of batch) ids.push(id);
  return { ids, hidden: await engine.hiddenCount(), problems };
}

const names = (store: KindStore) => store.current.segments.map(({ data }) => data.name);

describe('merges cut by time', () => {
  const cuts = [0.2, 0.5, 0.51].map((share) => START_OF_2008 + Math.floor(share * SECONDS));

  it('give segments one behind the other in time, in which nothing is lost', async () => {
    const { ids, hidden, problems } = await withSegments((thread, store, show) => {
      assert.equal(names(store).length, 4);
      const plan = {
        names: names(store),
        seconds: [START_OF_2008 - 5, ...cuts, START_OF_2008 + SECONDS],
        erases: true,
      };
      assert.ok(thread.writing.commitMerge('comment', thread.writing.prepareMerge('comment', plan)));
      show();
      const ranges = store.current.segments
        .map(({ data: { footer } }) => [footer.firstCreated, footer.lastCreated] as const)
        .sort(([a], [b]) => a - b);
      assert.equal(ranges.length, 4);
      for (const [i, [first, last]] of ranges.entries()) {
        assert.ok(first >= (cuts[i - 1] ?? 0) && last < (cuts[i] ?? Infinity), ranges.join(' '));
      }
    });
    assert.deepEqual(problems, []);
    assert.equal(ids.length, 12_000 - 3);
    assert.equal(hidden, 0);
  });

  it('what dies or is hidden while one runs is dead or hidden in its segments', async () => {
    const { ids, hidden, problems } = await withSegments((thread, store, show) => {
      const merge = thread.writing.prepareMerge('comment', {
        names: names(store),
        seconds: cuts,
        erases: true,
      });
      const newer = dump(3, 3_000)
        .slice(0, 40)
        .map((record) => ({ ...record, retrieved: 99 }));
      const parts = [thread.writing.prepareBatch('comment', packRecords(newer).parts, ONLY_LANE)];
      const counts = thread.writing.commitBatch('comment', parts, null, store.current.version);
      assert.deepEqual(counts, { added: 0, replaced: 40, unchanged: 0 });
      show();
      const found = thread.answering.findDocs('comment', names(store), { ids: ['d0x100', 'd1x2999'] });
      assert.equal(thread.answering.hideDocs('comment', 2, found, store.current.version)?.records, 2);
      assert.ok(thread.writing.commitMerge('comment', merge));
      show();
    });
    assert.deepEqual(problems, []);
    assert.equal(ids.length, 12_000 - 5);
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(hidden, 2);
  });

  it('one that would leave behind what is hidden is not committed, unless it is to erase', async () => {
    const { hidden, problems } = await withSegments((thread, store, show) => {
      const before = names(store);
      const plan = { names: before, seconds: cuts, erases: false };
      assert.equal(
        thread.writing.commitMerge('comment', thread.writing.prepareMerge('comment', plan)),
        false,
      );
      show();
      assert.deepEqual(names(store), before);
      assert.equal(thread.answering.restoreDocs('comment', 1)?.records, 3);
      show();
      assert.ok(thread.writing.commitMerge('comment', thread.writing.prepareMerge('comment', plan)));
      show();
    });
    assert.deepEqual(problems, []);
    assert.equal(hidden, 0);
  });

  it('of two of the same segments the second one brings nothing in twice', async () => {
    const { ids, hidden, problems } = await withSegments((thread, store, show) => {
      const merges = [0, 1].map(() =>
        thread.writing.prepareMerge('comment', { names: names(store), seconds: cuts, erases: true }),
      );
      for (const merge of merges) assert.ok(thread.writing.commitMerge('comment', merge));
      show();
      const written = names(store);
      assert.ok(merges[0]!.segments.every(({ name }) => written.includes(name)));
      assert.ok(!merges[1]!.segments.some(({ name }) => written.includes(name)));
    });
    assert.deepEqual(problems, []);
    assert.equal(ids.length, 12_000 - 3);
    assert.equal(hidden, 0);
  });

  it('a segment in which nothing is left alive is not kept', async () => {
    const { ids, problems } = await withSegments((thread, store, show) => {
      const last = START_OF_2008 + SECONDS - 400;
      const merge = thread.writing.prepareMerge('comment', {
        names: names(store),
        seconds: [last],
        erases: true,
      });
      assert.equal(merge.segments.length, 2);
      const dying = [0, 1, 2, 3].flatMap((i) => dump(i, 3_000)).filter(({ created }) => created >= last);
      const newer = dying.map((record) => ({ ...record, retrieved: 99, created: START_OF_2008 }));
      const parts = [thread.writing.prepareBatch('comment', packRecords(newer).parts, ONLY_LANE)];
      thread.writing.commitBatch('comment', parts, null, store.current.version);
      show();
      assert.ok(thread.writing.commitMerge('comment', merge));
      show();
      assert.ok(!names(store).includes(merge.segments[1]!.name));
    });
    assert.deepEqual(problems, []);
    assert.equal(ids.length, 12_000 - 3);
  });
});

describe('hiding and taking back', () => {
  it('at another version than the one that was looked at nothing is done', async () => {
    const { ids } = await withSegments((thread, store, show) => {
      const found = thread.answering.findDocs('comment', names(store).slice(0, 1), { ids: ['d0x1', 'd1x1'] });
      assert.equal(thread.answering.hideDocs('comment', 2, found, store.current.version - 1), null);
      assert.equal(thread.answering.hideDocs('comment', 2, found, store.current.version)?.records, 1);
      store.refresh();
      assert.equal(thread.answering.hideDocs('comment', 3, found, store.current.version), null);
      assert.equal(thread.answering.restoreDocs('comment', 2), null);
      show();
      assert.equal(thread.answering.restoreDocs('comment', 2)?.records, 1);
      show();
    });
    assert.equal(ids.length, 12_000 - 3);
  });

  it('copies that give way to newer ones when they come back are dead, several of one segment too', async () => {
    const { ids, problems } = await withSegments((thread, store, show) => {
      const found = thread.answering.findDocs('comment', names(store), {
        ids: ['d0x1', 'd0x2', 'd0x3', 'd1x1'],
      });
      assert.equal(thread.answering.hideDocs('comment', 2, found, store.current.version)?.records, 4);
      show();
      const newer = dump(0, 4)
        .slice(1)
        .map((record) => ({ ...record, retrieved: 99 }));
      const parts = [thread.writing.prepareBatch('comment', packRecords(newer).parts, ONLY_LANE)];
      thread.writing.commitBatch('comment', parts, null, store.current.version);
      show();
      assert.equal(thread.answering.restoreDocs('comment', 2)?.records, 1);
      show();
    });
    assert.deepEqual(problems, []);
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(ids.length, 12_000 - 3);
  });
});

describe('a merge', () => {
  it('keeps long texts and long names, whichever of the segments is the largest', async () => {
    using folder = temporaryFolder();
    const long = (i: number) => `c${i}${'x'.repeat(i % 50 === 0 ? 3_000 : 3)}`;
    const body = (i: number) =>
      Array.from({ length: i === 400 ? 120_000 : 20 }, (_, word) => (word * 7919 * i).toString(36)).join(' ');
    const records = Array.from({ length: 3_000 }, (_, i) =>
      comment({ id: `d${i}`, community: long(i), created: START_OF_2008 + i, body: body(i) }),
    );
    {
      await using engine = await openEmbeddedEngine(folder.path, { rules: RULES, workers: 0 });
      await engine.index('comment', packRecords(records.slice(0, 700)));
      await engine.index('comment', packRecords(records.slice(700)));
    }
    const store = new KindStore(folder.path, 'comment');
    const thread = new WholeThread({ folder: folder.path, rules: RULES });
    store.refresh();
    thread.show(store.current);
    assert.ok(names(store).length > 1);
    assert.ok(
      thread.writing.commitMerge(
        'comment',
        thread.writing.prepareMerge('comment', { names: names(store), seconds: [], erases: true }),
      ),
    );
    thread.close();
    store.close();
    const { problems } = await checkIndex(folder.path);
    assert.deepEqual(problems, []);
    await using engine = await openEmbeddedEngine(folder.path, { rules: RULES, workers: 0 });
    const found: unknown[] = [];
    for await (const batch of engine.scan('comment', { items: [] }, 'oldest')) found.push(...batch);
    assert.deepEqual(found, records);
  });
});
