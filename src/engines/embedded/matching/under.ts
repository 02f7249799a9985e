// What a question asks of records beside its own query. Of comments, that their posts match another query: the ids of
// those posts are found once for a question, and then in each segment of comments the docs that stand under one of
// them. Of all records, that they came in behind an arrival: segments whose greatest arrival is not behind it are
// passed over without reading, and so are the chunks of others of which that is known.

import { EngineLimit, inUnder } from '../../../model/engine-errors.ts';
import { MAX_POSTS_UNDER, type Query } from '../../../model/query.ts';
import { POST } from '../format/keys.ts';
import { SegmentDamage } from '../format/segment-file.ts';
import { bitsList, entryDocs, type PostingList } from '../index/posting-list.ts';
import type { Segment } from '../index/segment.ts';
import type { View, ViewSegment } from '../index/view.ts';
import {
  CHUNK_DOCS,
  CHUNK_WORDS,
  type Chunk,
  chunkSize,
  EMPTY,
  forEach,
  type WordPool,
} from '../sets/chunk.ts';
import type { Deadline } from './deadline.ts';
import { matchQuery, type Narrowing, totalOf } from './matching.ts';
import type { SegmentPlan } from './plan.ts';

/** What questions ask of comments by their posts: looked for once, however many ask the same. */
export class Unders {
  readonly #posts: View | null;
  readonly #pools: { readonly free: WordPool; readonly lists: WordPool };
  readonly #deadline: Deadline;
  readonly #known = new Map<string, Narrowing>();

  /** `free` must be free at each call of `narrowing`; `lists` lends to what the calls return. */
  constructor(
    posts: View | null,
    pools: { readonly free: WordPool; readonly lists: WordPool },
    deadline: Deadline,
  ) {
    this.#posts = posts;
    this.#pools = pools;
    this.#deadline = deadline;
  }

  /**
   * Asks of comments that they stand under posts that match; undefined: nothing is asked. Throws as `postKeysUnder`
   * does.
   */
  narrowing(under: Query | undefined): Narrowing | undefined {
    if (under === undefined) return undefined;
    if (this.#posts === null) throw new Error('expected a view of posts, found none');
    const posts = this.#posts;
    return this.#known.getOrInsertComputed(JSON.stringify(under), () => this.#made(under, posts));
  }

  #made(under: Query, posts: View): Narrowing {
    const { free, lists } = this.#pools;
    const keys = postKeysUnder(posts, under, free, this.#deadline);
    const known = new Map<Segment, PostingList>();
    return ({ segment }, makePlan) => {
      const plan = makePlan();
      if (plan === null) return null;
      const make = () => commentsOf(segment, keys, lists, this.#deadline);
      return narrowed(plan, known.getOrInsertComputed(segment, make));
    };
  }
}

/** Keys of the posts that comments stand under, in the order of the dictionary, each once. */
type PostKeys = readonly string[];

/**
 * Of the posts in this view that match. Throws an EngineLimit that says it is of `under`, `query_timeout`, and a
 * SegmentDamage that names the posts. `pool` is free again afterwards.
 */
function postKeysUnder(view: View, query: Query, pool: WordPool, deadline: Deadline): PostKeys {
  try {
    const matching = matchQuery(view, query, pool, deadline);
    matching.check();
    const posts = totalOf(matching);
    if (posts > MAX_POSTS_UNDER) throw new EngineLimit({ limit: 'posts_under', posts });
    const keys: string[] = [];
    for (const matches of matching.segments) {
      const rows = matches.segment.nearRows();
      for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
        forEach(matches.chunk(chunk), (doc) => {
          deadline.step();
          keys.push(POST + matches.segment.id(chunk * CHUNK_DOCS + doc, rows));
        });
      }
    }
    return keys.sort();
  } catch (error) {
    if (error instanceof SegmentDamage)
      throw new SegmentDamage(error.message, { kind: 'post', cause: error });
    throw inUnder(error);
  } finally {
    pool.releaseAll();
  }
}

/** The plan with one more requirement; null: no doc of the segment meets it. */
function narrowed(plan: SegmentPlan, list: PostingList): SegmentPlan | null {
  if (list.count === 0) return null;
  const required = [...plan.required, { sure: list, maybe: null, phrases: [], count: list.count }];
  return { ...plan, required: required.sort((a, b) => a.count - b.count) };
}

/** As bits of the whole segment: the lists are many and mostly short, and no comment is in two of them. */
function commentsOf(segment: Segment, posts: PostKeys, pool: WordPool, deadline: Deadline): PostingList {
  const words = pool.roomForWords(segment.chunks * CHUNK_WORDS).fill(0);
  let count = 0;
  for (const entry of segment.dictionary.findAll(posts)) {
    deadline.step();
    const docs = entryDocs(segment, entry);
    for (const doc of docs) words[doc >>> 5]! |= 1 << (doc & 31);
    count += docs.length;
  }
  return bitsList({ count, isExact: true, cost: 0 }, () => words);
}

/** Microseconds to look at the arrival of a doc: measured. */
const ARRIVAL_COST = 0.0012;

/** Asks of docs that they came in behind this arrival, and what `narrow` asks; 0 and absent: that alone. */
export function narrowedSince(since: number | undefined, narrow?: Narrowing): Narrowing | undefined {
  if (since === undefined || since === 0) return narrow;
  return (source, plan) => {
    if (source.arrival <= since) return null;
    const asked = narrow === undefined ? plan() : narrow(source, plan);
    return asked && narrowed(asked, listSince(source, since));
  };
}

function listSince(source: ViewSegment, since: number): PostingList {
  const { docs } = source.segment;
  return {
    ...{ count: docs, isExact: false, cost: docs * ARRIVAL_COST },
    chunk: (chunk, pool) => docsSince(source, chunk, since, pool),
  };
}

/** Of a chunk, one chunk at a time. */
const arrivals = new Uint32Array(CHUNK_DOCS);

function docsSince(source: ViewSegment, chunk: number, since: number, pool: WordPool): Chunk {
  const { segment } = source;
  const greatest = known.getOrInsertComputed(segment, () => new Uint32Array(segment.chunks));
  if (greatest[chunk]! > 0 && greatest[chunk]! <= since) return EMPTY;
  const size = chunkSize(chunk, segment.docs);
  greatest[chunk] = readArrivals(source, chunk, arrivals);
  if (greatest[chunk]! <= since) return EMPTY;
  const words = pool.take().fill(0);
  let count = 0;
  for (let doc = 0; doc < size; doc++) {
    if (arrivals[doc]! <= since) continue;
    words[doc >>> 5]! |= 1 << (doc & 31);
    count++;
  }
  return { kind: 'bits', words, count };
}

/** The greatest arrival of each chunk, by its number; 0: not looked at yet. */
const known = new WeakMap<Segment, Uint32Array>();

/** Fills `into` with the arrivals of the docs of a chunk, dead or not. Returns the greatest. */
export function readArrivals(source: ViewSegment, chunk: number, into: Uint32Array): number {
  const { segment, arrival } = source;
  const size = chunkSize(chunk, segment.docs);
  segment.facts.readChunk('arrival', chunk, into);
  let greatest = 0;
  for (let doc = 0; doc < size; doc++) {
    // A record without one came in with its segment.
    const own = into[doc]! || arrival;
    into[doc] = own;
    if (own > greatest) greatest = own;
  }
  return greatest;
}
