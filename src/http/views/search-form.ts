// The search box, the parts of a query as chips that can be removed, and how to write a search: each form of the query
// language with an example that can be followed.

import type { QueryItem } from '../../model/query.ts';
import { KIND_NAMES, type Kind } from '../../model/record.ts';
import { allTime, withoutItem, writeQuery, writtenItems } from '../../search/edit-query.ts';
import type { Dropped, Interpretation } from '../../search/language/interpret.ts';
import { printItem } from '../../search/language/syntax.ts';
import { LIST_VIEWS, PAGE_SIZES, type SearchState, searchAddress, TIMELINE_BARS } from '../addresses.ts';
import { type Html, html } from './html.ts';
import { visible } from './record-text.ts';

/**
 * The box above results, which keeps the choices. `problemId` is the id of the text that says what is wrong
 * with the query. `isOpen`: what posts comments are of can be seen, since that may be wrong.
 */
export function searchForm(state: SearchState, problemId?: string, isOpen = problemId !== undefined): Html {
  return html`${searchFormAlone(state, problemId, isOpen)}
${SYNTAX_HINT}`;
}

/** The same without SYNTAX_HINT: what comes behind it comes sooner. */
export function searchFormAlone(state: SearchState, problemId?: string, isOpen = false): Html {
  return html`<search><form class="search" action="/search" aria-label="Posts and comments">
<label for="query" class="unseen">Search posts and comments</label>
${searchBox(state.query, problemId)}
${underField(state, isOpen)}${state.order === 'newest' ? null : html`<input type="hidden" name="order_by" value="${state.order}">`}${state.kind === 'post' ? null : html`<input type="hidden" name="kind" value="${KIND_NAMES[state.kind]}">`}${state.limit === PAGE_SIZES[0] ? null : html`<input type="hidden" name="limit" value="${state.limit}">`}${state.show === LIST_VIEWS[0] ? null : html`<input type="hidden" name="show" value="${state.show}">`}${state.timeline === TIMELINE_BARS[0] ? null : html`<input type="hidden" name="timeline" value="${state.timeline}">`}
</form></search>`;
}

/** What posts comments are of; beside posts it is only kept. Folded where it is right: a chip says it then. */
function underField({ kind, under }: SearchState, isOpen: boolean): Html | null {
  if (kind === 'post') return under ? html`<input type="hidden" name="under" value="${under}">` : null;
  return html`<details class="under"${under && isOpen ? html` open` : null}><summary>Only on posts that match…</summary><input name="under" value="${under ?? ''}" aria-label="Only comments on posts that match" autocapitalize="none" autocomplete="off" spellcheck="false"></details>`;
}

export function searchBox(query: string, problemId?: string): Html {
  const example = query === '' ? html` placeholder="solar panel -ad /r/energy after:2023-01-01"` : null;
  const described = problemId === undefined ? 'syntax-hint' : `${problemId} syntax-hint`;
  return html`<div class="box"><div class="combo"><input id="query" name="query" type="search" value="${query}"${example} autocomplete="off" autocapitalize="none" spellcheck="false" enterkeyhint="search" aria-describedby="${described}"${
    problemId === undefined ? null : html` aria-invalid="true"`
  }></div><button class="primary" type="submit">Search</button></div>`;
}

/** What describes the box to those who do not see it. Stands anywhere in the page, and is not read there. */
export const SYNTAX_HINT = html`<p id="syntax-hint" hidden>Words, "phrases", -exclusions, /r/community, site:domain, score:10, after: and before: with a date.</p>`;

interface Form {
  /** What it looks like where there is no example of it. */
  readonly shape: string;
  readonly meaning: string;
}

const FORMS = {
  word: { shape: 'solar', meaning: 'contains this word' },
  without: { shape: 'solar -panel', meaning: 'contains the first word but not the second' },
  phrase: { shape: '"solar panel"', meaning: 'these words, side by side and in this order' },
  prefix: { shape: 'sol*', meaning: 'a word that starts like this' },
  anyOf: { shape: 'solar|wind', meaning: 'either word' },
  community: { shape: '/r/energy', meaning: 'in this community' },
  notCommunity: { shape: '-/r/energy', meaning: 'not in this community' },
  site: { shape: 'site:youtube.com', meaning: 'links to this domain' },
  notSite: { shape: '-site:youtube.com', meaning: 'does not link to it' },
  score: { shape: 'score:100', meaning: 'at least this score' },
  after: { shape: 'after:2023-01-01', meaning: 'on or after this day' },
  year: { shape: 'after:2023-01-01 before:2024-01-01', meaning: 'between two dates, here a year' },
  post: { shape: 'post:abc123', meaning: 'a post, and the comments on it' },
  several: { shape: 'solar /r/energy', meaning: 'all of these together' },
} as const satisfies Readonly<Record<string, Form>>;

export type FormName = keyof typeof FORMS;

const NAMES = Object.keys(FORMS) as readonly FormName[];

/** With examples of the archive; null: their shapes alone, since nobody knows what they would find. */
export function queryForms(examples: Examples | null): Html {
  return html`<dl class="forms">
${NAMES.map((name) => {
  const { shape, meaning } = FORMS[name];
  const query = examples?.queries[name];
  const shown = html`<code><bdi>${visible(query ?? shape)}</bdi></code>`;
  return html`<div><dt>${query === undefined ? shown : html`<a href="${exampleAddress(query, examples!.kind)}">${shown}</a>`}</dt><dd>${meaning}</dd></div>`;
})}
</dl>
<p class="note">Spaces or commas separate the parts, and all of them must match. A <code>before:</code> on its own searches one day;
add <code>after:1970-01-01</code> for all time. <a href="/docs/query-language">The full query language</a></p>`;
}

export function syntaxHelp(isOpen: boolean): Html {
  return html`<details class="syntax"${isOpen ? html` open` : null}><summary>How to write a search</summary>
${queryForms(null)}
</details>`;
}

interface Below {
  /** As understood; null: of all posts. */
  readonly under: string | null;
  /** Of the same search of all comments. */
  readonly address: string;
}

/**
 * `address` gives the page of another query; `below`: what posts comments are of. null for fewer than two items: the
 * box says them already.
 */
export function chips(
  interpretation: Interpretation,
  address: (query: string) => string,
  below: Below,
): Html | null {
  const items = writtenItems(interpretation);
  const { implied } = interpretation;
  const { under } = below;
  if (items.length < 2 && under === null) return null;
  return html`<nav class="chips" aria-label="Parts of this search"><ul>
${(items.length < 2 ? [] : items).map((item, at) => {
  const rest = writeQuery(withoutItem(items, at));
  return html`<li><a class="chip" href="${address(rest)}"><bdi>${visible(chipName(item))}</bdi><span class="unseen">: remove</span></a></li>`;
})}
${
  implied === null
    ? null
    : html`<li><a class="chip added" href="${address(writeQuery(allTime(items)))}">${implied} <em>added</em><span class="unseen">: search all time instead</span></a></li>`
}
${under && html`<li><a class="chip" href="${below.address}">on posts that match <bdi>${visible(under)}</bdi><span class="unseen">: remove</span></a></li>\n`}<li><a class="clear" href="/">Clear all</a></li>
</ul></nav>`;
}

function chipName(item: QueryItem): string {
  const printed = printItem(item);
  return 'negated' in item && item.negated ? `not ${printed.slice(1)}` : printed;
}

const MAX_NAMED = 5;

/** Which signs are not searched for. Items that were left out whole are missing in the interpreted query. */
export function droppedSigns(dropped: readonly Dropped[]): Html | null {
  const words = dropped.filter(({ searched }) => searched !== null).slice(0, MAX_NAMED);
  if (words.length === 0) return null;
  return html`<span class="why">Symbols are not searched: instead of ${listed(words.map(({ written }) => written))}, this finds ${listed(words.map(({ searched }) => searched!))}.</span>`;
}

function listed(texts: readonly string[]): Html {
  return html`${texts.map(
    (text, i) =>
      html`${i === 0 ? '' : i === texts.length - 1 ? ' and ' : ', '}<code><bdi>${visible(text)}</bdi></code>`,
  )}`;
}

export interface Examples {
  /** The kind they were made from, and find something of. */
  readonly kind: Kind;
  /** As a person would write them; a form without an example is absent. */
  readonly queries: Readonly<Partial<Record<FormName, string>>>;
}

export function exampleAddress(query: string, kind: Kind): string {
  return searchAddress({ query, kind });
}
