// A random sample of the matches that anybody can draw again: the lowest ranks (model/analyses.ts).

import {
  type AnalysisContext,
  type AskedQueries,
  askEach,
  droppedOf,
  readAsked,
} from '../../analysis/asking.ts';
import type { SampleGroup, SamplePage } from '../../model/analyses.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import type { Kind } from '../../model/record.ts';
import type { Dropped } from '../../search/language/dropped.ts';
import { needsArrived, readFields } from '../../search/presenter.ts';
import type { Envelope, SearchService } from '../../search/search-service.ts';

export const MAX_SAMPLE = 10_000;
export const DEFAULT_SAMPLE = 100;
export const MAX_SAMPLE_BYTES = 67_108_864;

/** What a sample may be drawn of one by one, in the words of callers. */
export const SAMPLE_GROUPS = ['subreddit', 'month'] as const;

export type AskedGroup = (typeof SAMPLE_GROUPS)[number];

const GROUPS: Readonly<Record<AskedGroup, SampleGroup>> = { subreddit: 'community', month: 'month' };

export interface SampleWish extends Omit<AskedQueries, 'queries'> {
  readonly query: string;
  /** How many records, 1 to MAX_SAMPLE; with `per`, of each group. */
  readonly limit: number;
  /** Of MAX_SEED characters at the most. */
  readonly seed: string;
  /** null: of all matches together. */
  readonly per: AskedGroup | null;
  readonly fields: string | null;
}

export interface SampleAnswer {
  readonly type: 'sample';
  readonly kind: `${Kind}s`;
  readonly query: string;
  readonly index: IndexFingerprint;
  /** In canonical form; absent where none was given. */
  readonly under?: string;
  readonly seed: string;
  readonly per?: AskedGroup;
  readonly total_count: number;
  /** By rank. */
  readonly data: Envelope['data'];
}

export interface DrawnSample {
  readonly answer: SampleAnswer;
  readonly dropped: readonly Dropped[];
  readonly arrival: number;
}

/** Throws a ServiceError where query or fields cannot be understood, or the sample cannot be drawn. */
export async function drawSample(
  context: AnalysisContext,
  search: SearchService,
  wish: SampleWish,
  signal?: AbortSignal,
): Promise<DrawnSample> {
  const { kind, query: text, limit: size, seed, per } = wish;
  const { under = null, since = 0 } = wish;
  const read = readAsked({ kind, queries: [text], under, since });
  const fields = readFields(wish.fields, kind);
  const page: SamplePage = {
    ...({ order: 'sample', size, seed, maxBytes: MAX_SAMPLE_BYTES } as const),
    ...(per === null ? {} : { per: GROUPS[per] }),
  };
  const wanted = { page, evidence: true, arrived: needsArrived(fields) };
  const { answers, index, arrival } = await askEach(context, read, () => wanted, signal);
  const { total, page: drawn, ...found } = answers[0]!;
  return {
    answer: {
      ...{ type: 'sample', kind: `${kind}s`, query: read.queries[0]!.echo, index },
      ...(read.under === null ? {} : { under: read.under.echo }),
      ...{ seed, ...(per === null ? {} : { per }) },
      total_count: total,
      data: search.chosen(kind, { ...found, records: drawn!.records }, fields),
    },
    dropped: droppedOf(read),
    arrival,
  };
}
