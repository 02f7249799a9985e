// Breakdowns: how many matches each community or domain has. Counted by the numbers of the segment's columns, then
// brought together by name.

import type { Breakdown, BreakdownRequest } from '../../model/engine.ts';
import { CHUNK_DOCS, CHUNK_WORDS, type Chunk, forEach, type WordPool } from './chunk.ts';
import { intersect } from './chunk-operations.ts';
import { type Matching, type SegmentMatches, totalOf } from './matching.ts';
import type { Segment } from './segment.ts';
import type { ViewSegment } from './view.ts';

type Field = BreakdownRequest['field'];

/** Numbers for the names of all segments, kept by a thread from question to question. */
export class NameTable {
  readonly #field: Field;
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** For each segment: the number in this table of each number in its column. */
  readonly #maps = new WeakMap<Segment, Uint32Array>();

  constructor(field: Field) {
    this.#field = field;
  }

  get size(): number {
    return this.#names.length;
  }

  name(number: number): string {
    return this.#names[number]!;
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

/** `scratch` is used and given back. */
export function breakdownOf(
  matching: Matching,
  { field, size }: BreakdownRequest,
  table: NameTable,
  scratch: WordPool,
): Breakdown {
  const maps = matching.segments.map(({ segment }) => table.mapOf(segment));
  if (totalOf(matching) * SPARSE_FACTOR < table.size) {
    const counts = sparseCounts(matching, field, maps);
    return { field, ...topRows([...counts.keys()], (number) => counts.get(number)!, size, table) };
  }
  const counts = new Uint32Array(table.size);
  for (const [i, matches] of matching.segments.entries()) {
    const byColumn = matches.isEverything
      ? liveCounts(matches.viewSegment, field)
      : countMatches(matches, field, scratch);
    const map = maps[i]!;
    for (let number = 0; number < map.length; number++) counts[map[number]!]! += byColumn[number]!;
  }
  const numbers: number[] = [];
  for (let number = 0; number < counts.length; number++) if (counts[number]! > 0) numbers.push(number);
  return { field, ...topRows(numbers, (number) => counts[number]!, size, table) };
}

/** With fewer matches than names / this, a counter for each name would cost more than the matches. */
const SPARSE_FACTOR = 8;

/** By number of the name. */
function sparseCounts(matching: Matching, field: Field, maps: readonly Uint32Array[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [i, matches] of matching.segments.entries()) {
    const { segment } = matches;
    const map = maps[i]!;
    const count = (number: number) => counts.set(map[number]!, (counts.get(map[number]!) ?? 0) + 1);
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
      forEach(matches.chunk(chunk), (member) => {
        const doc = chunk * CHUNK_DOCS + member;
        if (field === 'community') count(segment.place[doc]!);
        else for (const number of segment.domainsOf(doc)) count(number);
      });
    }
  }
  return counts;
}

/** Count down, then name by code unit. `numbers` are those with a count. */
function topRows(
  numbers: readonly number[],
  countOf: (number: number) => number,
  size: number,
  table: NameTable,
): Omit<Breakdown, 'field'> {
  const order = (a: number, b: number) => countOf(b) - countOf(a) || (table.name(a) < table.name(b) ? -1 : 1);
  let candidates: number[] = [];
  let least = 1;
  for (const number of numbers) {
    const count = countOf(number);
    if (count < least) continue;
    candidates.push(number);
    if (candidates.length < size * 2 + 64) continue;
    candidates = candidates.sort(order).slice(0, size);
    least = Math.max(1, countOf(candidates[size - 1] ?? candidates[0]!));
  }
  const rows = candidates.sort(order).slice(0, size);
  return {
    rows: rows.map((number) => ({ name: table.name(number), count: countOf(number) })),
    distinct: numbers.length,
  };
}

/** What all live records of a segment count to; made once. */
export function liveCounts(viewSegment: ViewSegment, field: Field): Uint32Array {
  let counts = viewSegment.memo.get(field);
  if (counts === undefined) {
    const { segment, dead } = viewSegment;
    const counter = new ColumnCounter(segment, field);
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

function countMatches(matches: SegmentMatches, field: Field, scratch: WordPool): Uint32Array {
  const { segment } = matches;
  const counter = new ColumnCounter(segment, field);
  for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
    const docs = matches.chunk(chunk);
    // Few comments link anywhere: counting the others as having no domain would be most of the work.
    const counted = field === 'domain' ? intersect(docs, segment.withDomain(chunk), scratch) : docs;
    counter.add(chunk, counted, 1);
    scratch.releaseAll();
  }
  return counter.finish();
}

/** Counts docs by a column of their segment. */
class ColumnCounter {
  readonly #column: Uint16Array | Uint32Array;
  readonly #counts: Uint32Array;
  /** To be added to the counts. */
  readonly #others: Uint32Array;
  readonly #segment: Segment;
  readonly #field: Field;

  constructor(segment: Segment, field: Field) {
    this.#segment = segment;
    this.#field = field;
    this.#column = field === 'community' ? segment.place : segment.domain;
    const { places, domains, domainSets } = segment;
    this.#counts = new Uint32Array(
      field === 'community' ? places.length : 1 + domains.length + domainSets.length,
    );
    this.#others = new Uint32Array(this.#counts.length);
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
    for (let number = 0; number < this.#counts.length; number++)
      this.#counts[number]! += this.#others[number]!;
    if (this.#field === 'community') return this.#counts;
    const { domains, domainSets } = this.#segment;
    const byDomain = this.#counts.slice(1, 1 + domains.length);
    for (const [set, numbers] of domainSets.entries()) {
      const count = this.#counts[1 + domains.length + set]!;
      if (count > 0) for (const number of numbers) byDomain[number]! += count;
    }
    return byDomain;
  }
}
