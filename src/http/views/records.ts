// What is shown with every record: community, time, domain, sentiment, marker, links, and its text as it is or the part
// around the words of a search. Around records: the prompt for visitors, words for a kind that cannot be read.

import type { IndexDamage } from '../../model/engine-errors.ts';
import type { Word } from '../../model/query.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import type { Turns } from '../../model/waiting.ts';
import type { CommentRecord, PostRecord } from '../../search/presenter.ts';
import { recordAddress, type ThreadState } from '../addresses.ts';
import {
  age,
  count,
  counted,
  dateTimeElement,
  KIND_TITLES,
  punycode,
  sentiment,
  webAddress,
} from './format.ts';
import { type Html, html, trusted } from './html.ts';
import { type Frame, signInTo } from './layout.ts';
import { markdown, surroundings } from './markdown.ts';
import { excerptOf, lengthWords, renderSegments, visible } from './record-text.ts';

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

/**
 * A link to where the post leads; beside it, the punycode of a domain with look-alike letters. null for a text post:
 * its domain repeats its community.
 */
export function domainLink({ domain, url, subreddit }: PostRecord): Html | null {
  if (domain === '' || domain.toLowerCase() === `self.${subreddit.name}`) return null;
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

export function linkRow(links: readonly (Html | null)[]): Html {
  const shown = links.filter((link) => link !== null);
  return html`<p class="links">${shown.length === 0 ? 'No permalink' : shown.map((link) => html`${link} `)}</p>`;
}

/** A text, folded if its community is for adults and such texts are hidden. */
export function folded({ subreddit }: AnyRecord, text: Html, showsAdult: boolean): Html {
  return subreddit.nsfw && !showsAdult
    ? html`<details class="text adult"><summary>Show text (adult community)</summary>${text}</details>`
    : html`<div class="text">${text}</div>`;
}

export function textOf(record: AnyRecord): string {
  return record.type === 'post' ? record.selftext : record.body;
}

/** The prompt after each of a visitor's lists; where there is more, after a line that fades away. */
export function visitorEnd(frame: Frame, kind: Kind, shown: number, total: number): Html {
  const isWhole = shown >= total;
  const reward = `get more results${isWhole ? ' in larger searches,' : ''} and API keys.`;
  return html`${isWhole ? null : FADING}${endPrompt(frame, kind, shown, total, reward)}`;
}

/** `reward`: what signing in is for: `read the whole thread.` */
export function endPrompt(frame: Frame, kind: Kind, shown: number, total: number, reward: string): Html {
  const all = counted(total, kind);
  return html`<div class="prompt"><p><strong>${shown >= total ? `That is everything: ${all}.` : `Showing the first ${count(shown)} of ${all}.`}</strong></p>
<p>${signInTo(frame, reward, { isInviting: true })}</p></div>`;
}

/** Where the next result would be. It contains nothing of it. */
const FADING = html`<div class="fading" aria-hidden="true"><i></i><i></i><i></i></div>
`;

/** `Posts cannot be read at the moment.` */
export function damageWords(kind: Kind): string {
  return `${KIND_TITLES[kind]} cannot be read at the moment.`;
}

/** A line for each kind that cannot be read; null: both can. */
export function damageNotice(damages: Readonly<Record<Kind, IndexDamage | null>>): Html | null {
  const out = KINDS.filter((kind) => damages[kind] !== null);
  if (out.length === 0) return null;
  return html`<p class="hintline" role="status">${out.map(damageWords).join(' ')} ${out.length === 1 ? 'The rest of the site works.' : ''} The server’s operator can find the reason in the log.</p>`;
}

export interface ShownText {
  /** null where there is none. */
  readonly block: Html | null;
  /** The link to the page that shows it whole; null if this one does. */
  readonly whole: Html | null;
}

/** How many characters and lines of a text are shown: three lines of a wide window. */
const EXCERPT = { characters: 270, lines: 3 };

/** A line has about as many characters; letters of Chinese, Japanese and Korean take two places. */
const LINE = 90;

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/;

/** Ids of what names a record in the list. Comments on one post have one title: their times tell them apart. */
export function nameOf({ type }: AnyRecord, at: number): string {
  return type === 'post' ? `t${at}` : `t${at} d${at}`;
}

/** What texts are shown for: `query` and `list` of the search that led to them, and its words. */
interface Sought extends Pick<ThreadState, 'query' | 'list'> {
  readonly words: readonly Word[];
  /** Whether texts of communities for adults are shown without a fold. */
  readonly showsAdult: boolean;
}

/** The text of each record, as `excerptText` gives it. */
export async function resultTexts(
  records: readonly AnyRecord[],
  sought: Sought,
  turns: Turns,
): Promise<ShownText[]> {
  const texts: ShownText[] = [];
  for (const [at, record] of records.entries()) {
    const named = nameOfLink(`r${at}`, nameOf(record, at));
    const { block, whole } = await excerptText(record, sought, turns, named);
    // Links inside a text are for pointers: a keyboard has them on the page of the record.
    const withoutStops = block && trusted(block.toString().replaceAll('<a ', '<a tabindex="-1" '));
    texts.push({ block: withoutStops, whole });
    await turns.next();
  }
  return texts;
}

/**
 * The text, as it is or the part around the words; the whole of it is on the page of the record. `named`: what
 * `nameOfLink` gives for the link to that.
 */
export async function excerptText(
  record: AnyRecord,
  { words, showsAdult, ...from }: Sought,
  turns: Turns,
  named: Html | null = null,
): Promise<ShownText> {
  const text = textOf(record);
  if (text.trim() === '') return { block: null, whole: null };
  if (isShort(text)) return { block: folded(record, markdown(text, words), showsAdult), whole: null };
  const isWide = WIDE.test(text.slice(0, EXCERPT.characters));
  // Several words may stand together further on.
  const reach = (words.length > 1 ? 2 : 1) * EXCERPT.characters;
  const around = await surroundings(text, words, reach, turns);
  const excerpt = excerptOf(around, isWide ? EXCERPT.characters / 2 : EXCERPT.characters, 0) ?? around;
  const address = recordAddress(record.type, record.id, from);
  return {
    block: folded(record, html`<p class="excerpt">${renderSegments(excerpt)}</p>`, showsAdult),
    whole: html`<a href="${address}"${named}>Read all ${lengthWords(text)}</a>`,
  };
}

function isShort(text: string): boolean {
  if (text.length > EXCERPT.characters) return false;
  const places = (line: string) => (WIDE.test(line) ? 2 : 1) * line.length;
  const lines = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(places(line) / LINE)), 0);
  return lines <= EXCERPT.lines;
}
