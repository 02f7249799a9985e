// The matches of a query since an arrival, page by page. Contract 22.1.
//
// The matches of the archive's last day, compared with the days before it. Contract 22.3.

import { UsageError } from '../../errors.ts';
import type { OneOfMany, SearchEngine } from '../../model/engine.ts';
import { type NewsPosition, nextNews, type OlderRecords } from '../../model/pages.ts';
import type { Query } from '../../model/query.ts';
import { DAY } from '../../model/time.ts';
import { bucketStart } from '../../model/timeline.ts';

const PAGE = 1_000;

export type WatchedRecords = Pick<OneOfMany, 'kind' | 'query' | 'under'>;

export interface NewsWish {
  readonly of: WatchedRecords;
  /** The arrival of the last view that was reported. */
  readonly since: number;
  /** Seconds; null: any age. See NewsRequest. */
  readonly maxAge: number | null;
}

export interface NewsFound {
  /** The arrival of the first view: `pages` and `older` cover everything up to it that was not removed since. */
  readonly arrival: number;
  /** Exact, in that view; includes records older than `maxAge`. */
  readonly total: number;
  /** Ids, last arrival first. A record that arrives again meanwhile may be missing: it is then past `arrival`. */
  readonly pages: AsyncIterable<readonly string[]>;
  /** Records older than `maxAge`; complete once all pages are read. */
  readonly older: readonly OlderRecords[];
}

/** Throws a UsageError if the arrival belongs to another index, and what `ask` throws. */
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
      `expected the index of the last run, with arrivals up to ${since}, found another, which ends at ` +
        `${first.arrival}; delete the state to watch it`,
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

/** The last day is compared with this many days before it. */
export const USUAL_DAYS = 28;

export interface LastDay {
  /** The day of the kind's newest record, matching or not: its first second, UTC. */
  readonly day: number;
  readonly count: number;
  /** Per day, over the USUAL_DAYS before it. */
  readonly mean: number;
}

/** null: the kind has no records. Throws what `ask` throws. */
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

/** Whether the day has more than `times` the mean; with a mean of 0, whether it has any. */
export function isAbove({ count, mean }: LastDay, times: number): boolean {
  return count > mean * times;
}
