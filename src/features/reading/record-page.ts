// The page of one record: its whole text in a readable width.

import {
  listOf,
  recordAddress,
  type SearchState,
  searchAddress,
  threadAddress,
} from '../../http/addresses.ts';
import { counted } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';
import { visible } from '../../http/views/record-text.ts';
import {
  type AnyRecord,
  adultFold,
  communityLink,
  damageNotice,
  domainLink,
  linkOut,
  linkRow,
  nsfwMarker,
  permalink,
  type ShownText,
  sentimentOf,
  textOf,
  timeOf,
} from '../../http/views/records.ts';
import type { Word } from '../../model/query.ts';
import type { Kind } from '../../model/record.ts';
import type { CommentRecord, PostRecord } from '../../search/presenter.ts';
import type { ReadRecord } from './reading.ts';

export interface ReadingContext {
  readonly words: readonly Word[];
  /** As written; null: no search led here. */
  readonly query: string | null;
  /** The page of results that led here; null: none did. */
  readonly back: SearchState | null;
  readonly now: number;
  /** Address of the search within this community; null if no query can name it. */
  readonly communityAddress: (name: string) => string | null;
  /** Whether texts of communities for adults are shown without a fold. */
  readonly showsAdult: boolean;
}

export interface ReadingTexts {
  readonly title: Html | null;
  /** The whole text of the record, or of the post of a thread; null if it has none. */
  readonly text: Html | null;
}

interface RecordTexts extends ReadingTexts {
  /** The parent of a comment; null if it is not here. */
  readonly answered: ShownText | null;
}

/** The list for the address of a record or thread; by default, the list of this kind. */
export function listFor({ back }: Pick<ReadingContext, 'back'>, kind: Kind): string {
  return back === null ? '' : listOf(back, kind);
}

export interface FirstComments {
  readonly list: Html;
  readonly shown: number;
}

/** `first`: for a post; null: none. */
export function recordPage(
  read: ReadRecord,
  { title, text, answered }: RecordTexts,
  context: ReadingContext,
  first: FirstComments | null,
): Html {
  const { record, thread, post, comments, damages } = read;
  const around = record.type === 'comment' ? record.id : null;
  const inThread = (id: string) =>
    threadAddress({ post: id, query: context.query, list: listFor(context, record.type), around });
  const head =
    record.type === 'post'
      ? postHead(record, title, context)
      : html`<h1 class="reading">Comment${post === null ? null : html` on <a href="${inThread(post.id)}">${titleOf(title)}</a>`}${nsfwMarker(record)}</h1>
${metaLine(record, context)}`;
  const whole = thread === null ? null : inThread(thread);
  const of = comments === null ? '' : ` of ${counted(comments, 'comment')}`;
  const above = around === null || whole === null ? null : html` <a href="${whole}">Read the thread${of}</a>`;
  return html`${backLink(context.back, above)}
${damageNotice(damages)}
${answered && answeredPart(read.answers!, answered, context)}
<article class="read">
${head}
${wholeText(record, text && html`${text}${sourceOf(record)}`, context)}
${linkRow([permalink(record)])}
</article>
${around !== null || whole === null ? null : commentsPart(whole, comments, first)}`;
}

function sourceOf(record: AnyRecord): Html {
  return html`<details class="source"><summary>Source</summary><pre dir="auto">${visible(textOf(record))}</pre></details>`;
}

function answeredPart(record: CommentRecord, { block, whole }: ShownText, context: ReadingContext): Html {
  const { query, now } = context;
  const own = recordAddress('comment', record.id, { query, list: listFor(context, 'comment') });
  return html`<section class="answered" aria-label="What it replies to">
<p class="meta"><a href="${own}">In reply to</a> ${timeOf(record, now)} <span class="score">${String(record.score)} score</span></p>
${block}${whole === null ? null : linkRow([whole])}
</section>`;
}

/** For a post. `comments`: how many are here; null: unknown. */
function commentsPart(address: string, comments: number | null, first: FirstComments | null): Html {
  const number = comments === null ? null : counted(comments, 'comment');
  const isCut = first !== null && (comments ?? 0) > first.shown;
  const words = isCut ? `Read all ${number}` : first === null ? 'Read the comments' : 'Read the thread';
  return html`<section class="comments" aria-labelledby="comments">
<h2 id="comments">${number ?? 'Thread'}</h2>
${first === null ? null : first.list}
${comments === 0 ? html`<p class="hint">The archive has no comments on this post.</p>` : html`<p><a class="button" href="${address}">${words}</a></p>`}
</section>`;
}

export function postHead(post: PostRecord, title: Html | null, context: ReadingContext): Html {
  return html`<h1 class="reading">${linkOut(post.url, titleOf(title))}${nsfwMarker(post)}</h1>
${metaLine(post, context)}`;
}

function titleOf(title: Html | null): Html {
  return title === null ? html`<i>(no title)</i>` : html`<bdi>${title}</bdi>`;
}

function metaLine(record: AnyRecord, { now, communityAddress }: ReadingContext): Html {
  return html`<p class="meta">${communityLink(record, communityAddress(record.subreddit.name))} ${timeOf(record, now)} <span class="score">${String(record.score)} score</span>${record.type === 'comment' ? sentimentOf(record) : html` ${domainLink(record)}`}</p>`;
}

/** A whole text, folded if the community is for adults and such texts are hidden. */
export function wholeText(
  record: AnyRecord,
  text: Html | null,
  { showsAdult }: Pick<ReadingContext, 'showsAdult'>,
): Html | null {
  if (text === null) return null;
  return record.subreddit.nsfw && !showsAdult ? adultFold(text) : html`<div class="text">${text}</div>`;
}

export function backLink(back: SearchState | null, beside: Html | null = null): Html | null {
  if (back === null && beside === null) return null;
  return html`<p class="back">${back && html`<a href="${searchAddress(back)}">Back to the search</a>`}${beside}</p>`;
}

/** For a record or thread that is not here. The page looks the same whatever the reason. */
export function missingPage(what: 'post' | 'comment' | 'thread', back: SearchState | null): Html {
  return html`${backLink(back)}
<section class="problem" aria-labelledby="problem">
<h1 id="problem">This ${what} is not in the archive</h1>
<p>${what === 'thread' ? 'Neither the post nor any of its comments was ever imported, or they were removed.' : 'It was never imported, or it was removed.'}</p>
<p><a class="button" href="/">Search</a> <a href="/about">About this archive</a></p>
</section>`;
}
