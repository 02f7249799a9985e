// Result lines of posts and comments, as in contract 8.9.

import type { Word } from '../../model/query.ts';
import type { CommentRecord, PostRecord } from '../../search/presenter.ts';
import { recordAddress, threadAddress } from '../addresses.ts';
import type { Turns } from '../turns.ts';
import { type Html, html } from './html.ts';
import { surroundings } from './long-texts.ts';
import {
  type AnyRecord,
  adultFold,
  communityLink,
  domainLink,
  linkOut,
  linkRow,
  nsfwMarker,
  permalink,
  sentimentOf,
  textOf,
  timeOf,
} from './record-parts.ts';
import { excerptOf, lengthWords, markedText, renderSegments, segmentsOf, startOf } from './record-text.ts';

/** What a line needs besides its record. */
export interface LineContext {
  readonly words: readonly Word[];
  /** Unix seconds. */
  readonly now: number;
  /** Address of the same search within this community; null if no query can name it. */
  readonly communityAddress: (name: string) => string | null;
  /** The search whose words are marked when a record is read. */
  readonly query: string;
  /** Of each record, by `resultTexts`. */
  readonly texts: readonly ShownText[];
  /** The thread of each record; null if it is not known. */
  readonly threads: readonly (string | null)[];
}

/** A text as shown in a list. */
export interface ShownText {
  /** null where there is none. */
  readonly block: Html | null;
  /** The link to the page that shows it whole; null if this one does. */
  readonly whole: Html | null;
}

/** How many characters and lines of a text are shown before it is unfolded. */
const EXCERPT = { characters: 260, lines: 5 };
/**
 * How many characters of text a page contains for each of its records, on average; longer texts are whole on
 * the page of the record.
 */
const SHARE_OF_TEXT = 330;
const MAX_TITLE = 400;

export function resultList(records: readonly AnyRecord[], context: LineContext): Html {
  return html`<h2 class="unseen">Results</h2>
<ol class="results">
${records.map((record, at) => html`<li>${record.type === 'post' ? postLine(record, at, context) : commentLine(record, at, context)}</li>`)}
</ol>`;
}

function postLine(post: PostRecord, at: number, context: LineContext): Html {
  const title = cutTitle(post.title, context.words);
  return html`<article>
<h3 class="title">${linkOut(post.permalink, title)}${nsfwMarker(post)}</h3>
<p class="meta"><span class="score">${String(post.score)} score</span> ${communityLink(post, context.communityAddress(post.subreddit.name))} ${timeOf(post, context.now)} ${domainLink(post)}</p>
${context.texts[at]!.block}
${linkRow([context.texts[at]!.whole, threadLink(post, at, context), permalink(post)])}
</article>`;
}

function commentLine(comment: CommentRecord, at: number, context: LineContext): Html {
  return html`<article>
<h3 class="meta">${communityLink(comment, context.communityAddress(comment.subreddit.name))} ${timeOf(comment, context.now)} <span class="score">${String(comment.score)} score</span>${sentimentOf(comment)}${nsfwMarker(comment)}</h3>
${context.texts[at]!.block}
${linkRow([context.texts[at]!.whole, threadLink(comment, at, context), permalink(comment)])}
</article>`;
}

function cutTitle(title: string, words: readonly Word[]): Html {
  if (title === '') return html`<i>(no title)</i>`;
  if (title.length <= MAX_TITLE) return markedText(title, words);
  const segments = segmentsOf(title.slice(0, 4 * MAX_TITLE), words);
  return html`<bdi>${renderSegments(startOf(segments, MAX_TITLE) ?? segments)}</bdi>`;
}

function threadLink(record: AnyRecord, at: number, { threads, query: q }: LineContext): Html | null {
  const post = threads[at] ?? null;
  if (post === null) return null;
  const around = record.type === 'comment' ? record.id : null;
  return html`<a href="${threadAddress({ post, q, after: 0, around })}">Thread</a>`;
}

/**
 * How many characters of each text to show, so that they are at most SHARE_OF_TEXT a record together: short
 * texts leave more to long ones. Never less than an excerpt.
 */
export function textLimit(texts: readonly string[]): number {
  const lengths = texts.map((text) => text.length).sort((a, b) => a - b);
  let left = lengths.length * SHARE_OF_TEXT;
  for (const [at, length] of lengths.entries()) {
    const share = left / (lengths.length - at);
    if (length > share) return Math.max(EXCERPT.characters, Math.floor(share));
    left -= length;
  }
  return Infinity;
}

/**
 * The text of each record: folded if it is long or its community is for adults, an excerpt if it is too long.
 */
export async function resultTexts(
  records: readonly AnyRecord[],
  words: readonly Word[],
  query: string,
  turns: Turns,
): Promise<ShownText[]> {
  const limit = textLimit(records.map(textOf));
  const texts: ShownText[] = [];
  for (const record of records) {
    texts.push(
      textOf(record).length <= limit
        ? { block: foldedText(record, words), whole: null }
        : await excerptText(record, words, query, turns),
    );
    await turns.next();
  }
  return texts;
}

/** The whole text is on the page. */
function foldedText(record: AnyRecord, words: readonly Word[]): Html | null {
  const text = textOf(record);
  if (text.trim() === '') return null;
  const segments = segmentsOf(text, words);
  const whole = html`<p dir="auto">${renderSegments(segments)}</p>`;
  if (record.subreddit.nsfw) return adultFold(whole);
  const excerpt = excerptOf(segments, EXCERPT.characters, EXCERPT.lines);
  if (excerpt === null) return html`<div class="text">${whole}</div>`;
  return html`<div class="text long"><p class="excerpt" dir="auto">${renderSegments(excerpt)}</p>
<details><summary>Show all ${lengthWords(text)}</summary>${whole}</details></div>`;
}

/** The whole text is on the page of the record. */
export async function excerptText(
  record: AnyRecord,
  words: readonly Word[],
  query: string,
  turns: Turns,
): Promise<ShownText> {
  const text = textOf(record);
  const around = await surroundings(text, words, 4 * EXCERPT.characters, turns);
  const excerpt = excerptOf(around, EXCERPT.characters, EXCERPT.lines) ?? around;
  const address = recordAddress(record.type, record.id, { q: query });
  const shown = html`<p class="excerpt" dir="auto">${renderSegments(excerpt)}</p>`;
  return {
    block: record.subreddit.nsfw ? adultFold(shown) : html`<div class="text">${shown}</div>`,
    whole: html`<a href="${address}">Read all ${lengthWords(text)}</a>`,
  };
}
