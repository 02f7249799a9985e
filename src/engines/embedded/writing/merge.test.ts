import assert from 'node:assert/strict';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { embeddedEngine } from '../../../../test/embedded-index.ts';
import { everything, RULES } from '../../../../test/engine-suite.ts';
import { folderInMemory, START_OF_2008, someComments } from '../../../../test/helpers.ts';
import { ofTests } from '../../../../test/of-tests.ts';
import { WholeThread } from '../../../../test/whole-thread.ts';
import type { StoredComment } from '../../../model/record.ts';
import { packRecords } from '../../packing/packed-records.ts';
import { ONLY_LANE } from '../building/batch-records.ts';
import { checkIndex } from '../check.ts';
import { openEmbeddedEngine } from '../engine.ts';
import { KindStore } from '../index/view.ts';

const SECONDS = 100_000;

const open = (folder: string) => openEmbeddedEngine(folder, { rules: RULES, workers: 0 });

/** Comments that span all the time, in no order of it. */
function dump(number: number, size: number): StoredComment[] {
  return someComments(size, (i) => ({
    ...{ id: `d${number}x${i}`, community: `c${number}`, score: i % 50, post: `p${i % 9}` },
    created: START_OF_2008 + ((i * 7919) % SECONDS),
    body: `the comment ${i} of dump${number}, see http://site${i % 5}.com`,
  }));
}

/** A thread and what it sees of an index; what it may be asked for of comments. */
class Work extends WholeThread {
  readonly #store: KindStore;

  constructor(folder: string) {
    super({ folder, rules: RULES });
    this.#store = new KindStore(folder, 'comment');
    this.refresh();
  }

  get version() {
    return this.#store.current.version;
  }

  get segments() {
    return this.#store.current.segments.map(({ data }) => data);
  }

  /** Whether the manifest knows the sum of each segment. */
  get isSummed() {
    return this.#store.current.segments.every(({ sum }) => sum !== null);
  }

  get names() {
    return this.segments.map(({ name }) => name);
  }

  refresh(): void {
    this.#store.refresh();
    this.show(this.#store.current);
  }

  /** Of all segments. */
  prepare(seconds: readonly number[], erases = true) {
    return this.writing.prepareMerge('comment', { names: this.names, seconds, erases });
  }

  commit(merge: ReturnType<Work['prepare']>): boolean {
    const isDone = this.writing.commitMerge('comment', merge);
    this.refresh();
    return isDone;
  }

  /** These records once more, as copies that are newer. */
  index(records: readonly StoredComment[]) {
    const newer = records.map((record) => ({ ...record, retrieved: 99 }));
    const parts = [this.writing.prepareBatch('comment', packRecords(newer).parts, ONLY_LANE)];
    const counts = this.writing.commitBatch('comment', parts, null, this.version);
    this.refresh();
    return counts;
  }

  find(ids: readonly string[], names = this.names) {
    return this.answering.findDocs('comment', names, { ids });
  }

  /** How many records this hides; null: not at this version. */
  hide(removal: number, found: ReturnType<Work['find']>, version = this.version) {
    return this.answering.hideDocs('comment', removal, found, version)?.records ?? null;
  }

  restore(removal: number) {
    return this.answering.restoreDocs('comment', removal)?.records ?? null;
  }

  override close(): void {
    super.close();
    this.#store.close();
  }
}

/** An index of four such dumps, of which three records are hidden. */
const index = ofTests(folderInMemory());
before(async () => {
  await using engine = await open(index.path);
  for (const i of [0, 1, 2, 3]) await engine.index('comment', packRecords(dump(i, 3_000)));
  await engine.hide(1, 'comment', { ids: ['d0x7', 'd1x8', 'd2x9'] });
});

/** Works on a copy of it; what is there afterwards. */
async function afterWork(run: (work: Work) => void) {
  using folder = folderInMemory();
  cpSync(index.path, folder.path, { recursive: true });
  const work = new Work(folder.path);
  run(work);
  assert.ok(work.isSummed, 'a question would sum a large segment up');
  // What is not needed any more is gone from the disk.
  const files = work.segments.flatMap(({ file, name }) => (file === null ? [] : [`${name}.seg`]));
  assert.deepEqual(readdirSync(join(folder.path, 'comments')).sort(), files.sort());
  work.close();
  assert.deepEqual((await checkIndex(folder.path)).problems, []);
  await using engine = await open(folder.path);
  const ids = (await everything(engine, 'comment')).map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  return { records: ids.length, hidden: await engine.hiddenCount() };
}

describe('merges cut by time', () => {
  const cuts = [0.2, 0.5, 0.51].map((share) => START_OF_2008 + Math.floor(share * SECONDS));

  it('give segments one behind the other in time, in which nothing is lost', async () => {
    const left = await afterWork((work) => {
      assert.equal(work.names.length, 4);
      assert.ok(work.commit(work.prepare([START_OF_2008 - 5, ...cuts, START_OF_2008 + SECONDS])));
      const ranges = work.segments
        .map(({ footer }) => [footer.firstCreated, footer.lastCreated] as const)
        .sort(([a], [b]) => a - b);
      assert.equal(ranges.length, 4);
      for (const [i, [first, last]] of ranges.entries()) {
        assert.ok(first >= (cuts[i - 1] ?? 0) && last < (cuts[i] ?? Infinity), ranges.join(' '));
      }
    });
    assert.deepEqual(left, { records: 12_000 - 3, hidden: 0 });
  });

  it('what dies or is hidden while one runs is dead or hidden in its segments', async () => {
    const left = await afterWork((work) => {
      const merge = work.prepare(cuts);
      assert.deepEqual(work.index(dump(3, 40)), { added: 0, replaced: 40, unchanged: 0 });
      assert.equal(work.hide(2, work.find(['d0x100', 'd1x2999'])), 2);
      assert.ok(work.commit(merge));
    });
    assert.deepEqual(left, { records: 12_000 - 5, hidden: 2 });
  });

  it('one that would leave behind what is hidden is not committed, unless it is to erase', async () => {
    const left = await afterWork((work) => {
      const before = work.names;
      assert.equal(work.commit(work.prepare(cuts, false)), false);
      assert.deepEqual(work.names, before);
      assert.equal(work.restore(1), 3);
      work.refresh();
      assert.ok(work.commit(work.prepare(cuts, false)));
    });
    assert.deepEqual(left, { records: 12_000, hidden: 0 });
  });

  it('of two of the same segments the second one brings nothing in twice', async () => {
    const left = await afterWork((work) => {
      const [first, second] = [work.prepare(cuts), work.prepare(cuts)];
      assert.ok(work.commit(first) && work.commit(second));
      assert.ok(first.segments.every(({ name }) => work.names.includes(name)));
      assert.ok(!second.segments.some(({ name }) => work.names.includes(name)));
    });
    assert.deepEqual(left, { records: 12_000 - 3, hidden: 0 });
  });

  it('a segment in which nothing is left alive is not kept', async () => {
    const left = await afterWork((work) => {
      const last = START_OF_2008 + SECONDS - 400;
      const merge = work.prepare([last]);
      assert.equal(merge.segments.length, 2);
      const dying = [0, 1, 2, 3].flatMap((i) => dump(i, 3_000)).filter(({ created }) => created >= last);
      work.index(dying.map((record) => ({ ...record, created: START_OF_2008 })));
      assert.ok(work.commit(merge));
      assert.ok(!work.names.includes(merge.segments[1]!.name));
    });
    assert.equal(left.records, 12_000 - 3);
  });
});

describe('hiding and taking back', () => {
  it('at another version than the one that was looked at nothing is done', async () => {
    const left = await afterWork((work) => {
      const found = work.find(['d0x1', 'd1x1'], work.names.slice(0, 1));
      const { version } = work;
      assert.deepEqual([work.hide(2, found, version - 1), work.hide(2, found)], [null, 1]);
      // The thread has not been shown it yet.
      assert.deepEqual([work.hide(3, found, version + 1), work.restore(2)], [null, null]);
      work.refresh();
      assert.equal(work.restore(2), 1);
      work.refresh();
    });
    assert.equal(left.records, 12_000 - 3);
  });

  it('copies that give way to newer ones when they come back are dead, several of one segment too', async () => {
    const left = await afterWork((work) => {
      assert.equal(work.hide(2, work.find(['d0x1', 'd0x2', 'd0x3', 'd1x1'])), 4);
      work.refresh();
      work.index(dump(0, 4).slice(1));
      assert.equal(work.restore(2), 1);
      work.refresh();
    });
    assert.equal(left.records, 12_000 - 3);
  });
});

it('a merge keeps long texts and long names, whichever of the segments is the largest', async () => {
  const long = (i: number) => `c${i}${'x'.repeat(i % 50 === 0 ? 3_000 : 3)}`;
  const body = (i: number) =>
    Array.from({ length: i === 400 ? 120_000 : 20 }, (_, word) => (word * 7919 * i).toString(36)).join(' ');
  const records = someComments(3_000, (i) => ({ community: long(i), body: body(i) }));
  await using engine = await embeddedEngine(records.slice(0, 700), records.slice(700));
  const work = new Work(engine.path);
  assert.ok(work.names.length > 1);
  assert.ok(work.commit(work.prepare([])));
  work.close();
  assert.deepEqual((await checkIndex(engine.path)).problems, []);
  await engine.refresh();
  assert.deepEqual(await everything(engine, 'comment'), records);
});
