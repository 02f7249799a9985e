// The pages of one record, with its whole text in a readable width, and of a thread: the post, if it is here, and its
// comments, each below its parent.

import {
  commentAnchor,
  listOf,
  recordAddress,
  type SearchState,
  searchAddress,
  THREAD_ORDERS,
  type ThreadOrder,
  type ThreadState,
  threadAddress,
} from '../../http/addresses.ts';
import { count, counted } from '../../http/views/format.ts';
import { type Html, html } from '../../http/views/html.ts';
import type { Frame } from '../../http/views/layout.ts';
import { visible } from '../../http/views/record-text.ts';
import {
  type AnyRecord,
  communityLink,
  damageNotice,
  domainLink,
  endPrompt,
  folded,
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
import { readableTime } from '../../model/time.ts';
import type { CommentRecord, PostRecord } from '../../search/presenter.ts';
import { type ReadRecord, THREAD_PAGE, type Thread, type ThreadedComment } from './threads.ts';

export interface ReadingContext {
  readonly words: readonly Word[];
  /** As written; null: no search led here. */
  readonly query: string | null;
  /** The page of results that led here; null: none did. */
  readonly back: SearchState | null;
  readonly now: number;
  /** Address of the search within this community; null if no query can name it. */
  readonly communityAddress: (name: string) => string | null;
  readonly showsAdult: boolean;
}

interface ReadingTexts {
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

interface FirstComments {
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
${text && folded(record, html`${text}${sourceOf(record)}`, context.showsAdult)}
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

function postHead(post: PostRecord, title: Html | null, context: ReadingContext): Html {
  return html`<h1 class="reading">${linkOut(post.url, titleOf(title))}${nsfwMarker(post)}</h1>
${metaLine(post, context)}`;
}

function titleOf(title: Html | null): Html {
  return title === null ? html`<i>(no title)</i>` : html`<bdi>${title}</bdi>`;
}

function metaLine(record: AnyRecord, { now, communityAddress }: ReadingContext): Html {
  return html`<p class="meta">${communityLink(record, communityAddress(record.subreddit.name))} ${timeOf(record, now)} <span class="score">${String(record.score)} score</span>${record.type === 'comment' ? sentimentOf(record) : html` ${domainLink(record)}`}</p>`;
}

function backLink(back: SearchState | null, beside: Html | null = null): Html | null {
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

interface CommentsOnPage extends ReadingContext {
  readonly state: ThreadState;
  readonly thread: Pick<Thread, 'comments'>;
  readonly texts: readonly ShownText[];
  /** Ids of comments that stay unfolded: matches, and the one to open the thread at. */
  readonly sought: ReadonlySet<string>;
}

interface ThreadView extends CommentsOnPage {
  readonly thread: Thread;
  readonly postTexts: ReadingTexts;
  /** Most comments that a visitor sees; null: the user is signed in. */
  readonly visitorComments: number | null;
}

/** Most steps by which comments are indented; deeper ones state their depth. */
const MAX_STEPS = 8;
/** Replies fold every so many levels, unless one of them is sought; sooner on a page of many comments. */
const OPEN_LEVELS = { few: 3, many: 2 };
const MANY_COMMENTS = 200;

export function threadPage(frame: Frame, view: ThreadView): Html {
  const { thread } = view;
  return html`${backLink(view.back)}
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
${threadBar(view, total)}
${total === 0 ? html`<p class="hint">The archive has no comments on this post.</p>` : html`<p class="hint">${rangeWords(thread, total, view.state.order)}${thread.comments.some(isAdrift) ? ' Comments whose parent is unknown are not indented.' : null}</p>`}
${commentItems(view)}
${view.visitorComments === null ? paging(view, total) : visitorEnd(frame, view, total)}
</section>`;
}

function threadBar(view: ThreadView, total: number): Html {
  const { thread, state, query } = view;
  const at = thread.comments.findIndex(({ record }) => record.id === state.around);
  const place =
    at === -1 ? null : html` <span>Comment ${count(thread.before + at + 1)} of ${count(total)}</span>`;
  const orders = thread.comments.length === total && total > 1;
  const search = searchAddress({ kind: 'comment', query: `${query ? `${query}, ` : ''}post:${state.post}` });
  return html`<nav class="threadbar" aria-label="In this thread"><a class="title" href="#main"><bdi>${visible(thread.post?.title || 'The post')}</bdi></a>${place}${matchMoves(view)}
${orders ? html`<span class="orders">${THREAD_ORDERS.map((order) => html` ${order === state.order ? html`<b aria-current="true">${order}</b>` : html`<a href="${inThread(view, { order, around: null })}">${order}</a>`}`)}</span>` : null} <a href="${search}">Search in this thread</a></nav>`;
}

function inThread(view: CommentsOnPage, changed: Partial<ThreadState>): string {
  const state = { ...view.state, ...changed };
  return threadAddress({ ...state, list: listFor(view, state.around === null ? 'post' : 'comment') });
}

/** `‹ match 3 of 25 ›`; null if the search finds nothing in the thread. */
function matchMoves(view: ThreadView): Html | null {
  const { matches } = view.thread;
  const { around } = view.state;
  if (matches === null || matches.total === 0) return null;
  const { ids, total } = matches;
  const at = around === null ? -1 : ids.indexOf(around);
  const move = (id: string | undefined, sign: string, name: string) =>
    id === undefined
      ? null
      : html` <a href="${inThread(view, { after: 0, around: id })}" aria-label="${name}">${sign}</a>`;
  return html` <span>${move(ids[at - 1], '‹', 'Previous match')} ${at === -1 ? counted(total, 'match', 'matches') : `match ${count(at + 1)} of ${count(total)}`}${move(ids[at + 1], '›', at === -1 ? 'First match' : 'Next match')}</span>`;
}

interface Branch {
  readonly comment: ThreadedComment;
  readonly text: ShownText;
  readonly answers: Branch[];
}

export function commentItems(view: CommentsOnPage): Html {
  const branches = branchesOf(view);
  if (view.state.order === 'top') byScore(branches);
  return html`<ol class="thread">${branches.map((branch) => branchItem(branch, view))}</ol>`;
}

function branchesOf({ thread, texts }: CommentsOnPage): Branch[] {
  const top: Branch[] = [];
  /** The path to the last branch. It may begin deep, if the parent of its first is on an earlier page. */
  const way: Branch[] = [];
  for (const [at, comment] of thread.comments.entries()) {
    while (way.length > 0 && way.at(-1)!.comment.place.level >= comment.place.level) way.pop();
    const branch = { comment, text: texts[at]!, answers: [] };
    (way.at(-1)?.answers ?? top).push(branch);
    way.push(branch);
  }
  return top;
}

function byScore(branches: Branch[]): void {
  branches.sort((a, b) => b.comment.record.score - a.comment.record.score);
  for (const { answers } of branches) byScore(answers);
}

/** The replies of a branch can be folded; those of a long chain are, unless the comment sought is among them. */
function branchItem({ comment, text, answers }: Branch, view: CommentsOnPage): Html {
  const { level } = comment.place;
  const size = sizeOf(answers);
  const levels = OPEN_LEVELS[view.thread.comments.length > MANY_COMMENTS ? 'many' : 'few'];
  const isOpen = (level + 1) % levels !== 0 || size === 1 || holds(answers, view.sought);
  const below = html`<ol${level >= MAX_STEPS ? html` class="deep"` : null}>${answers.map((one) => branchItem(one, view))}</ol>`;
  const words = isOpen ? counted(size, 'reply', 'replies') : `${count(size)} more replies`;
  return html`<li>${commentPart(comment, text, view)}${
    size === 0
      ? null
      : html`<details${isOpen ? html` open` : null}><summary>${words}</summary>${below}</details>`
  }</li>`;
}

function sizeOf(branches: readonly Branch[]): number {
  return branches.reduce((sum, { answers }) => sum + 1 + sizeOf(answers), 0);
}

function holds(branches: readonly Branch[], sought: ReadonlySet<string>): boolean {
  return branches.some(({ comment, answers }) => sought.has(comment.record.id) || holds(answers, sought));
}

function postPart(view: ThreadView): Html {
  const post = view.thread.post!;
  const own = html`<a href="${recordAddress('post', post.id, { query: view.query, list: listFor(view, 'post') })}">Post only</a>`;
  return html`<article class="read">
${postHead(post, view.postTexts.title, view)}
${view.postTexts.text && folded(post, view.postTexts.text, view.showsAdult)}
${linkRow([own, permalink(post)])}
</article>`;
}

/** One link per comment: its time leads to its own page, which has the exact second and the other links. */
function commentPart(comment: ThreadedComment, text: ShownText, view: CommentsOnPage): Html {
  const { state, query } = view;
  const { record } = comment;
  const isSought = record.id === state.around;
  return html`<article id="${commentAnchor(record.id)}"${isSought ? html` class="sought"` : null}>
<h3 class="meta">${isSought ? html`<span class="unseen">The comment you came from: </span>` : null}<a href="${recordAddress('comment', record.id, { query, list: listFor(view, 'comment') })}">${readableTime(record.created_utc).slice(0, 'YYYY-MM-DD, HH:MM'.length)}</a> <span class="score">${String(record.score)} score</span>${sentimentOf(record)}${nsfwMarker(record)}</h3>
${answeredLine(comment, view)}
${text.block}${text.whole === null ? null : linkRow([text.whole])}
</article>`;
}

function answeredLine({ record, place, answers }: ThreadedComment, view: CommentsOnPage): Html | null {
  const { level, depth } = place;
  if (level > MAX_STEPS) return html`<p class="hint">${count(level)} levels down</p>`;
  if (answers === null) return null;
  // Old imports know no parents: that is said once, above the list.
  if (level === 0)
    return depth === null ? html`<p class="hint">In reply to a comment that is missing here</p>` : null;
  const [first] = view.thread.comments;
  if (first?.record.id !== record.id) return null;
  const parent = inThread(view, { after: 0, around: answers });
  return html`<p class="hint">In reply to <a href="${parent}">a comment on an earlier page</a></p>`;
}

function isAdrift({ place: { level, depth }, answers }: ThreadedComment): boolean {
  return level === 0 && depth === null && answers === null;
}

/** `501–1,000 of 1,234, each answer below what it answers`. */
function rangeWords({ comments, before }: Thread, total: number, order: ThreadOrder): string {
  if (comments.length === 0) return 'There are no more comments.';
  const range = `${count(before + 1)}–${count(before + comments.length)} of ${count(total)}, `;
  const words = `${comments.length === total ? '' : range}replies below the comments they answer, ${order === 'top' ? 'highest scores' : 'oldest'} first.`;
  return words[0]!.toUpperCase() + words.slice(1);
}

function paging(view: ThreadView, total: number): Html | null {
  const { state, thread } = view;
  const { comments, before } = thread;
  const next = before + comments.length;
  if (before === 0 && next >= total) return null;
  const to = (after: number) => inThread(view, { around: null, after });
  return html`<nav class="paging" aria-label="Pages of the thread">
<p>${rangeWords(thread, total, state.order)}</p>
<p class="moves">${before <= THREAD_PAGE ? null : html`<a class="button" href="${to(0)}">First page</a>`}
${before === 0 ? null : html`<a class="button" rel="prev" href="${to(Math.max(0, before - THREAD_PAGE))}">Earlier comments</a>`}
${next >= total ? html`<span class="end">End of the thread</span>` : html`<a class="button primary" rel="next" href="${to(next)}">Later comments</a>`}</p>
</nav>`;
}

function visitorEnd(frame: Frame, view: ThreadView, total: number): Html {
  const { thread, state, query } = view;
  const { comments } = thread;
  const rest = comments.length >= total ? 'longer threads to the end' : 'the whole thread';
  const isElsewhere = state.around !== null && !comments.some(({ record }) => record.id === state.around);
  return html`${isElsewhere ? html`<p>The comment you came from is further down. <a href="${recordAddress('comment', state.around!, { query, list: listFor(view, 'comment') })}">Read it on its own page</a></p>` : null}
${endPrompt(frame, 'comment', comments.length, total, `read ${rest}.`)}`;
}
