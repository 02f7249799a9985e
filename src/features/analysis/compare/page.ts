// The page that compares searches, and its table. Contract 24.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../errors.ts';
import { COMPARE_PAGE, LIST_NAMES, searchAddress, TIMELINE_BARS } from '../../../http/addresses.ts';
import { noteRefusal, problemHeaders } from '../../../http/answers/problems.ts';
import {
  addPageRead,
  frameOf,
  limitSearches,
  sendPage,
  sendRedirect,
  turnOf,
} from '../../../http/site/respond.ts';
import type { Site } from '../../../http/site/site.ts';
import { messageWords, placeInQuery } from '../../../http/views/error-page.ts';
import { radios, submitButton } from '../../../http/views/forms.ts';
import { type Html, html } from '../../../http/views/html.ts';
import type { Frame, Page } from '../../../http/views/layout.ts';
import { droppedSigns, syntaxHelp } from '../../../http/views/search-form.ts';
import { type AnalysisQuery, readQuery } from '../../../search/asking.ts';
import { including, rowItem, writeQuery } from '../../../search/edit-query.ts';
import type { Dropped } from '../../../search/language/dropped.ts';
import { COMPARED_QUERIES, type CompareAnswer, compareOf, LETTERS } from './compare.ts';
import { communityTable, overlapTable, totalsTable, wordLists } from './parts.ts';
import { type CompareState, compareAddress, fileAddress, readCompareState } from './state.ts';
import { compareTimeline } from './timeline.ts';

export function addPages(server: FastifyInstance, site: Site): void {
  addPageRead(server, COMPARE_PAGE, (request, reply) => answer(site, request, reply));
  addPageRead(server, '/compare.csv', async (request, reply) =>
    sendRedirect(site, reply, fileAddress(readCompareState(request.raw.url ?? ''))),
  );
}

async function answer(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const state = readCompareState(request.raw.url ?? '');
  const frame = await frameOf(site, request);
  const { queries, faults } = readAll(state.queries);
  if (faults.length > 0) return await sendFaults(site, request, reply, frame, state, faults);
  if (queries.length < COMPARED_QUERIES.from) {
    const page = { title: 'Compare searches', main: compareForm(state), canonical: compareAddress(state) };
    return await sendPage(site, request, reply, frame, { ...page, mainClass: 'wide' });
  }
  limitSearches(site, request, frame);
  using turn = await turnOf(site, request, reply, frame);
  try {
    const wish = { kind: state.kind, queries, words: state.words };
    const compared = await compareOf(site.analysis, wish, turn.signal);
    return await sendPage(site, request, reply, frame, {
      title: `${state.queries.join(' · ')} – compared`,
      main: comparePage({ state, queries, ...compared }),
      canonical: compareAddress(state),
      ...{ section: 'search', skips: ['totals'], mainClass: 'wide' },
    });
  } catch (error) {
    const number = error instanceof ServiceError ? error.position?.query : undefined;
    if (!(error instanceof ServiceError) || number === undefined) throw error;
    return await sendFaults(site, request, reply, frame, state, [{ number, error }]);
  }
}

function readAll(texts: readonly string[]): { queries: AnalysisQuery[]; faults: QueryFault[] } {
  const queries: AnalysisQuery[] = [];
  const faults: QueryFault[] = [];
  for (const [number, text] of texts.entries()) {
    try {
      queries.push(readQuery(text));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      faults.push({ number, error });
    }
  }
  return { queries, faults };
}

function sendFaults(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  frame: Frame,
  state: CompareState,
  faults: readonly QueryFault[],
): Promise<FastifyReply> {
  const { error } = faults[0]!;
  noteRefusal(request, error);
  reply.headers(problemHeaders(error));
  const page: Page = {
    ...{ title: 'Error: a search to compare', main: compareFaults(state, faults) },
    mainClass: 'wide',
  };
  return sendPage(site, request, reply, frame, page, { status: error.status });
}

// The page that compares searches: the form, then totals, timeline, overlaps, communities, words. Contract 24.2.

export interface QueryFault {
  readonly number: number;
  readonly error: ServiceError;
}

/** Without two queries: the form, with what it has. */
export function compareForm(state: CompareState): Html {
  return html`<h1>Compare searches</h1>
<p class="lead">Two to four searches beside each other: how much each finds, when, where, in which words, and how much they have in common.</p>
${form(state, [])}
${syntaxHelp(false)}`;
}

/** Each fault with a caret under its item, as in a search. */
export function compareFaults(state: CompareState, faults: readonly QueryFault[]): Html {
  const isOne = faults.length === 1;
  return html`${form(state, faults)}
<section class="problem" role="alert" tabindex="-1" autofocus aria-labelledby="problem">
<h1 id="problem">There is a problem with ${isOne ? 'a search' : 'the searches'}</h1>
${faults.map(
  ({
    number,
    error,
  }) => html`<p id="problem-${number}"><b>${LETTERS[number]!}</b> ${messageWords(error.message)} <a href="/docs/errors#${error.code}">About this error</a></p>
${placeInQuery(state.queries[number]!, error)}`,
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
  const lacksSentiment = answer.series.some((query) => query.sentiment === null);
  return html`${form(state, [])}
<h1 id="totals" class="apart">${LETTERS[0]} to ${LETTERS[queries.length - 1]!}, ${LIST_NAMES[state.kind]}</h1>
${signs === null ? null : html`<p class="understood">${signs}</p>`}
${totalsTable(answer, state)}
<p class="hint">Share: of what the same search finds without its words.${lacksSentiment ? ' The search engine of this server cannot tell the mean sentiment.' : ''} <a href="${fileAddress(state)}" download>All of this page as CSV</a></p>
<h2 id="timeline" class="apart">Over time <span class="tally">per ${answer.step}</span></h2>
${barsChoice(state)}
${compareTimeline(answer, state.timeline) ?? html`<p class="empty">Nothing is found.</p>`}
<h2 id="overlap" class="apart">In common</h2>
${overlapTable(answer)}
<h2 id="communities" class="apart">By subreddit</h2>
${communityTable(answer, (query, community) => {
  const item = rowItem('community', community);
  if (item === null) return null;
  const narrowed = writeQuery(including(queries[query]!.query.items, item));
  return searchAddress({ query: narrowed, kind: state.kind });
})}
<h2 id="words" class="apart">Words that tell them apart</h2>
${wordLists(answer, state)}`;
}

function barsChoice(state: CompareState): Html {
  return html`<p class="choose">${TIMELINE_BARS.map((bars) => {
    const name = bars === 'count' ? 'Count' : 'Share';
    return bars === state.timeline
      ? html`<b>${name}</b> `
      : html`<a href="${compareAddress({ ...state, timeline: bars })}#timeline">${name}</a> `;
  })}</p>`;
}

function form({ kind, queries, timeline }: CompareState, faults: readonly QueryFault[]): Html {
  const wrong = new Set(faults.map(({ number }) => number));
  const boxes = LETTERS.slice(0, COMPARED_QUERIES.to).map((letter, i) => {
    const described = wrong.has(i) ? html` aria-invalid="true" aria-describedby="problem-${i}"` : null;
    return html`<div class="compare-box"><label for="q-${letter}"><span class="unseen">Search </span>${letter}</label><input id="q-${letter}" name="query" type="search" value="${queries[i] ?? ''}" autocomplete="off" autocapitalize="none" spellcheck="false" enterkeyhint="search"${described}></div>`;
  });
  return html`<search><form class="compare-form" action="${COMPARE_PAGE}" method="get" aria-label="Searches to compare">
${radios('Compare', 'kind', KIND_CHOICES, LIST_NAMES[kind])}
<div class="compare-boxes">${boxes}</div>
${timeline === TIMELINE_BARS[0] ? null : html`<input type="hidden" name="timeline" value="${timeline}">`}
${submitButton('Compare')}
</form></search>`;
}

const KIND_CHOICES = (['post', 'comment'] as const).map((kind) => ({
  value: LIST_NAMES[kind],
  label: LIST_NAMES[kind],
}));
