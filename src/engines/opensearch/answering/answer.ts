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
import { type Conditions, conditionsOf, type Query } from '../../../model/query.ts';
import { KINDS, type Kind } from '../../../model/record.ts';
import { toldTime, unixNow } from '../../../model/time.ts';
import { FIRST_STEP, walkHits } from '../cluster/hit-walk.ts';
import type { Dsl, SearchBody, Searcher, SearchResult } from '../cluster/search.ts';
import type { AskedKinds } from '../state/reader.ts';
import type { View } from '../state/views.ts';
import { breakdownIn, refuseUnknown } from './breakdown-answer.ts';
import { frequentNames, type NamesFound } from './breakdowns.ts';
import { comparedIn, postsUnder } from './compared.ts';
import { evidenceIn } from './evidence.ts';
import { NO_NEWS, newsIn } from './news.ts';
import { OrderedMatches, SORTS, searchAfter } from './ordered.ts';
import { hitsOf, pageOf, type TimedPage } from './pages.ts';
import { allIn, checkPrefixes, queryIn } from './queries.ts';
import { countEach, type Searched } from './row-counts.ts';
import { noWords, samplePage, wordCountsOf } from './sample.ts';
import { threadIn } from './thread.ts';
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
  views: ReadonlyMap<Kind, View>,
  questions: readonly OneOfMany[],
): Promise<OneAnswer[]> {
  searcher.deadline.left();
  if (questions.length > 1 && questions.every(asksCountAlone)) {
    const queries = questions.map(({ query }) => query);
    const totals = await countsIn(searcher, views.get(kindOfAll(questions))!, queries);
    return totals.map((total) => ({ total }));
  }
  // Those of the later questions are remembered then.
  for (const { under } of questions)
    if (under !== undefined) await postsUnder(searcher, views.get('post')!, under);
  const found: FoundOfQuestion[] = [];
  for (let at = 0; at < questions.length; at += ASKED_AT_ONCE) {
    const some = questions.slice(at, at + ASKED_AT_ONCE);
    found.push(...(await Promise.all(some.map((question) => find(searcher, views, question)))));
  }
  const timelines = await timelinesFrom(
    found.flatMap(({ question: { timeline: request }, conditions, matches, of }) =>
      request ? { request, conditions, matches, of } : [],
    ),
    searcher,
  );
  return await Promise.all(
    found.map((one) => answerFrom({ searcher, views, ...one }, one.question.timeline && timelines.shift()!)),
  );
}

interface FoundOfQuestion {
  readonly question: OneOfMany;
  readonly conditions: Conditions;
  /** null: nothing can match. */
  readonly matches: Found | null;
  /** Of the question's `of`; undefined: it has none. */
  readonly of: Found | null | undefined;
  /** Of the question's `compared`, its own first, null: nothing can match; undefined: it has none. */
  readonly compared: readonly (Searched | null)[] | undefined;
}

async function find(
  searcher: Searcher,
  views: ReadonlyMap<Kind, View>,
  question: OneOfMany,
): Promise<FoundOfQuestion> {
  const { kind, under, since, timeline, breakdowns = [] } = question;
  if (timeline?.measure === 'sentiment') {
    throw new EngineLimit({ limit: 'not_here', what: 'sums of sentiment' });
  }
  breakdowns.forEach(refuseUnknown);
  const view = views.get(kind)!;
  const posts = under === undefined ? null : await postsUnder(searcher, views.get('post')!, under);
  const searched = async (asked: Query): Promise<Searched | null> => {
    const conditions = conditionsOf(asked);
    await checkPrefixes(searcher, view, conditions);
    if (view.pit === null || (kind === 'post' && posts !== null)) return null;
    return { pit: view.pit, query: queryIn(view, conditions, { posts, since }) };
  };
  const search = async (asked: Query, first: ReturnType<typeof firstSearch>): Promise<Found | null> => {
    const found = await searched(asked);
    if (found === null) return null;
    const body = { query: found.query, ...first };
    return { ...found, result: await searcher.search<Aggregations | undefined>(found.pit, body) };
  };
  const matches = await search(question.query, firstSearch(question));
  const ofAggs = timeline && timelineAggs({ step: timeline.step ?? 'day' });
  const of = question.of && (await search(question.of, { size: 0, ...(ofAggs && { aggs: ofAggs }) }));
  const others = question.compared && (await Promise.all(question.compared.with.map(searched)));
  const compared = others && [matches, ...others];
  return { question, conditions: conditionsOf(question.query), matches, of, compared };
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

/** A query that was searched for, and what the search found. */
interface Found extends Searched {
  readonly result: SearchResult<Aggregations | undefined>;
}

/** From what the first searches found; asks for the rest side by side. */
async function answerFrom(
  {
    searcher,
    views,
    question,
    matches,
    of,
    compared: queries,
  }: FoundOfQuestion & { readonly searcher: Searcher; readonly views: ReadonlyMap<Kind, View> },
  timeline: Timeline | undefined,
): Promise<OneAnswer> {
  const ofTotal = of === undefined ? undefined : (of?.result.total ?? 0);
  const countingRows =
    question.breakdowns &&
    Promise.all(
      question.breakdowns.map((request, i) => {
        const frequent = matches?.result.aggregations?.[`names${i}`] ?? null;
        return breakdownIn(searcher, { kind: question.kind, matches, of, frequent }, request);
      }),
    );
  const comparing = queries && comparedIn(searcher, question.kind, queries, question.compared!);
  if (matches === null) {
    const [breakdowns, compared] = await Promise.all([countingRows, comparing]);
    return {
      ...nothing(question),
      ...(ofTotal !== undefined && { ofTotal }),
      ...(breakdowns && { breakdowns }),
      ...(timeline && { timeline }),
      ...(compared && { compared }),
    };
  }
  const { pit, query } = matches;
  const { total } = matches.result;
  const threading = question.thread && threadIn({ searcher, pit, query }, question.thread);
  const paging = threading ?? (question.page && pageFrom(searcher, matches, question.page));
  const drawn = ({ result: one, ...of }: Found) => ({ searcher, ...of, total: one.total });
  const telling = async () => evidenceIn(searcher, [...views.values()], namesOn((await paging)?.page));
  const now = unixNow();
  const [timed, threaded, breakdowns, compared, words, evidence, news] = await Promise.all([
    paging,
    threading,
    countingRows,
    comparing,
    question.words && wordCountsOf(drawn(matches), of && drawn(of), question.words),
    question.evidence === true ? telling() : undefined,
    question.news && newsIn({ searcher, view: views.get(question.kind)!, pit, query }, question.news, now),
  ]);
  return {
    total,
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
  searcher: Searcher,
  { pit, query, result: { hits, total } }: Found,
  page: PageRequest | SamplePage,
): Promise<TimedPage> {
  if (page.order === 'sample') return samplePage({ searcher, pit, query, total }, page);
  const { order, after } = page;
  const behind = hits.at(-1)?.sort;
  const matches = new OrderedMatches(searcher, { query, order, after, behind, matches: total });
  const next = (size: number) => matches.next(pit, size);
  const first = { hits, size: firstSize(page) };
  return pageOf(walkHits(next, { wanted: hitsOf(page), found: first }), page);
}

/** Where there is no record. */
function nothing({ page, thread, words, evidence, arrived, news, of }: OneOfMany): OneAnswer {
  return {
    total: 0,
    ...((page ?? thread) && { page: EMPTY_PAGE }),
    ...(thread && { thread: { listed: 0, start: 0, places: [] } }),
    ...(words && { words: noWords(of !== undefined) }),
    ...(evidence === true && { evidence: new Map() }),
    ...(arrived === true && { arrived: [] }),
    ...(news && { news: NO_NEWS }),
  };
}

/** Queries of one search: an explanation of ten items has fewer. */
const COUNTED_AT_ONCE = 32;

/** In their order. Throws what `Searcher.search` does, and an EngineLimit. */
async function countsIn(searcher: Searcher, view: View, queries: readonly Query[]): Promise<number[]> {
  const conditions = queries.map(conditionsOf);
  for (const one of conditions) await checkPrefixes(searcher, view, one);
  const { pit } = view;
  if (pit === null) return queries.map(() => 0);
  const found: number[] = [];
  for (let at = 0; at < conditions.length; at += COUNTED_AT_ONCE) {
    const filters = conditions.slice(at, at + COUNTED_AT_ONCE).map((one) => queryIn(view, one));
    found.push(...(await countEach(searcher, { pit, query: allIn(view) }, filters)));
  }
  return found;
}

/** Throws an EngineLimit, and what `Searcher.search` does. */
export async function namedIn(
  searcher: Searcher,
  views: ReadonlyMap<Kind, View>,
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
