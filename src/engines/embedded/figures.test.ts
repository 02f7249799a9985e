import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { segmentFiles } from '../../../test/corruption.ts';
import { comment, temporaryFolder } from '../../../test/helpers.ts';
import { silenceLog } from '../../../test/silent-log.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import type { Hash64 } from '../../model/hash.ts';
import { packRecords } from '../packing/packed-records.ts';
import { openEmbeddedEngine } from './engine.ts';
import { FileSource, readFooter } from './format/segment-file.ts';
import { Manifest } from './index/manifest.ts';
import { digestOf, ManifestDb } from './index/manifest-db.ts';
import { sumOfLive } from './index/segment-sums.ts';
import { KindStore, openView } from './index/view.ts';
import { type OfDocs, segmentSums } from './per-segment.ts';

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

describe('sums that the manifest lacks', () => {
  it('are given up between two steps of one segment, but not where another still asks', async () => {
    using folder = temporaryFolder();
    await withoutSums(folder.path, [40_000]);
    using opened = new DisposableStack();
    const store = opened.adopt(new KindStore(folder.path, 'comment'), (one) => one.close());
    store.refresh();
    const [source] = openView(store.current, undefined).segments;
    const sums = segmentSums();
    let calls = 0;
    const ofDocs: OfDocs<Hash64> = async (_data, dead, { from, to }) => {
      calls++;
      return sumOfLive(source!.segment, dead, from, to);
    };
    const isStopped = () => calls > 0;
    assert.equal(await sums.of(source!, ofDocs, isStopped), null);
    assert.equal(calls, 1);
    calls = 0;
    const sum = (stops: () => boolean) => sums.of(source!, ofDocs, stops);
    const [stopped, other] = await Promise.all([sum(isStopped), sum(() => false)]);
    assert.notEqual(other, null);
    assert.equal(stopped, other);
    assert.equal(calls, 3);
  });

  it('are stored by upkeep, but for those of damaged segments', async () => {
    silenceLog();
    using folder = temporaryFolder();
    await withoutSums(folder.path, [3_000, 4]);
    damageRecords(folder.path);
    await using engine = await openEmbeddedEngine(folder.path, { rules, workers: 0 });
    await engine.maintain();
    const manifest = new Manifest(folder.path, 'comment');
    const stored = manifest.segments().map(({ isFile, sum }) => [isFile, sum !== null]);
    manifest.close();
    assert.deepEqual(stored, [
      [true, false],
      [false, true],
    ]);
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
