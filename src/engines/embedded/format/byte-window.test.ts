import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import fc from 'fast-check';
import { ByteWindow, MemorySource } from './segment-file.ts';

/** As many bytes before the first row, and the most that are read at once. */
const OFFSET = 24;
const GREATEST = 1 << 16;

describe('a window over rows', () => {
  it('has those asked for, whichever way a walk goes and however far it steps', () => {
    const lengths = fc.array(fc.oneof(fc.nat(40), fc.nat(3_000), fc.constant(90_000)), { minLength: 1 });
    fc.assert(
      fc.property(lengths, fc.array(fc.nat()), fc.constantFrom('up', 'down', 'any'), (sizes, picks, way) => {
        const rows = new Uint32Array(sizes.length + 1);
        for (const [doc, size] of sizes.entries()) rows[doc + 1] = rows[doc]! + size;
        const bytes = Uint8Array.from({ length: OFFSET + rows.at(-1)! }, (_, i) => (i * 7919) >>> 3);
        const section = { offset: OFFSET, length: rows.at(-1)! };
        const near = new ByteWindow(new MemorySource(bytes), section, GREATEST);
        const docs = picks.map((pick) => pick % sizes.length);
        if (way !== 'any') docs.sort((a, b) => (way === 'up' ? a - b : b - a));
        for (const doc of docs) {
          const [from, to] = [OFFSET + rows[doc]!, OFFSET + rows[doc + 1]!];
          const at = near.at(from, to - from);
          const row = near.bytes.subarray(at, at + to - from);
          assert.ok(row.equals(bytes.subarray(from, to)), `doc ${doc} of ${sizes}`);
        }
      }),
    );
  });

  it('reads many at once where they follow each other, and one alone where they are far apart', () => {
    const source = new MemorySource(new Uint8Array(100_000 * 100));
    const { mock: read } = mock.method(source, 'readInto');
    const readsOf = (docs: readonly number[], greatest = GREATEST) => {
      read.resetCalls();
      const near = new ByteWindow(source, { offset: 0, length: source.size }, greatest);
      for (const doc of docs) near.at(doc * 100, 100);
      return read.callCount();
    };
    const bytes = () => read.calls.reduce((sum, { arguments: given }) => sum + given[2]!, 0);
    const all = Array.from({ length: 100_000 }, (_, doc) => doc);
    assert.ok(readsOf(all) < 200);
    assert.ok(readsOf(all.toReversed()) < 200);
    const far = all.filter((doc) => doc % 1_000 === 999);
    assert.equal(readsOf(far), far.length);
    assert.ok(bytes() < far.length * 108);
    // A page of neighbours costs few reads, and not many more bytes than it has: parts begin at multiples of 8.
    for (const page of [all.slice(500, 525), all.slice(500, 525).toReversed()]) {
      assert.ok(readsOf(page) <= 3);
      assert.ok(bytes() < 108 + 4_104);
    }
    assert.ok(readsOf(all, 1 << 14) > (100 * all.length) / 2 ** 14);
  });
});
