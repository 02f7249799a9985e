// The matches of a query in a view: for each segment and chunk the set of docIds, made when it is asked for and kept
// until the question is answered. Count, page, breakdowns and timeline all read these sets.

import type { NameField } from '../../../model/engine.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import { type Conditions, conditionsOf, type PrefixWord, type Query } from '../../../model/query.ts';
import { BAND, type Band, type Slice } from '../format/keys.ts';
import type { PostingList } from '../index/posting-list.ts';
import type { Segment } from '../index/segment.ts';
import type { View, ViewSegment } from '../index/view.ts';
import {
  CHUNK_DOCS,
  type Chunk,
  chunkSize,
  countOf,
  EMPTY,
  forEach,
  has,
  intersect,
  isEmpty,
  MAX_ARRAY,
  subtract,
  unite,
  type WordPool,
} from '../sets/chunk.ts';
import type { Deadline } from './deadline.ts';
import { settlePhrases, textMatches } from './phrases.ts';
import { isReadingNew, planSegment, readBlocksAhead, type ScoreBounds, type SegmentPlan } from './plan.ts';
import { Prefix } from './prefixes.ts';

export interface Matching {
  readonly conditions: Conditions;
  /** Segments that can have matches, newest first. */
  readonly segments: readonly SegmentMatches[];
  /** Memory that lasts as long as the sets of matches. */
  readonly pool: WordPool;
  /** Throws an EngineLimit: to be called before anything is answered. Takes long only for very broad prefixes. */
  check(): void;
}

/** Finds nothing yet. Throws `query_timeout`. */
export function matchQuery(
  view: View,
  query: Query,
  pool: WordPool,
  deadline: Deadline,
  narrow?: Narrowing,
): Matching {
  deadline.check();
  const binding = new QueryBinding(query, pool, deadline, narrow);
  const segments: SegmentMatches[] = [];
  let isAhead = false;
  for (const [i, viewSegment] of view.segments.entries()) {
    deadline.step();
    const matches = binding.matchesIn(viewSegment);
    if (matches !== null) segments.push(matches);
    if (!isAhead && isReadingNew()) {
      isAhead = true;
      const others = view.segments.slice(i + 1).map(({ segment }) => segment);
      readBlocksAhead(others, binding.conditions);
    }
  }
  const check = () => binding.checkPrefixes(view.segments.map(({ segment }) => segment));
  return { conditions: binding.conditions, segments, pool, check };
}

/**
 * Asks more of the docs of a segment than the query does, whose own plan `plan` makes; null: nothing in it can match.
 */
export type Narrowing = (source: ViewSegment, plan: () => SegmentPlan | null) => SegmentPlan | null;

/** A query as a thread asks it of one segment after the other. */
export class QueryBinding {
  readonly conditions: Conditions;
  readonly #prefixes = new Map<string, Prefix>();
  readonly #pool: WordPool;
  readonly #deadline: Deadline;
  readonly #narrow: Narrowing;

  constructor(query: Query, pool: WordPool, deadline: Deadline, narrow?: Narrowing) {
    this.conditions = conditionsOf(query);
    this.#pool = pool;
    this.#deadline = deadline;
    this.#narrow = narrow ?? ((_, plan) => plan());
    for (const { prefix } of this.#prefixWords()) this.#prefixes.set(prefix, new Prefix(prefix, deadline));
  }

  /** Throws an EngineLimit. */
  checkPrefixes(segments: readonly Segment[]): void {
    for (const word of this.#prefixWords()) {
      if (this.#prefixes.get(word.prefix)!.isTooBroad(segments))
        throw new EngineLimit({ limit: 'prefix_tokens', word });
    }
  }

  /** null: nothing in this segment can match. */
  matchesIn(viewSegment: ViewSegment): SegmentMatches | null {
    const { segment } = viewSegment;
    const plan = this.#narrow(viewSegment, () =>
      planSegment(segment, this.conditions, this.#prefixes, this.#pool),
    );
    return plan === null
      ? null
      : new SegmentMatches(viewSegment, plan, this.conditions, this.#pool, this.#deadline);
  }

  #prefixWords(): PrefixWord[] {
    return [...this.conditions.words.flat(), ...this.conditions.excludedWords].filter(
      (word) => word.kind === 'prefix',
    );
  }
}

/** Exact number of matches. */
export function totalOf(matching: Matching): number {
  return matching.segments.reduce((sum, matches) => sum + matches.count(), 0);
}

/** Of any chunk of the segment, in which nothing may match. */
export function chunkWithin(matches: SegmentMatches | null | undefined, chunk: number): Chunk {
  if (matches == null || chunk < matches.firstChunk || chunk > matches.lastChunk) return EMPTY;
  return matches.chunk(chunk);
}

/** Microseconds for the links of a phrase in a record, for a text, and for a match counted by a column: measured. */
const LINKS_COST = 0.05;
const TEXT_COST = 3;
const COLUMN_COST = 0.002;

export class SegmentMatches {
  readonly segment: Segment;
  readonly viewSegment: ViewSegment;
  readonly #plan: SegmentPlan;
  readonly #conditions: Conditions;
  readonly #pool: WordPool;
  readonly #deadline: Deadline;
  readonly #chunks: (Chunk | undefined)[] = [];
  /** Those that were looked for; null: the segment has none. */
  #bands: Map<Band, PostingList | null> | undefined;
  /** By field of a breakdown, what the matches count to by the segment's column. */
  #counts: Map<NameField, Uint32Array> | undefined;
  #count = -1;

  constructor(
    viewSegment: ViewSegment,
    plan: SegmentPlan,
    conditions: Conditions,
    pool: WordPool,
    deadline: Deadline,
  ) {
    this.viewSegment = viewSegment;
    this.segment = viewSegment.segment;
    this.#plan = plan;
    this.#conditions = conditions;
    this.#pool = pool;
    this.#deadline = deadline;
  }

  /** True where every live record of the segment matches. */
  get isEverything(): boolean {
    const { from, to } = this.#plan;
    return this.#isUnconditional && from === 0 && to === this.segment.docs;
  }

  /** The docs `from <= docId < to`, where these and no others match; null: some of them may not. */
  get run(): { readonly from: number; readonly to: number } | null {
    return this.#isUnconditional && this.viewSegment.deadCount === 0 ? this.#plan : null;
  }

  /** Of records of some time nothing more is asked. */
  get #isUnconditional(): boolean {
    const { required, excluded, suspected, scores } = this.#plan;
    return required.length + excluded.length + suspected.length === 0 && scores === null;
  }

  /** Chunks that can have matches: `first <= chunk <= last`. */
  get firstChunk(): number {
    return Math.floor(this.#plan.from / CHUNK_DOCS);
  }

  get lastChunk(): number {
    return Math.floor((this.#plan.to - 1) / CHUNK_DOCS);
  }

  count(): number {
    if (this.#count < 0) this.#count = this.#countAll();
    return this.#count;
  }

  #countAll(): number {
    const { segment, viewSegment } = this;
    if (this.isEverything) return segment.docs - viewSegment.deadCount;
    const { run } = this;
    if (run !== null) return run.to - run.from;
    const single = this.#singleList();
    const { from, to } = this.#plan;
    if (single?.isExact && viewSegment.deadCount === 0 && from === 0 && to === segment.docs)
      return single.count;
    let count = 0;
    for (let chunk = this.firstChunk; chunk <= this.lastChunk; chunk++) count += this.chunkCount(chunk);
    return count;
  }

  /** Roughly how many microseconds it takes to find all matches; 0 where lists or columns say what they count to. */
  get cost(): number {
    if (this.#singleList()?.isExact || this.isEverything) return 0;
    const { required, excluded, suspected } = this.#plan;
    const lists = [
      ...required.flatMap(({ sure, maybe }) => [sure, maybe]),
      ...excluded,
      ...suspected.map(({ list }) => list),
    ];
    const reading = lists.reduce((sum, list) => sum + (list?.cost ?? 0), 0);
    const phrases = [...required.flatMap((one) => one.phrases), ...suspected];
    if (phrases.length === 0) return reading;
    const areLinked = phrases.every(({ isLinked }) => isLinked);
    return reading + this.#mostMatches() * (areLinked ? LINKS_COST : TEXT_COST);
  }

  /** The lists that say what matches. `isWhole`: for one who will look at all chunks, and not only count. */
  readAhead(isWhole: boolean): void {
    if (!isWhole && this.#singleList() !== null) return;
    const { required, excluded, suspected } = this.#plan;
    for (const { sure, maybe } of required) {
      sure?.readAhead?.();
      maybe?.readAhead?.();
    }
    for (const list of excluded) list.readAhead?.();
    for (const { list } of suspected) list.readAhead?.();
  }

  /** The same for counting them by the values of one field. */
  get breakdownCost(): number {
    return this.isEverything ? 0 : this.#mostMatches() * COLUMN_COST;
  }

  #mostMatches(): number {
    const { required, from, to } = this.#plan;
    return Math.min(to - from, required[0]?.count ?? Infinity);
  }

  /** What another thread found in the chunk, or in the segment; it stays as long as the question is not answered. */
  giveChunk(chunk: number, docs: Chunk): void {
    this.#chunks[chunk] = docs;
  }

  giveCounts(field: NameField, counts: Uint32Array): void {
    this.#counts ??= new Map();
    this.#counts.set(field, counts);
  }

  /** The value given, or undefined. */
  given(field: NameField): Uint32Array | undefined {
    return this.#counts?.get(field);
  }

  /** How many matches the chunk has. If a single list gives the number, the chunk is not read. */
  chunkCount(chunk: number): number {
    const known = this.#chunks[chunk];
    if (known !== undefined) return countOf(known);
    const single = this.#singleList();
    if (single?.chunkCount !== undefined && this.#isWhole(chunk)) return single.chunkCount(chunk);
    return countOf(this.chunk(chunk));
  }

  chunk(chunk: number): Chunk {
    this.#chunks[chunk] ??= this.#evaluate(chunk);
    return this.#chunks[chunk]!;
  }

  /** The same, for one who looks at each doc: few are numbers, whichever sets they were made of. */
  members(chunk: number): Chunk {
    const docs = this.chunk(chunk);
    if (docs.kind !== 'bits' || countOf(docs) > MAX_ARRAY) return docs;
    const values = this.#pool.numbers(docs.count);
    this.#pool.kernels.members(docs.words, values);
    this.#chunks[chunk] = { kind: 'array', values };
    return this.#chunks[chunk]!;
  }

  #evaluate(chunk: number): Chunk {
    // Some microseconds, but for what looks at the clock itself.
    this.#deadline.step();
    const { required, excluded, suspected, scores, from, to } = this.#plan;
    const pool = this.#pool;
    const base = chunk * CHUNK_DOCS;
    let result: Chunk = {
      kind: 'run',
      from: Math.max(0, from - base),
      to: Math.min(chunkSize(chunk, this.segment.docs), to - base),
    };
    for (const { sure, maybe } of required) {
      result = intersect(eitherOf(sure, maybe, chunk, pool), result, pool);
      if (isEmpty(result)) return EMPTY;
    }
    const dead = this.viewSegment.dead[chunk];
    if (dead != null) result = subtract(result, { kind: 'bits', words: dead, count: -1 }, pool);
    for (const list of excluded) result = subtract(result, list.chunk(chunk, pool), pool);
    if (scores !== null) result = this.#keepScores(result, chunk, scores);
    const isSettled = suspected.length === 0 && required.every(({ phrases }) => phrases.length === 0);
    return isSettled || isEmpty(result) ? result : this.#confirm(result, chunk);
  }

  /** Settles the phrases that the lists leave open: by payloads, and what those leave open by the texts. */
  #confirm(docs: Chunk, chunk: number): Chunk {
    const { result, open } = settlePhrases(this.segment, this.#plan, docs, chunk, this.#pool, this.#deadline);
    if (isEmpty(open)) return result;
    const base = chunk * CHUNK_DOCS;
    return this.#keepDocs(result, base, (doc) => {
      if (!has(open, doc - base)) return true;
      this.#deadline.step();
      return textMatches(this.segment.texts(doc), this.#conditions);
    });
  }

  #keepDocs(from: Chunk, base: number, isKept: (doc: number) => boolean): Chunk {
    const kept = this.#pool.numbers(countOf(from));
    let count = 0;
    forEach(from, (doc) => {
      if (isKept(base + doc)) kept[count++] = doc;
    });
    return { kind: 'array', values: this.#pool.shorten(kept, count) };
  }

  /** Few docs are looked up in the column at once; of many, those of the slices that a bound cuts. */
  #keepScores(docs: Chunk, chunk: number, { min, max, outside, cut }: ScoreBounds): Chunk {
    const score = this.segment.score.chunk(chunk);
    if (docs.kind === 'array') {
      return this.#keepDocs(docs, 0, (doc) => score[doc]! >= min && score[doc]! <= max);
    }
    let result: Chunk = docs;
    for (const list of outside) result = subtract(result, list.chunk(chunk, this.#pool), this.#pool);
    for (const slice of cut) {
      const found = this.#ofSlice(slice, result, chunk, this.#pool);
      const misfits = this.#keepDocs(found, 0, (doc) => score[doc]! < min || score[doc]! > max);
      result = subtract(result, misfits, this.#pool);
    }
    return result;
  }

  /** The matches of the chunk whose score lies in the slice. */
  inSlice(chunk: number, slice: Slice, scratch: WordPool): Chunk {
    return this.#ofSlice(slice, this.chunk(chunk), chunk, scratch);
  }

  #ofSlice({ inside, outside }: Slice, docs: Chunk, chunk: number, pool: WordPool): Chunk {
    const find = (band: Band) => this.segment.list(BAND + band.name, this.#pool);
    const listOf = (band: Band) => {
      this.#bands ??= new Map();
      return this.#bands.getOrInsertComputed(band, find)?.chunk(chunk, pool) ?? EMPTY;
    };
    const either = intersect(listOf(inside), docs, pool);
    return outside === null || isEmpty(either) ? either : subtract(either, listOf(outside), pool);
  }

  /** The one list that is the whole query. */
  #singleList(): PostingList | null {
    const { required, excluded, suspected, scores } = this.#plan;
    if (required.length !== 1 || excluded.length + suspected.length > 0 || scores !== null) return null;
    return required[0]!.maybe === null ? required[0]!.sure : null;
  }

  /** True where neither the date range nor a tombstone cuts into the chunk. */
  #isWhole(chunk: number): boolean {
    const { from, to } = this.#plan;
    const base = chunk * CHUNK_DOCS;
    return (
      from <= base && to >= base + chunkSize(chunk, this.segment.docs) && this.viewSegment.dead[chunk] == null
    );
  }
}

function eitherOf(sure: PostingList | null, maybe: PostingList | null, chunk: number, pool: WordPool): Chunk {
  // uncovered: asked only where one of the two lists is there
  if (sure === null) return maybe?.chunk(chunk, pool) ?? EMPTY;
  if (maybe === null) return sure.chunk(chunk, pool);
  return unite([sure.chunk(chunk, pool), maybe.chunk(chunk, pool)], pool);
}
