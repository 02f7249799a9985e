// Reading: one record by its id, and a thread: a post with its comments, oldest first.

import { IndexDamage } from '../../model/damage.ts';
import type { Answer, Question, SearchEngine } from '../../model/engine.ts';
import type { PageRequest, TimePosition } from '../../model/order.ts';
import type { Query } from '../../model/query.ts';
import type { Kind, StoredRecord } from '../../model/record.ts';
import { cursorOf, readCursor } from '../cursor.ts';
import type { CommentRecord, PostRecord, RecordOf } from '../presenter.ts';
import type { SearchService } from '../search-service.ts';
import { orDamage, orGiveUp } from './giving-up.ts';

/** Comments on a page of a thread. */
export const THREAD_PAGE = 500;

export interface ReadRecord {
  readonly record: PostRecord | CommentRecord;
  /** Id of the thread it belongs to; null where that is not known. */
  readonly thread: string | null;
  /** Of a comment, where it is here and could be read in time. */
  readonly post: PostRecord | null;
  /** How many comments of the thread are here; null without a thread, or where they could not be counted in time. */
  readonly comments: number | null;
  /** Why a kind, never that of the record, cannot be read. */
  readonly damages: Damages;
}

type Damages = Readonly<Record<Kind, IndexDamage | null>>;

export interface ThreadRequest {
  readonly post: string;
  /** The cursor as given; null: the first page. */
  readonly after: string | null;
  /** Id of a comment: show its page, with a few comments before it. Only without `after`. */
  readonly around: string | null;
  /** Comments of a page, above 0; the list is cut there whatever the ties where `isCut`. */
  readonly limit: number;
  readonly isCut: boolean;
}

export interface Thread {
  /** null: it is not here, or posts cannot be read; its comments are here. */
  readonly post: PostRecord | null;
  readonly comments: readonly CommentRecord[];
  /** How many comments are here in all; null where comments cannot be read. */
  readonly total: number | null;
  /** How many of them stand before this page. */
  readonly before: number;
  /** Cursor of the page behind this one; null where this one is the last. */
  readonly next: number | null;
  /** Cursor of the page before this one; null where that is the first page, or this one is. */
  readonly previous: number | null;
  /** Why a kind cannot be read; one at the most. */
  readonly damages: Damages;
}

/** The comments of a page of a thread. */
interface Listed {
  readonly comments: readonly CommentRecord[];
  readonly total: number | null;
  readonly before: number;
  readonly next: number | null;
  readonly previous: number | null;
}

/** A record as it is stored, and as a caller gets it. */
interface Found<K extends Kind> {
  readonly stored: StoredRecord;
  readonly record: RecordOf<K>;
}

const UNREADABLE: Listed = { comments: [], total: null, before: 0, next: null, previous: null };

export class ReadingService {
  readonly #engine: SearchEngine;
  readonly #search: SearchService;
  readonly #timeoutMs: number;

  constructor(engine: SearchEngine, search: SearchService, timeoutMs: number) {
    this.#engine = engine;
    this.#search = search;
    this.#timeoutMs = timeoutMs;
  }

  /** null where it is not here. Throws as the engine does, for what concerns the record itself. */
  async record(kind: Kind, id: string, signal?: AbortSignal): Promise<ReadRecord | null> {
    await this.#engine.refresh();
    const found = await this.#find(kind, id, signal);
    if (found === null) return null;
    const thread = threadOf(found.stored);
    const [post, comments] = await Promise.all([
      kind === 'comment' && thread !== null ? orGiveUp(this.#find('post', thread, signal)) : null,
      thread === null ? null : orGiveUp(this.#count(ofThread(thread), signal)),
    ]);
    const damages = { ...(await this.#engine.damages()), [kind]: null };
    return {
      record: found.record,
      thread,
      post: post?.record ?? null,
      comments,
      damages,
    };
  }

  /**
   * null where neither the post nor a comment of it is here. Throws `bad_cursor`, and as the engine does; the damage of
   * one kind only where nothing of the thread is found in the other one.
   */
  async thread(request: ThreadRequest, signal?: AbortSignal): Promise<Thread | null> {
    await this.#engine.refresh();
    const [found, listed] = await Promise.all([
      orDamage(this.#find('post', request.post, signal)),
      orDamage(this.#listed(request, signal)),
    ]);
    const damages = { post: damageIn(found), comment: damageIn(listed) };
    const post = found instanceof IndexDamage ? null : found;
    const rest = listed instanceof IndexDamage ? UNREADABLE : listed;
    if (post === null && !rest.total) {
      // What cannot be read may hold it.
      const damage = damages.post ?? damages.comment;
      if (damage !== null) throw damage;
      return null;
    }
    return { post: post?.record ?? null, ...rest, damages };
  }

  async #listed(request: ThreadRequest, signal?: AbortSignal): Promise<Listed> {
    const { post, limit, isCut } = request;
    const after = await this.#placeOf(request, signal);
    const query = ofThread(post);
    const [answer, before, previous] = await Promise.all([
      this.#page(query, { order: 'oldest', limit, after }, signal),
      after === null ? 0 : this.#countUpTo(query, after, signal),
      after === null ? null : this.#startBefore(query, after, limit, signal),
    ]);
    const { next, hasMore } = answer.page!;
    const comments = this.#search.present('comment', answer);
    return {
      comments: isCut ? comments.slice(0, limit) : comments,
      total: answer.total,
      before,
      next: hasMore && next !== null ? cursorOf(next) : null,
      previous: previous === null ? null : cursorOf(previous),
    };
  }

  async #placeOf(
    { after, around, post, limit }: ThreadRequest,
    signal?: AbortSignal,
  ): Promise<TimePosition | null> {
    if (after !== null && after !== '') return readCursor(after, 'oldest');
    if (around === null) return null;
    const comment = (await this.#find('comment', around, signal))?.stored;
    if (comment === undefined || threadOf(comment) !== post) return null;
    const query = ofThread(post);
    // A thread that begins near is shown from its start.
    const place: TimePosition = { second: comment.created - 1, given: 'all' };
    const before = await this.#countUpTo(query, place, signal);
    if (before < limit / 2) return null;
    return this.#startBefore(query, place, Math.floor(limit / 2), signal);
  }

  /** Where a page begins that ends about here; null: at the start. Pages begin with a whole second. */
  async #startBefore(
    query: Query,
    place: TimePosition,
    size: number,
    signal?: AbortSignal,
  ): Promise<TimePosition | null> {
    const after: TimePosition = { second: firstLeft(place), given: 'all' };
    const { page } = await this.#page(query, { order: 'newest', limit: size, after }, signal);
    const { records } = page!;
    if (records.length < size) return null;
    return { second: records.at(-1)!.created - 1, given: 'all' };
  }

  /** How many matches stand up to this place. */
  async #countUpTo(query: Query, { second, given }: TimePosition, signal?: AbortSignal): Promise<number> {
    const time = given === 'all' ? second + 1 : second;
    const earlier = await this.#count({ items: [...query.items, { kind: 'before', time }] }, signal);
    return earlier + (given === 'all' ? 0 : given);
  }

  /** null where it is not here. */
  async #find<K extends Kind>(kind: K, id: string, signal?: AbortSignal): Promise<Found<K> | null> {
    const query: Query = { items: [{ kind: 'id', record: { id, of: kind }, negated: false }] };
    const page = { order: 'newest', limit: 1, after: null } as const;
    const answer = await this.#ask({ kind, query, page, evidence: true }, signal);
    const stored = answer.page!.records[0];
    return stored === undefined ? null : { stored, record: this.#search.present(kind, answer)[0]! };
  }

  async #count(query: Query, signal?: AbortSignal): Promise<number> {
    return (await this.#ask({ kind: 'comment', query }, signal)).total;
  }

  #page(query: Query, page: PageRequest, signal?: AbortSignal): Promise<Answer> {
    return this.#ask({ kind: 'comment', query, page, evidence: true }, signal);
  }

  #ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    return this.#engine.ask({ ...question, timeoutMs: this.#timeoutMs }, signal);
  }
}

/** The second from which on, backwards, all has been passed by a page of `newest` first that ends at this place. */
function firstLeft({ second, given }: TimePosition): number {
  return given === 'all' ? second + 1 : second;
}

function damageIn(found: unknown): IndexDamage | null {
  return found instanceof IndexDamage ? found : null;
}

function ofThread(post: string): Query {
  return { items: [{ kind: 'post', id: post, negated: false }] };
}

/** Id of the post that a record belongs to; null where a comment does not say. */
export function threadOf(record: StoredRecord): string | null {
  if (record.kind === 'post') return record.id;
  return record.post || null;
}
