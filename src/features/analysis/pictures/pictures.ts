// The pictures of one query: share over time, sentiment over time, hours of the week, distinctive words. Each is an
// analysis of its own, so that one may fail without the others.

import { ServiceError } from '../../../errors.ts';
import type { AboutSearch } from '../../../http/addresses.ts';
import type { AnalysisContext } from '../../../search/asking.ts';
import { type BreakdownAnswer, type BreakdownWish, breakdownOf } from '../breakdown.ts';
import { type TimelineAnswer, timelineOf } from '../timeline.ts';
import { wordsOf } from '../words.ts';

/** The query is in canonical form; no implied window is added. */
export type PicturesWish = AboutSearch;

export const PICTURES = ['share', 'sentiment', 'hours', 'words'] as const;

export type Picture = (typeof PICTURES)[number];

/**
 * A ServiceError stands for an analysis that the engine does not support or did not finish in time. `sentiment`: with
 * the step of the timeline; null for posts, which have none.
 */
export type Pictures = Awaited<ReturnType<typeof picturesOf>>;

/** Records sampled for words, and words per list; the page shows fewer. */
export const WORD_SAMPLE = 2_000;
export const WORD_LIST = 30;

/** Throws a ServiceError if the query is invalid or every analysis fails. */
export async function picturesOf(context: AnalysisContext, wish: PicturesWish, signal?: AbortSignal) {
  const [share, hours, words] = await Promise.all([
    orTold(shareOverTime(context, wish, signal)),
    orTold(broken(context, { ...wish, field: 'weekday_hour', step: 'none' }, signal)),
    orTold(distinctive(context, wish, signal)),
  ]);
  const sentiment =
    wish.kind === 'post' ? null : await orTold(sentimentOverTime(context, wish, share, signal));
  const all = [share, hours, words];
  const failed = all.find((one) => one instanceof ServiceError);
  if (failed instanceof ServiceError && all.every((one) => one instanceof ServiceError)) throw failed;
  return { share, sentiment, hours, words };
}

const SHARES = { step: 'auto', measure: 'count', normalise: 'scope' } as const;

async function shareOverTime(
  context: AnalysisContext,
  { query, ...wish }: PicturesWish,
  signal?: AbortSignal,
) {
  const { answer } = await timelineOf(context, { ...wish, queries: [query], ...SHARES }, signal);
  return answer;
}

async function sentimentOverTime(
  context: AnalysisContext,
  wish: PicturesWish,
  share: TimelineAnswer | ServiceError,
  signal?: AbortSignal,
): Promise<BreakdownAnswer> {
  const chosen = share instanceof ServiceError ? 'year' : share.step;
  // Breakdowns have no step below a day.
  const step = chosen === 'hour' ? 'day' : chosen;
  return await broken(context, { ...wish, field: 'sentiment', step }, signal);
}

async function broken(
  context: AnalysisContext,
  wish: PicturesWish & Pick<BreakdownWish, 'field' | 'step'>,
  signal?: AbortSignal,
): Promise<BreakdownAnswer> {
  const whole = { ...wish, limit: 200, after: null, normalise: 'none' } as const;
  const { answer } = await breakdownOf(context, whole, signal);
  return answer;
}

async function distinctive(context: AnalysisContext, wish: PicturesWish, signal?: AbortSignal) {
  const lists = { against: null, sample: WORD_SAMPLE, limit: WORD_LIST };
  const { answer } = await wordsOf(context, { ...wish, ...lists }, signal);
  return answer;
}

/** Resolves to the error if the engine hit a limit, so that other pictures still load; rejects for other errors. */
async function orTold<T>(answer: Promise<T>): Promise<T | ServiceError> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ServiceError && TOLD.has(error.code)) return error;
    throw error;
  }
}

const TOLD = new Set(['query_timeout', 'busy', 'not_on_this_engine', 'too_many_cells', 'too_many_buckets']);
