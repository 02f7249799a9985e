// The pages for reading: a record by its id, and a thread.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import {
  RECORD_PATHS,
  readList,
  readThreadState,
  readWords,
  recordAddress,
  type SearchState,
  searchAddress,
  type ThreadState,
  threadAddress,
} from '../../http/addresses.ts';
import {
  addPageRead,
  checkFirstPage,
  frameOf,
  holdPage,
  limitSearches,
  sendPage,
  turnOf,
} from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import { type Html, html } from '../../http/views/html.ts';
import type { Frame, Page } from '../../http/views/layout.ts';
import { markedWhole, wholeBlocks } from '../../http/views/long-texts.ts';
import { wordsOf } from '../../http/views/record-text.ts';
import { type AnyRecord, excerptText, type ShownText, textOf, unfolded } from '../../http/views/records.ts';
import type { Query, Word } from '../../model/query.ts';
import { KINDS, type Kind, readPermalink } from '../../model/record.ts';
import { Turns } from '../../model/waiting.ts';
import { rowItem, writeQuery } from '../../search/edit-query.ts';
import type { CommentRecord, PostRecord } from '../../search/presenter.ts';
import {
  FIRST_COMMENTS,
  type ReadRecord,
  readRecord,
  readThread,
  THREAD_PAGE,
  type Thread,
} from './reading.ts';
import {
  type FirstComments,
  listFor,
  missingPage,
  type ReadingContext,
  recordPage,
  wholeText,
} from './record-page.ts';
import { commentItems, threadPage } from './thread-page.ts';

export function addPages(server: FastifyInstance, site: Site): void {
  for (const kind of KINDS) {
    addPageRead(server, `${RECORD_PATHS[kind]}/:id`, (request, reply) =>
      answerRecord(site, kind, request, reply),
    );
  }
  addPageRead(server, '/thread/:post', (request, reply) => answerThread(site, request, reply));
}

async function answerRecord(
  site: Site,
  kind: Kind,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const id = plainId((request.params as { id: string }).id);
  const from = readWords(request.raw.url ?? '');
  const frame = frameOf(site, request);
  limitSearches(site, request, frame);
  using turn = await turnOf(site, request, reply, frame);
  await holdPage(site, request, reply, frame, turn.signal);
  const most =
    frame.viewer === null ? Math.min(FIRST_COMMENTS, site.archive.config.visitorResults) : FIRST_COMMENTS;
  const read = await readRecord(site.archive, kind, id, turn.signal, most);
  if (read === null)
    return await sendMissing(site, request, reply, frame, missingPage(kind, backOf(from, kind)));
  const context = contextOf(site, frame, from, kind);
  const { record } = read;
  const turns = new Turns();
  const texts = {
    title: await titleMarked(record.type === 'post' ? record : read.post, context.words, turns),
    text: await wholeMarked(record, context.words, turns),
    answered: read.answers === null ? null : await commentExcerpt(read.answers, context, turns),
  };
  const page: Page = {
    title: record.type === 'post' ? nameOf(record.title, 'Post') : `Comment in /r/${record.subreddit.name}`,
    main: recordPage(read, texts, context, await firstComments(read, context, turns)),
    canonical: recordAddress(kind, id, { query: null }),
    mainClass: 'reading',
  };
  return await sendPage(site, request, reply, frame, page);
}

/** null: none is shown. */
async function firstComments(
  { record, first }: ReadRecord,
  context: ReadingContext,
  turns: Turns,
): Promise<FirstComments | null> {
  if (first.length === 0) return null;
  const thread = { comments: first };
  const { query } = context;
  const state: ThreadState = { post: record.id, query, after: 0, around: null, order: 'oldest' };
  const texts = await commentTexts(thread, context, turns);
  return { list: commentItems({ ...context, state, thread, texts, sought: new Set() }), shown: first.length };
}

async function answerThread(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const post = threadId((request.params as { post: string }).post);
  const state = readThreadState(post, request.raw.url ?? '');
  const frame = frameOf(site, request);
  limitSearches(site, request, frame);
  const isVisitor = frame.viewer === null;
  checkFirstPage(frame, state);
  using turn = await turnOf(site, request, reply, frame);
  const wanted = {
    post,
    after: state.after,
    around: isVisitor || state.after > 0 ? null : state.around,
    limit: isVisitor ? site.archive.config.visitorResults : THREAD_PAGE,
    query: isVisitor ? null : queryOf(site, state.query),
  };
  await holdPage(site, request, reply, frame, turn.signal);
  const thread = await readThread(site.archive, wanted, turn.signal);
  if (thread === null)
    return await sendMissing(
      site,
      request,
      reply,
      frame,
      missingPage('thread', backOf(state, kindOf(state))),
    );
  return await sendPage(site, request, reply, frame, await pageOfThread(site, frame, state, thread));
}

async function pageOfThread(site: Site, frame: Frame, state: ThreadState, thread: Thread): Promise<Page> {
  const context = contextOf(site, frame, state, kindOf(state));
  const turns = new Turns();
  const view = {
    ...context,
    state,
    thread,
    postTexts: {
      title: await titleMarked(thread.post, context.words, turns),
      text: thread.post === null ? null : await wholeMarked(thread.post, context.words, turns),
    },
    texts: await commentTexts(thread, context, turns),
    sought: new Set([...(thread.matches?.ids ?? []), ...(state.around === null ? [] : [state.around])]),
    visitorComments: frame.viewer === null ? site.archive.config.visitorResults : null,
  };
  const name = nameOf(thread.post?.title ?? '', `Thread ${state.post}`);
  return {
    title: thread.before === 0 ? name : `${name} – from comment ${thread.before + 1} on`,
    main: threadPage(frame, view),
    canonical: threadAddress({ post: state.post, after: state.after }),
    mainClass: 'reading',
  };
}

/** Characters of one comment, and of all on a page, shown in full; beyond them, an excerpt links to the rest. */
const MAX_WHOLE = 20_000;
const MAX_PAGE = 500_000;

async function commentTexts(
  { comments }: Pick<Thread, 'comments'>,
  context: ReadingContext,
  turns: Turns,
): Promise<ShownText[]> {
  const { words } = context;
  const texts: ShownText[] = [];
  let left = MAX_PAGE;
  for (const { record: comment } of comments) {
    const { length } = comment.body;
    const isWhole = length <= Math.min(MAX_WHOLE, left);
    if (isWhole) left -= length;
    texts.push(
      isWhole
        ? { block: wholeText(comment, await wholeMarked(comment, words, turns), context), whole: null }
        : await commentExcerpt(comment, context, turns),
    );
    await turns.next();
  }
  return texts;
}

function commentExcerpt(comment: CommentRecord, context: ReadingContext, turns: Turns): Promise<ShownText> {
  const { words, query, showsAdult } = context;
  const from = { query, list: listFor(context, 'comment') };
  return excerptText(showsAdult ? unfolded(comment) : comment, words, from, turns);
}

/** null if there is no text. */
async function wholeMarked(record: AnyRecord, words: readonly Word[], turns: Turns): Promise<Html | null> {
  const text = textOf(record);
  return text.trim() === '' ? null : wholeBlocks(text, words, turns);
}

async function titleMarked(
  post: PostRecord | null,
  words: readonly Word[],
  turns: Turns,
): Promise<Html | null> {
  return post === null || post.title.trim() === '' ? null : markedWhole(post.title, words, turns);
}

const MAX_NAME = 200;

function nameOf(title: string, otherwise: string): string {
  return title.trim() === '' ? otherwise : title.slice(0, MAX_NAME).toWellFormed();
}

/** The list that a thread is assumed to come from if its address does not say. */
function kindOf({ around }: ThreadState): Kind {
  return around === null ? 'post' : 'comment';
}

/** null: no search led here. */
function backOf({ query, list = '' }: Pick<ThreadState, 'query' | 'list'>, kind: Kind): SearchState | null {
  return query === null && list === '' ? null : readList(query ?? '', list, kind);
}

function contextOf(
  site: Site,
  { settings }: Frame,
  from: Pick<ThreadState, 'query' | 'list'>,
  kind: Kind,
): ReadingContext {
  const { query } = from;
  return {
    words: wordsToMark(site, query),
    query,
    back: backOf(from, kind),
    now: Date.now() / 1000,
    showsAdult: settings.adult === 'shown',
    communityAddress: (name) => {
      const item = rowItem('community', name);
      return item === null ? null : searchAddress({ query: writeQuery([item]) });
    },
  };
}

function wordsToMark(site: Site, query: string | null): readonly Word[] {
  const understood = queryOf(site, query);
  return understood === null ? [] : wordsOf(understood);
}

/** null if the text is not a query: the record can be shown without it. */
function queryOf(site: Site, query: string | null): Query | null {
  if (query === null) return null;
  try {
    return site.archive.search.interpret(query).query;
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

/** The id as people copy it, with or without its prefix. */
function plainId(written: string): string {
  return written.replace(/^t[13]_/, '');
}

/** The same for a thread, which a link to its post or to one of its comments also names. */
function threadId(written: string): string {
  return plainId(readPermalink(written)?.post ?? written);
}

function sendMissing(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  frame: Frame,
  main: Html,
): Promise<FastifyReply> {
  const page: Page = { title: 'Not in the archive', main: html`${main}`, mainClass: 'reading' };
  return sendPage(site, request, reply, frame, page, { status: 404 });
}
