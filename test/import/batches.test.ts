// Small sources share batches: what is committed when, what is logged, and what a broken-off import leaves.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Checkpoint, SearchEngine } from '../../src/model/engine.ts';
import { instead } from '../helpers.ts';
import { wholeStats } from '../whole-stats.ts';
import { commentLine, importPlace, manyFiles, postLine, test } from './import-helpers.ts';

type Batch = Parameters<SearchEngine['index']>;

describe('small sources share batches', () => {
  test('600 files of 3 lines are two commits a batch and none a file, and leave no checkpoint', async (place) => {
    const commits: (Checkpoint | undefined)[] = [];
    const engine = instead(place.engine, 'index', (...batch: Batch) => {
      commits.push(batch[2]);
      return place.engine.index(...batch);
    });
    const report = await place.run([manyFiles(place, 600)], { engine });
    assert.deepEqual([report.read, report.added, report.replaced, report.unchanged], [1800, 1797, 0, 3]);
    assert.deepEqual(commits, [undefined, undefined]);
  });

  test('the log has an entry a file, with what is known of it', async (place) => {
    await place.run([place.file('x/a', postLine('p1')), place.file('x/b', `${postLine('p2')}\n{"cut`)]);
    await place.run([place.file('x/c', postLine('p1')), place.file('x/d', postLine('p3'))]);
    const known = place.catalogue.listImports().map(({ counts: { read, added, unchanged, rejected } }) => {
      return `${read}: ${added}, ${unchanged}, ${JSON.stringify(rejected)}`;
    });
    // The last ones: one batch of which some was added and some not; nobody can say which was which.
    const unknown = '1: undefined, undefined, {}';
    assert.deepEqual(known, ['1: 1, 0, {}', '2: 1, 0, {"bad_json":1}', unknown, unknown]);
  });

  test('a file that is read to its end begins at its beginning the next time, whatever came behind it', async (place) => {
    const lines = Array.from({ length: 30 }, (_, i) => postLine(`p${i}`, { selftext: 'x'.repeat(40_000) }));
    const long = place.file('long', lines.join('\n'));
    const short = place.file('short', commentLine('c1'));
    const first = await place.run([long, short], { batchRecords: 20 });
    assert.equal(first.read, 31);
    const again = await place.run([long, short, long], { batchRecords: 20 });
    const seen = again.sources.map((source) => `${source.read} behind ${source.resumed_behind_line}`);
    assert.deepEqual(seen, ['30 behind 0', '1 behind 0', '30 behind 0']);
  });

  test('what stands in front of standard input is in before anything comes from there', async (place) => {
    let posts = -1;
    async function* input() {
      yield Buffer.from(`${commentLine('c1')}\n`);
      posts = (await wholeStats(place.engine)).post.records;
      yield Buffer.from(commentLine('c2'));
    }
    await place.run([place.file('front', postLine('p1')), '-'], { input: input() });
    assert.equal(posts, 1);
  });
});

describe('while a batch is committed', () => {
  /** Some blocks of lines. */
  const body = 'word '.repeat(200);
  const LONG = Array.from({ length: 1500 }, (_, i) => commentLine(`c${i}`, { body })).join('\n');

  it('the next one is read; each says how far its own records go', { timeout: 60_000 }, async () => {
    await using place = await importPlace();
    const isReadOn = Promise.withResolvers<void>();
    const acknowledged: { readonly read: number; readonly records: number; readonly line: number }[] = [];
    let read = 0;
    const engine = instead(place.engine, 'index', async (...[kind, records, checkpoint]: Batch) => {
      // Of the first commit: more than its own records are read before it is done.
      if (acknowledged.length === 0) await isReadOn.promise;
      const state = JSON.parse(checkpoint?.state ?? 'null');
      if (state !== null) acknowledged.push({ read, records: records.count, line: state.comment.line });
      return await place.engine.index(kind, records, checkpoint);
    });
    const report = await place.run([place.file('long', LONG)], {
      ...{ engine, batchRecords: 1 },
      onProgress: (now) => {
        read = now.read;
        isReadOn.resolve();
      },
    });
    assert.ok(acknowledged.length > 2 && acknowledged[0]!.read > 0);
    let lines = 0;
    for (const { records, line } of acknowledged) {
      lines += records;
      assert.equal(line, lines);
    }
    assert.equal(report.added, 1500);
  });

  test('has as many records as the engine asks for', async (place) => {
    const sizes: number[] = [];
    const counting = instead(place.engine, 'index', async (...[kind, records, checkpoint]: Batch) => {
      sizes.push(records.count);
      return await place.engine.index(kind, records, checkpoint);
    });
    await place.run([place.file('long', LONG)], { engine: counting });
    assert.deepEqual(sizes.splice(0).slice(0, 1), [1500]);
    await place.run([place.file('again', LONG)], { engine: counting, batchRecords: 1 });
    assert.ok(sizes.filter((size) => size > 0).length > 2);
  });

  test('what fails there ends the import, and what was acknowledged before is resumed', async (place) => {
    const long = place.file('long', LONG);
    let commits = 0;
    const engine = instead(place.engine, 'index', async (...batch: Batch) => {
      if (++commits === 2) throw new Error('the disk is full');
      return await place.engine.index(...batch);
    });
    await assert.rejects(place.run([long], { engine, batchRecords: 1 }), /the disk is full/);
    assert.equal(commits, 2, 'nothing is committed behind it');
    const report = await place.run([long]);
    assert.ok(report.sources[0]!.resumed_behind_line > 0);
    assert.equal(report.sources[0]!.resumed_behind_line + report.read, 1500);
    assert.equal((await wholeStats(place.engine)).comment.records, 1500);
  });
});
