// One question in one view of each kind: one search for all of it where that suffices, and others for what only its
// answer tells.

import { toldTime } from '../../model/arrival-time.ts';
import { type Conditions, conditionsOf } from '../../model/conditions.ts';
import { type Answer, EMPTY_PAGE, namesOn, type Question } from '../../model/engine.ts';
import type { PageRequest } from '../../model/order.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import {
  breakdownFrom,
  frequentNames,
  type NamesFound,
  namesSearch,
  wholeNameSearch,
  withWholeNames,
} from './breakdowns.ts';
import { evidenceIn } from './evidence.ts';
import { FIRST_STEP, walkHits } from './hit-walk.ts';
import { hitsOf, pageOf, searchAfter, sortOf, type TimedPage } from './pages.ts';
import type { PrefixLimit } from './prefix-limit.ts';
import { queryIn } from './queries.ts';
import type { Dsl, Hit, Searcher, SearchResult } from './search.ts';
import { threadIn } from './thread.ts';
import { noTimeline, type TimesFound, timelineAggs, timelineFrom } from './timeline.ts';
import { postsUnder } from './under.ts';
import type { View } from './views.ts';

/** Kinds whose views a question is answered from. */
export function kindsOf({
  kind,
  under,
  evidence,
}: Pick<Question, 'kind' | 'under' | 'evidence'>): readonly Kind[] {
  return KINDS.filter((one) => one === kind || evidence === true || (one === 'post' && under !== undefined));
}

/** Throws what `Searcher.search` does, and an EngineLimit. */
export async function answerIn(
  searcher: Searcher,
  limit: PrefixLimit,
  views: ReadonlyMap<Kind, View>,
  question: Question,
): Promise<Answer> {
  const { kind, under } = question;
  const view = views.get(kind)!;
  const conditions = conditionsOf(question.query);
  searcher.deadline.left();
  const posts = under === undefined ? null : await postsUnder(searcher, limit, views.get('post')!, under);
  await limit.check(searcher, view, conditions);
  if (view.pit === null || (kind === 'post' && posts !== null)) return nothing(question);
  const query = queryIn(view, conditions, posts);
  const found = await searcher.search<Aggregations | undefined>(view.pit, {
    query,
    ...firstSearch(question),
  });
  return await answerFrom({ searcher, views, pit: view.pit, query, conditions, found }, question);
}

/** The names of breakdowns by their places in the question. */
type Aggregations = TimesFound & Readonly<Record<`names${number}`, NamesFound>>;

/** Of the first search: what it asks for beside its query. */
function firstSearch({ page, breakdowns = [], timeline }: Question) {
  const names = breakdowns.flatMap((request, i) => {
    const frequent = frequentNames(request);
    return frequent === null ? [] : [[`names${i}`, frequent] as const];
  });
  const aggs: Readonly<Record<string, Dsl>> = {
    ...Object.fromEntries(names),
    ...(timeline && timelineAggs(timeline)),
  };
  if (page === undefined || page.limit === 0) return { size: 0, aggs };
  const after = searchAfter(page.order, page.after);
  return {
    ...{ size: firstSize(page), sort: sortOf(page.order), aggs },
    ...(after && { search_after: after }),
  };
}

function firstSize(page: PageRequest): number {
  return Math.min(hitsOf(page), FIRST_STEP);
}

interface Found {
  readonly searcher: Searcher;
  readonly views: ReadonlyMap<Kind, View>;
  readonly pit: string;
  readonly query: Dsl;
  readonly conditions: Conditions;
  readonly found: SearchResult<Aggregations | undefined>;
}

/** From what the first search found; asks for the rest side by side. */
async function answerFrom(
  { searcher, views, pit, query, conditions, found }: Found,
  question: Question,
): Promise<Answer> {
  const { total, aggregations } = found;
  const names = namesSearch(searcher, pit, query);
  const wholeName = wholeNameSearch(searcher, pit);
  const threading = question.thread && threadIn({ searcher, pit, query }, question.thread);
  const paging = threading ?? (question.page && pageFrom({ searcher, pit, query, found }, question.page));
  const telling = async () => evidenceIn(searcher, [...views.values()], namesOn((await paging)?.page));
  const [timed, threaded, breakdowns, timeline, evidence] = await Promise.all([
    paging,
    threading,
    question.breakdowns &&
      Promise.all(
        question.breakdowns.map(async (request, i) => {
          const breakdown = await breakdownFrom(aggregations?.[`names${i}`] ?? null, request, names);
          return await withWholeNames(breakdown, wholeName);
        }),
      ),
    question.timeline &&
      timelineFrom({ found: aggregations!, conditions, searcher, pit, query }, question.timeline),
    question.evidence === true ? telling() : undefined,
  ]);
  const now = Math.floor(Date.now() / 1000);
  return {
    total,
    ...(timed && { page: timed.page }),
    ...(threaded && { thread: threaded.thread }),
    ...(breakdowns && { breakdowns }),
    ...(timeline && { timeline }),
    ...(evidence && { evidence }),
    ...(question.arrived === true && {
      arrived: (timed?.arrived ?? []).map((time) => (time === null ? null : toldTime(time, now))),
    }),
  };
}

function pageFrom(
  {
    searcher,
    pit,
    query,
    found,
  }: Pick<Found, 'searcher' | 'pit' | 'query'> & { found: { hits: readonly Hit[] } },
  page: PageRequest,
): Promise<TimedPage> {
  const first = { hits: found.hits, size: firstSize(page), wanted: hitsOf(page) };
  return pageOf(walkHits(searcher, pit, { query, sort: sortOf(page.order) }, first), page);
}

/** Where there is no record. */
function nothing({ page, thread, breakdowns, timeline, evidence, arrived }: Question): Answer {
  return {
    total: 0,
    ...((page ?? thread) && { page: EMPTY_PAGE }),
    ...(thread && { thread: { listed: 0, start: 0, places: [] } }),
    ...(breakdowns && {
      breakdowns: breakdowns.map(({ field, distinct }) => ({
        ...{ field, rows: [] },
        ...(distinct === true && { distinct: 0 }),
      })),
    }),
    ...(timeline && { timeline: noTimeline(timeline) }),
    ...(evidence === true && { evidence: new Map() }),
    ...(arrived === true && { arrived: [] }),
  };
}
