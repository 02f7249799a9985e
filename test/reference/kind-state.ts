// What the index of a kind holds, what removals do to it, and what came in last. The specification as code.

import { type CopyRules, compareCopies } from '../../src/model/copies.ts';
import {
  compareNews,
  isOlder,
  type NewRecord,
  type News,
  type NewsPosition,
  type NewsRequest,
  olderOn,
} from '../../src/model/pages.ts';
import type { StoredRecord } from '../../src/model/record.ts';
import { type ArrivalTime, toldTime, UNCOUNTED } from '../../src/model/time.ts';

export interface KindState {
  /** By id: what is found. */
  readonly records: Map<string, StoredRecord>;
  /** Of these. */
  readonly arrivals: Arrivals;
  /** What removals hide and is not erased yet, in the order of hiding. */
  hidden: readonly HiddenCopy[];
  readonly checkpoints: Map<string, string>;
}

export interface HiddenCopy {
  readonly record: StoredRecord;
  readonly arrival: number | undefined;
  /** Numbers of the removals, never empty. */
  readonly by: ReadonlySet<number>;
  /** Unix seconds of the first hiding. */
  readonly time: number;
}

export function emptyState(): KindState {
  return { records: new Map(), arrivals: new Arrivals(), hidden: [], checkpoints: new Map() };
}

/** Hides the records of these ids, and is one more removal of copies that are hidden already. `time`: Unix seconds. */
export function hideIn(
  state: KindState,
  removal: number,
  { ids, again, time }: { ids: readonly string[]; again: ReadonlySet<HiddenCopy>; time: number },
): void {
  const known = state.hidden.map((copy) =>
    again.has(copy) ? { ...copy, by: new Set([...copy.by, removal]) } : copy,
  );
  const fresh = ids.map((id) => {
    const record = state.records.get(id)!;
    return { record, arrival: state.arrivals.numbers.get(id), by: new Set([removal]), time };
  });
  for (const id of ids) {
    state.records.delete(id);
    state.arrivals.numbers.delete(id);
  }
  state.hidden = [...known, ...fresh];
}

/** A copy that no removal hides any more is found again, unless one that ranks higher has come in meanwhile. */
export function restoreIn(state: KindState, removal: number, rules: CopyRules): void {
  const left = state.hidden.map((copy) =>
    copy.by.has(removal) ? { ...copy, by: new Set([...copy.by].filter((other) => other !== removal)) } : copy,
  );
  for (const { record, arrival, by } of left) {
    const other = state.records.get(record.id);
    const isBack = by.size === 0 && (other === undefined || compareCopies(record, other, rules) > 0);
    if (!isBack) continue;
    state.records.set(record.id, record);
    if (arrival === undefined) state.arrivals.numbers.delete(record.id);
    else state.arrivals.numbers.set(record.id, arrival);
  }
  state.hidden = left.filter(({ by }) => by.size > 0);
}

/** When the records of a kind came in: a number for each commit that brought some, and the time of each. */
export class Arrivals {
  /** By id; what is not known is absent. */
  readonly numbers = new Map<string, number>();
  /** Unix seconds, by number. */
  readonly #times = new Map<number, number>();
  /** The last number. */
  #last = UNCOUNTED;

  get last(): number {
    return this.#last;
  }

  /** Behind which number a record comes in: its own; UNCOUNTED where it is not known. */
  of(id: string): number {
    return this.numbers.get(id) ?? UNCOUNTED;
  }

  /** Unix seconds. */
  timeOf(number: number): ArrivalTime {
    return this.#times.get(number) ?? null;
  }

  /**
   * Numbers a batch. `news`: the times of what of it came in, by id. `given`: the different times that were given with
   * it, up, each of which has a number of its own; that of the batch itself, which came in at `time`, is behind them.
   */
  add(news: ReadonlyMap<string, ArrivalTime>, given: readonly number[], time: number): void {
    const numberOf = new Map(given.map((one) => [one, this.#add(one)]));
    const own = this.#add(time);
    for (const [id, at] of news) {
      if (at === null) this.numbers.delete(id);
      else this.numbers.set(id, numberOf.get(at) ?? own);
    }
  }

  #add(time: number): number {
    this.#times.set(++this.#last, time);
    return this.#last;
  }
}

/** The matches that came in last. `matching` in any order. `now`: Unix seconds. */
export function newsOf(
  matching: readonly StoredRecord[],
  arrivals: Arrivals,
  request: NewsRequest,
  now: number,
): News {
  const { limit, after, maxAge } = request;
  const all = matching
    .filter(({ id }) => arrivals.of(id) > UNCOUNTED)
    .map((record): NewRecord => {
      const arrival = arrivals.of(record.id);
      return { record, arrival, time: toldTime(arrivals.timeOf(arrival)!, now) };
    })
    .sort((a, b) => compareNews(placeOf(a), placeOf(b)));
  const isOld = ({ record, time }: NewRecord) => isOlder(record.created, time, maxAge);
  const behind = all
    .filter((one) => !isOld(one))
    .filter((one) => after === undefined || compareNews(placeOf(one), after) > 0);
  const records = behind.slice(0, limit);
  const hasMore = behind.length > limit;
  const { least, most } = olderOn(request, records, hasMore);
  const counts = new Map<number, number>();
  for (const { arrival } of all.filter(isOld)) counts.set(arrival, (counts.get(arrival) ?? 0) + 1);
  const older = [...counts]
    .filter(([arrival]) => arrival > least && arrival <= most)
    .map(([arrival, count]) => ({ arrival, time: toldTime(arrivals.timeOf(arrival)!, now), count }));
  return { records, hasMore, older };
}

function placeOf({ record, arrival }: NewRecord): NewsPosition {
  return { arrival, created: record.created, id: record.id };
}
