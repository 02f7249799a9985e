// The page that compares searches. Contract 24.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '../../../errors.ts';
import { COMPARE_PAGE, searchAddress } from '../../../http/addresses.ts';
import { noteRefusal, problemHeaders } from '../../../http/answers/problems.ts';
import { addPageRead, type Visit } from '../../../http/site/respond.ts';
import type { Site } from '../../../http/site/site.ts';
import { FEW } from '../../../http/views/charts.ts';
import { errorWords, placeInQuery } from '../../../http/views/error-page.ts';
import { type Html, html, submitButton } from '../../../http/views/html.ts';
import { droppedSigns, syntaxHelp } from '../../../http/views/search-form.ts';
import { KIND_NAMES, KINDS } from '../../../model/record.ts';
import { type AnalysisQuery, readQuery } from '../../../search/asking.ts';
import { rowItem, rowQueries } from '../../../search/edit-query.ts';
import type { Dropped } from '../../../search/language/interpret.ts';
import { oneLine } from '../../../text/quoted.ts';
import { type CompareAnswer, COMPARED_QUERIES, compareOf } from './compare.ts';
import {
  askedQueries,
  communityTable,
  compareAddress,
  type CompareState,
  compareTimeline,
  fileAddress,
  lineSample,
  overlapTable,
  readCompareState,
  totalsTable,
  wordLists,
} from './parts.ts';

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

export interface QueryFault {
  readonly number: number;
  readonly error: ServiceError;
}

/** The page with fewer than two queries: the form, filled with what was given. */
export function compareForm(state: CompareState): Html {
  return html`<h1>Compare searches</h1>
<p class="lead">Put two to four searches side by side: how much each finds, when and where, which words set them apart, and what they have in common.</p>
${form(state, [])}
${syntaxHelp(false)}`;
}

/** Each error has a caret under the item it is about, as on the search page. */
export function compareFaults(state: CompareState, faults: readonly QueryFault[]): Html {
  const isOne = faults.length === 1;
  return html`${form(state, faults)}
<section class="problem" role="alert" tabindex="-1" autofocus aria-labelledby="problem">
<h1 id="problem">There is a problem with ${isOne ? 'a search' : 'the searches'}</h1>
${faults.map(
  ({
    number,
    error,
  }) => html`<p id="problem-${number}">${errorWords(error, askedQueries(state)[number])} <a href="/docs/errors#${error.code}">About this error</a></p>
${placeInQuery(askedQueries(state)[number]!, error)}`,
)}
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

/** "and" precedes every box but the first. */
function box(number: number, query: string, isWrong: boolean): Html {
  const described = isWrong ? html` aria-invalid="true" aria-describedby="problem-${number}"` : null;
  return html`${number === 0 ? null : html`<p>and</p>`}<label>${lineSample(number)}<span class="unseen">Search ${number + 1}</span> <input id="q-${number}" name="query" type="search" value="${query}" autocomplete="off" autocapitalize="none" spellcheck="false" enterkeyhint="search"${described}></label>`;
}
