import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import fc from 'fast-check';
import { Column } from '../columns/column.ts';
import { NearRows } from '../format/block-cache.ts';
import { MemorySource } from '../format/segment-file.ts';

/** As many bytes before the first row. */
const OFFSET = 24;

describe('near rows', () => {
  it('are those of the docs asked for, whichever way a walk goes and however far it steps', () => {
    const lengths = fc.array(fc.oneof(fc.nat(40), fc.nat(3_000), fc.constant(90_000)), { minLength: 1 });
    fc.assert(
      fc.property(lengths, fc.array(fc.nat()), fc.constantFrom('up', 'down', 'any'), (sizes, picks, way) => {
        const rows = new Uint32Array(sizes.length + 1);
        for (const [doc, size] of sizes.entries()) rows[doc + 1] = rows[doc]! + size;
        const bytes = Uint8Array.from({ length: OFFSET + rows.at(-1)! }, (_, i) => (i * 7919) >>> 3);
        const near = new NearRows(new MemorySource(bytes), Column.of(rows), OFFSET);
        const docs = picks.map((pick) => pick % sizes.length);
        if (way !== 'any') docs.sort((a, b) => (way === 'up' ? a - b : b - a));
        for (const doc of docs) {
          const expected = bytes.subarray(OFFSET + rows[doc]!, OFFSET + rows[doc + 1]!);
          assert.ok(near.row(doc).equals(expected), `doc ${doc} of ${sizes}`);
        }
      }),
    );
  });

  it('are read many at once where they follow each other, and alone where they are far apart', () => {
    const rows = Uint32Array.from({ length: 100_001 }, (_, doc) => doc * 100);
    const source = new MemorySource(new Uint8Array(rows.at(-1)!));
    const { mock: read } = mock.method(source, 'readInto');
    const readsOf = (docs: readonly number[], greatest?: number) => {
      read.resetCalls();
      const near = new NearRows(source, Column.of(rows), 0, greatest);
      for (const doc of docs) near.row(doc);
      return read.callCount();
    };
    const bytes = () => read.calls.reduce((sum, { arguments: given }) => sum + given[2]!, 0);
    const all = Array.from({ length: 100_000 }, (_, doc) => doc);
    assert.ok(readsOf(all) < 200);
    assert.ok(readsOf(all.toReversed()) < 200);
    const far = all.filter((doc) => doc % 1_000 === 999);
    assert.equal(readsOf(far), far.length);
    assert.equal(bytes(), far.length * 100);
    // A page of neighbours costs few reads, and not many more bytes than it has.
    for (const page of [all.slice(500, 525), all.slice(500, 525).toReversed()]) {
      assert.ok(readsOf(page) <= 3);
      assert.ok(bytes() <= 100 + 4_096);
    }
    assert.ok(readsOf(all, 1 << 14) > (100 * all.length) / 2 ** 14);
  });
});
