// Questions in one view of each kind. One search for all of each where that suffices, and others for what only its
// answer tells; counts of several queries and records by their ids have searches of their own.

import type { SamplePage } from '../../../model/analyses.ts';
import {
  asksCountAlone,
  EMPTY_PAGE,
  kindOfAll,
  type NamedRecords,
  type NamedRequest,
  namesOn,
  type OneAnswer,
  type OneOfMany,
  type Timeline,
} from '../../../model/engine.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import { PageBudget, type PageRequest } from '../../../model/pages.ts';
import { conditionsOf, type Query } from '../../../model/query.ts';
import { KINDS } from '../../../model/record.ts';
import { toldTime, unixNow } from '../../../model/time.ts';
import { FIRST_STEP, walkHits } from '../cluster/hit-walk.ts';
import { type Dsl, Matches, type SearchBody, type Searcher, type SearchResult } from '../cluster/search.ts';
import type { AskedKinds, ViewsOf } from '../state/reader.ts';
import { breakdownIn, refuseUnknown } from './breakdown-answer.ts';
import { frequentNames, type NamesFound } from './breakdowns.ts';
import { comparedIn } from './compared.ts';
import { evidenceIn } from './evidence.ts';
import { NO_NEWS, newsIn } from './news.ts';
import { OrderedMatches, SORTS, searchAfter } from './ordered.ts';
import { hitsOf, NO_PAGE, pageOf, type TimedPage } from './pages.ts';
import { allIn, matchesOf, postsUnder } from './queries.ts';
import { countEach } from './row-counts.ts';
import { noWords, samplePage, wordCountsOf } from './sample.ts';
import { NO_THREAD, threadIn } from './thread.ts';
import { type TimesFound, timelineAggs, timelinesFrom } from './timeline.ts';

/** Kinds whose views questions, all about one kind, are answered from. */
export function kindsOf(questions: readonly Pick<OneOfMany, 'kind' | 'under' | 'evidence'>[]): AskedKinds {
  const kind = kindOfAll(questions);
  const hasEvidence = questions.some(({ evidence }) => evidence === true);
  const hasUnder = questions.some(({ under }) => under !== undefined);
  const needed = KINDS.filter((one) => one === kind || (one === 'post' && hasUnder));
  return { needed, wanted: hasEvidence ? KINDS.filter((one) => !needed.includes(one)) : [] };
}

/** Questions that the cluster is sent side by side. */
const ASKED_AT_ONCE = 8;

/** In their order. Throws what `Searcher.search` does, and an EngineLimit. */
export async function answersIn(
  searcher: Searcher,
  views: ViewsOf,
  questions: readonly OneOfMany[],
): Promise<OneAnswer[]> {
  searcher.deadline.left();
  if (questions.length > 1 && questions.every(asksCountAlone)) {
    const totals = await countsIn(searcher, views, questions);
    return totals.map((total) => ({ total }));
  }
  // Those of the later questions are remembered then.
  for (const { under } of questions) if (under !== undefined) await postsUnder(searcher, views, under);
  const all: FoundOfQuestion[] = [];
  for (let at = 0; at < questions.length; at += ASKED_AT_ONCE) {
    const some = questions.slice(at, at + ASKED_AT_ONCE);
    all.push(...(await Promise.all(some.map((question) => find(searcher, views, question)))));
  }
  const timelines = await timelinesFrom(
    all.flatMap(({ question: { query, timeline: request }, found, of }) =>
      request ? { request, conditions: conditionsOf(query), found, of } : [],
    ),
  );
  return await Promise.all(
    all.map((one) => answerFrom({ searcher, views, ...one }, one.question.timeline && timelines.shift()!)),
  );
}

interface FoundOfQuestion {
  readonly question: OneOfMany;
  /** null: nothing can match. */
  readonly found: Found | null;
  /** Of the question's `of`; undefined: it has none. */
  readonly of: Found | null | undefined;
  /** Of the question's `compared`, its own first, null: nothing can match; undefined: it has none. */
  readonly compared: readonly (Matches | null)[] | undefined;
}

async function find(searcher: Searcher, views: ViewsOf, question: OneOfMany): Promise<FoundOfQuestion> {
  const { timeline, breakdowns = [] } = question;
  if (timeline?.measure === 'sentiment') {
    throw new EngineLimit({ limit: 'not_here', what: 'sums of sentiment' });
  }
  breakdowns.forEach(refuseUnknown);
  const matching = (query: Query) => matchesOf(searcher, views, { ...question, query });
  const search = async (asked: Query, first: ReturnType<typeof firstSearch>): Promise<Found | null> => {
    const matches = await matching(asked);
    return matches && { matches, result: await matches.search<Aggregations | undefined>(first) };
  };
  const found = await search(question.query, firstSearch(question));
  const ofAggs = timeline && timelineAggs({ step: timeline.step ?? 'day' });
  const of = question.of && (await search(question.of, { size: 0, ...(ofAggs && { aggs: ofAggs }) }));
  const others = question.compared && (await Promise.all(question.compared.with.map(matching)));
  const compared = others && [found?.matches ?? null, ...others];
  return { question, found, of, compared };
}

type Aggregations = TimesFound & Readonly<Record<`names${number}`, NamesFound>>;

/** Of the first search: what it asks for beside its query. */
function firstSearch({ page, breakdowns = [], timeline }: OneOfMany): Omit<SearchBody, 'query'> {
  const names = breakdowns.flatMap((request, i) => {
    const frequent = frequentNames(request);
    return frequent === null ? [] : [[`names${i}`, frequent] as const];
  });
  const aggs: Readonly<Record<string, Dsl>> = {
    ...Object.fromEntries(names),
    ...(timeline && timelineAggs(timeline)),
  };
  if (page === undefined || page.order === 'sample' || firstSize(page) === 0) return { size: 0, aggs };
  const after = searchAfter('newest', page.after);
  return {
    ...{ size: firstSize(page), sort: SORTS.newest, aggs },
    ...(after && { search_after: after }),
  };
}

/** Other orders than the newest have searches of their own: the first one would look at all matches. */
function firstSize(page: PageRequest): number {
  return page.order === 'newest' ? Math.min(hitsOf(page), FIRST_STEP) : 0;
}

interface Found {
  readonly matches: Matches;
  readonly result: SearchResult<Aggregations | undefined>;
}

/** From what the first searches found; asks for the rest side by side. */
async function answerFrom(
  {
    searcher,
    views,
    question,
    found,
    of,
    compared: queries,
  }: FoundOfQuestion & { readonly searcher: Searcher; readonly views: ViewsOf },
  timeline: Timeline | undefined,
): Promise<OneAnswer> {
  const ofTotal = of === undefined ? undefined : (of?.result.total ?? 0);
  const { kind } = question;
  const matches = found?.matches ?? null;
  const ofMatches = of === undefined ? undefined : (of?.matches ?? null);
  const countingRows =
    question.breakdowns &&
    Promise.all(
      question.breakdowns.map((request, i) => {
        const frequent = found?.result.aggregations?.[`names${i}`] ?? null;
        return breakdownIn({ kind, matches, of: ofMatches, frequent }, request);
      }),
    );
  const comparing = queries && comparedIn(kind, queries, question.compared!);
  const threading = question.thread && (matches ? threadIn(matches, question.thread) : NO_THREAD);
  const paging = threading ?? (question.page && (found ? pageFrom(found, question.page) : NO_PAGE));
  const drawn = (one: Found) => ({ matches: one.matches, total: one.result.total });
  const telling = async () => evidenceIn(searcher, [...views.values()], namesOn((await paging)?.page));
  const now = unixNow();
  const [timed, threaded, breakdowns, compared, words, evidence, news] = await Promise.all([
    paging,
    threading,
    countingRows,
    comparing,
    question.words &&
      (found ? wordCountsOf(drawn(found), of && drawn(of), question.words) : noWords(of !== undefined)),
    question.evidence === true ? telling() : undefined,
    question.news && (matches ? newsIn(matches, views.get(kind)!, question.news, now) : NO_NEWS),
  ]);
  return {
    total: found?.result.total ?? 0,
    ...(ofTotal !== undefined && { ofTotal }),
    ...(timed && { page: timed.page }),
    ...(threaded && { thread: threaded.thread }),
    ...(breakdowns && { breakdowns }),
    ...(timeline && { timeline }),
    ...(words && { words }),
    ...(compared && { compared }),
    ...(evidence && { evidence }),
    ...(news && { news }),
    ...(question.arrived === true && {
      arrived: (timed?.arrived ?? []).map((time) => (time === null ? null : toldTime(time, now))),
    }),
  };
}

function pageFrom(
  { matches, result: { hits, total } }: Found,
  page: PageRequest | SamplePage,
): Promise<TimedPage> {
  if (page.order === 'sample') return samplePage({ matches, total }, page);
  const { searcher, pit, query } = matches;
  const { order, after } = page;
  const behind = hits.at(-1)?.sort;
  const ordered = new OrderedMatches(searcher, { query, order, after, behind, matches: total });
  const next = (size: number) => ordered.next(pit, size);
  const first = { hits, size: firstSize(page) };
  return pageOf(walkHits(next, { wanted: hitsOf(page), found: first }), page);
}

/** Queries of one search: an explanation of ten items has fewer. */
const COUNTED_AT_ONCE = 32;

/** In their order. Throws what `Searcher.search` does, and an EngineLimit. */
async function countsIn(
  searcher: Searcher,
  views: ViewsOf,
  questions: readonly OneOfMany[],
): Promise<number[]> {
  const view = views.get(kindOfAll(questions))!;
  const filters: Dsl[] = [];
  for (const { kind, query } of questions) {
    const matches = await matchesOf(searcher, views, { kind, query });
    if (matches !== null) filters.push(matches.query);
  }
  if (view.pit === null) return questions.map(() => 0);
  const all = new Matches(searcher, view.pit, allIn(view));
  const found: number[] = [];
  for (let at = 0; at < filters.length; at += COUNTED_AT_ONCE) {
    found.push(...(await countEach(all, filters.slice(at, at + COUNTED_AT_ONCE))));
  }
  return found;
}

/** Throws an EngineLimit, and what `Searcher.search` does. */
export async function namedIn(
  searcher: Searcher,
  views: ViewsOf,
  { kind, ids, evidence = false, arrived = false, maxBytes = Infinity }: NamedRequest,
): Promise<Omit<NamedRecords, 'index'>> {
  const order = [...new Set(ids)];
  const items = order.map((id) => ({ kind: 'id', record: { id, of: kind }, negated: false }) as const);
  const page = { order: 'newest', limit: order.length, after: null, maxBytes } as const;
  const asked = [{ kind, query: { items }, page, evidence, arrived }];
  const [answer] = await answersIn(searcher, views, asked);
  const { records, isShort } = answer!.page ?? EMPTY_PAGE;
  // Those of one second are not split, so a page may be over its budget and whole.
  const budget = new PageBudget(maxBytes);
  if (isShort || !records.every((record) => budget.fits(record))) {
    throw new EngineLimit({ limit: 'named_bytes', maxBytes });
  }
  const places = new Map(records.map(({ id }, place) => [id, place]));
  const found = order.flatMap((id) => places.get(id) ?? []);
  return {
    records: found.map((place) => records[place]!),
    ...(evidence && { evidence: answer!.evidence! }),
    ...(arrived && { arrived: found.map((place) => answer!.arrived![place]!) }),
  };
}
