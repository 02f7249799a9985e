// Reading: one record by its id, and a thread, from request to response: a post and its comments, by time or as a tree.
// A thread is written comment by comment, since a tree may be too deep for recursion.

import { parameterFault, ServiceError } from '../../errors.ts';
import { EMPTY_PAGE, type Question } from '../../model/engine.ts';
import { damageIn, IndexDamage } from '../../model/engine-errors.ts';
import { MAX_PAGE_BYTES, MAX_SHOWN_BYTES, type ThreadPlace, type ThreadRequest } from '../../model/pages.ts';
import type { Query } from '../../model/query.ts';
import {
  type Kind,
  type RecordIdReading,
  readPermalink,
  readRecordId,
  type StoredComment,
  type StoredRecord,
  threadOf as threadIdOf,
} from '../../model/record.ts';
import type { ReadArchive } from '../../operation/operation.ts';
import { cursorOf, readCursor } from '../../search/asking.ts';
import {
  type CommentRecord,
  chooseFields,
  DEFAULT_FIELDS,
  needsArrived,
  type PostRecord,
  type RecordOf,
  readFields,
} from '../../search/presenter.ts';
import { orDamage, orGiveUp } from '../../search/search-service.ts';

/** Comments of a page. A page that would end inside a second behind its 999th comment has a few more. */
export const MAX_THREAD_PAGE = 1000;

export const MAX_TREE = 10_000;

/** Bytes of the tree's records, counted as in model/pages.ts. */
export const MAX_TREE_BYTES = 33_554_432;

export const THREAD_SHAPES = ['flat', 'tree'] as const;

export interface ThreadWish {
  /** As the caller wrote it: an id with or without its prefix, or a link to the post or to a comment of it. */
  readonly post: string;
  /** A comment, as the caller wrote it: only this one, its ancestors, and the replies below it. */
  readonly around: string | null;
  /** `flat`: a list by time, in pages; `tree`: all at once, each comment with its replies. */
  readonly shape: (typeof THREAD_SHAPES)[number];
  /** The cursor as given; null: from the start. Not with `tree`. */
  readonly after: string | null;
  /**
   * 0 to MAX_THREAD_PAGE; null: MAX_THREAD_PAGE. Not with `tree`. `all`: for callers in this process, the whole thread
   * in one response, of either shape and any size.
   */
  readonly limit: number | 'all' | null;
  /** Names of fields of the comments, as given; null: THREAD_FIELDS. */
  readonly fields: string | null;
}

/** The schema in feature.ts describes every field. */
export type ThreadAnswer = ThreadResult['answer'];
export type ThreadResult = Awaited<ReturnType<typeof threadOf>>;

/** Fields of a comment in a thread besides those of every record. */
export const FURTHER_FIELDS = ['depth'] as const;

const THREAD_FIELDS: readonly string[] = [...DEFAULT_FIELDS.comment, 'parent_id', 'depth'];

/** The names of a list, else THREAD_FIELDS. Throws `bad_fields`. */
export function readThreadFields(given: string | null): readonly string[] {
  return readFields(given, 'comment', FURTHER_FIELDS) ?? THREAD_FIELDS;
}

/**
 * `levels`, of a tree: the depth of each comment, in the order of the tree; null: it is flat. `isShort`: the page ended
 * before `limit` comments because of MAX_PAGE_BYTES.
 *
 * Throws `bad_post`, `bad_id`, `bad_cursor`, `bad_limit` or `bad_fields` for invalid values, `not_found` if nothing of
 * the thread is here, `thread_too_large`, and what the engine throws.
 */
export async function threadOf(archive: ReadArchive, wish: ThreadWish, signal?: AbortSignal) {
  const { permalinkBase: base } = archive.config;
  const post = idIn('post', 'bad_post', readPostId(wish.post, base));
  const around =
    wish.around === null ? null : idIn('around', 'bad_id', readRecordId('comment', wish.around, base));
  const request = requestOf(wish, around);
  const fields = readThreadFields(wish.fields);
  await archive.engine.refresh();
  const [found, { answer, part, index }] = await Promise.all([
    recordNamed(archive, 'post', post, signal),
    commentsOf(archive, post, request, { arrived: needsArrived(fields) }, signal),
  ]);
  if (found === null && answer.total === 0) throw nothingOf(`the post \`${post}\``);
  if (around !== null && part.listed === 0) throw nothingOf(`the comment \`${around}\` in this thread`);
  const { records, next, hasMore, isShort } = answer.page ?? EMPTY_PAGE;
  const isTree = wish.shape === 'tree';
  if (isTree && hasMore) throw tooLarge(part.listed);
  const comments = archive.search.present('comment', answer).map((record, i) => {
    const { depth } = part.places[i]!;
    return chooseFields(record, records[i]!, fields, answer.arrived?.[i] ?? null, { depth });
  });
  return {
    answer: {
      ...({ type: 'thread', kind: 'comments', query: null, index } as const),
      ...{ post: found?.record ?? null, total_count: answer.total, comments },
      next: hasMore && next !== null ? cursorOf(next) : null,
    },
    levels: isTree ? part.places.map(({ level }) => level) : null,
    isShort,
  };
}

/** As it is stored, and as the API gives it. null if it is not here. */
async function recordNamed<K extends Kind>(
  { engine, search, config: { queryTimeoutMs: timeoutMs } }: ReadArchive,
  kind: K,
  id: string,
  signal?: AbortSignal,
): Promise<{ readonly stored: StoredRecord; readonly record: RecordOf<K> } | null> {
  const query: Query = { items: [{ kind: 'id', record: { id, of: kind }, negated: false }] };
  const page = { order: 'newest', limit: 1, after: null } as const;
  const answer = await engine.ask({ kind, query, page, evidence: true, timeoutMs }, signal);
  const stored = answer.page!.records[0];
  return stored === undefined ? null : { stored, record: search.present(kind, answer)[0]! };
}

async function commentsOf(
  { engine, config: { queryTimeoutMs: timeoutMs } }: ReadArchive,
  post: string,
  thread: ThreadRequest,
  { arrived = false }: { readonly arrived?: boolean } = {},
  signal?: AbortSignal,
) {
  const question = { kind: 'comment', query: ofThread(post), thread, evidence: true, arrived } as const;
  const { answers, index } = await engine.askAll([question], { timeoutMs }, signal);
  const answer = answers[0]!;
  return { answer, part: answer.thread!, index };
}

function ofThread(post: string): Query {
  return { items: [{ kind: 'post', id: post, negated: false }] };
}

/** A link to a comment names the post too. */
function readPostId(text: string, base: string): RecordIdReading {
  const path = base !== '' && text.startsWith(`${base}/`) ? text.slice(base.length) : text;
  return readRecordId('post', readPermalink(path)?.post ?? text, base);
}

function idIn(parameter: string, code: 'bad_post' | 'bad_id', reading: RecordIdReading): string {
  if ('id' in reading) return reading.id;
  throw new ServiceError(code, `parameter \`${parameter}\`: ${reading.problem}`);
}

function requestOf({ shape, after, limit }: ThreadWish, around: string | null): ThreadRequest {
  const part = around === null ? {} : { around };
  if (limit === 'all') return { ...part, ...(shape === 'flat' ? FROM_OLDEST : WHOLE_TREE), limit: Infinity };
  if (shape === 'flat') {
    const position = readCursor(after, 'oldest');
    const size = { limit: limit ?? MAX_THREAD_PAGE, maxBytes: MAX_PAGE_BYTES };
    return { ...part, order: 'oldest', after: position, ...size };
  }
  if (after !== null && after !== '') throw notWithTree('after', 'bad_cursor');
  if (limit !== null) throw notWithTree('limit', 'bad_limit');
  return { ...part, ...WHOLE_TREE, limit: MAX_TREE, maxBytes: MAX_TREE_BYTES };
}

const FROM_OLDEST = { order: 'oldest', after: null } as const;
const WHOLE_TREE = { order: 'tree', from: 0 } as const;

function notWithTree(parameter: string, code: 'bad_cursor' | 'bad_limit'): ServiceError {
  return parameterFault(code, parameter, 'none with `shape=tree`, which has no pages', 'one');
}

function nothingOf(what: string): ServiceError {
  return new ServiceError('not_found', `expected something of ${what}, found nothing`);
}

function tooLarge(comments: number): ServiceError {
  const [most, found, bytes] = [MAX_TREE, comments, MAX_TREE_BYTES].map((n) => n.toLocaleString('en'));
  const problem =
    comments > MAX_TREE
      ? `expected at most ${most} comments for a tree, found ${found}`
      : `expected at most ${bytes} bytes of comments for a tree, found more`;
  return new ServiceError('thread_too_large', `${problem}; ask for the pages of \`shape=flat\``);
}

const MARK = '"comments":[';

/** The text of the response, in one part per comment. In a tree, each comment has its replies as `replies`. */
export function* threadJson({ answer, levels }: ThreadResult): Generator<string> {
  const frame = JSON.stringify({ ...answer, comments: [] });
  // Inside texts of the post, quotes are escaped.
  const end = frame.indexOf(MARK) + MARK.length;
  yield frame.slice(0, end);
  yield* levels === null ? listed(answer.comments) : nested(answer.comments, levels);
  yield frame.slice(end);
}

function* listed(comments: readonly object[]): Generator<string> {
  for (const [i, comment] of comments.entries()) yield (i === 0 ? '' : ',') + JSON.stringify(comment);
}

function* nested(comments: readonly object[], levels: readonly number[]): Generator<string> {
  let open = 0;
  for (const [i, comment] of comments.entries()) {
    const level = levels[i]!;
    const separator = i === 0 || level === open ? '' : `${']}'.repeat(open - level)},`;
    open = level + 1;
    yield `${separator}${JSON.stringify(comment).slice(0, -1)},"replies":[`;
  }
  yield ']}'.repeat(open);
}

export const THREAD_PAGE = 500;
export const FIRST_COMMENTS = 10;

/** Most matches in a thread that can be stepped through. */
const MAX_MATCHES = 1000;

export type ReadRecord = NonNullable<Awaited<ReturnType<typeof readRecord>>>;

type Damages = Readonly<Record<Kind, IndexDamage | null>>;

interface ThreadPageRequest {
  readonly post: string;
  readonly after: number;
  /** Id of a comment: show its page. Only without `after`. */
  readonly around: string | null;
  readonly limit: number;
  /** The search that led here; null or absent: none did. */
  readonly query?: Query | null;
}

export interface ThreadedComment {
  readonly record: CommentRecord;
  readonly place: ThreadPlace;
  /** Id of the parent comment, here or not; null: it answers the post, or the parent is unknown. */
  readonly answers: string | null;
}

export interface Thread {
  /** null: it is not here, or posts cannot be read; its comments may be here. */
  readonly post: PostRecord | null;
  readonly comments: readonly ThreadedComment[];
  /** Comments of the thread that are here; null if comments cannot be read. */
  readonly total: number | null;
  readonly before: number;
  /** The matches of the search in this thread; null: no search led here, or they could not be found in time. */
  readonly matches: Matches | null;
  /** Why a kind cannot be read; at most one. */
  readonly damages: Damages;
}

/** `ids`: the first thousand, oldest first. */
type Matches = { readonly total: number; readonly ids: readonly string[] };

type Listed = Pick<Thread, 'comments' | 'total' | 'before'>;

const UNREADABLE: Listed = { comments: [], total: null, before: 0 };

/**
 * `thread`: id of its thread; null if unknown. `post`, `answers`: of a comment, its post and its parent; null if the
 * one is not here or could not be read in time, and if the other is a post. `comments`: those of the thread that are
 * here; null without a thread, or if they could not be counted in time. `first`: the first of a post's thread.
 * `damages`: why the other kind cannot be read.
 *
 * null: not here. `most`: first comments wanted of a post, above 0. Throws as the engine, for the record itself.
 */
export async function readRecord(
  archive: ReadArchive,
  kind: Kind,
  id: string,
  signal?: AbortSignal,
  most = FIRST_COMMENTS,
) {
  await archive.engine.refresh();
  const found = await recordNamed(archive, kind, id, signal);
  if (found === null) return null;
  const thread = threadIdOf(found.stored);
  const begin = { post: id, after: 0, around: null, limit: most };
  const parent = found.stored.kind === 'comment' ? found.stored.parent : '';
  const named = <K extends Kind>(of: K, one: string) => orGiveUp(recordNamed(archive, of, one, signal));
  const [post, answered, listed] = await Promise.all([
    kind === 'comment' && thread !== null ? named('post', thread) : null,
    parent === '' || parent === thread ? null : named('comment', parent),
    kind === 'post' ? orGiveUp(listedOf(archive, begin, signal)) : countedOf(archive, thread, signal),
  ]);
  const damages: Damages = { ...(await archive.engine.damages()), [kind]: null };
  return {
    ...{ record: found.record, thread, post: post?.record ?? null, answers: answered?.record ?? null },
    ...{ comments: listed?.total ?? null, first: listed?.comments ?? [], damages },
  };
}

/**
 * null: neither post nor comments are here. Throws as the engine; damage of a kind only if the other kind has nothing
 * of the thread.
 */
export async function readThread(
  archive: ReadArchive,
  request: ThreadPageRequest,
  signal?: AbortSignal,
): Promise<Thread | null> {
  await archive.engine.refresh();
  const [found, listed, matches] = await Promise.all([
    orDamage(recordNamed(archive, 'post', request.post, signal)),
    orDamage(listedOf(archive, request, signal)),
    matchesOf(archive, request, signal),
  ]);
  const damages = { post: damageIn(found), comment: damageIn(listed) };
  const post = found instanceof IndexDamage ? null : (found?.record ?? null);
  const rest = listed instanceof IndexDamage ? UNREADABLE : listed;
  if (post === null && !rest.total) {
    const damage = damages.post ?? damages.comment;
    if (damage !== null) throw damage;
    return null;
  }
  return { post, ...rest, matches, damages };
}

async function listedOf(archive: ReadArchive, request: ThreadPageRequest, signal?: AbortSignal) {
  const { post, after, around, limit } = request;
  const place = around === null ? { from: after } : { at: around };
  const wanted = { order: 'tree', limit, maxBytes: MAX_SHOWN_BYTES, ...place } as const;
  const { answer, part } = await commentsOf(archive, post, wanted, {}, signal);
  const stored = (answer.page?.records ?? []) as readonly StoredComment[];
  const comments = archive.search.present('comment', answer).map((record, i) => {
    const { parent } = stored[i]!;
    return { record, place: part.places[i]!, answers: parent === '' || parent === post ? null : parent };
  });
  return { comments, total: answer.total, before: part.start };
}

async function matchesOf(archive: ReadArchive, request: ThreadPageRequest, signal?: AbortSignal) {
  const { post, query = null } = request;
  if (query === null) return null;
  const inThread: Query = { items: [...query.items, ...ofThread(post).items] };
  const page = { order: 'oldest', limit: MAX_MATCHES, after: null } as const;
  const answer = await asked(archive, { query: inThread, page }, signal);
  return answer && { total: answer.total, ids: answer.page!.records.map(({ id }) => id) };
}

async function countedOf(archive: ReadArchive, thread: string | null, signal?: AbortSignal) {
  if (thread === null) return null;
  const answer = await asked(archive, { query: ofThread(thread) }, signal);
  return answer && { ...UNREADABLE, total: answer.total };
}

function asked(archive: ReadArchive, question: Omit<Question, 'kind'>, signal?: AbortSignal) {
  const { engine, config } = archive;
  const timed: Question = { kind: 'comment', timeoutMs: config.queryTimeoutMs, ...question };
  return orGiveUp(engine.ask(timed, signal));
}
