// The search box and its choices.

import { ORDERS } from '../../model/order.ts';
import { KINDS } from '../../model/record.ts';
import { LIST_VIEWS, PAGE_SIZES, type SearchState, TIMELINE_BARS } from '../addresses/search.ts';
import { LIST_NAMES } from '../addresses/written.ts';
import { radios } from './forms.ts';
import { type Html, html } from './html.ts';

/** The box of the start page, with its choices as radio buttons. */
export function largeSearchForm(state: Pick<SearchState, 'query' | 'kind' | 'order'>): Html {
  return html`<search><form class="search large" action="/search" aria-label="Posts and comments">
<label for="query">Search posts and comments</label>
${searchBox(state.query)}
${SYNTAX_HINT}
<div class="choices">
${radios('Search in', 'in', KIND_CHOICES, LIST_NAMES[state.kind])}
${radios('Sort by', 'order_by', ORDER_CHOICES, state.order)}
</div>
</form></search>`;
}

/**
 * The box above results, which keeps the choices. `problemId` is the id of the text that says what is wrong
 * with the query.
 */
export function searchForm(state: SearchState, problemId?: string): Html {
  return html`${searchFormAlone(state, problemId)}
${SYNTAX_HINT}`;
}

/** The same without SYNTAX_HINT: what comes behind it comes sooner. */
export function searchFormAlone(state: SearchState, problemId?: string): Html {
  return html`<search><form class="search" action="/search" aria-label="Posts and comments">
<label for="query" class="unseen">Search posts and comments</label>
${searchBox(state.query, problemId)}
${state.order === 'newest' ? null : html`<input type="hidden" name="order_by" value="${state.order}">`}${state.kind === 'post' ? null : html`<input type="hidden" name="in" value="${LIST_NAMES[state.kind]}">`}${state.limit === PAGE_SIZES[0] ? null : html`<input type="hidden" name="limit" value="${state.limit}">`}${state.show === LIST_VIEWS[0] ? null : html`<input type="hidden" name="show" value="${state.show}">`}${state.timeline === TIMELINE_BARS[0] ? null : html`<input type="hidden" name="timeline" value="${state.timeline}">`}
</form></search>`;
}

const KIND_CHOICES = KINDS.map((kind) => ({ value: LIST_NAMES[kind], label: LIST_NAMES[kind] }));
const ORDER_CHOICES = ORDERS.map((order) => ({ value: order, label: order }));

function searchBox(query: string, problemId?: string): Html {
  const example = query === '' ? html` placeholder="solar panel -ad /r/energy after:2023-01-01"` : null;
  const described = problemId === undefined ? 'syntax-hint' : `${problemId} syntax-hint`;
  return html`<div class="box"><div class="combo"><input id="query" name="query" type="search" value="${query}"${example} autocomplete="off" autocapitalize="none" spellcheck="false" enterkeyhint="search" aria-describedby="${described}"${
    problemId === undefined ? null : html` aria-invalid="true"`
  }></div><button class="primary" type="submit">Search</button></div>`;
}

/** What describes the box to those who do not see it. Stands anywhere in the page, and is not read there. */
export const SYNTAX_HINT = html`<p id="syntax-hint" hidden>Words, "phrases", -exclusions, /r/community, site:domain, score:10, after: and before: with a date.</p>`;
