import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { segmentOfLists } from '../../../../test/list-segments.ts';
import { Gatherer, LEFT_BEHIND, ListSource } from './merge-lists.ts';
import { MergedKeys } from './merged-keys.ts';

const DOCS = 20_000;

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
const lists = new Map<string, readonly number[]>([
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
      assert.deepEqual(merged(maps, 0, docs), expected(maps, 0, docs));
    });

    it(`are those of a slice of it, where they come ${rule}`, () => {
      const maps = mapsOf(count, turn, () => false);
      const [base, docs] = [30_000, 25_000];
      assert.deepEqual(merged(maps, base, docs), expected(maps, base, docs));
    });
  }
});

/** What is merged into a segment of new docIds from `base` on. */
function merged(maps: readonly Uint32Array[], base: number, docs: number): Map<string, number[]> {
  const segments = maps.map(() => segmentOfLists(lists, DOCS));
  const keys = new MergedKeys(segments);
  const gatherer = new Gatherer(docs, base);
  const sources = segments.map((segment, s) => {
    const map = maps[s]!;
    const isIn = (doc: number) => doc !== LEFT_BEHIND && doc >= base && doc < base + docs;
    const to = map.findLastIndex(isIn) + 1;
    return new ListSource(segment, map, to === 0 ? 0 : map.findIndex(isIn), to, gatherer);
  });
  const found = new Map<string, number[]>();
  while (keys.next()) {
    gatherer.reset();
    for (const holder of keys.holders.subarray(0, keys.holding))
      sources[holder]!.gather(keys.cursors[holder]!.reader);
    const { key, keyLength } = keys.current;
    const held = [...gatherer.finish().subarray(0, gatherer.length)];
    if (held.length > 0) found.set(key.toString('utf8', 0, keyLength), held);
  }
  return found;
}

function expected(maps: readonly Uint32Array[], base: number, docs: number): Map<string, number[]> {
  const all = [...lists].map(([key, held]): [string, number[]] => {
    const numbers = maps.flatMap((map) => held.map((doc) => map[doc]!)).filter((doc) => doc !== LEFT_BEHIND);
    return [key, numbers.map((doc) => doc - base).filter((doc) => doc >= 0 && doc < docs)];
  });
  return new Map(
    all
      .filter(([, held]) => held.length > 0)
      .map(([key, held]): [string, number[]] => [key, held.sort((a, b) => a - b)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
