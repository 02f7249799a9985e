// Breakdowns: how many matches each community or domain has. Counted by the numbers of the segment's columns, then
// brought together by name.

import type { Breakdown, BreakdownRequest } from '../../model/engine.ts';
import { CHUNK_DOCS, CHUNK_WORDS, type Chunk, forEach, type WordPool } from './chunk.ts';
import { intersect } from './chunk-operations.ts';
import { type Matching, type SegmentMatches, totalOf } from './matching.ts';
import type { Segment } from './segment.ts';
import type { ViewSegment } from './view.ts';

type Field = BreakdownRequest['field'];

/** Numbers for the names of all segments, and counters for them, kept by a thread from question to question. */
export class NameTable {
  readonly #field: Field;
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** For each segment: the number in this table of each number in its column. */
  readonly #maps = new WeakMap<Segment, Uint32Array>();
  /** Of a question: one for each name. */
  readonly #totals = new Counters();
  /** Of a segment: two for each number of its column. */
  readonly #ofColumn: readonly [Counters, Counters] = [new Counters(), new Counters()];

  constructor(field: Field) {
    this.#field = field;
  }

  get size(): number {
    return this.#names.length;
  }

  name(number: number): string {
    return this.#names[number]!;
  }

  /** A counter for each name, all 0; the caller's until the next call. */
  totals(): Uint32Array {
    return this.#totals.take(this.size);
  }

  /** Counters for a column, all 0; the caller's until the next call. */
  columnCounters(length: number): readonly [Uint32Array, Uint32Array] {
    return [this.#ofColumn[0].take(length), this.#ofColumn[1].take(length)];
  }

  /** By number of the place, or by number of the domain. */
  mapOf(segment: Segment): Uint32Array {
    let map = this.#maps.get(segment);
    if (map === undefined) {
      const names =
        this.#field === 'community' ? segment.places.map(({ community }) => community) : segment.domains;
      map = Uint32Array.from(names, (name) => this.#number(name));
      this.#maps.set(segment, map);
    }
    return map;
  }

  #number(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#names.length;
      this.#names.push(name);
      this.#numbers.set(name, number);
    }
    return number;
  }
}

/** Memory for counters that is used again and again. */
class Counters {
  #memory = new Uint32Array(0);

  take(length: number): Uint32Array {
    if (this.#memory.length < length) this.#memory = new Uint32Array(length * 2);
    return this.#memory.subarray(0, length).fill(0);
  }
}

/** `scratch` is used and given back. */
export function breakdownOf(
  matching: Matching,
  { field, size }: BreakdownRequest,
  table: NameTable,
  scratch: WordPool,
): Breakdown {
  const maps = matching.segments.map(({ segment }) => table.mapOf(segment));
  const top = new TopNames(size, table);
  const isCounted = matching.segments.some((matches) => matches.given(field) !== undefined);
  if (!isCounted && totalOf(matching) * SPARSE_FACTOR < table.size) {
    for (const [number, count] of sparseCounts(matching, field, maps, scratch)) top.add(number, count);
    return { field, ...top.finish() };
  }
  const counts = table.totals();
  for (const [i, matches] of matching.segments.entries()) {
    const map = maps[i]!;
    const given = matches.given(field);
    if (given !== undefined) addByMap(counts, given, map);
    else if (matches.isEverything) addByMap(counts, liveCounts(matches.viewSegment, field), map);
    else if (matches.count() < map.length) addEach(counts, matches, field, map, scratch);
    else addByMap(counts, countMatches(matches, field, table, scratch), map);
  }
  for (let number = 0; number < counts.length; number++) {
    if (counts[number]! > 0) top.add(number, counts[number]!);
  }
  return { field, ...top.finish() };
}

/** With fewer matches than names / this, a counter for each name would cost more than the matches. */
const SPARSE_FACTOR = 8;

/** By number of the name. */
function sparseCounts(
  matching: Matching,
  field: Field,
  maps: readonly Uint32Array[],
  scratch: WordPool,
): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [i, matches] of matching.segments.entries()) {
    const map = maps[i]!;
    forEachNumber(matches, field, scratch, (number) => {
      counts.set(map[number]!, (counts.get(map[number]!) ?? 0) + 1);
    });
  }
  return counts;
}

/** For fewer matches than the column has numbers. */
function addEach(
  counts: Uint32Array,
  matches: SegmentMatches,
  field: Field,
  map: Uint32Array,
  scratch: WordPool,
): void {
  if (field === 'community') addPlaces(counts, matches, map);
  else {
    forEachNumber(matches, field, scratch, (number) => {
      counts[map[number]!]!++;
    });
  }
}

/** The same for places; mostly arrays, whose loop is free of calls. */
function addPlaces(counts: Uint32Array, matches: SegmentMatches, map: Uint32Array): void {
  for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
    const places = matches.segment.place.subarray(chunk * CHUNK_DOCS, (chunk + 1) * CHUNK_DOCS);
    const docs = matches.chunk(chunk);
    if (docs.kind === 'array') {
      const { values } = docs;
      for (let i = 0; i < values.length; i++) counts[map[places[values[i]!]!]!]!++;
    } else {
      forEach(docs, (member) => {
        counts[map[places[member]!]!]!++;
      });
    }
  }
}

function forEachNumber(
  matches: SegmentMatches,
  field: Field,
  scratch: WordPool,
  call: (number: number) => void,
): void {
  const { segment } = matches;
  for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
    const base = chunk * CHUNK_DOCS;
    const docs = counted(matches, chunk, field, scratch);
    if (field === 'community') forEach(docs, (member) => call(segment.place[base + member]!));
    else {
      forEach(docs, (member) => {
        for (const number of segment.domainsOf(base + member)) call(number);
      });
    }
    scratch.releaseAll();
  }
}

/** The matches of a chunk that are in a row. Few comments link anywhere: looking at the others would be most of the work. */
function counted(matches: SegmentMatches, chunk: number, field: Field, scratch: WordPool): Chunk {
  const docs = matches.chunk(chunk);
  return field === 'domain' ? intersect(docs, matches.segment.withDomain(chunk), scratch) : docs;
}

function addByMap(counts: Uint32Array, byColumn: Uint32Array, map: Uint32Array): void {
  for (let number = 0; number < map.length; number++) counts[map[number]!]! += byColumn[number]!;
}

/** The names with the highest counts: count down, then name by code unit. */
class TopNames {
  readonly #size: number;
  readonly #table: NameTable;
  #candidates: { readonly number: number; readonly count: number }[] = [];
  /** Lower counts are in no row. */
  #least = 1;
  #distinct = 0;

  constructor(size: number, table: NameTable) {
    this.#size = size;
    this.#table = table;
  }

  /** Each name once, its count above 0. */
  add(number: number, count: number): void {
    this.#distinct++;
    if (count < this.#least) return;
    this.#candidates.push({ number, count });
    if (this.#candidates.length >= this.#size * 2 + 64) this.#dropRest();
  }

  finish(): Omit<Breakdown, 'field'> {
    this.#dropRest();
    const rows = this.#candidates.map(({ number, count }) => ({ name: this.#table.name(number), count }));
    return { rows, distinct: this.#distinct };
  }

  #dropRest(): void {
    const name = (number: number) => this.#table.name(number);
    const sorted = this.#candidates.sort(
      (a, b) => b.count - a.count || (name(a.number) < name(b.number) ? -1 : 1),
    );
    this.#candidates = sorted.slice(0, this.#size);
    if (this.#candidates.length === this.#size) this.#least = this.#candidates.at(-1)?.count ?? Infinity;
  }
}

/** What all live records of a segment count to; made once. */
export function liveCounts(viewSegment: ViewSegment, field: Field): Uint32Array {
  let counts = viewSegment.memo.get(field);
  if (counts === undefined) {
    const { segment, dead } = viewSegment;
    const length = columnNumbers(segment, field);
    const counter = new ColumnCounter(segment, field, [new Uint32Array(length), new Uint32Array(length)]);
    for (let chunk = 0; chunk < segment.chunks; chunk++) {
      const base = chunk * CHUNK_DOCS;
      counter.add(chunk, { kind: 'run', from: 0, to: Math.min(CHUNK_DOCS, segment.docs - base) }, 1);
      const words = dead[chunk];
      if (words != null) counter.add(chunk, { kind: 'bits', words, count: -1 }, -1);
    }
    counts = counter.finish();
    viewSegment.memo.set(field, counts);
  }
  return counts;
}

/** By number of the place or of the domain; in memory of the table's, valid until the next call. `scratch` is given back. */
export function countMatches(
  matches: SegmentMatches,
  field: Field,
  table: NameTable,
  scratch: WordPool,
): Uint32Array {
  const { segment } = matches;
  const counter = new ColumnCounter(segment, field, table.columnCounters(columnNumbers(segment, field)));
  for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
    counter.add(chunk, counted(matches, chunk, field, scratch), 1);
    scratch.releaseAll();
  }
  return counter.finish();
}

/** How many different numbers a column can hold. */
function columnNumbers({ places, domains, domainSets }: Segment, field: Field): number {
  return field === 'community' ? places.length : 1 + domains.length + domainSets.length;
}

/** Counts docs by a column of their segment. */
class ColumnCounter {
  readonly #column: Uint16Array | Uint32Array;
  readonly #counts: Uint32Array;
  /** To be added to the counts. */
  readonly #others: Uint32Array;
  readonly #segment: Segment;
  readonly #field: Field;

  /** Two counters for each number of the column, all 0. */
  constructor(segment: Segment, field: Field, [counts, others]: readonly [Uint32Array, Uint32Array]) {
    this.#segment = segment;
    this.#field = field;
    this.#column = field === 'community' ? segment.place : segment.domain;
    this.#counts = counts;
    this.#others = others;
  }

  /** The hot loop of a breakdown: one switch a chunk, then nothing but the two arrays. */
  add(chunk: number, docs: Chunk, weight: 1 | -1): void {
    const counts = this.#counts;
    const others = this.#others;
    const column = this.#column.subarray(chunk * CHUNK_DOCS, (chunk + 1) * CHUNK_DOCS);
    if (weight < 0) {
      forEach(docs, (doc) => counts[column[doc]!]!--);
    } else if (docs.kind === 'array') {
      const { values } = docs;
      for (let i = 0; i < values.length; i++) counts[column[values[i]!]!]!++;
    } else if (docs.kind === 'run') {
      for (let doc = docs.from; doc < docs.to; doc++) counts[column[doc]!]!++;
    } else {
      const { words } = docs;
      for (let i = 0; i < CHUNK_WORDS; i++) {
        let word = words[i]!;
        const base = (i << 5) + 31;
        while (word !== 0) {
          const lowest = word & -word;
          counts[column[base - Math.clz32(lowest)]!]!++;
          word ^= lowest;
          if (word === 0) break;
          // Neighbours are often of one community: counted apart, the second need not wait for the first.
          const next = word & -word;
          others[column[base - Math.clz32(next)]!]!++;
          word ^= next;
        }
      }
    }
  }

  /** By number of the place or of the domain. */
  finish(): Uint32Array {
    const counts = this.#counts;
    const others = this.#others;
    for (let number = 0; number < counts.length; number++) counts[number]! += others[number]!;
    if (this.#field === 'community') return counts;
    const { domains, domainSets } = this.#segment;
    const byDomain = counts.subarray(1, 1 + domains.length);
    for (const [set, numbers] of domainSets.entries()) {
      const count = counts[1 + domains.length + set]!;
      if (count > 0) for (const number of numbers) byDomain[number]! += count;
    }
    return byDomain;
  }
}
