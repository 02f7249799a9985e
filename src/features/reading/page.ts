// The pages for reading: a record by its id, and a thread.

import type { FastifyInstance, FastifyReply } from 'fastify';
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
import { addPageRead, checkFirstPage, type Visit } from '../../http/site/respond.ts';
import type { Site } from '../../http/site/site.ts';
import type { Html } from '../../http/views/html.ts';
import type { Page } from '../../http/views/layout.ts';
import { markedWhole, wholeBlocks } from '../../http/views/markdown.ts';
import { wordsOf } from '../../http/views/record-text.ts';
import { type AnyRecord, excerptText, folded, type ShownText, textOf } from '../../http/views/records.ts';
import type { Query, Word } from '../../model/query.ts';
import { KINDS, type Kind, readPermalink } from '../../model/record.ts';
import { Turns } from '../../model/waiting.ts';
import { rowQuery } from '../../search/edit-query.ts';
import type { CommentRecord, PostRecord } from '../../search/presenter.ts';
import {
  FIRST_COMMENTS,
  type ReadRecord,
  readRecord,
  readThread,
  THREAD_PAGE,
  type Thread,
} from './threads.ts';
import { commentItems, listFor, missingPage, type ReadingContext, recordPage, threadPage } from './views.ts';

export function addPages(server: FastifyInstance, site: Site): void {
  for (const kind of KINDS)
    addPageRead(server, site, `${RECORD_PATHS[kind]}/:id`, (visit) => answerRecord(kind, visit));
  addPageRead(server, site, '/thread/:post', answerThread);
}

async function answerRecord(kind: Kind, visit: Visit): Promise<FastifyReply> {
  const { archive } = visit.site;
  const id = plainId(visit.parameter('id'));
  const from = readWords(visit.here);
  visit.limitSearches();
  using _ = await visit.turn();
  await visit.room();
  const most =
    visit.viewer === null ? Math.min(FIRST_COMMENTS, archive.config.visitorResults) : FIRST_COMMENTS;
  const read = await readRecord(archive, kind, id, visit.signal, most);
  if (read === null) return await sendMissing(visit, missingPage(kind, backOf(from, kind)));
  const context = contextOf(visit, from, kind);
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
  return await visit.send(page);
}

/** null: none is shown. */
async function firstComments({ record, first }: ReadRecord, context: ReadingContext, turns: Turns) {
  if (first.length === 0) return null;
  const thread = { comments: first };
  const { query } = context;
  const state: ThreadState = { post: record.id, query, after: 0, around: null, order: 'oldest' };
  const texts = await commentTexts(thread, context, turns);
  return { list: commentItems({ ...context, state, thread, texts, sought: new Set() }), shown: first.length };
}

async function answerThread(visit: Visit): Promise<FastifyReply> {
  const { site } = visit;
  const written = visit.parameter('post');
  const post = plainId(readPermalink(written)?.post ?? written);
  const state = readThreadState(post, visit.here);
  visit.limitSearches();
  const isVisitor = visit.viewer === null;
  checkFirstPage(visit, state.after);
  using _ = await visit.turn();
  const wanted = {
    post,
    after: state.after,
    around: isVisitor || state.after > 0 ? null : state.around,
    limit: isVisitor ? site.archive.config.visitorResults : THREAD_PAGE,
    query: isVisitor ? null : queryOf(site, state.query),
  };
  await visit.room();
  const thread = await readThread(site.archive, wanted, visit.signal);
  if (thread === null) return await sendMissing(visit, missingPage('thread', backOf(state, kindOf(state))));
  return await visit.send(await pageOfThread(visit, state, thread));
}

async function pageOfThread(visit: Visit, state: ThreadState, thread: Thread): Promise<Page> {
  const { site, frame } = visit;
  const context = contextOf(visit, state, kindOf(state));
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

async function commentTexts({ comments }: Pick<Thread, 'comments'>, context: ReadingContext, turns: Turns) {
  const { words, showsAdult } = context;
  const texts: ShownText[] = [];
  let left = MAX_PAGE;
  for (const { record: comment } of comments) {
    const { length } = comment.body;
    const isWhole = length <= Math.min(MAX_WHOLE, left);
    if (isWhole) left -= length;
    const text = isWhole ? await wholeMarked(comment, words, turns) : null;
    texts.push(
      isWhole
        ? { block: text && folded(comment, text, showsAdult), whole: null }
        : await commentExcerpt(comment, context, turns),
    );
    await turns.next();
  }
  return texts;
}

function commentExcerpt(comment: CommentRecord, context: ReadingContext, turns: Turns): Promise<ShownText> {
  const { words, query, showsAdult } = context;
  return excerptText(comment, { words, query, list: listFor(context, 'comment'), showsAdult }, turns);
}

/** null if there is no text. */
async function wholeMarked(record: AnyRecord, words: readonly Word[], turns: Turns): Promise<Html | null> {
  const text = textOf(record);
  return text.trim() === '' ? null : wholeBlocks(text, words, turns);
}

async function titleMarked(post: PostRecord | null, words: readonly Word[], turns: Turns) {
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

function contextOf(visit: Visit, from: Pick<ThreadState, 'query' | 'list'>, kind: Kind) {
  const { query } = from;
  const understood = queryOf(visit.site, query);
  return {
    words: understood === null ? [] : wordsOf(understood),
    query,
    back: backOf(from, kind),
    now: Date.now() / 1000,
    showsAdult: visit.frame.settings.adult === 'shown',
    communityAddress: (name: string) => {
      const community = rowQuery('community', name);
      return community && searchAddress({ query: community });
    },
  };
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

function plainId(written: string): string {
  return written.replace(/^t[13]_/, '');
}

function sendMissing(visit: Visit, main: Html) {
  return visit.send({ title: 'Not in the archive', main, mainClass: 'reading' }, { status: 404 });
}
