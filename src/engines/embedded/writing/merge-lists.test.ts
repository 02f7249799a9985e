import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { segmentOfLists } from '../../../../test/segment-sections.ts';
import { Gatherer, LEFT_BEHIND, ListSource, MergedKeys } from './merged-lists.ts';

const DOCS = 20_000;

type Lists = ReadonlyMap<string, readonly number[]>;

/** Which source each new record comes from. */
type Turns = (doc: number) => number;

/** Maps as merging makes them: `sources` of DOCS each, whose records come by turns; some are left behind. */
function mapsOf(
  sources: number,
  turn: Turns,
  isLeft: (source: number, doc: number) => boolean,
): Uint32Array[] {
  const maps = Array.from({ length: sources }, () => new Uint32Array(DOCS).fill(LEFT_BEHIND));
  const next = new Uint32Array(sources);
  let doc = 0;
  for (let step = 0; next.some((at) => at < DOCS); step++) {
    let source = turn(step) % sources;
    while (next[source]! === DOCS) source = (source + 1) % sources;
    const old = next[source]!++;
    if (!isLeft(source, old)) maps[source]![old] = doc++;
  }
  return maps;
}

const turns: readonly (readonly [rule: string, sources: number, turn: Turns])[] = [
  ['one behind the other', 4, (step) => Math.floor(step / DOCS)],
  ['the last one first', 3, (step) => 2 - Math.floor(step / DOCS)],
  ['by turns', 9, (step) => step],
  ['with long gaps in each', 3, (step) => Math.floor(step / 700)],
  ['one that is scattered over the others', 3, (step) => (step % 300 === 0 ? 0 : 1 + (step & 1))],
];

/** Lists of each way to write them, and of each way to order them. */
const lists: Lists = new Map([
  ['all', Array.from({ length: DOCS }, (_, doc) => doc)],
  ['half', Array.from({ length: DOCS / 2 }, (_, i) => i * 2 + 1)],
  ['many', Array.from({ length: DOCS / 13 }, (_, i) => i * 13)],
  ['some', Array.from({ length: DOCS / 190 }, (_, i) => i * 190 + 7)],
  ['few', Array.from({ length: 11 }, (_, i) => i * i * 150)],
  ['one', [DOCS - 1]],
  ['two', [0, 300]],
]);

describe('lists of merged segments', () => {
  for (const [rule, count, turn] of turns) {
    it(`go up under their new docIds, where the records of sources come ${rule}`, () => {
      const maps = mapsOf(count, turn, (source, doc) => (doc + source) % 11 === 5);
      const docs = maps.reduce((sum, map) => sum + map.filter((doc) => doc !== LEFT_BEHIND).length, 0);
      assert.deepEqual(merged([lists], maps, 0, docs), expected([lists], maps, 0, docs));
    });

    it(`are those of a slice of it, where they come ${rule}`, () => {
      const maps = mapsOf(count, turn, () => false);
      const [base, docs] = [30_000, 25_000];
      assert.deepEqual(merged([lists], maps, base, docs), expected([lists], maps, base, docs));
    });
  }

  it('come by their keys in order, each key once, with the docs of all that hold it', () => {
    const key = fc.string({ unit: fc.constantFrom(...'abé日😀\uffee\ud7ff', 'ab', 'zz'), maxLength: 7 });
    const docs = fc.oneof(
      fc.uniqueArray(fc.nat(DOCS - 1), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }).map((step) => Array.from({ length: DOCS / step }, (_, i) => i * step)),
    );
    const some = fc
      .array(fc.tuple(key, docs), { minLength: 1, maxLength: 300 })
      .map((all) => new Map(all.map(([one, held]) => [one, [...held].sort((a, b) => a - b)])));
    fc.assert(
      fc.property(fc.array(some, { minLength: 1, maxLength: 5 }), (all) => {
        // New docIds: the sources one behind the other, every seventh record left behind.
        const maps = all.map((_, s) =>
          Uint32Array.from({ length: DOCS }, (_, doc) => (doc % 7 === 3 ? LEFT_BEHIND : s * DOCS + doc)),
        );
        const size = DOCS * all.length;
        assert.deepEqual(merged(all, maps, 0, size), expected(all, maps, 0, size));
      }),
      { numRuns: 60 },
    );
  });
});

/** What is merged into a segment of new docIds from `base` on. */
function merged(all: readonly Lists[], maps: readonly Uint32Array[], base: number, docs: number) {
  const segments = maps.map((_, s) => segmentOfLists(all[s % all.length]!, DOCS));
  const keys = new MergedKeys(segments);
  const gatherer = new Gatherer(docs, base);
  const sources = segments.map((segment, s) => {
    const map = maps[s]!;
    const isIn = (doc: number) => doc !== LEFT_BEHIND && doc >= base && doc < base + docs;
    const to = map.findLastIndex(isIn) + 1;
    return new ListSource(segment, map, to === 0 ? 0 : map.findIndex(isIn), to, gatherer);
  });
  const found: [string, number[]][] = [];
  while (keys.next()) {
    gatherer.reset();
    for (const holder of keys.holders.subarray(0, keys.holding))
      sources[holder]!.gather(keys.cursors[holder]!.reader, 0);
    const { key, length } = keys.current;
    const held = [...gatherer.finish().subarray(0, gatherer.length)];
    if (held.length > 0) found.push([key.toString('utf8', 0, length), held]);
  }
  return found;
}

function expected(all: readonly Lists[], maps: readonly Uint32Array[], base: number, docs: number) {
  const byKey = new Map<string, number[]>();
  for (const [s, map] of maps.entries()) {
    for (const [key, held] of all[s % all.length]!) {
      const numbers = held.map((doc) => map[doc]! - base).filter((doc) => doc >= 0 && doc < docs);
      if (numbers.length > 0) byKey.set(key, [...(byKey.get(key) ?? []), ...numbers]);
    }
  }
  const sorted = [...byKey].map(([key, held]) => [key, held.sort((a, b) => a - b)] as const);
  return sorted.sort(([a], [b]) => (a < b ? -1 : 1));
}
