import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { segmentOfLists } from '../../../../test/list-segments.ts';
import { Gatherer, LEFT_BEHIND, ListSource } from './merge-lists.ts';
import { MergedKeys } from './merged-keys.ts';

const DOCS = 20_000;

it('keys of several dictionaries come in order, each once, with the docs of all that hold it', () => {
  const key = fc.string({
    unit: fc.constantFrom('a', 'b', 'ab', 'é', '日', '😀', '\uffee', '\ud7ff', 'zz'),
    maxLength: 7,
  });
  const docs = fc.oneof(
    fc.uniqueArray(fc.nat(DOCS - 1), { minLength: 1, maxLength: 40 }),
    fc.integer({ min: 1, max: 9 }).map((step) => Array.from({ length: DOCS / step }, (_, i) => i * step)),
  );
  const lists = fc
    .array(fc.tuple(key, docs), { minLength: 1, maxLength: 300 })
    .map((all) => new Map(all.map(([one, held]) => [one, [...held].sort((a, b) => a - b)])));
  fc.assert(
    fc.property(fc.array(lists, { minLength: 1, maxLength: 5 }), (all) => {
      const segments = all.map((one) => segmentOfLists(one, DOCS));
      // New docIds: the sources one behind the other, every seventh record left behind.
      const maps = all.map((_, s) =>
        Uint32Array.from({ length: DOCS }, (_, doc) => (doc % 7 === 3 ? LEFT_BEHIND : s * DOCS + doc)),
      );
      const keys = new MergedKeys(segments);
      const gatherer = new Gatherer(DOCS * all.length);
      const sources = segments.map((segment, s) => new ListSource(segment, maps[s]!, 0, DOCS, gatherer));
      const found = new Map<string, number[]>();
      while (keys.next()) {
        gatherer.reset();
        for (const holder of keys.holders.subarray(0, keys.holding))
          sources[holder]!.gather(keys.cursors[holder]!.reader);
        const { key: bytes, keyLength } = keys.current;
        found.set(bytes.toString('utf8', 0, keyLength), [...gatherer.finish().subarray(0, gatherer.length)]);
      }
      const expected = [...new Set(all.flatMap((one) => [...one.keys()]))].sort((a, b) => (a < b ? -1 : 1));
      assert.deepEqual([...found.keys()], expected);
      for (const one of expected) {
        const held = all.flatMap((list, s) => (list.get(one) ?? []).map((doc) => maps[s]![doc]!));
        assert.deepEqual(
          found.get(one),
          held.filter((doc) => doc !== LEFT_BEHIND),
        );
      }
    }),
    { numRuns: 60 },
  );
});
