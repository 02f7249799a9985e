// The page that compares searches: the form, then totals, timeline, overlaps, communities, words. Contract 24.2.

import type { AnalysisQuery } from '../../../analysis/asking.ts';
import { COMPARED_QUERIES, type CompareAnswer, LETTERS } from '../../../analysis/compare.ts';
import type { ServiceError } from '../../../errors.ts';
import type { Dropped } from '../../../search/language/dropped.ts';
import { including, rowItem, writeQuery } from '../../../search/page/edit-query.ts';
import { searchAddress, TIMELINE_BARS } from '../../addresses/search.ts';
import { COMPARE_FILE, COMPARE_PAGE, type CompareState, compareAddress } from '../../addresses/tables.ts';
import { LIST_NAMES } from '../../addresses/written.ts';
import { messageWords, placeInQuery } from '../error-page.ts';
import { radios, submitButton } from '../forms.ts';
import { type Html, html } from '../html.ts';
import { droppedSigns, syntaxHelp } from '../search-form.ts';
import { communityTable, overlapTable, totalsTable, wordLists } from './compare-parts.ts';
import { compareTimeline } from './compare-timeline.ts';

/** A query that cannot be compared. */
export interface QueryFault {
  /** Of the query. */
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
  const lacksSentiment = answer.queries.some((query) => query.sentiment === null);
  return html`${form(state, [])}
<h1 id="totals" class="apart">${LETTERS[0]} to ${LETTERS[queries.length - 1]!}, ${LIST_NAMES[state.kind]}</h1>
${signs === null ? null : html`<p class="understood">${signs}</p>`}
${totalsTable(answer, state)}
<p class="hint">Share: of what the same search finds without its words.${lacksSentiment ? ' The search engine of this server cannot tell the mean sentiment.' : ''} <a href="${compareAddress(state, COMPARE_FILE)}" download>All of this page as CSV</a></p>
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
    return html`<div class="compare-box"><label for="q-${letter}"><span class="unseen">Search </span>${letter}</label><input id="q-${letter}" name="q" type="search" value="${queries[i] ?? ''}" autocomplete="off" autocapitalize="none" spellcheck="false" enterkeyhint="search"${described}></div>`;
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
