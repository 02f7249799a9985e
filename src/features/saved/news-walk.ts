// What matches a query and came in since an arrival, page by page. Contract 22.1.
//
// How many records of the last day of the archive match, beside the days before it. Contract 22.3.

import { UsageError } from '../../errors.ts';
import type { OneOfMany, SearchEngine } from '../../model/engine.ts';
import { type NewsPosition, nextNews, type OlderRecords } from '../../model/pages.ts';
import type { Query } from '../../model/query.ts';
import { DAY } from '../../model/time.ts';
import { bucketStart } from '../../model/timeline.ts';

const PAGE = 1_000;

/** The records that are watched. */
export type WatchedRecords = Pick<OneOfMany, 'kind' | 'query' | 'under'>;

export interface NewsWish {
  readonly of: WatchedRecords;
  /** Of the view that was told last. */
  readonly since: number;
  /** Seconds; null: however old. See NewsRequest. */
  readonly maxAge: number | null;
}

export interface NewsFound {
  /** Of the view that was looked at first: what is in `pages` and `older`, or was removed since, is all up to it. */
  readonly arrival: number;
  /** Exact, in that view: what is older than `maxAge` too. */
  readonly total: number;
  /** Ids, of the last arrival first. What comes in again meanwhile may be missing: it is behind `arrival` then. */
  readonly pages: AsyncIterable<readonly string[]>;
  /** What is older, once all pages were taken. */
  readonly older: readonly OlderRecords[];
}

/** Throws a UsageError where the arrival is of another index, and what `ask` throws. */
export async function newsSince(engine: SearchEngine, { of, since, maxAge }: NewsWish): Promise<NewsFound> {
  const older: OlderRecords[] = [];
  const ask = async (after?: NewsPosition) => {
    const news = { limit: PAGE, maxAge, ...(after && { after }) };
    const answer = await engine.ask({ ...of, since, news });
    older.push(...answer.news!.older);
    return answer;
  };
  await engine.refresh();
  const first = await ask();
  if (first.arrival < since) {
    throw new UsageError(
      `expected the index that was watched before, up to arrival ${since}, found one that begins anew, at ` +
        `${first.arrival}; delete the state to watch this one`,
    );
  }
  async function* pages() {
    for (let news = first.news!; ; ) {
      if (news.records.length > 0) yield news.records.map(({ record }) => record.id);
      const next = nextNews(news);
      if (next === null) return;
      news = (await ask(next)).news!;
    }
  }
  return { arrival: first.arrival, total: first.total, pages: pages(), older };
}

/** Days that the last one is compared with. */
export const USUAL_DAYS = 28;

export interface LastDay {
  /** Its first second, UTC: the day of the newest record of the kind, whatever it matches. */
  readonly day: number;
  readonly count: number;
  /** Of the USUAL_DAYS before it. */
  readonly mean: number;
}

/** null: there is no record of the kind. Throws what `ask` throws. */
export async function lastDayOf(engine: SearchEngine, of: WatchedRecords): Promise<LastDay | null> {
  const { kind, query } = of;
  await engine.refresh();
  const page = { order: 'newest', limit: 1, after: null } as const;
  const newest = (await engine.ask({ kind, query: { items: [] }, page })).page!.records[0];
  if (newest === undefined) return null;
  const day = bucketStart('day', newest.created);
  const between = (from: number, to: number): Query => ({
    items: [...query.items, { kind: 'after', time: Math.max(0, from) }, { kind: 'before', time: to }],
  });
  const questions = [between(day, day + DAY), between(day - USUAL_DAYS * DAY, day)].map((one) => ({
    ...{ ...of, query: one },
  }));
  const { answers } = await engine.askAll(questions);
  return { day, count: answers[0]!.total, mean: answers[1]!.total / USUAL_DAYS };
}

/** Whether the day has more than so many times the mean, or anything where there was nothing. */
export function isAbove({ count, mean }: LastDay, times: number): boolean {
  return count > mean * times;
}
