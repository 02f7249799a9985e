// Samples (model/analyses.ts). Documents have their rank by the default seed, so such a sample is the head of the
// matches in that order. The rank by another seed follows from it: then, and for groups, all ranks are read.

import {
  compareRanks,
  DEFAULT_SEED,
  MAX_IN_GROUPS,
  rankKey,
  rankOf,
  type Sample,
  type SampledTexts,
  type SamplePage,
  type WordCounts,
  type WordsRequest,
} from '../../../model/analyses.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import type { Hash64 } from '../../../model/hash.ts';
import { compareIds, PageBudget } from '../../../model/pages.ts';
import { searchedTexts } from '../../../model/record.ts';
import { groupOf } from '../../../model/timeline.ts';
import { tokens } from '../../../text/tokenizer.ts';
import { contentOf, idOfKey, type RecordSource, timeOf } from '../cluster/documents.ts';
import { FIRST_STEP, walkHits } from '../cluster/hit-walk.ts';
import type { Dsl, Hit, Searcher } from '../cluster/search.ts';
import { OrderedMatches } from './ordered.ts';
import type { TimedPage } from './pages.ts';
import { idsQuery } from './queries.ts';
import type { Searched } from './row-counts.ts';

export interface Drawn extends Searched {
  readonly searcher: Searcher;
  readonly total: number;
}

/** Throws an EngineLimit, and what `Searcher.search` throws. */
export async function samplePage(matching: Drawn, request: SamplePage): Promise<TimedPage> {
  const { maxBytes = Infinity } = request;
  const ids = await sampleIds(matching, request);
  const budget = new PageBudget(maxBytes);
  const found = new Map<string, RecordSource>();
  for await (const { _source: source } of hitsOf(matching, ids)) {
    if (!budget.fits(source.r)) throw new EngineLimit({ limit: 'sample_bytes', maxBytes });
    found.set(source.r.id, source);
  }
  const sources = ids.map((id) => found.get(id)!);
  return {
    page: {
      records: sources.map(({ r }) => r),
      ...{ next: null, hasMore: sources.length < matching.total, isShort: false },
    },
    arrived: sources.map(({ a }) => timeOf(a)),
  };
}

/** `of`: of the question's `of`; null: nothing can match; undefined: it has none. Throws as `samplePage`. */
export async function wordCountsOf(
  matching: Drawn,
  of: Drawn | null | undefined,
  request: WordsRequest,
): Promise<WordCounts> {
  const uses = new Map<string, { count: number; of: number }>();
  const countIn = async (drawn: Drawn, side: 'count' | 'of'): Promise<SampledTexts> => {
    const ids = await sampleIds(drawn, request);
    let all = 0;
    for await (const { _source } of hitsOf(drawn, ids)) {
      for (const token of new Set(searchedTexts(_source.r).flatMap((text) => tokens(text)))) {
        uses.getOrInsertComputed(token, () => ({ count: 0, of: 0 }))[side]++;
        all++;
      }
    }
    return { records: ids.length, tokens: all };
  };
  const sample = await countIn(matching, 'count');
  const ofSample = of && (await countIn(of, 'of'));
  const words = [...uses].flatMap(([word, counts]) =>
    counts.count + counts.of < request.least ? [] : { word, ...counts },
  );
  words.sort((a, b) => (a.word < b.word ? -1 : 1));
  return { sample, ...(of !== undefined && { ofSample: ofSample ?? NO_TEXTS }), words };
}

const NO_TEXTS: SampledTexts = { records: 0, tokens: 0 };

export function noWords(hasOf: boolean): WordCounts {
  return { sample: NO_TEXTS, ...(hasOf && { ofSample: NO_TEXTS }), words: [] };
}

/** The ids of a sample, by rank. Throws what `samplePage` throws. */
export async function sampleIds(matching: Drawn, sample: Sample): Promise<string[]> {
  if (matching.total === 0) return [];
  if (sample.seed === DEFAULT_SEED && sample.per === undefined) return await firstIds(matching, sample.size);
  const key = rankKey(sample.seed);
  const lowest = new Lowest(sample);
  for await (const { fields } of placesOf(matching)) {
    const [q0, q1, id] = [Number(fields.q0[0]), Number(fields.q1[0]), idOfKey(fields.key[0])];
    const group = groupOf({ community: fields.community[0], created: Number(fields.created[0]) }, sample);
    lowest.add({ id, rank: rankOf(key, contentOf(q0, q1)), group });
  }
  return lowest.ids();
}

/** Of the default seed: documents have its ranks, so only the sample is read. */
async function firstIds({ searcher, pit, query }: Drawn, size: number): Promise<string[]> {
  const ids: string[] = [];
  const sort = [{ q0: 'asc' }, { q1: 'asc' }, { key: 'asc' }];
  for await (const hits of searcher.pages(pit, { query, sort, _source: false }, size))
    ids.push(...hits.map(({ sort: [, , key] }) => idOfKey(String(key))));
  return ids;
}

interface Place {
  readonly fields: Readonly<Record<'q0' | 'q1' | 'key' | 'community' | 'created', readonly [string]>>;
}

/** Of every match, what ranks and groups it: no record is read. */
async function* placesOf({ searcher, pit, query }: Drawn): AsyncGenerator<Place> {
  const docvalue_fields = ['q0', 'q1', 'key', 'community', 'created'];
  const body = { query, sort: [{ _shard_doc: 'asc' }], docvalue_fields, _source: false } as const;
  for await (const hits of searcher.pages(pit, body)) yield* hits as readonly unknown[] as readonly Place[];
}

/** Those of the lowest ranks of each group, among any number. */
class Lowest {
  readonly #sample: Sample;
  readonly #groups = new Map<string | number, Ranked[]>();
  /** Of all groups, as far as a sample has them. */
  #members = 0;

  constructor(sample: Sample) {
    this.#sample = sample;
  }

  add(ranked: Ranked): void {
    const { size, per } = this.#sample;
    const group = this.#groups.getOrInsert(ranked.group, []);
    if (group.push(ranked) <= size) this.#members++;
    if (per !== undefined && this.#members > MAX_IN_GROUPS) throw new EngineLimit({ limit: 'sample_groups' });
    if (group.length >= 2 * size + FIRST_STEP) cut(group, size);
  }

  ids(): string[] {
    for (const group of this.#groups.values()) cut(group, this.#sample.size);
    return [...this.#groups.values()]
      .flat()
      .sort(compareRanked)
      .map(({ id }) => id);
  }
}

function cut(group: Ranked[], size: number): void {
  group.sort(compareRanked).splice(size);
}

function compareRanked(a: Ranked, b: Ranked): number {
  return compareRanks(a.rank, b.rank) || compareIds(a.id, b.id);
}

export function amongIds(query: Dsl, ids: readonly string[]): Dsl {
  return { bool: { filter: [query, idsQuery(ids)] } };
}

/** Matches with these ids. */
async function* hitsOf({ searcher, pit, query }: Drawn, ids: readonly string[]): AsyncGenerator<Hit> {
  const wanted = ids.length;
  if (wanted === 0) return;
  let left = wanted;
  const matches = new OrderedMatches(searcher, { query: amongIds(query, ids), order: 'newest', after: null });
  for await (const hit of walkHits((size) => matches.next(pit, size), { wanted })) {
    yield hit;
    left--;
    if (left === 0) return;
  }
  throw new Error(`expected ${left} more records, found none`);
}

interface Ranked {
  readonly id: string;
  readonly rank: Hash64;
  readonly group: string | number;
}
