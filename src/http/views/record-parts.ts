// What is shown with every record: community, time, domain, sentiment, marker, links. And around records: the prompt for
// visitors, words for a kind that cannot be read.

import type { IndexDamage } from '../../model/engine-errors.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import type { CommentRecord, PostRecord } from '../../search/presenter.ts';
import type { SearchState } from '../addresses/search.ts';
import {
  age,
  count,
  dateTimeElement,
  KIND_TITLES,
  punycode,
  sentiment,
  totalWords,
  webAddress,
} from './format.ts';
import { type Html, html } from './html.ts';
import { type Frame, signInTo } from './layout.ts';
import { visible } from './record-text.ts';

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
  return html` <span class="sentiment ${tone}">${sentiment(rating)} ${tone}</span>`;
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

/** Where the next result would be. It contains nothing of it. */
const FADING = html`<div class="fading" aria-hidden="true"><i></i><i></i><i></i></div>
`;

/** Whether the texts of communities for adults are shown: on this page, or on every one by the settings. */
export function showsAdult({ settings }: Frame, { adult }: Pick<SearchState, 'adult'>): boolean {
  return adult === 'shown' || settings.adult === 'shown';
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
