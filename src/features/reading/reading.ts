// Reading: one record by its id, and a thread: a post with its comments, each before its replies.

import type { Question } from '../../model/engine.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import { MAX_SHOWN_BYTES, type ThreadPlace } from '../../model/pages.ts';
import type { Query } from '../../model/query.ts';
import { type Kind, type StoredComment, threadOf } from '../../model/record.ts';
import type { ReadArchive } from '../../operation/operation.ts';
import { orDamage, orGiveUp } from '../../search/beside.ts';
import type { CommentRecord, PostRecord } from '../../search/presenter.ts';
import { commentsOf, ofThread, recordNamed } from './threads.ts';

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
  const thread = threadOf(found.stored);
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
  const {
    engine,
    config: { queryTimeoutMs: timeoutMs },
  } = archive;
  return orGiveUp(engine.ask({ kind: 'comment', timeoutMs, ...question }, signal));
}

function damageIn(found: unknown): IndexDamage | null {
  return found instanceof IndexDamage ? found : null;
}
