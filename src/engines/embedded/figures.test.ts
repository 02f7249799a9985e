import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { segmentFiles } from '../../../test/corruption.ts';
import { comment, temporaryFolder } from '../../../test/helpers.ts';
import { silenceLog } from '../../../test/silent-log.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import type { Hash64 } from '../../model/hash.ts';
import { packRecords } from '../packing/packed-records.ts';
import { openEmbeddedEngine } from './engine.ts';
import { FileSource, readFooter } from './format/segment-file.ts';
import { digestOf, ManifestDb } from './index/manifest-db.ts';
import { KindStore, openView } from './index/view.ts';
import { type Change, segmentSums } from './per-segment.ts';
import { type PooledKind, ThreadPool } from './threads/thread-pool.ts';
import { type KeptKind, MissingSums } from './upkeep.ts';

const rules = { keepOriginals: false };

/** An index of comments in segments of these sizes, of which the manifest knows no sum. */
async function withoutSums(folder: string, sizes: readonly number[]): Promise<void> {
  {
    await using engine = await openEmbeddedEngine(folder, { rules, workers: 0 });
    for (const [n, size] of sizes.entries()) {
      // Scores that no column holds are read from the records.
      const fields = { body: 'solar', score: 2 ** 40 };
      const records = Array.from({ length: size }, (_, i) => comment({ id: `${n}x${i}`, ...fields }));
      await engine.index('comment', packRecords(records));
    }
  }
  const db = new ManifestDb(join(folder, 'comments.db'));
  db.run('UPDATE segments SET sum = NULL');
  db.run('UPDATE state SET version = version + 1');
  db.run('UPDATE state SET digest = ?', digestOf(db));
  db.close();
}

/** Changes a byte amid the records of every segment in a file. */
function damageRecords(folder: string): void {
  for (const file of segmentFiles(folder, 'comment')) {
    const path = join(folder, file);
    const source = new FileSource(path);
    const { offset, length } = readFooter(source, path).sections.records!;
    source.close();
    const bytes = readFileSync(path);
    // The first page is read on opening.
    bytes[offset + Math.floor(length / 2)]! ^= 1;
    writeFileSync(path, bytes);
  }
}

/** The parts of an engine that store sums; `onTurn` is called before each turn, `reads` counts what is summed up. */
async function storing(folder: string, onTurn: () => void = () => {}) {
  await using opened = new AsyncDisposableStack();
  const store = new KindStore(folder, 'comment');
  opened.defer(() => store.close());
  const pooled: PooledKind = {
    damage: null,
    expectWhole: () => {},
    pin: () => store.pin(),
    fingerprintOf: async () => null,
  };
  const threads = opened.use(new ThreadPool({ folder, rules }, 0, () => pooled));
  let view = openView(store.current, undefined);
  const refresh = () => {
    store.refresh();
    threads.show(store.current);
    view = openView(store.current, view);
  };
  refresh();
  let reads = 0;
  const index: KeptKind = {
    kind: 'comment',
    store,
    get view() {
      return view;
    },
    sums: segmentSums(),
    refresh,
    reading: (work) => {
      reads++;
      return work();
    },
  };
  const sums = new MissingSums(index, {
    threads,
    inTurn: (work) => {
      onTurn();
      return work();
    },
  });
  const owned = opened.move();
  return {
    sums,
    threads,
    view: () => view,
    reads: () => reads,
    stored: () => store.manifest.segments().filter(({ sum }) => sum !== null).length,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate();
}

describe('sums that the manifest lacks', () => {
  it('are stored one by one, and closing begins no more: all were made before any was stored', async () => {
    using folder = temporaryFolder();
    await withoutSums(folder.path, [3, 4, 5]);
    let closing: Promise<void> | null = null;
    await using one = await storing(folder.path, () => {
      closing ??= one.sums.close();
    });
    one.sums.start();
    await until(() => closing !== null);
    await closing;
    assert.equal(one.stored(), 1);
    await using next = await storing(folder.path);
    next.sums.start();
    await until(() => next.stored() === 3);
    await next.sums.close();
  });

  it('are given up between two steps of one segment, but not where another still asks', async () => {
    using folder = temporaryFolder();
    await withoutSums(folder.path, [40_000]);
    await using opened = await storing(folder.path);
    const [source] = opened.view().segments;
    const sums = segmentSums();
    let calls = 0;
    const change: Change<Hash64> = (...values) => {
      calls++;
      return opened.threads.merger().sumChange('comment', ...values);
    };
    const isStopped = () => calls > 0;
    assert.equal(await sums.of(source!, change, isStopped), null);
    assert.equal(calls, 1);
    calls = 0;
    const sum = (stops: () => boolean) => sums.of(source!, change, stops);
    const [stopped, other] = await Promise.all([sum(isStopped), sum(() => false)]);
    assert.notEqual(other, null);
    assert.equal(stopped, other);
    assert.equal(calls, 3);
  });

  it('of a damaged segment are tried once, those of others are stored all the same', async () => {
    using folder = temporaryFolder();
    await withoutSums(folder.path, [3_000, 4]);
    damageRecords(folder.path);
    await using opened = await storing(folder.path);
    const all = opened.view().segments.length;
    assert.ok(all > segmentFiles(folder.path, 'comment').length);
    opened.sums.start();
    await until(() => opened.stored() > 0);
    for (let i = 0; i < 20; i++) await setImmediate();
    const reads = opened.reads();
    opened.sums.start();
    await opened.sums.close();
    assert.equal(opened.reads(), reads);
    assert.equal(opened.stored(), all - segmentFiles(folder.path, 'comment').length);
  });
});

it('a purge is done though an unrelated segment cannot be summed up: was rejected', async () => {
  silenceLog();
  using folder = temporaryFolder();
  await withoutSums(folder.path, [3_000, 4]);
  damageRecords(folder.path);
  await using engine = await openEmbeddedEngine(folder.path, { rules, workers: 0 });
  await engine.hide(1, 'comment', { ids: ['1x2'] });
  assert.deepEqual(await engine.purge(['comment']), { erased: 'now' });
  assert.equal(await engine.hiddenCount(), 0);
  const { comment: found } = await engine.fingerprints();
  assert.ok(found instanceof IndexDamage);
});
