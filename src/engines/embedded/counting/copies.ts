// Texts that occur at least twice among the matches. They are found by the column of their hashes, then compared by the
// input of the hash, since hashes of 32 bits collide among 2,000,000 texts.

import { Buffer } from 'node:buffer';
import { COPY_NAME_CHARACTERS, type CopiesFound, MAX_COPIED } from '../../../model/analyses.ts';
import type { Breakdown, BreakdownRequest, BreakdownRow } from '../../../model/engine.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import { foldedText } from '../../../model/hash.ts';
import { compareIds } from '../../../model/pages.ts';
import type { ByteWindow } from '../format/segment-file.ts';
import type { Segment } from '../index/segment.ts';
import type { Deadline } from '../matching/deadline.ts';
import { chunkWithin, type Matching, type SegmentMatches, totalOf } from '../matching/matching.ts';
import type { CountingMeans } from '../paging/sample.ts';
import { CHUNK_DOCS, has, isEmpty, membersOf, subtract, type WordPool } from '../sets/chunk.ts';
import { RatingSums } from './row-sums.ts';

/**
 * `of`: the matches of the question's `of`; null: it has none. Throws `query_timeout`, and an EngineLimit over
 * MAX_COPIED matches.
 */
export function copiesOf(
  matching: Matching,
  of: Matching | null,
  { size, skip = 0, distinct = false, measure }: BreakdownRequest,
  means: CountingMeans,
): Breakdown {
  const records = totalOf(matching);
  if (records > MAX_COPIED) throw new EngineLimit({ limit: 'copied_records', records });
  const docs = HashedDocs.of(matching.segments, records, means.deadline);
  const groups = groupsOf(docs, means);
  const rows = firstRows(docs, groups, skip + size, means).slice(skip);
  const ofCounts = of && countsIn(of, matching, docs, rows, means);
  return {
    field: 'copies',
    rows: rows.map(({ told: { name, count, copies }, group }, row) => ({
      ...{ name, count },
      ...(ofCounts && { of: ofCounts[row]! }),
      ...(measure && ratingsOf(docs, group, means)),
      copies,
    })),
    ...(distinct && { distinct: groups.length }),
  };
}

/** Copies of one text: at least two numbers of docs, ascending. */
type Group = readonly number[];

/** Docs with the same hash. */
interface Alike {
  /** The bytes of the first text; null: all of its docs have been read. */
  first: Buffer | null;
  /** Docs with the spelling of the first text, and those with an equal text. */
  readonly group: number[];
  left: number;
  /** Groups by folded text, including the first; null: all have one spelling, as nearly all copies do. */
  byText: Map<string, number[]> | null;
}

/** Groups in no order. */
function groupsOf(docs: HashedDocs, { deadline }: CountingMeans): Group[] {
  const groups: Group[] = [];
  const alikes = docs.alike.map((left): Alike => ({ first: null, group: [], left, byText: null }));
  for (const { number, alike: place } of docs.repeated()) {
    deadline.step();
    const alike = alikes[place]!;
    add(docs, alike, number);
    if (--alike.left > 0) continue;
    for (const group of alike.byText?.values() ?? [alike.group]) if (group.length > 1) groups.push(group);
    alike.first = null;
  }
  return groups;
}

function add(docs: HashedDocs, alike: Alike, number: number): void {
  const bytes = docs.textBytes(number);
  if (alike.first === null) {
    alike.first = Buffer.from(bytes);
    alike.group.push(number);
  } else if (alike.first.equals(bytes)) alike.group.push(number);
  else {
    alike.byText ??= new Map([[foldedText(docs.texts(alike.group[0]!)), alike.group]]);
    const text = foldedText(docs.texts(number));
    alike.byText.getOrInsert(text, []).push(number);
  }
}

interface NamedGroup {
  readonly group: Group;
  readonly told: BreakdownRow & { readonly copies: CopiesFound };
}

/** The first `wanted` rows, by count descending, then name, then time and id of the example. */
function firstRows(
  docs: HashedDocs,
  groups: readonly Group[],
  wanted: number,
  { deadline }: CountingMeans,
): NamedGroup[] {
  const byCount = [...groups].sort((a, b) => b.length - a.length);
  // Only names that may be among them are read: all with the count of the last row.
  const least = byCount[Math.min(wanted, byCount.length) - 1]?.length ?? Infinity;
  const named = byCount
    .filter(({ length }) => length >= least)
    .map((group) => {
      deadline.step();
      return { group, told: rowOf(docs, group) };
    });
  return named.sort((a, b) => compareRows(a.told, b.told)).slice(0, wanted);
}

function compareRows(a: NamedGroup['told'], b: NamedGroup['told']): number {
  if (a.count !== b.count) return b.count - a.count;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.copies.first - b.copies.first || compareIds(a.copies.id, b.copies.id);
}

function rowOf(docs: HashedDocs, group: Group): NamedGroup['told'] {
  let [first, last, id] = [Infinity, -Infinity, ''];
  const communities = new Set<string>();
  docs.each(group, (segment, doc) => {
    const created = segment.created.at(doc);
    if (created <= first) {
      const one = segment.id(doc);
      if (created < first || compareIds(one, id) < 0) id = one;
      first = created;
    }
    last = Math.max(last, created);
    communities.add(segment.communityOf(doc).community);
  });
  return {
    name: [...foldedText(docs.texts(group[0]!))].slice(0, COPY_NAME_CHARACTERS).join(''),
    count: group.length,
    copies: { id, first, last, communities: communities.size },
  };
}

/** How many of these other matches have the text of each row. */
function countsIn(
  of: Matching,
  matching: Matching,
  docs: HashedDocs,
  rows: readonly NamedGroup[],
  { scratch, deadline }: CountingMeans,
): number[] {
  const known = new Map(matching.segments.map((matches) => [matches.segment, matches]));
  const ofSegments = new Map(of.segments.map((matches) => [matches.segment, matches]));
  const counts = rows.map(({ group }) => {
    // Matches of both need not be read again.
    return Array.from(group).filter((doc) => docs.isAmong(doc, ofSegments)).length;
  });
  const byHash = Map.groupBy(rows.keys(), (row) => docs.hash(rows[row]!.group[0]!));
  const texts = rows.map(({ group }) => foldedText(docs.texts(group[0]!)));
  for (const found of docsWith(new Set(byHash.keys()), of.segments, known, scratch, deadline)) {
    const text = foldedText(found.texts);
    const row = byHash.get(found.hash)!.find((one) => texts[one] === text);
    if (row !== undefined) counts[row]!++;
  }
  return counts;
}

function ratingsOf(
  docs: HashedDocs,
  group: Group,
  { deadline }: CountingMeans,
): { sum: number; rated: number } {
  const found = new RatingSums(1, deadline);
  docs.each(group, (segment, doc) => found.addDoc(0, segment, doc));
  return { sum: found.sums[0]!, rated: found.rated[0]! };
}

/** Numbers matches from 0 on, with the hash of their text, to find copies among them. */
class HashedDocs {
  /** In the order of the matches. Docs without a hash are left out. */
  readonly #hashes: Uint32Array;
  readonly #docs: Uint32Array;
  /** By segment: the number of its first doc. */
  readonly #firsts: readonly number[];
  readonly #segments: readonly Segment[];
  readonly #alikes: ReturnType<typeof alikesAmong>;
  #read: Segment | null = null;
  #rows: ByteWindow | null = null;

  private constructor(
    segments: readonly Segment[],
    firsts: readonly number[],
    [hashes, docs]: readonly [Uint32Array, Uint32Array],
  ) {
    this.#segments = segments;
    this.#firsts = firsts;
    this.#hashes = hashes;
    this.#docs = docs;
    this.#alikes = alikesAmong(hashes);
  }

  /** `most`: the number of matches. Throws `query_timeout`. */
  static of(segments: readonly SegmentMatches[], most: number, deadline: Deadline): HashedDocs {
    const [hashes, docs] = [new Uint32Array(most), new Uint32Array(most)];
    const room = new Uint16Array(CHUNK_DOCS);
    const firsts: number[] = [];
    let count = 0;
    for (const matches of segments) {
      firsts.push(count);
      for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
        // Not `step`, since a chunk takes longer than many looks at the clock.
        deadline.check();
        const found = matches.chunk(chunk);
        if (isEmpty(found)) continue;
        const members = membersOf(found, room);
        const hashOf = hashReader(matches.segment, chunk, members, deadline);
        for (let i = 0; i < members; i++) {
          const hash = hashOf(room[i]!);
          if (hash === 0) continue;
          hashes[count] = hash;
          docs[count++] = chunk * CHUNK_DOCS + room[i]!;
        }
      }
    }
    return new HashedDocs(
      segments.map(({ segment }) => segment),
      firsts,
      [hashes.subarray(0, count), docs],
    );
  }

  /** The number of docs for each hash that at least two of them share. */
  get alike(): readonly number[] {
    return this.#alikes.counts;
  }

  /** The docs that share a hash, ascending, with the number of that hash. */
  *repeated(): Generator<{ readonly number: number; readonly alike: number }> {
    const { of } = this.#alikes;
    for (let number = 0; number < of.length; number++) {
      if (of[number] !== -1) yield { number, alike: of[number]! };
    }
  }

  /** Calls back with each of these docs, which ascend. */
  each(numbers: readonly number[], call: (segment: Segment, doc: number) => void): void {
    let place = 0;
    for (const number of numbers) {
      while (place + 1 < this.#firsts.length && this.#firsts[place + 1]! <= number) place++;
      call(this.#segments[place]!, this.#docs[number]!);
    }
  }

  hash(number: number): number {
    return this.#hashes[number]!;
  }

  /** Whether the doc is among these other matches. */
  isAmong(number: number, matches: ReadonlyMap<Segment, SegmentMatches>): boolean {
    const doc = this.#docs[number]!;
    const chunk = Math.floor(doc / CHUNK_DOCS);
    return has(chunkWithin(matches.get(this.#segmentOf(number)), chunk), doc % CHUNK_DOCS);
  }

  /** The bytes of its texts (`textBytes`); fastest in the order of `repeated`. */
  textBytes(number: number): Buffer {
    const segment = this.#segmentOf(number);
    if (segment !== this.#read) {
      this.#read = segment;
      this.#rows = segment.nearRows();
    }
    return segment.textBytes(this.#docs[number]!, this.#rows!);
  }

  /** The texts as `searchedTexts` gives them. */
  texts(number: number): string[] {
    return this.#segmentOf(number).texts(this.#docs[number]!);
  }

  #segmentOf(number: number): Segment {
    const firsts = this.#firsts;
    let [low, high] = [0, firsts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (firsts[middle]! <= number) low = middle;
      else high = middle - 1;
    }
    return this.#segments[low]!;
  }
}

/** Matches with one of these hashes that are not `known`. `scratch` is used and given back. */
function* docsWith(
  hashes: ReadonlySet<number>,
  segments: readonly SegmentMatches[],
  known: ReadonlyMap<Segment, SegmentMatches>,
  scratch: WordPool,
  deadline: Deadline,
): Generator<{ readonly hash: number; readonly texts: readonly string[] }> {
  const isPart = new Uint8Array(HASH_PARTS);
  for (const hash of hashes) isPart[hash & (HASH_PARTS - 1)] = 1;
  const room = new Uint16Array(CHUNK_DOCS);
  for (const matches of segments) {
    const { segment } = matches;
    const others = known.get(segment);
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
      deadline.check();
      const docs = subtract(matches.chunk(chunk), chunkWithin(others, chunk), scratch);
      const members = membersOf(docs, room);
      const hashOf = hashReader(segment, chunk, members, deadline);
      for (let i = 0; i < members; i++) {
        const hash = hashOf(room[i]!);
        if (isPart[hash & (HASH_PARTS - 1)] === 0 || !hashes.has(hash)) continue;
        deadline.step();
        yield { hash, texts: segment.texts(chunk * CHUNK_DOCS + room[i]!) };
      }
      scratch.releaseAll();
    }
  }
}

/** Parts of the hashes by their lowest bits: few docs have a hash that is wanted. */
const HASH_PARTS = 2 ** 16;

/** Fewer docs of a chunk than this are read one by one. */
const FEW_DOCS = 64;

function hashReader(
  segment: Segment,
  chunk: number,
  docs: number,
  deadline: Deadline,
): (doc: number) => number {
  const column = docs < FEW_DOCS ? null : segment.facts.hashesIn(chunk);
  if (column !== null) return (doc) => column[doc]!;
  return (doc) => {
    deadline.step();
    return segment.facts.at('textHash', chunk * CHUNK_DOCS + doc);
  };
}

const PART_BITS = 8;
const PARTS = 2 ** PART_BITS;

/**
 * Which of many numbers occur at least twice. They are first divided by their highest bits, so that the table of a part
 * stays in the processor's cache (radix partitioning: Manegold, Boncz and Kersten, "Optimizing main-memory join on
 * modern hardware", IEEE TKDE 14, 2002). `numbers` have 32 evenly spread bits.
 */
function alikesAmong(numbers: Uint32Array) {
  const { starts, places, divided } = partsOf(numbers);
  /** By place of a number: its value among those that occur at least twice; −1: it occurs once. */
  const of = new Int32Array(numbers.length).fill(-1);
  /** By value: how often it occurs. */
  const counts: number[] = [];
  let slots = new Uint32Array(0);
  for (let part = 0; part < PARTS; part++) {
    const [from, to] = [starts[part]!, starts[part + 1]!];
    const size = 2 ** Math.ceil(Math.log2((to - from) * 2 + 1));
    if (slots.length < size) slots = new Uint32Array(size);
    // A place among the divided numbers + 1; 0: free. At most half are taken.
    const table = slots.subarray(0, size).fill(0);
    const mask = size - 1;
    for (let i = from; i < to; i++) {
      const number = divided[i]!;
      let slot = number & mask;
      while (table[slot] !== 0 && divided[table[slot]! - 1] !== number) slot = (slot + 1) & mask;
      const known = table[slot]!;
      if (known === 0) table[slot] = i + 1;
      else {
        const first = places[known - 1]!;
        if (of[first] === -1) {
          of[first] = counts.length;
          counts.push(1);
        }
        const value = of[first]!;
        of[places[i]!] = value;
        counts[value]!++;
      }
    }
  }
  return { of, counts };
}

/** The numbers ordered by their highest bits, with the place of each, and where each part begins. */
function partsOf(numbers: Uint32Array) {
  const starts = new Uint32Array(PARTS + 1);
  for (let i = 0; i < numbers.length; i++) starts[(numbers[i]! >>> (32 - PART_BITS)) + 1]!++;
  for (let part = 0; part < PARTS; part++) starts[part + 1]! += starts[part]!;
  const ends = starts.slice();
  const places = new Uint32Array(numbers.length);
  const divided = new Uint32Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    const at = ends[numbers[i]! >>> (32 - PART_BITS)]!++;
    places[at] = i;
    divided[at] = numbers[i]!;
  }
  return { starts, places, divided };
}
