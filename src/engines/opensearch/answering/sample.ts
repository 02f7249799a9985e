// Samples (model/analyses.ts). Documents have no content hash to sort by, so all matches are read here, up to
// MAX_MATCHES.

import {
  compareRanks,
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
import { contentHash, type Hash64 } from '../../../model/hash.ts';
import { compareIds, PageBudget } from '../../../model/pages.ts';
import { searchedTexts } from '../../../model/record.ts';
import { groupOf } from '../../../model/timeline.ts';
import { tokens } from '../../../text/tokenizer.ts';
import { type RecordSource, timeOf } from '../cluster/documents.ts';
import { FIRST_STEP, walkHits } from '../cluster/hit-walk.ts';
import type { Dsl, Hit, Searcher } from '../cluster/search.ts';
import { sortOf, type TimedPage } from './pages.ts';
import { idsQuery } from './queries.ts';

/** Samples of more matches are refused. */
export const MAX_MATCHES = 50_000;

export interface Drawn {
  readonly searcher: Searcher;
  readonly pit: string;
  readonly query: Dsl;
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

/**
 * `of`: the matches of the question's `of`; null: nothing can match; undefined: it has none. Throws what `samplePage`
 * throws.
 */
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
        const known = uses.get(token) ?? { count: 0, of: 0 };
        known[side]++;
        uses.set(token, known);
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
  if (matching.total > MAX_MATCHES) {
    const what = `samples of more than ${MAX_MATCHES.toLocaleString('en')} matches`;
    throw new EngineLimit({ limit: 'not_here', what });
  }
  const key = rankKey(sample.seed);
  const ranked: Ranked[] = [];
  for await (const { _source } of hitsOf(matching)) {
    const { r: record } = _source;
    ranked.push({ id: record.id, rank: rankOf(key, contentHash(record)), group: groupOf(record, sample) });
  }
  ranked.sort((a, b) => compareRanks(a.rank, b.rank) || compareIds(a.id, b.id));
  const taken = new Map<string | number, number>();
  const ids = ranked.flatMap(({ id, group }) => {
    const before = taken.get(group) ?? 0;
    taken.set(group, before + 1);
    return before < sample.size ? [id] : [];
  });
  if (sample.per !== undefined && ids.length > MAX_IN_GROUPS)
    throw new EngineLimit({ limit: 'sample_groups' });
  return ids;
}

/** The matches with one of these ids. */
export function amongIds(query: Dsl, ids: readonly string[]): Dsl {
  return { bool: { filter: [query, idsQuery(ids)] } };
}

/** All matches, or those with these ids. */
async function* hitsOf(
  { searcher, pit, query: all, total }: Drawn,
  ids?: readonly string[],
): AsyncGenerator<Hit> {
  const wanted = ids?.length ?? total;
  if (wanted === 0) return;
  const asked = { query: ids === undefined ? all : amongIds(all, ids), sort: sortOf('newest') };
  const size = Math.min(wanted, FIRST_STEP);
  const { hits } = await searcher.search(pit, { ...asked, size, track_total_hits: false });
  let left = wanted;
  for await (const hit of walkHits(searcher, pit, asked, { hits, size, wanted })) {
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
