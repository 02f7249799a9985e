// How many records of the last day of the archive match, beside the days before it. Contract 22.3.

import type { SearchEngine } from '../model/engine.ts';
import type { Query } from '../model/query.ts';
import type { Kind } from '../model/record.ts';
import { DAY } from '../model/time.ts';
import { bucketStart } from '../model/timeline.ts';

/** Days that the last one is compared with. */
export const USUAL_DAYS = 28;

export interface LastDay {
  /** Its first second, UTC: the day of the newest record of the kind, whatever it matches. */
  readonly day: number;
  /** Matches that were created on it. */
  readonly count: number;
  /** Of the USUAL_DAYS before it. */
  readonly mean: number;
}

/** null: there is no record of the kind. Throws what `ask` throws. */
export async function lastDayOf(engine: SearchEngine, kind: Kind, query: Query): Promise<LastDay | null> {
  await engine.refresh();
  const page = { order: 'newest', limit: 1, after: null } as const;
  const newest = (await engine.ask({ kind, query: { items: [] }, page })).page!.records[0];
  if (newest === undefined) return null;
  const day = bucketStart('day', newest.created);
  const between = (from: number, to: number): Query => ({
    items: [...query.items, { kind: 'after', time: Math.max(0, from) }, { kind: 'before', time: to }],
  });
  const questions = [between(day, day + DAY), between(day - USUAL_DAYS * DAY, day)].map((one) => ({
    ...{ kind, query: one },
  }));
  const { answers } = await engine.askAll(questions);
  return { day, count: answers[0]!.total, mean: answers[1]!.total / USUAL_DAYS };
}

/** Whether the day has more than so many times the mean, or anything where there was nothing. */
export function isAbove({ count, mean }: LastDay, times: number): boolean {
  return count > mean * times;
}
