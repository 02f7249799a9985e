// What the index covers: records by day or month, days without records, imported files, and dates of removals. It tells
// "nobody said it" from "it was never imported".

import { basename } from 'node:path';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { Removals } from '../../catalogue/removals.ts';
import type { Config } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import { communityKey, isCommunityName, withoutPrefix } from '../../model/community.ts';
import type {
  Coverage,
  CoverageBucket,
  CoverageRequest,
  CoverageStep,
  ImportEntry,
} from '../../model/coverage.ts';
import type { SearchEngine } from '../../model/engine.ts';
import { EngineLimit, IndexDamage } from '../../model/engine-errors.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { type CsvTable, shareOf, tellingLimitsOf } from '../../search/asking.ts';
import { quoted } from '../../text/quoted.ts';

export const MAX_COMMUNITIES = 100;

/**
 * Parses names separated by commas, in any case, with or without `r/`. `where`: the parameter, for the error message.
 * Throws `bad_value`.
 */
export function readCommunityNames(text: string, where: string): readonly string[] {
  const names = [...new Set(text.split(',').map((name) => communityKey(withoutPrefix(name.trim()))))];
  const wrong = names.find((name) => !isCommunityName(name));
  if (wrong !== undefined) {
    const expected = 'expected names of communities, separated by commas';
    throw new ServiceError('bad_value', `${where}: ${expected}, found ${quoted(wrong || text)}`);
  }
  if (names.length > MAX_COMMUNITIES) {
    const message = `${where}: expected at most ${MAX_COMMUNITIES} names, found ${names.length}`;
    throw new ServiceError('bad_value', message);
  }
  return names;
}

export interface CoverageWish {
  readonly step: CoverageStep;
  /** In lower case, without duplicates, at most MAX_COMMUNITIES. */
  readonly subreddits: readonly string[];
}

export type CoverageAnswer = Awaited<ReturnType<typeof coverageOf>>;
export type CoveredKind = ReturnType<typeof coveredKind>;
export type Month = ReturnType<typeof monthOf>;
export type Source = ReturnType<typeof sourceOf>;
export type Untold = IndexDamage | EngineLimit;

interface CoveredArchive {
  readonly engine: Pick<SearchEngine, 'refresh' | 'coverage'>;
  readonly catalogue: Pick<Catalogue, 'listImports'> & { readonly removals: Pick<Removals, 'all'> };
  readonly config: Pick<Config, 'queryTimeoutMs'>;
}

/** Throws an IndexDamage if a kind cannot be read, a ServiceError if the engine refuses the request. */
export async function coverageOf(archive: CoveredArchive, wish: CoverageWish, signal?: AbortSignal) {
  const [posts, comments] = await bothKinds(archive, (kind) => kindOf(archive, kind, wish, signal));
  return {
    ...({ type: 'coverage', kind: null, query: null, index: null, step: wish.step } as const),
    kinds: { posts: posts!, comments: comments! },
    ...provenanceOf(archive),
  };
}

/** A kind that cannot be read or is not supported has its error instead. Throws a ServiceError above a limit. */
export async function coveredKinds(
  archive: CoveredArchive,
  wish: CoverageWish,
  signal?: AbortSignal,
): Promise<Record<Kind, CoveredKind | Untold>> {
  const [post, comment] = await bothKinds(archive, (kind) =>
    kindOf(archive, kind, wish, signal).catch(untold),
  );
  return { post: post!, comment: comment! };
}

export function provenanceOf({ catalogue }: Pick<CoveredArchive, 'catalogue'>) {
  const inForce = catalogue.removals.all().filter(({ state }) => state !== 'listing' && state !== 'undone');
  const dates = inForce.map(({ begun }) => begun).sort((a, b) => a - b);
  return { sources: catalogue.listImports().map(sourceOf), removals: { number: dates.length, dates } };
}

async function bothKinds<T>({ engine }: CoveredArchive, of: (kind: Kind) => Promise<T>): Promise<T[]> {
  await engine.refresh();
  return await tellingLimitsOf({ query: [], under: '' }, () => Promise.all(KINDS.map(of)));
}

async function kindOf(archive: CoveredArchive, kind: Kind, wish: CoverageWish, signal?: AbortSignal) {
  const { engine, config } = archive;
  const { step, subreddits } = wish;
  const own = config.queryTimeoutMs === Infinity ? {} : { timeoutMs: config.queryTimeoutMs };
  const request: CoverageRequest = { kind, step, communities: subreddits, ...own };
  return coveredKind(kind, await engine.coverage(request, signal), subreddits.length > 0);
}

function untold(error: unknown): Untold {
  const isUnable = error instanceof EngineLimit && error.reached.limit === 'not_here';
  if (error instanceof IndexDamage || isUnable) return error;
  throw error;
}

function coveredKind(kind: Kind, coverage: Coverage, namesCommunities: boolean) {
  const { index, first, last, buckets, gaps, communities } = coverage;
  return {
    ...{ records: index.records, first, last },
    months: buckets.map((bucket) => monthOf(kind, bucket)),
    ...{ gaps, index },
    ...(namesCommunities && {
      subreddits: communities.map(({ buckets: months, ...rest }) => ({ ...rest, months })),
    }),
  };
}

function monthOf(kind: Kind, bucket: CoverageBucket) {
  const { start, records, communities, withdrawn, unrated, timed, early } = bucket;
  return {
    ...{ start, records, communities, withdrawn },
    unrated: kind === 'post' ? null : unrated,
    score_at_capture: shareOf(early, timed),
  };
}

function sourceOf(entry: ImportEntry) {
  const { sha256, bytes, format, kind, first, last, where, counts, started, finished } = entry;
  return {
    name: entry.name ?? basename(entry.file),
    ...{ sha256, bytes, format, kind, first, last, where, counts, started, finished },
  };
}

const COLUMNS = [
  ...(['kind', 'subreddit', 'start', 'records'] as const),
  ...(['communities', 'withdrawn', 'unrated', 'score_at_capture'] as const),
];

/** For each kind, a row per month or day, then the named rows of the requested communities. */
export function coverageTable({ kinds }: Pick<CoverageAnswer, 'kinds'>): CsvTable {
  const rows = Object.entries(kinds).flatMap(([kind, { months, subreddits = [] }]) => [
    ...months.map(({ start, records, communities, withdrawn, unrated, score_at_capture }) => [
      ...[kind, null, start, records, communities, withdrawn, unrated, score_at_capture],
    ]),
    ...subreddits.flatMap(({ name, months: own }) =>
      own.map(({ start, records }) => [kind, name, start, records, null, null, null, null]),
    ),
  ]);
  return { columns: COLUMNS, rows };
}
