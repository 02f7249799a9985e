// What is shown with every record: community, time, domain, sentiment, marker, links.
//
// What stands around a list of records: how much there is and in which order, the prompt for visitors, help where it
// is empty, the line about texts for adults, and words for a kind that cannot be read.

import type { Repair } from '../../features/search/repairs.ts';
import type { PageResult } from '../../features/search/service.ts';
import type { IndexDamage } from '../../model/engine-errors.ts';
import { ORDERS } from '../../model/pages.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import type { CommentRecord, PostRecord } from '../../search/presenter.ts';
import { settingsAddress } from '../addresses/pages.ts';
import { firstPage, LIST_VIEWS, ofKind, type SearchState, searchAddress } from '../addresses/search.ts';
import { LIST_NAMES } from '../addresses/written.ts';
import {
  age,
  count,
  dateTimeElement,
  KIND_NAMES,
  KIND_TITLES,
  punycode,
  sentiment,
  totalWords,
  webAddress,
} from './format.ts';
import { type Html, html } from './html.ts';
import { type Frame, signInTo } from './layout.ts';
import { visible } from './record-text.ts';
import { syntaxHelp } from './search-form.ts';

export type AnyRecord = PostRecord | CommentRecord;

/** A link to the search within this community; no link if no query can name it. */
export function communityLink({ subreddit }: AnyRecord, address: string | null): Html {
  const name = html`<bdi>/r/${visible(subreddit.name)}</bdi>`;
  return html`<span class="community">${address === null ? name : html`<a href="${address}">${name}</a>`}</span>`;
}

export function timeOf({ created_utc: time }: AnyRecord, now: number): Html {
  return html`${dateTimeElement(time)} <span class="age">${age(time, now)}</span>`;
}

/** The words as a link out of this service; no link if the address is not one of the web. */
export function linkOut(written: string | null, words: Html): Html {
  const address = webAddress(written);
  return address === null ? words : html`<a href="${address}" rel="nofollow">${words}</a>`;
}

/** A link to where the post leads; beside it, the punycode of a domain with look-alike letters. */
export function domainLink({ domain, url }: PostRecord): Html | null {
  if (domain === '') return null;
  const ascii = punycode(domain);
  const name = html`<bdi>${visible(domain)}</bdi>${ascii === null ? null : html` (${ascii})`}`;
  return html`<span class="domain">${linkOut(url, name)}</span>`;
}

/** Nothing if the comment is unrated. The bounds of the words are those of VADER. */
export function sentimentOf({ sentiment: rating }: CommentRecord): Html | null {
  if (rating === null) return null;
  const tone = rating >= 0.05 ? 'positive' : rating <= -0.05 ? 'negative' : 'neutral';
  return html` <span class="sentiment ${tone}" title="Sentiment, -1 to +1">${sentiment(rating)} ${tone}</span>`;
}

export function nsfwMarker({ subreddit }: AnyRecord): Html | null {
  return subreddit.nsfw
    ? html` <abbr class="nsfw" title="Adult content: not safe for work">NSFW</abbr>`
    : null;
}

/** The link to the site; null if the record has no address on the web. `named`: what `nameOfLink` gives. */
export function permalink(record: AnyRecord, named: Html | null = null): Html | null {
  const address = webAddress(record.permalink);
  return address === null
    ? null
    : html`<a class="permalink" href="${address}" rel="nofollow"${named}>Permalink</a>`;
}

/** The attributes of a link whose name is its words, followed by those of other elements. `id` is its own. */
export function nameOfLink(id: string, others: string): Html {
  return html` id="${id}" aria-labelledby="${id} ${others}"`;
}

/** The links below a text, in one row. */
export function linkRow(links: readonly (Html | null)[]): Html {
  const shown = links.filter((link) => link !== null);
  return html`<p class="links">${shown.length === 0 ? 'No permalink' : shown.map((link, at) => (at === 0 ? link : html` ${link}`))}</p>`;
}

/** The fold that hides the text of a community for adults. */
export function adultFold(text: Html): Html {
  return html`<details class="text adult"><summary>Show text (adult community)</summary>${text}</details>`;
}

/** The same, with a text that is not folded. */
export function unfolded<R extends AnyRecord>(record: R): R {
  return { ...record, subreddit: { ...record.subreddit, nsfw: false } };
}

export function textOf(record: AnyRecord): string {
  return record.type === 'post' ? record.selftext : record.body;
}

/**
 * How much there is of both kinds, in which order, and what of it is shown. The kind that is shown is the heading of
 * the page. `doings`: what can be done with the search; null: nothing.
 */
export function listHead(
  state: SearchState,
  totals: Readonly<Record<Kind, number | null>>,
  doings: Html | null,
): Html {
  const fresh = firstPage(state);
  return html`<div class="bars"><nav class="tabs" aria-label="Posts or comments"><ul>${KINDS.map((kind) => {
    const total = totals[kind];
    const words = total === null ? `? ${LIST_NAMES[kind]}` : totalWords(kind, total);
    const isShown = kind === state.kind;
    return html`<li><a href="${searchAddress(ofKind(fresh, kind))}"${isShown ? html` aria-current="page"` : null}>${isShown ? html`<h1 id="total">${words}</h1>` : words}</a></li>`;
  })}</ul></nav>
<nav class="orders" aria-label="Sort by"><ul>${ORDERS.map((order) => choice({ ...fresh, order }, order, order === state.order))}</ul></nav>
<nav class="orders" aria-label="Show"><ul>${LIST_VIEWS.map((show) => choice({ ...fresh, show }, show, show === state.show))}</ul></nav>${doings}</div>`;
}

function choice(state: SearchState, words: string, isChosen: boolean): Html {
  // What is chosen is no link: its address would stand in the page once more.
  return isChosen
    ? html`<li><b aria-current="true">${words}</b></li>`
    : html`<li><a href="${searchAddress(state)}">${words}</a></li>`;
}

export interface EmptyView {
  readonly state: SearchState;
  readonly result: PageResult;
  /** Other queries that find something; only if this one finds nothing. */
  readonly repairs: readonly Repair[];
}

/** The prompt after each of a visitor's lists; where there is more, after a line that fades away. */
export function visitorEnd(frame: Frame, kind: Kind, shown: number, total: number): Html {
  const isWhole = shown >= total;
  return html`${isWhole ? null : FADING}<div class="prompt"><p><strong>${
    isWhole
      ? `That is everything: ${totalWords(kind, total)}.`
      : `Showing the first ${count(shown)} of ${totalWords(kind, total)}.`
  }</strong></p>
<p>${signInTo(frame, `get ${isWhole ? 'more results in larger searches' : 'more results'}, and keys for the API.`, { isInviting: true })}</p></div>`;
}

/** The prompt where a visitor finds nothing: one line, below what helps. */
export function emptyEnd(frame: Frame): Html {
  return html`<p class="prompt">Nothing is hidden from you here. ${signInTo(frame, 'get more results in larger searches, and keys for the API.')}</p>`;
}

/** Where the next result would be. It contains nothing of it. */
const FADING = html`<div class="fading" aria-hidden="true"><i></i><i></i><i></i></div>
`;

/** What stands in place of a list that is empty. */
export function emptyList({ state, result, repairs }: EmptyView): Html {
  if ((result.totals[state.kind] ?? 0) > 0) {
    return html`<p class="empty">There are no more results. <a href="${searchAddress(firstPage(state))}">First page</a></p>`;
  }
  const names = `${KIND_NAMES[state.kind]}s`;
  return html`<div class="empty">
<p>${state.query === '' ? `There are no ${names} in this archive.` : html`No ${names} match <b><bdi>${visible(state.query)}</bdi></b>.`}</p>
${repairs.length === 0 ? nothingHelps(state) : repairList(state, repairs)}
</div>`;
}

function repairList(state: SearchState, repairs: readonly Repair[]): Html {
  return html`<p>These searches find something:</p>
<ul class="repairs">${repairs.map(({ kind, query, words, count: found }) => {
    const address = searchAddress({ ...firstPage(state), kind, query });
    return html`<li><a href="${address}"><bdi>${visible(words)}</bdi></a>: ${totalWords(kind, found)}</li>`;
  })}</ul>`;
}

function nothingHelps({ query }: SearchState): Html {
  if (query === '') return html`<p><a href="/">What is in this archive</a></p>`;
  return html`<p>Check the spelling, or try other words. A search finds whole words only:
<code>panel*</code> finds <code>panels</code> too.</p>
${syntaxHelp(false)}`;
}

/** Whether the texts of communities for adults are shown: on this page, or on every one by the settings. */
export function showsAdult({ settings }: Frame, { adult }: Pick<SearchState, 'adult'>): boolean {
  return adult === 'shown' || settings.adult === 'shown';
}

/**
 * Above results of communities for adults: their texts are folded, and all of the page open at once. null where no
 * such text would be on the page, or where they are always shown.
 */
export function adultLine(frame: Frame, state: SearchState, records: readonly AnyRecord[]): Html | null {
  const isThere = records.some((record) => record.subreddit.nsfw && textOf(record).trim() !== '');
  if (!isThere || state.show === 'titles' || frame.settings.adult === 'shown') return null;
  const other = searchAddress({ ...state, adult: state.adult === 'shown' ? 'folded' : 'shown' });
  return html`<p class="adultline">${
    state.adult === 'shown'
      ? html`Texts of communities for adults are shown on this page. <a href="${other}">Fold them</a>`
      : html`Texts of communities for adults are folded. <a href="${other}">Show them on this page</a>`
  } <a href="${settingsAddress(frame.here)}">Settings</a></p>`;
}

/** `Posts cannot be read at the moment.` */
export function damageWords(kind: Kind): string {
  return `${KIND_TITLES[kind]} cannot be read at the moment.`;
}

/** A line for each kind that cannot be read; null: both can. */
export function damageNotice(damages: Readonly<Record<Kind, IndexDamage | null>>): Html | null {
  const out = KINDS.filter((kind) => damages[kind] !== null);
  if (out.length === 0) return null;
  return html`<p class="hintline" role="status">${out.map(damageWords).join(' ')} ${out.length === 1 ? 'The rest of the site works.' : ''} The server’s operator can find the reason in its log.</p>`;
}
