// Result lines of posts and comments, as contract 8.9 has them.

import type { Word } from '../../model/query.ts';
import type { CommentRecord, PostRecord } from '../../search/search-service.ts';
import { age, count, dateTime, punycode, sentiment, webAddress } from './format.ts';
import { type Html, html } from './html.ts';
import {
  excerptOf,
  markedText,
  renderSegments,
  type Segment,
  segmentsOf,
  startOf,
  visible,
  wordCount,
} from './record-text.ts';

/** What a line needs beside its record. */
export interface LineContext {
  readonly words: readonly Word[];
  /** Unix seconds. */
  readonly now: number;
  /** Address of the same search within this community; null where no query can name it. */
  readonly communityAddress: (name: string) => string | null;
}

/** Characters and lines of a text that are shown before it is unfolded. */
const EXCERPT = { characters: 260, lines: 5 };
/** Characters of texts that a page holds for each of its records, on average; the rest is at the permalinks. */
const SHARE_OF_TEXT = 330;
const MAX_TITLE = 400;

export function resultList(records: readonly (PostRecord | CommentRecord)[], context: LineContext): Html {
  const lines = { ...context, limit: textLimit(records.map(textOf)) };
  return html`<h2 class="unseen">Results</h2>
<ol class="results">
${records.map((record) => html`<li>${record.type === 'post' ? postLine(record, lines) : commentLine(record, lines)}</li>`)}
</ol>`;
}

function postLine(post: PostRecord, context: TextContext): Html {
  const address = webAddress(post.permalink);
  const title = cutTitle(post.title, context.words);
  return html`<article>
<h3 class="title">${address === null ? title : html`<a href="${address}" rel="nofollow">${title}</a>`}${nsfwMarker(post)}</h3>
<p class="meta"><span class="score">${String(post.score)} score</span> ${communityLink(post, context)} ${timeOf(post, context)} ${domainLink(post)}</p>
${textBlock(post, context)}
${permalink(address)}
</article>`;
}

function commentLine(comment: CommentRecord, context: TextContext): Html {
  return html`<article>
<h3 class="meta">${communityLink(comment, context)} ${timeOf(comment, context)} <span class="score">${String(comment.score)} score</span>${sentimentOf(comment)}${nsfwMarker(comment)}</h3>
${textBlock(comment, context)}
${permalink(webAddress(comment.permalink))}
</article>`;
}

function cutTitle(title: string, words: readonly Word[]): Html {
  if (title === '') return html`<i>(no title)</i>`;
  if (title.length <= MAX_TITLE) return markedText(title, words);
  const segments = segmentsOf(title, words);
  return html`<bdi>${renderSegments(startOf(segments, MAX_TITLE) ?? segments)}</bdi>`;
}

function communityLink({ subreddit }: PostRecord | CommentRecord, { communityAddress }: LineContext): Html {
  const address = communityAddress(subreddit.name);
  const name = html`<bdi>/r/${visible(subreddit.name)}</bdi>`;
  return html`<span class="community">${address === null ? name : html`<a href="${address}">${name}</a>`}</span>`;
}

function timeOf({ created_utc: time }: PostRecord | CommentRecord, { now }: LineContext): Html {
  return html`<time datetime="${new Date(time * 1000).toISOString().replace('.000', '')}">${dateTime(time)}</time> <span class="age">${age(time, now)}</span>`;
}

/** A link to where the post leads; look-alike letters in a domain show as punycode beside it. */
function domainLink({ domain, url }: PostRecord): Html | null {
  if (domain === '') return null;
  const ascii = punycode(domain);
  const name = html`<bdi>${visible(domain)}</bdi>${ascii === null ? null : html` (${ascii})`}`;
  const address = webAddress(url);
  return html`<span class="domain">${address === null ? name : html`<a href="${address}" rel="nofollow">${name}</a>`}</span>`;
}

/** Nothing at all where the comment is unrated. */
function sentimentOf({ sentiment: rating }: CommentRecord): Html | null {
  if (rating === null) return null;
  const tone = rating >= 0.05 ? ' positive' : rating <= -0.05 ? ' negative' : '';
  return html` <span class="sentiment${tone}" title="Sentiment, -1 to +1">${sentiment(rating)}</span>`;
}

function nsfwMarker({ subreddit }: PostRecord | CommentRecord): Html | null {
  return subreddit.nsfw
    ? html` <abbr class="nsfw" title="Adult content: not safe for work">NSFW</abbr>`
    : null;
}

function permalink(address: string | null): Html {
  return address === null
    ? html`<p class="links">No permalink</p>`
    : html`<p class="links"><a class="permalink" href="${address}" rel="nofollow">Permalink</a></p>`;
}

interface TextContext extends LineContext {
  /** Characters of one text that are shown at the most. */
  readonly limit: number;
}

function textOf(record: PostRecord | CommentRecord): string {
  return record.type === 'post' ? record.selftext : record.body;
}

/**
 * So many characters of each text that all together are SHARE_OF_TEXT a record or fewer: short texts leave more to long
 * ones. Never less than an excerpt.
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

/** The text, folded where it is long or of a community for adults. */
function textBlock(record: PostRecord | CommentRecord, { words, limit }: TextContext): Html | null {
  const text = textOf(record);
  if (text.trim() === '') return null;
  const segments = segmentsOf(text, words);
  if (record.subreddit.nsfw) {
    return html`<details class="text adult"><summary>Show text (adult community)</summary>${whole(segments, limit)}</details>`;
  }
  const excerpt = excerptOf(segments, EXCERPT.characters, EXCERPT.lines);
  if (excerpt === null) return html`<div class="text"><p dir="auto">${renderSegments(segments)}</p></div>`;
  return html`<div class="text long"><p class="excerpt" dir="auto">${renderSegments(excerpt)}</p>
<details><summary>${isWhole(segments, limit) ? 'Show all' : 'Show more of'} ${count(wordCount(segments))} words</summary>${whole(segments, limit)}</details></div>`;
}

function isWhole(segments: readonly Segment[], limit: number): boolean {
  return startOf(segments, limit) === null;
}

function whole(segments: readonly Segment[], limit: number): Html {
  const cut = startOf(segments, limit);
  return html`<p dir="auto">${renderSegments(cut ?? segments)}</p>${cut === null ? null : html`<p class="hint">The rest is at the permalink and in the API’s answer.</p>`}`;
}
