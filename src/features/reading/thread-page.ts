// The page of a thread: the post, if it is here, and its comments, each below what it answers.

import {
  commentAnchor,
  recordAddress,
  type ThreadState,
  threadAddress,
} from '../../http/addresses/reading.ts';
import { count, counted } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';
import { type Frame, signInTo } from '../../http/views/layout.ts';
import {
  damageNotice,
  linkRow,
  nsfwMarker,
  permalink,
  sentimentOf,
  timeOf,
} from '../../http/views/record-parts.ts';
import type { ShownText } from '../../http/views/results.ts';
import type { Kind } from '../../model/record.ts';
import { THREAD_PAGE, type Thread, type ThreadedComment } from './reading.ts';
import { backLink, postHead, type ReadingContext, type ReadingTexts, wholeText } from './record-page.ts';

interface CommentsOnPage extends ReadingContext {
  readonly state: ThreadState;
  readonly thread: Pick<Thread, 'comments'>;
  /** Of each comment. */
  readonly texts: readonly ShownText[];
}

interface ThreadView extends CommentsOnPage {
  readonly thread: Thread;
  readonly postTexts: ReadingTexts;
  /** How many comments a visitor gets; null: the person is signed in. */
  readonly visitorComments: number | null;
}

/** How many steps comments are indented; deeper ones say how deep they are. */
const MAX_STEPS = 8;

export function threadPage(frame: Frame, view: ThreadView): Html {
  const { thread, state, query } = view;
  return html`${backLink(query, state.around === null ? 'post' : 'comment')}
${damageNotice(thread.damages)}
${thread.post === null ? missingPost(thread) : postPart(view)}
${thread.total === null ? null : commentList(frame, view, thread.total)}`;
}

function missingPost({ comments, damages }: Thread): Html {
  const name = comments[0]?.record.subreddit.name;
  return html`<h1 class="reading">Thread${name === undefined ? null : html` in <bdi>/r/${name}</bdi>`}</h1>
${damages.post === null ? html`<p class="hint">The post itself is not in the archive, but these comments on it are.</p>` : null}`;
}

function commentList(frame: Frame, view: ThreadView, total: number): Html {
  const { thread } = view;
  return html`<section class="comments" aria-labelledby="comments">
<h2 id="comments">${counted(total, 'comment')}</h2>
${total === 0 ? html`<p class="hint">No comments on this post are in the archive.</p>` : html`<p class="hint">${rangeWords(thread, total)}${thread.comments.some(isAdrift) ? ' Of some comments it is not known what they answer: they stand at the left.' : null}</p>`}
${commentItems(view)}
${view.visitorComments === null ? paging(view, total) : visitorEnd(frame, view, total)}
</section>`;
}

/** The comments of a page, each below what it answers. */
export function commentItems(view: CommentsOnPage): Html {
  return html`<ol class="thread">
${view.thread.comments.map((comment, at) => html`<li class="level-${String(Math.min(comment.place.level, MAX_STEPS))}">${commentPart(comment, view.texts[at]!, view)}</li>`)}
</ol>`;
}

function postPart(view: ThreadView): Html {
  const post = view.thread.post!;
  const own = html`<a href="${recordAddress('post', post.id, { query: view.query })}">Post only</a>`;
  return html`<article class="read">
${postHead(post, view.postTexts.title, view)}
${wholeText(post, view.postTexts.text, view)}
${linkRow([own, permalink(post)])}
</article>`;
}

function commentPart(comment: ThreadedComment, text: ShownText, view: CommentsOnPage): Html {
  const { state, query, now, thread } = view;
  const { record, place, answers } = comment;
  const isSought = record.id === state.around;
  const own = html`<a href="${recordAddress('comment', record.id, { query })}">Comment only</a>`;
  return html`<article id="${commentAnchor(record.id)}"${isSought ? html` class="sought"` : null}>
<h3 class="meta">${isSought ? html`<span class="unseen">The comment you came from: </span>` : null}${place.level === 0 ? null : html`<span class="unseen">Level ${count(place.level)}: </span>`}${timeOf(record, now)} <span class="score">${String(record.score)} score</span>${sentimentOf(record)}${nsfwMarker(record)}</h3>
${answeredLine(comment)}
${text.block}
${linkRow([text.whole ?? own, permalink(record), place.level === 0 ? null : parentLink(answers!, state, thread)])}
</article>`;
}

/** What indents do not show. */
function answeredLine({ place: { level, depth }, answers }: ThreadedComment): Html | null {
  if (level > MAX_STEPS) return html`<p class="hint">${count(level)} levels down</p>`;
  if (level > 0 || depth !== null) return null;
  // Old imports know of no comment what it answers: that is said once, above the list.
  return answers === null ? null : html`<p class="hint">In reply to a comment that is not above</p>`;
}

/** It is not known what it answers. */
function isAdrift({ place: { level, depth }, answers }: ThreadedComment): boolean {
  return level === 0 && depth === null && answers === null;
}

function parentLink(id: string, state: ThreadState, { comments }: Pick<Thread, 'comments'>): Html {
  const isHere = comments.some(({ record }) => record.id === id);
  const address = isHere ? `#${commentAnchor(id)}` : threadAddress({ ...state, after: 0, around: id });
  return html`<a href="${address}">Parent</a>`;
}

/** `501–1,000 of 1,234, each answer below what it answers`. */
function rangeWords({ comments, before }: Thread, total: number): string {
  if (comments.length === 0) return 'There are no more comments.';
  const range = `${count(before + 1)}–${count(before + comments.length)} of ${count(total)}, `;
  const words = `${comments.length === total ? '' : range}each answer below what it answers, oldest first.`;
  return words[0]!.toUpperCase() + words.slice(1);
}

function paging({ state, thread }: ThreadView, total: number): Html | null {
  const { comments, before } = thread;
  const next = before + comments.length;
  if (before === 0 && next >= total) return null;
  const to = (after: number) => threadAddress({ ...state, around: null, after });
  return html`<nav class="paging" aria-label="Pages of the thread">
<p>${rangeWords(thread, total)}</p>
<p class="moves">${before <= THREAD_PAGE ? null : html`<a class="button" href="${to(0)}">First page</a>`}
${before === 0 ? null : html`<a class="button" rel="prev" href="${to(Math.max(0, before - THREAD_PAGE))}">Earlier comments</a>`}
${next >= total ? html`<span class="end">End of the thread</span>` : html`<a class="button primary" rel="next" href="${to(next)}">Later comments</a>`}</p>
</nav>`;
}

/** The prompt after a visitor's last comment. */
function visitorEnd(frame: Frame, { thread, state, query }: ThreadView, total: number): Html {
  const { comments } = thread;
  const all = comments.length >= total;
  const isElsewhere = state.around !== null && !comments.some(({ record }) => record.id === state.around);
  const kind: Kind = 'comment';
  return html`${isElsewhere ? html`<p>The comment you came from is further down. <a href="${recordAddress(kind, state.around!, { query })}">Read it on its own page</a></p>` : null}
<div class="prompt"><p><strong>${all ? `That is everything: ${counted(total, 'comment')}.` : `Showing the first ${count(comments.length)} of ${counted(total, 'comment')}.`}</strong></p>
<p>${signInTo(frame, `read ${all ? 'longer threads to the end' : 'the whole thread'}.`, { isInviting: true })}</p></div>`;
}
