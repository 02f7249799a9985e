// The content of a search page: totals of both kinds, one page of records, the three breakdowns, the timeline. Section
// 8 of the contract.

import type { SearchState } from '../../http/addresses.ts';
import type {
  Answer,
  Breakdown,
  BreakdownRequest,
  Question,
  Timeline,
  TimelineBucket,
} from '../../model/engine.ts';
import type { IndexDamage } from '../../model/engine-errors.ts';
import { MAX_SHOWN_BYTES, type PageRequest, pageRequest, SCORE_BOUND } from '../../model/pages.ts';
import type { Query, QueryItem } from '../../model/query.ts';
import {
  KINDS,
  type Kind,
  otherKind,
  type StoredRecord,
  threadOf,
  titleInPermalink,
} from '../../model/record.ts';
import type { TimelineStep } from '../../model/time.ts';
import { type Buckets, bucketStart, nextBucket, spanOf, timelineBuckets } from '../../model/timeline.ts';
import { type Archive, ofArchive, type ReadArchive } from '../../operation/operation.ts';
import { cursorOf, readCursor, readUnder, tellingLimits } from '../../search/asking.ts';
import type { Interpretation } from '../../search/language/interpret.ts';
import type { CommentRecord, PostRecord } from '../../search/presenter.ts';
import { fewBuckets, orGiveUp, TimeRanges } from '../../search/search-service.ts';
import { ArchiveService } from './archive.ts';
import { Suggestions } from './suggestions.ts';

const BREAKDOWN_ROWS = 10;

/** Rows requested for communities: those of both kinds are shown side by side. */
const COMMUNITY_ROWS = 100;

/** `under`: as written: applies to comments of either list. */
interface PageSearch extends Pick<SearchState, 'query' | 'kind' | 'order' | 'after' | 'since'> {
  readonly limit: number;
  /** The list is cut here despite ties; null: ties may make it longer. */
  readonly cut: number | null;
  readonly of?: Query;
  readonly under?: string | null;
}

export type PageResult = Awaited<ReturnType<PageService['page']>>;

type ByKind = Readonly<Record<Kind, CountedBreakdown | null>>;

type Ask = (question: Question) => Promise<Answer>;

type Prepare = (
  records: readonly (PostRecord | CommentRecord)[],
  interpretation: Interpretation,
) => Promise<void>;

export interface CountedBreakdown extends Breakdown {
  readonly distinct: number;
}

export class PageService {
  readonly archive: ArchiveService;
  readonly #of: ReadArchive;
  readonly #ranges: TimeRanges;
  readonly suggestions: Suggestions;

  constructor(archive: ReadArchive) {
    const { engine, search, config } = archive;
    this.#of = archive;
    this.archive = new ArchiveService(engine, search);
    this.#ranges = new TimeRanges(engine);
    this.suggestions = new Suggestions(engine, config.queryTimeoutMs, this.#ranges);
  }

  /**
   * `under`: in canonical form; null: comments of any post. `totals`: null if the kind not shown could not be counted
   * in time, has too many words for a prefix, or is damaged. `before`: matches before this page; null if they could not
   * be counted in time. `threads`, `threadTitles`: of each record, the id of the post of its thread; of each comment,
   * the title of its thread, from the post or else from its permalink; null if unknown, and for posts. `next`: cursor
   * of the next page; null: this is the last. `communities`: the first rows of each kind are also counted in the other
   * kind. `times`: buckets for rows over time; null: none, next to a timeline of shares or without records.
   * `timelines`: over the same buckets; null for the kind not shown if it could not be counted. `range`: times of the
   * first and last record, up to a minute old. `damages`: why the kind not shown cannot be read.
   *
   * Throws as `SearchService.search` does. `prepare` is called with the records as soon as they are known, and runs
   * while the rest is counted; the result waits for it.
   */
  async page(request: PageSearch, signal?: AbortSignal, prepare?: Prepare) {
    const interpretation = this.#of.search.interpret(request.query);
    const { order, limit, after } = request;
    const page = pageRequest(order, readCursor(after, order), { limit, maxBytes: MAX_SHOWN_BYTES });
    const under = readUnder(request.under ?? null);
    const ask: Ask = (question) =>
      this.#ask({ ...question, ...(question.kind === 'comment' && under && { under: under.query }) }, signal);
    await this.#of.engine.refresh();
    const { kind, cut, of } = request;
    const behind = request.since ? { since: request.since } : {};
    const { query } = interpretation;
    const range = await this.#ranges.current();
    // Next to shares, rows over time would have to be counted for the shares' base too.
    const times = of === undefined && range !== null ? fewBuckets(query, range) : null;
    const by = times === null ? {} : { by: times.step };
    const breakdowns = [{ ...COMMUNITIES, ...by }, DOMAINS];
    const asked = tellingLimits(request.query, () =>
      ask({
        ...{ kind, query, page, evidence: true, ...behind },
        ...{ breakdowns, timeline: {}, ...(of && { of }) },
      }),
    );
    const list = asked.then(async (shown) => {
      const kept = cut === null ? shown.page!.records : shown.page!.records.slice(0, cut);
      const records = this.#of.search.present(kind, shown).slice(0, kept.length);
      const titles = this.#threadTitles(kept, signal);
      const [threadTitles] = await Promise.all([titles, prepare?.(records, interpretation)]);
      return { kept, records, threadTitles };
    });
    const [shown, { kept, records, threadTitles }, other, before] = await Promise.all([
      asked,
      list,
      orGiveUp(
        ask({
          ...{ kind: otherKind(kind), query, breakdowns: [COMMUNITIES], timeline: {} },
          ...(of && { of }),
        }),
      ),
      this.#countBefore(ask, { kind, query, ...behind }, page),
    ]);
    const { next, hasMore } = shown.page!;
    const [communities, domains] = counted(shown);
    const isLast = cut !== null || !hasMore;
    const first = byKind<CountedBreakdown | null>(kind, communities!, other && counted(other)[0]!);
    const [timelines, ofBoth, damages] = await Promise.all([
      timelinesOf(ask, { kind, query, ...(of && { of }) }, shown, other),
      this.#countedInBoth(ask, { kind, query, ...behind }, first, by),
      this.#of.engine.damages(),
    ]);
    return {
      ...{ interpretation, under: under?.echo ?? null, records, threadTitles, times, timelines, range },
      totals: byKind<number | null>(kind, shown.total, other?.total ?? null),
      before: before !== null && before + kept.length <= shown.total ? before : null,
      threads: kept.map(threadOf),
      next: isLast || next === null ? null : cursorOf(next),
      ...{ domains: domains!, communities: ofBoth },
      damages: byKind<IndexDamage | null>(kind, null, damages[otherKind(kind)]),
    };
  }

  /** Number of matches; null if that takes too long or the kind is damaged. Throws the engine's other errors. */
  async count(kind: Kind, query: Query, timeoutMs: number, signal?: AbortSignal): Promise<number | null> {
    const question = { kind, query, timeoutMs: Math.min(timeoutMs, this.#of.config.queryTimeoutMs) };
    const answer = await orGiveUp(this.#ask(question, signal));
    return answer?.total ?? null;
  }

  async #threadTitles(records: readonly StoredRecord[], signal?: AbortSignal): Promise<(string | null)[]> {
    const comments = records.filter((record) => record.kind === 'comment');
    const ids = [...new Set(comments.map(({ post }) => post).filter((id) => id !== ''))];
    const titles = new Map<string, string>();
    if (ids.length > 0) {
      const wanted = {
        kind: 'post',
        ids,
        maxBytes: MAX_SHOWN_BYTES,
        timeoutMs: this.#of.config.queryTimeoutMs,
      } as const;
      const found = await orGiveUp(this.#of.engine.records(wanted, signal));
      for (const post of found?.records ?? [])
        if (post.kind === 'post') titles.set(post.id, post.title.trim());
    }
    return records.map((record) =>
      record.kind === 'comment' ? titles.get(record.post) || titleInPermalink(record.permalink) : null,
    );
  }

  /** Adds the counts of the other kind to the first rows of each kind. Leaves out what could not be counted in time. */
  async #countedInBoth(
    ask: Ask,
    asked: Pick<Question, 'kind' | 'query' | 'since'>,
    found: ByKind,
    by: Pick<BreakdownRequest, 'by'>,
  ): Promise<ByKind> {
    const firsts = KINDS.flatMap((kind) => found[kind]?.rows.slice(0, BREAKDOWN_ROWS) ?? []);
    const shown = new Set(firsts.map(({ name }) => name));
    const whole = async (kind: Kind): Promise<CountedBreakdown | null> => {
      const breakdown = found[kind];
      const known = new Set(breakdown?.rows.map(({ name }) => name));
      const lacking = [...shown].filter((name) => !known.has(name));
      if (breakdown === null || lacking.length === 0 || breakdown.distinct <= known.size) return breakdown;
      // So many rows are there only if the query includes none itself.
      const named = lacking.map((name) => ({ kind: 'community', name, negated: false }) as const);
      const query = { items: [...asked.query.items, ...named] };
      const breakdowns = [{ ...COMMUNITIES, size: lacking.length, ...(kind === asked.kind && by) }];
      const own = kind === asked.kind ? asked : {};
      const answer = await orGiveUp(ask({ ...own, kind, query, breakdowns }));
      if (answer === null) return breakdown;
      const rows = answer.breakdowns![0]!.rows;
      const none = lacking.filter((name) => !rows.some((row) => row.name === name));
      return {
        ...breakdown,
        rows: [...breakdown.rows, ...rows, ...none.map((name) => ({ name, count: 0 }))],
      };
    };
    const [post, comment] = await Promise.all([whole('post'), whole('comment')]);
    return { post, comment };
  }

  async #countBefore(ask: Ask, asked: Pick<Question, 'kind' | 'query' | 'since'>, page: PageRequest) {
    const before = beforePage(asked.query, page);
    if (before === null) return 0;
    const answers = await Promise.all(before.queries.map((one) => orGiveUp(ask({ ...asked, query: one }))));
    return answers.reduce<number | null>(
      (sum, answer) => (sum === null || answer === null ? null : sum + answer.total),
      before.given,
    );
  }

  #ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    return this.#of.engine.ask({ timeoutMs: this.#of.config.queryTimeoutMs, ...question }, signal);
  }
}

export const pagesOf = ofArchive((archive) => new PageService(archive));

export function warmedPages(archive: Archive): Disposable {
  const pages = pagesOf(archive);
  void pages.archive.warm();
  return pages.archive;
}

/** More than are shown: those that repeat a community are left out. */
const DOMAINS: BreakdownRequest = { field: 'domain', size: 3 * BREAKDOWN_ROWS, distinct: true };
const COMMUNITIES: BreakdownRequest = { field: 'community', size: COMMUNITY_ROWS, distinct: true };

function counted({ breakdowns: all = [] }: Answer): CountedBreakdown[] {
  return all.map((breakdown) => ({ ...breakdown, distinct: breakdown.distinct! }));
}

/** The matches of `queries`, which are disjoint, plus `given`. */
interface Before {
  readonly queries: readonly Query[];
  readonly given: number;
}

/** The matches before a page of this query; null: this is the first page. */
export function beforePage(query: Query, page: PageRequest): Before | null {
  if (page.after === null) return null;
  const narrowed = (...items: readonly QueryItem[]): Query => ({ items: [...query.items, ...items] });
  if (page.order === 'top') {
    const { score, second } = page.after;
    // Beyond the bounds all scores rank as equal.
    const min = score === -SCORE_BOUND ? null : score;
    const max = score === SCORE_BOUND ? null : score;
    const ties = narrowed({ kind: 'score', min, max }, since(second));
    const higher = narrowed({ kind: 'score', min: score + 1, max: null });
    return { queries: max === null ? [ties] : [ties, higher], given: 0 };
  }
  const { second, given } = page.after;
  const isWhole = given === 'all';
  const reached: QueryItem =
    page.order === 'newest'
      ? since(isWhole ? second : second + 1)
      : { kind: 'before', time: isWhole ? second + 1 : second };
  return { queries: [narrowed(reached)], given: isWhole ? 0 : given };
}

function since(time: number): QueryItem {
  return { kind: 'after', time };
}

/** Buckets over the span of both timelines; if one is empty, those of the other. */
export function sharedBuckets(one: Timeline, other: Timeline): Buckets {
  const span = spanOf(
    [one, other].flatMap(({ step, buckets }) =>
      buckets.length === 0
        ? []
        : [{ first: buckets[0]!.start, last: nextBucket(step, buckets.at(-1)!.start) - 1 }],
    ),
  );
  return span === null ? { step: one.step, starts: [] } : timelineBuckets(span, span);
}

/** Each step's buckets are parts of the buckets of the steps listed. */
const PARTS_OF: Readonly<Record<TimelineStep, readonly TimelineStep[]>> = {
  hour: ['hour', 'day', 'week', 'month', 'quarter', 'year'],
  day: ['day', 'week', 'month', 'quarter', 'year'],
  week: ['week'],
  month: ['month', 'quarter', 'year'],
  quarter: ['quarter', 'year'],
  year: ['year'],
};

/** The counts in the shared buckets, which cover all of them; null if a bucket overlaps several of these. */
export function inBuckets({ step, buckets }: Timeline, shared: Buckets): Timeline | null {
  if (buckets.length > 0 && !PARTS_OF[step].includes(shared.step)) return null;
  const sums = new Map(shared.starts.map((start) => [start, { start, count: 0, of: 0 }]));
  for (const { start, count, of = 0 } of buckets) {
    const sum = sums.get(bucketStart(shared.step, start));
    if (sum === undefined) continue;
    sum.count += count;
    sum.of += of;
  }
  const hasOf = buckets.some(({ of }) => of !== undefined);
  const summed = [...sums.values()].map(
    ({ start, count, of }): TimelineBucket => (hasOf ? { start, count, of } : { start, count }),
  );
  return { step: shared.step, buckets: summed };
}

/**
 * Both timelines over the same buckets: `shown` and `other` are the responses, `other` null if it failed. A timeline
 * whose buckets overlap the shared ones is requested again.
 */
async function timelinesOf(
  ask: (question: Question) => Promise<Answer>,
  { kind, query, of }: Pick<Question, 'kind' | 'query' | 'of'>,
  shown: Answer,
  other: Answer | null,
): Promise<Record<Kind, Timeline | null>> {
  if (other === null) return byKind(kind, shown.timeline!, null);
  const shared = sharedBuckets(shown.timeline!, other.timeline!);
  const moved = async (one: Kind, timeline: Timeline) => {
    const found = inBuckets(timeline, shared);
    if (found !== null) return found;
    const again = await orGiveUp(
      ask({ kind: one, query, timeline: { step: shared.step }, ...(of && { of }) }),
    );
    return again && inBuckets(again.timeline!, shared);
  };
  const [ofShown, ofOther] = await Promise.all([
    moved(kind, shown.timeline!),
    moved(otherKind(kind), other.timeline!),
  ]);
  // Its own buckets, if the shared ones could not be counted in time.
  return ofShown === null
    ? byKind<Timeline | null>(kind, shown.timeline!, null)
    : byKind(kind, ofShown, ofOther);
}

function byKind<T>(kind: Kind, shown: T, other: T): Record<Kind, T> {
  return kind === 'post' ? { post: shown, comment: other } : { post: other, comment: shown };
}
