// The page that compares searches: its state, read from its URL and written to it, its tables (totals, overlaps,
// communities, words) and its timeline, as a plot and a table. Contract 24.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { parameterFault, ServiceError } from '../../../errors.ts';
import {
  COMPARE_PAGE,
  pageAddress,
  readFirst,
  readKind,
  readPairs,
  searchAddress,
  TIMELINE_BARS,
  type TimelineBars,
  tableAddress,
} from '../../../http/addresses.ts';
import { noteRefusal, problemHeaders } from '../../../http/answers/problems.ts';
import { addPageRead, type Visit } from '../../../http/site/respond.ts';
import type { Site } from '../../../http/site/site.ts';
import {
  bucketName,
  cellOf,
  FEW,
  hatchNote,
  isFew,
  linePlot,
  ofFew,
  STEP_NAMES,
} from '../../../http/views/charts.ts';
import { errorWords, placeInQuery } from '../../../http/views/error-page.ts';
import { count, counted, percent, sentiment } from '../../../http/views/format.ts';
import { type Html, html, submitButton } from '../../../http/views/html.ts';
import { visible } from '../../../http/views/record-text.ts';
import { droppedSigns, syntaxHelp } from '../../../http/views/search-form.ts';
import { KIND_NAMES, KINDS, type Kind } from '../../../model/record.ts';
import { readChoice } from '../../../operation/parameters.ts';
import { type AnalysisQuery, readQuery } from '../../../search/asking.ts';
import { rowItem, rowQueries } from '../../../search/edit-query.ts';
import type { Dropped } from '../../../search/language/interpret.ts';
import { oneLine } from '../../../text/quoted.ts';
import { figure, wordList } from '../pictures/figures.ts';
import {
  COMPARED_COMMUNITIES,
  COMPARED_QUERIES,
  type CompareAnswer,
  type ComparedQuery,
  compareOf,
  type Overlap,
  type Pair,
  type Part,
  pairName,
  pairsOf,
} from './compare.ts';

export function addPages(server: FastifyInstance, site: Site): void {
  addPageRead(server, site, COMPARE_PAGE, answer);
}

async function answer(visit: Visit): Promise<FastifyReply> {
  const state = readCompareState(visit.here);
  const { queries, faults } = readAll(state);
  if (faults.length > 0) return await sendFaults(visit, state, faults);
  if (queries.length < COMPARED_QUERIES.from) {
    const page = { title: 'Compare searches', main: compareForm(state), canonical: compareAddress(state) };
    return await visit.send({ ...page, mainClass: 'wide' });
  }
  visit.limitSearches();
  using _ = await visit.turn();
  try {
    const wish = { kind: state.kind, queries, words: state.words };
    const compared = await compareOf(visit.site.archive, wish, visit.signal);
    return await visit.send({
      title: sentence(state),
      main: comparePage({ state, queries, ...compared }),
      canonical: compareAddress(state),
      ...{ section: 'search', skips: ['totals'], mainClass: 'wide' },
    });
  } catch (error) {
    const number = error instanceof ServiceError ? error.position?.query : undefined;
    if (!(error instanceof ServiceError) || number === undefined) throw error;
    return await sendFaults(visit, state, [{ number, error }]);
  }
}

function readAll(state: CompareState): { queries: AnalysisQuery[]; faults: QueryFault[] } {
  const queries: AnalysisQuery[] = [];
  const faults: QueryFault[] = [];
  for (const [number, text] of askedQueries(state).entries()) {
    try {
      queries.push(readQuery(text));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      faults.push({ number, error });
    }
  }
  return { queries, faults };
}

function sendFaults(visit: Visit, state: CompareState, faults: readonly QueryFault[]) {
  const { error } = faults[0]!;
  noteRefusal(visit.request, error);
  visit.reply.headers(problemHeaders(error));
  const main = compareFaults(state, faults);
  const page = { title: 'Error: Compare searches', main, mainClass: 'wide' };
  return visit.send(page, { status: error.status });
}

interface QueryFault {
  readonly number: number;
  readonly error: ServiceError;
}

function compareForm(state: CompareState): Html {
  return html`<h1>Compare searches</h1>
<p class="lead">Put two to four searches side by side: how much each finds, when and where, which words set them apart, and what they have in common.</p>
${form(state, [])}
${syntaxHelp(false)}`;
}

function compareFaults(state: CompareState, faults: readonly QueryFault[]): Html {
  const isOne = faults.length === 1;
  return html`${form(state, faults)}
<section class="problem" role="alert" tabindex="-1" autofocus aria-labelledby="problem">
<h1 id="problem">There is a problem with ${isOne ? 'a search' : 'the searches'}</h1>
${faults.map(({ number, error }) => {
  const asked = askedQueries(state)[number]!;
  return html`<p id="problem-${number}">${errorWords(error, asked)} <a href="/docs/errors#${error.code}">About this error</a></p>
${placeInQuery(asked, error)}`;
})}
</section>
${syntaxHelp(true)}`;
}

interface CompareView {
  readonly state: CompareState;
  readonly queries: readonly AnalysisQuery[];
  readonly answer: CompareAnswer;
  readonly dropped: readonly Dropped[];
}

export function comparePage({ state, queries, answer, dropped }: CompareView): Html {
  const signs = droppedSigns(dropped);
  const names = namesOf(state);
  const { kind } = state;
  const lacksSentiment = answer.series.some((query) => query.sentiment === null);
  return html`${form(state, [])}
<h1 id="totals" class="apart">${sentence(state)}</h1>
${signs === null ? null : html`<p class="understood">${signs}</p>`}
${totalsTable(answer, names, state)}
<p class="hint">Share: out of what the same search finds without its words; hatched if that is fewer than ${FEW}.${lacksSentiment ? ' This server’s search engine cannot compute mean sentiment.' : ''} <a href="${fileAddress(state)}" download>This page as CSV</a></p>
${compareTimeline(answer, names, state)}
<h2 id="overlap" class="apart">In common</h2>
${overlapTable(answer, names)}
<h2 id="communities" class="apart">By subreddit</h2>
${communityTable(answer, names, (query, community) => {
  const item = rowItem('community', community);
  if (item === null) return null;
  const narrowed = rowQueries(queries[query]!.query.items, item.kind).including(item);
  return searchAddress({ query: narrowed, kind });
})}
<h2 id="words" class="apart">Words that tell them apart</h2>
${wordLists(answer, names, state)}`;
}

const NAME_LENGTH = 40;

function namesOf({ queries }: CompareState): readonly string[] {
  return queries.map((query) => oneLine(query, NAME_LENGTH));
}

/** `bitcoin, ethereum and solana in comments`. */
function sentence(state: CompareState): string {
  const names = namesOf(state);
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)} in ${KIND_NAMES[state.kind]}`;
}

function form(state: CompareState, faults: readonly QueryFault[]): Html {
  const { kind, queries, all, hasMore, timeline } = state;
  const wrong = new Set(faults.map(({ number }) => number));
  const { from, to } = COMPARED_QUERIES;
  const boxes = Math.min(to, Math.max(from, queries.length + (hasMore ? 1 : 0)));
  return html`<search><form class="sentence" action="${COMPARE_PAGE}" method="get" aria-label="Searches to compare">
<p>Compare</p>
${Array.from({ length: boxes }, (_, i) => box(i, queries[i] ?? '', wrong.has(i)))}
<label>in <select name="kind">${KINDS.map((one) => html`<option value="${KIND_NAMES[one]}"${one === kind ? html` selected` : null}>${KIND_NAMES[one]}</option>`)}</select></label>
<label class="wide">for all: <input name="all" type="search" value="${all}" placeholder="after:2019-01-01" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
${timeline === 'share' ? null : html`<input type="hidden" name="timeline" value="${timeline}">`}
${submitButton('Compare')}${boxes === to ? null : html`<button class="button" type="submit" name="add" value="1">+ Add</button>`}
</form></search>`;
}

function box(number: number, query: string, isWrong: boolean): Html {
  const described = isWrong ? html` aria-invalid="true" aria-describedby="problem-${number}"` : null;
  return html`${number === 0 ? null : html`<p>and</p>`}<label>${lineSample(number)}<span class="unseen">Search ${number + 1}</span> <input id="q-${number}" name="query" type="search" value="${query}" autocomplete="off" autocapitalize="none" spellcheck="false" enterkeyhint="search"${described}></label>`;
}

function totalsTable({ series }: CompareAnswer, names: readonly string[], state: CompareState): Html {
  const hasSentiment = series.some((query) => query.sentiment != null);
  const asked = askedQueries(state);
  return across(
    'totals',
    html`<thead><tr><th scope="col">Search</th><th scope="col">Share</th><th scope="col">Found</th><th scope="col">Out of</th>${
      hasSentiment
        ? html`<th scope="col">Mean sentiment</th><th scope="col">Rated</th><th scope="col">Unrated</th>`
        : null
    }</tr></thead><tbody>
${series.map((query, i) => html`<tr><th scope="row">${lineSample(i)} <a href="${searchAddress({ query: asked[i]!, kind: state.kind })}"><bdi>${visible(names[i]!)}</bdi></a></th>${share(query.share, query.of)}<td>${count(query.total_count)}</td><td>${count(query.of)}</td>${hasSentiment ? rating(query) : null}</tr>`)}
</tbody>`,
  );
}

function rating({ sentiment: told }: ComparedQuery): Html {
  if (told == null) return html`<td>–</td><td>–</td><td>–</td>`;
  const mean = told.mean === null ? '–' : sentiment(told.mean);
  return html`${cellOf(mean, told.rated)}<td>${count(told.rated)}</td><td>${count(told.unrated)}</td>`;
}

function overlapTable({ overlaps, series }: CompareAnswer, names: readonly string[]): Html {
  return across(
    'overlap',
    html`<thead><tr><th scope="col">Searches</th><th scope="col">In both</th><th scope="col">Of the first</th><th scope="col">Of the second</th><td></td></tr></thead><tbody>
${overlaps.map((overlap) => {
  const [one, other] = overlap.pair;
  return html`<tr><th scope="row">${names[one]!} and ${names[other]!}</th><td>${count(overlap.both)}</td>${share(overlap.shares[0], series[one]!.total_count)}${share(overlap.shares[1], series[other]!.total_count)}<td>${overlapPicture(overlap, series)}</td></tr>`;
})}
</tbody>`,
  );
}

const BAR_WIDTH = 120;

/** Bars of the union: only the first, both, only the second. null if the union is empty. */
function overlapPicture({ pair: [one, other], both }: Overlap, series: CompareAnswer['series']): Html | null {
  const [first, second] = [series[one]!.total_count, series[other]!.total_count];
  const all = first + second - both;
  if (all === 0) return null;
  const at = (number: number) => Math.round((number / all) * BAR_WIDTH * 10) / 10;
  const [from, to] = [at(first - both), at(first)];
  return html`<svg class="overlap" width="${BAR_WIDTH}" height="14" aria-hidden="true" focusable="false"><rect class="alone" width="${to}" y="0" height="9"/><rect class="alone" x="${from}" width="${BAR_WIDTH - from}" y="5" height="9"/><rect class="both" x="${from}" width="${to - from}" height="14"/></svg>`;
}

/** `addressOf`: the search of a query in a community; null: the language cannot express the community's name. */
function communityTable(
  { communities, series }: CompareAnswer,
  names: readonly string[],
  addressOf: (query: number, community: string) => string | null,
): Html {
  if (communities.length === 0) return html`<p class="empty">No matches.</p>`;
  const head = names.map(
    (name) =>
      html`<th scope="col">${name}</th><th scope="col">Share<span class="unseen"> of ${name}</span></th>`,
  );
  return html`<p class="hint">The ${COMPARED_COMMUNITIES} subreddits where each search finds most. Share: of all its matches.</p>
${across(
  'communities',
  html`<thead><tr><th scope="col">Subreddit</th>${head}</tr></thead><tbody>
${communities.map(
  ({ name, cells }) =>
    html`<tr><th scope="row"><bdi>/r/${visible(name)}</bdi></th>${cells.map((part, i) => {
      const address = part.count === 0 ? null : addressOf(i, name);
      return html`<td>${address === null ? count(part.count) : html`<a href="${address}">${count(part.count)}</a>`}</td>${share(part.share, series[i]!.total_count)}`;
    })}</tr>`,
)}
</tbody>`,
)}`;
}

function wordLists(answer: CompareAnswer, names: readonly string[], state: CompareState): Html {
  const { words, series, kind } = answer;
  const choice = series.length === 2 ? null : pairChoice(names, state);
  if (words === null) {
    return html`${choice}<p class="hint">This server’s search engine cannot compare the words of so many matches.</p>`;
  }
  const heads = words.pair.map((number) => names[number]!) as [string, string];
  const most = Math.max(...words.lists.flat().map(({ z }) => Math.abs(z)));
  const lists = words.lists.map((rows, side) =>
    wordList({
      id: `more-in-${side}`,
      title: `More in ${heads[side]}`,
      rows,
      most,
      heads,
      records: words.sampled,
    }),
  );
  return html`${choice}<p class="hint">From samples of ${count(words.sampled[0])} and ${count(words.sampled[1])} ${kind}, leaving out the words of the searches. Shares: how many ${kind} in each sample use the word.</p>
<div class="sides">${lists}</div>`;
}

function pairChoice(names: readonly string[], state: CompareState): Html {
  const isShown = ([one, other]: Pair) => one === state.words[0] && other === state.words[1];
  return html`<nav class="choose" aria-label="Searches whose words are compared">${pairsOf(names.length).map(
    (pair) => {
      const name = `${names[pair[0]]} and ${names[pair[1]]}`;
      return isShown(pair)
        ? html`<b>${name}</b> `
        : html`<a href="${compareAddress({ ...state, words: pair })}#words">${name}</a> `;
    },
  )}</nav>`;
}

function share(part: number | null, of: number): Html {
  return cellOf(part === null ? '–' : percent(part), of);
}

function across(id: string, content: Html): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-labelledby="${id}"><table class="data figures" aria-labelledby="${id}">${content}</table></div>`;
}

function lineSample(number: number): Html {
  return html`<svg class="sample" width="30" height="12" aria-hidden="true" focusable="false"><path class="line line-${number}" d="M0 6h30"/></svg>`;
}

function barsChoice(state: CompareState): Html {
  return html`<span class="choose">${TIMELINE_BARS.toReversed().map((bars) => {
    const name = bars === 'count' ? 'Count' : 'Share';
    return bars === state.timeline
      ? html`<b>${name}</b> `
      : html`<a href="${compareAddress({ ...state, timeline: bars })}#timeline">${name}</a> `;
  })}</span>`;
}

function compareTimeline(answer: CompareAnswer, names: readonly string[], state: CompareState): Html {
  const { step, series } = answer;
  const { kind, timeline: bars } = state;
  const file = fileAddress(state);
  const title = `Over time, per ${step}`;
  const { buckets } = series[0]!;
  if (buckets.length === 0) return figure({ id: 'timeline', title, words: html`No matches.`, file });
  const value = (part: Part) => (bars === 'count' ? part.count : part.share);
  const label = (one: number | null) => (one === null ? '–' : bars === 'count' ? count(one) : percent(one));
  const starts = buckets.map(({ start }) => start);
  const lines = series.map((one) => one.buckets.map(value));
  const slots = starts.map((start, at) => ({
    words: `${bucketName(step, start)}: ${series
      .map(({ buckets: own }, i) => {
        const part = own[at]!;
        const found = counted(part.count, kind);
        return `${names[i]} ${bars === 'count' ? found : `${label(part.share)} (${found}${ofFew(part.of)})`}`;
      })
      .join(', ')}`,
    isFew: bars === 'share' && series.some(({ buckets: own }) => isFew(own[at]!.of)),
  }));
  return figure({
    ...{ id: 'timeline', title, file },
    words: html`${barsChoice(state)}${hatchNote(slots, `${kind}s`)}`,
    value: slots.at(-1)!.words,
    drawing: linePlot({ step, starts, lines, slots, label, names }),
    table: html`<table class="data figures"><thead><tr><th scope="col">${STEP_NAMES[step]}</th>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${starts.map((start, at) => html`<tr><th scope="row">${bucketName(step, start)}</th>${lines.map((line, i) => cellOf(label(line[at]!), bars === 'share' ? series[i]!.buckets[at]!.of : 0))}</tr>`)}</tbody></table>`,
  });
}

interface CompareState {
  readonly kind: Kind;
  /** As written; none is empty; at most COMPARED_QUERIES.to. */
  readonly queries: readonly string[];
  /** Appended to every query; may be empty. */
  readonly all: string;
  readonly hasMore: boolean;
  readonly timeline: TimelineBars;
  readonly words: Pair;
}

const FIRST_PAIR: Pair = [0, 1];

/** Throws `bad_encoding`, `malformed_request`, `too_many_queries`. */
export function readCompareState(address: string): CompareState {
  const given = readFirst(address);
  const queries = readPairs(address).flatMap(({ name, value }) =>
    name === 'query' && value.trim() !== '' ? value.trim() : [],
  );
  const most = COMPARED_QUERIES.to;
  if (queries.length > most)
    throw parameterFault('too_many_queries', 'query', `at most ${most} queries`, `${queries.length}`);
  const pairs = pairsOf(Math.max(queries.length, COMPARED_QUERIES.from));
  const words = given.get('words') || pairName(FIRST_PAIR);
  const name = readChoice('words', words, pairs.map(pairName), 'malformed_request');
  return {
    kind: readKind(given.get('kind') ?? ''),
    queries,
    all: (given.get('all') ?? '').trim(),
    hasMore: given.has('add'),
    timeline: readChoice('timeline', given.get('timeline') || 'share', TIMELINE_BARS, 'malformed_request'),
    words: pairs.find((pair) => pairName(pair) === name)!,
  };
}

export function compareAddress(state: Partial<CompareState>): string {
  const { kind, queries, all = '', timeline = 'share', words = FIRST_PAIR } = state;
  return pageAddress(COMPARE_PAGE, [
    ['kind', kind === 'comment' ? 'comments' : null],
    ...(queries ?? []).map((query) => ['query', query] as const),
    ['all', all === '' ? null : all],
    ['timeline', timeline === 'share' ? null : timeline],
    ['words', pairName(words) === pairName(FIRST_PAIR) ? null : pairName(words)],
  ]);
}

function askedQueries({ queries, all }: Pick<CompareState, 'queries' | 'all'>): readonly string[] {
  return all === '' ? queries : queries.map((query) => `${query} ${all}`);
}

function fileAddress(state: CompareState): string {
  const { kind, words } = state;
  return tableAddress('compare', kind, [
    ...askedQueries(state).map((query) => ['query', query] as const),
    ['words', pairName(words)],
  ]);
}
