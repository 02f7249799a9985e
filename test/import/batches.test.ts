// Small sources share batches: what is committed when, what is logged, and what a broken-off import leaves.

import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import type { Checkpoint, SearchEngine } from '../../src/model/engine.ts';
import { wholeStats } from '../whole-stats.ts';
import { commentLine, type ImportPlace, importPlace, postLine } from './import-helpers.ts';

type Index = SearchEngine['index'];

/** The engine with another `index`. */
function withIndex(engine: SearchEngine, index: Index): SearchEngine {
  return new Proxy(engine, {
    get: (target, name) => {
      const value = name === 'index' ? index : Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A folder of files of a post and two comments each; ids of the last file are those of the first. */
function manyFiles(place: ImportPlace, files: number): string {
  let path = '';
  for (let i = 0; i < files; i++) {
    const id = i === files - 1 ? 0 : i;
    const lines = [postLine(`p${id}`), commentLine(`a${id}`), commentLine(`b${id}`, { score: i })];
    path = place.file(`many/${String(i).padStart(4, '0')}.ndjson`, lines.join('\n'));
  }
  return dirname(path);
}

describe('small sources share batches', () => {
  it('600 files of 3 lines are two commits a batch and none a file, and leave no checkpoint', async () => {
    await using place = await importPlace();
    const commits: (Checkpoint | undefined)[] = [];
    const engine = withIndex(place.engine, (kind, records, checkpoint) => {
      commits.push(checkpoint);
      return place.engine.index(kind, records, checkpoint);
    });
    const report = await place.run([manyFiles(place, 600)], { engine });
    assert.deepEqual([report.read, report.added, report.replaced, report.unchanged], [1800, 1797, 0, 3]);
    assert.deepEqual(commits, [undefined, undefined]);
  });

  it('the log has an entry a file, with what is known of it', async () => {
    await using place = await importPlace();
    await place.run([place.file('x/a', postLine('p1')), place.file('x/b', `${postLine('p2')}\n{"cut`)]);
    await place.run([place.file('x/c', postLine('p1')), place.file('x/d', postLine('p3'))]);
    const known = place.catalogue
      .listImports()
      .map(({ counts: { read, added, unchanged, rejected } }) => [read, added, unchanged, rejected]);
    assert.deepEqual(known, [
      [1, 1, 0, {}],
      [2, 1, 0, { bad_json: 1 }],
      // One batch of which some was added and some not: nobody can say which was which.
      [1, undefined, undefined, {}],
      [1, undefined, undefined, {}],
    ]);
  });

  for (const batchRecords of [4, 100]) {
    it(`broken at any commit of batches of ${batchRecords}, the next run brings it to its end`, async () => {
      await using whole = await importPlace();
      await whole.run([manyFiles(whole, 5)], { batchRecords });
      const expected = await whole.digest();
      for (let commits = 0, isBroken = true; isBroken; commits++) {
        await using place = await importPlace();
        const folder = manyFiles(place, 5);
        let left = commits;
        const engine = withIndex(place.engine, async (...batch) => {
          if (left-- <= 0) throw new Error('out of order');
          return await place.engine.index(...batch);
        });
        isBroken = await place.run([folder], { batchRecords, engine }).then(
          () => false,
          (error) => /out of order/.test(error.message),
        );
        const report = await place.run([folder], { batchRecords });
        assert.equal(await place.digest(), expected);
        if (!isBroken) assert.deepEqual([report.read, report.unchanged], [15, 15]);
      }
    });
  }

  it('a file that is read to its end begins at its beginning the next time, whatever came behind it', async () => {
    await using place = await importPlace();
    const lines = Array.from({ length: 30 }, (_, i) => postLine(`p${i}`, { selftext: 'x'.repeat(40_000) }));
    const long = place.file('long', lines.join('\n'));
    const short = place.file('short', commentLine('c1'));
    const first = await place.run([long, short], { batchRecords: 20 });
    assert.equal(first.read, 31);
    const again = await place.run([long, short, long], { batchRecords: 20 });
    assert.deepEqual(
      again.sources.map(({ read, resumed_behind_line }) => [read, resumed_behind_line]),
      [
        [30, 0],
        [1, 0],
        [30, 0],
      ],
    );
  });

  it('what stands in front of standard input is in before anything comes from there', async () => {
    await using place = await importPlace();
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
  const LONG = Array.from({ length: 1500 }, (_, i) =>
    commentLine(`c${i}`, { body: 'word '.repeat(200) }),
  ).join('\n');

  it('the next one is read; each says how far its own records go', { timeout: 60_000 }, async () => {
    await using place = await importPlace();
    const isReadOn = Promise.withResolvers<void>();
    const acknowledged: { readonly read: number; readonly records: number; readonly line: number }[] = [];
    let read = 0;
    const engine = withIndex(place.engine, async (kind, records, checkpoint) => {
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

  it('what fails there ends the import, and what was acknowledged before is resumed', async () => {
    await using place = await importPlace();
    const long = place.file('long', LONG);
    let commits = 0;
    const engine = withIndex(place.engine, async (...batch) => {
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
