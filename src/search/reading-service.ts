// Reading: one record by its id, and a thread: a post with its comments, oldest first.

import type { Answer, SearchEngine } from '../model/engine.ts';
import type { TimePosition } from '../model/order.ts';
import type { Query } from '../model/query.ts';
import type { Kind, StoredComment, StoredRecord } from '../model/record.ts';
import { cursorOf, readCursor } from './cursor.ts';
import type { CommentRecord, PostRecord, SearchService } from './search-service.ts';

/** Comments on a page of a thread. */
export const THREAD_PAGE = 500;

export interface ReadRecord {
  readonly record: PostRecord | CommentRecord;
  /** Id of the thread it belongs to; null where that is not known. */
  readonly thread: string | null;
  /** Of a comment, where it is here. */
  readonly post: PostRecord | null;
  /** How many comments of the thread are here; null without a thread. */
  readonly comments: number | null;
}

export interface ThreadRequest {
  readonly post: string;
  /** The cursor as given; null: the first page. */
  readonly after: string | null;
  /** Id of a comment: the page that holds it, some of those before it among them. Without `after` alone. */
  readonly around: string | null;
  /** Comments of a page, above 0; the list is cut there whatever the ties where `isCut`. */
  readonly limit: number;
  readonly isCut: boolean;
}

export interface Thread {
  /** null: it is not here, its comments are. */
  readonly post: PostRecord | null;
  readonly comments: readonly CommentRecord[];
  /** How many comments are here in all. */
  readonly total: number;
  /** How many of them stand before this page. */
  readonly before: number;
  /** Cursor of the page behind this one; null where this one is the last. */
  readonly next: number | null;
  /** Cursor of the page before this one; null where that is the first page, or this one is. */
  readonly previous: number | null;
}

export class ReadingService {
  readonly #engine: SearchEngine;
  readonly #search: SearchService;
  readonly #timeoutMs: number;

  constructor(engine: SearchEngine, search: SearchService, timeoutMs: number) {
    this.#engine = engine;
    this.#search = search;
    this.#timeoutMs = timeoutMs;
  }

  /** null where it is not here. Throws as the engine does. */
  async record(kind: Kind, id: string): Promise<ReadRecord | null> {
    await this.#engine.refresh();
    const stored = await this.#stored(kind, id);
    if (stored === null) return null;
    const thread = threadOf(stored);
    const post = stored.kind === 'comment' && thread !== null ? await this.#stored('post', thread) : null;
    const comments = thread === null ? null : await this.#count(ofThread(thread));
    const [record, above] = await this.#search.hydrate(post === null ? [stored] : [stored, post]);
    return { record: record!, thread, post: (above as PostRecord | undefined) ?? null, comments };
  }

  /** null where neither the post nor a comment of it is here. Throws `bad_cursor`, and as the engine does. */
  async thread(request: ThreadRequest): Promise<Thread | null> {
    const { post, limit, isCut } = request;
    await this.#engine.refresh();
    const after = await this.#placeOf(request);
    const query = ofThread(post);
    const [stored, answer, before, previous] = await Promise.all([
      this.#stored('post', post),
      this.#page(query, 'oldest', limit, after),
      after === null ? 0 : this.#countUpTo(query, after),
      after === null ? null : this.#startBefore(query, after, limit),
    ]);
    if (stored === null && answer.total === 0) return null;
    const { records, next } = answer.page!;
    const kept = isCut ? records.slice(0, limit) : records;
    const hydrated = await this.#search.hydrate(stored === null ? kept : [stored, ...kept]);
    const isLast = next === null || before + records.length >= answer.total;
    return {
      post: stored === null ? null : (hydrated[0] as PostRecord),
      comments: hydrated.slice(stored === null ? 0 : 1) as CommentRecord[],
      total: answer.total,
      before,
      next: isLast ? null : cursorOf(next),
      previous: previous === null ? null : cursorOf(previous),
    };
  }

  async #placeOf({ after, around, post, limit }: ThreadRequest): Promise<TimePosition | null> {
    if (after !== null && after !== '') return readCursor(after, 'oldest') as TimePosition;
    if (around === null) return null;
    const comment = await this.#stored('comment', around);
    if (comment === null || threadOf(comment) !== post) return null;
    const query = ofThread(post);
    // A thread that begins near is shown from its start.
    const place: TimePosition = { second: comment.created - 1, given: 'all' };
    const before = await this.#countUpTo(query, place);
    if (before < limit / 2) return null;
    return this.#startBefore(query, place, Math.floor(limit / 2));
  }

  /** Where a page begins that ends about here; null: at the start. Pages begin with a whole second. */
  async #startBefore(query: Query, place: TimePosition, size: number): Promise<TimePosition | null> {
    const { page } = await this.#page(query, 'newest', size, { second: firstLeft(place), given: 'all' });
    const { records } = page!;
    if (records.length < size) return null;
    return { second: records.at(-1)!.created - 1, given: 'all' };
  }

  /** How many matches stand up to this place. */
  async #countUpTo(query: Query, { second, given }: TimePosition): Promise<number> {
    const time = given === 'all' ? second + 1 : second;
    const earlier = await this.#count({ items: [...query.items, { kind: 'before', time }] });
    return earlier + (given === 'all' ? 0 : given);
  }

  async #stored(kind: Kind, id: string): Promise<StoredRecord | null> {
    const query: Query = { items: [{ kind: 'id', record: { id, of: kind }, negated: false }] };
    const page = { order: 'newest', limit: 1, after: null } as const;
    const answer = await this.#engine.ask({ kind, query, page, timeoutMs: this.#timeoutMs });
    return answer.page!.records[0] ?? null;
  }

  async #count(query: Query): Promise<number> {
    return (await this.#engine.ask({ kind: 'comment', query, timeoutMs: this.#timeoutMs })).total;
  }

  #page(
    query: Query,
    order: 'oldest' | 'newest',
    limit: number,
    after: TimePosition | null,
  ): Promise<Answer> {
    const page = { order, limit, after };
    return this.#engine.ask({ kind: 'comment', query, page, timeoutMs: this.#timeoutMs });
  }
}

/** The second from which on, backwards, all has been passed by a page of `newest` first that ends at this place. */
function firstLeft({ second, given }: TimePosition): number {
  return given === 'all' ? second + 1 : second;
}

function ofThread(post: string): Query {
  return { items: [{ kind: 'post', id: post, negated: false }] };
}

/** Id of the post that a record belongs to; null where a comment does not say. */
export function threadOf(record: StoredRecord): string | null {
  if (record.kind === 'post') return record.id;
  return (record as StoredComment).post || null;
}
