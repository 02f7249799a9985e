// The page of one record: its whole text at reading width.

import { searchAddress, threadAddress } from '../../http/addresses.ts';
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
  sentimentOf,
  textOf,
  timeOf,
} from '../../http/views/records.ts';
import type { Word } from '../../model/query.ts';
import type { PostRecord } from '../../search/presenter.ts';
import type { ReadRecord } from './reading.ts';

export interface ReadingContext {
  readonly words: readonly Word[];
  /** As written; null: no search led here. */
  readonly query: string | null;
  readonly now: number;
  /** Address of the search within this community; null if no query can name it. */
  readonly communityAddress: (name: string) => string | null;
  /** Whether texts of communities for adults are shown without a fold. */
  readonly showsAdult: boolean;
}

export interface ReadingTexts {
  readonly title: Html | null;
  /** The whole text of the record, or of the post on the page of a thread; null if it has none. */
  readonly text: Html | null;
}

export interface FirstComments {
  readonly list: Html;
  readonly shown: number;
}

/** `first`: of a post; null: none. */
export function recordPage(
  { record, thread, post, comments, damages }: ReadRecord,
  { title, text }: ReadingTexts,
  context: ReadingContext,
  first: FirstComments | null,
): Html {
  const query = context.query;
  const around = record.type === 'comment' ? record.id : null;
  const head =
    record.type === 'post'
      ? postHead(record, title, context)
      : html`<h1 class="reading">Comment${post === null ? null : html` on <a href="${threadAddress({ post: post.id, query, after: 0, around })}">${titleOf(title)}</a>`}${nsfwMarker(record)}</h1>
${metaLine(record, context)}`;
  return html`${backLink(query, record.type)}
${damageNotice(damages)}
<article class="read">
${head}
${wholeText(record, text && html`${text}${sourceOf(record)}`, context)}
${linkRow([permalink(record)])}
</article>
${thread === null ? null : commentsPart(threadAddress({ post: thread, query, after: 0, around }), { type: record.type, comments, first })}`;
}

/** The text as it came, with its Markdown. */
function sourceOf(record: AnyRecord): Html {
  return html`<details class="source"><summary>Source</summary><pre dir="auto">${visible(textOf(record))}</pre></details>`;
}

interface CommentsView {
  readonly type: AnyRecord['type'];
  /** How many are here; null: unknown. */
  readonly comments: number | null;
  /** null: none is shown here. */
  readonly first: FirstComments | null;
}

function commentsPart(address: string, { type, comments, first }: CommentsView): Html {
  const isPost = type === 'post';
  const number = comments === null ? null : counted(comments, 'comment');
  const title = number === null ? 'Thread' : isPost ? number : `In a thread of ${number}`;
  const isCut = isPost && first !== null && (comments ?? 0) > first.shown;
  const words = isCut
    ? `Read all ${number}`
    : isPost && first === null
      ? 'Read the comments'
      : 'Read the thread';
  return html`<section class="comments" aria-labelledby="comments">
<h2 id="comments">${title}</h2>
${first === null ? null : first.list}
${comments === 0 ? html`<p class="hint">No comments on this post are in the archive.</p>` : html`<p><a class="button" href="${address}">${words}</a></p>`}
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

/** A whole text, folded away if the community is for adults and such texts are not shown. */
export function wholeText(
  record: AnyRecord,
  text: Html | null,
  { showsAdult }: Pick<ReadingContext, 'showsAdult'>,
): Html | null {
  if (text === null) return null;
  return record.subreddit.nsfw && !showsAdult ? adultFold(text) : html`<div class="text">${text}</div>`;
}

export function backLink(query: string | null, kind: AnyRecord['type']): Html | null {
  if (query === null) return null;
  return html`<p class="back"><a href="${searchAddress({ query, kind })}">Back to the search</a></p>`;
}

/** A record or thread that is not here. The page looks the same whatever the reason. */
export function missingPage(what: 'post' | 'comment' | 'thread', query: string | null): Html {
  return html`${backLink(query, what === 'comment' ? 'comment' : 'post')}
<section class="problem" aria-labelledby="problem">
<h1 id="problem">This ${what} is not in the archive</h1>
<p>There is no record with this id. ${what === 'thread' ? 'Neither the post nor any of its comments has been imported, or they were removed.' : 'It was never imported, or it was removed.'}</p>
<p><a class="button" href="/">Search</a> <a href="/about">About this archive</a></p>
</section>`;
}
