// The threads of an engine: some that answer questions, one that writes, one that helps it with large batches, one that
// merges. Each is started when it is first needed, those that answer also by `warm`; without workers all are the
// caller's own.

import { ServiceError, StorageError } from '../../../errors.ts';
import {
  type Answer,
  type Answers,
  type AskOptions,
  kindOfAll,
  type NamedRecords,
  type NamedRequest,
  type OneOfMany,
  type Question,
} from '../../../model/engine.ts';
import { EngineUnavailable, untilAborted } from '../../../model/engine-errors.ts';
import type { IndexFingerprint } from '../../../model/hash.ts';
import { KINDS, type Kind, otherKind } from '../../../model/record.ts';
import { Places, Pool } from '../../../model/waiting.ts';
import { type Remote, remote, run } from '../../shared/worker-calls.ts';
import { MAX_PEERS, peerStates } from '../answering/sharing.ts';
import { type Pin, ThreadState, type ViewData } from '../index/view.ts';
import { AbortFlag } from '../matching/deadline.ts';
import type { Writing } from '../writing/writer.ts';
import type { Answering } from './answering-calls.ts';
import { resultOf } from './result-messages.ts';
import { type ThreadOptions, WorkerThread } from './thread.ts';

export interface PooledKind {
  /** null: the kind can be read. */
  readonly damage: Error | null;
  /** Throws the damage, if there is any. */
  expectWhole(): void;
  /** Keeps the files of the view while a question is answered from it. */
  pin(): Pin;
  /** The fingerprint of a view that is kept; null: `isStopped` became true. */
  fingerprintOf(view: ViewData, isStopped: () => boolean): Promise<IndexFingerprint | null>;
}

/** Tells which views a question needs. */
type Needing = Pick<Question, 'kind' | 'under' | 'evidence'>;

type Reader = WorkerThread<Answering>;

/** The views of a question, kept until it is disposed of. */
interface Held extends Disposable {
  readonly view: ViewData;
  /** Whether the other kind is kept too. */
  readonly hasOther: boolean;
  readonly gone: AbortFlag['gone'];
}

/** Readers that the first question starts, so that one can help the other. */
const FIRST_READERS = 2;

/** Readers that are started before the first question, if the machine has as many processors. Each takes some 20 MB. */
const WARM_READERS = 4;

/** Merging them takes about a second. */
const MANY_MERGED = 2 ** 16;

/** Runs calls in the caller's own thread, one after the other; their code is loaded with the first. */
export class LocalThread implements AsyncDisposable {
  readonly answering: Remote<Answering>;
  readonly writing: Remote<Writing>;
  readonly #state: ThreadState;
  readonly #turns = new Places(1);
  #close = () => {};

  constructor(options: ThreadOptions) {
    this.#state = new ThreadState(options);
    this.answering = this.#loadedBy(async () => {
      const { AnsweringCalls } = await import('./answering-calls.ts');
      const calls = new AnsweringCalls(this.#state, options);
      this.#close = () => calls.close();
      return calls;
    });
    this.writing = this.#loadedBy(
      async () => new (await import('../writing/writer.ts')).WritingCalls(this.#state),
    );
  }

  show(view: ViewData): void {
    void this.#turns.run(async () => this.#state.show(view));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turns.run(async () => {
      this.#close();
      this.#state.close();
    });
  }

  #loadedBy<Calls extends object>(load: () => Promise<Calls>): Remote<Calls> {
    let calls: Calls | undefined;
    return remote((method, values) =>
      this.#turns.run(async () => {
        calls ??= await load();
        return run(calls, method, values);
      }),
    );
  }
}

export class ThreadPool implements AsyncDisposable {
  readonly #options: ThreadOptions;
  /** Readers that help each other. */
  readonly #peers: number;
  readonly #workers: number;
  #local: LocalThread | null;
  /** Work that began in the caller's thread, such as a scan, ends there. */
  #retired: LocalThread | null = null;
  readonly #readers: Reader[] = [];
  readonly #kindOf: (kind: Kind) => PooledKind;
  readonly #questions = new Pool<Reader>(() => this.#readers.find((thread) => isFree(thread)) ?? null);
  /** By reader: resolves when it has answered its first questions. */
  readonly #warm = new WeakMap<Reader, Promise<void>>();
  #isClosing = false;
  readonly #states = peerStates();
  readonly #writing = new Map<'writer' | 'helper' | 'merger', WorkerThread<Writing>>();
  readonly #views = new Map<string, ViewData>();

  /**
   * `workers` threads answer questions and help each other; 0: everything runs in the caller's thread. `spare`: more
   * threads that answer and help none.
   */
  constructor(options: ThreadOptions, workers: number, kindOf: (kind: Kind) => PooledKind, spare = 0) {
    this.#options = options;
    this.#kindOf = kindOf;
    this.#peers = Math.min(workers, MAX_PEERS);
    this.#workers = Math.min(workers + spare, MAX_PEERS);
    this.#local = workers === 0 ? new LocalThread(options) : null;
  }

  /** Whether everything runs in the caller's thread. */
  get isLocal(): boolean {
    return this.#local !== null;
  }

  /** Runs everything in the caller's thread from now on. Only before a thread has started. */
  runInCaller(): void {
    this.#local ??= new LocalThread(this.#options);
    for (const view of this.#views.values()) this.#local.show(view);
  }

  /** Uses threads from now on, if there are any. */
  runInThreads(): void {
    if (this.#workers === 0 || this.#local === null) return;
    this.#retired = this.#local;
    this.#local = null;
  }

  /** Calls made from now on see this view. */
  show(view: ViewData): void {
    this.#views.set(view.kind, view);
    this.#local?.show(view);
    for (const thread of this.#alive()) thread.show(view);
  }

  /**
   * The answer of the first free thread. The time budget counts from the moment that a thread takes the question;
   * waiting longer than that is `busy`. If `signal` is aborted, the question leaves the queue, and the thread that
   * works on it soon stops.
   */
  ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    return untilAborted(signal, () => {
      const start = async (thread: Remote<Answering>) => {
        // The thread sees the view at this moment, not that at the call.
        using held = this.#held([question], signal);
        return await thread.ask(question, held.hasOther, held.gone);
      };
      return this.#put(start, question.timeoutMs, signal);
    });
  }

  /** As `ask`, in one view, with the fingerprint of that view. */
  async askAll(
    questions: readonly OneOfMany[],
    { timeoutMs = Infinity }: AskOptions,
    signal?: AbortSignal,
  ): Promise<Answers> {
    const [found, index] = await this.#summed(questions, timeoutMs, signal, (thread, { hasOther, gone }) =>
      thread.askAll(questions, timeoutMs, hasOther, gone),
    );
    return { ...found, index };
  }

  /** As `askAll`. */
  async records(request: NamedRequest, signal?: AbortSignal): Promise<NamedRecords> {
    const { timeoutMs = Infinity } = request;
    const [found, index] = await this.#summed([request], timeoutMs, signal, (thread, { hasOther, gone }) =>
      thread.records(request, hasOther, gone),
    );
    return { ...found, index };
  }

  /** What a thread answers in turn, with the fingerprint of its view. */
  #summed<T>(
    asked: readonly Needing[],
    timeoutMs: number,
    signal: AbortSignal | undefined,
    ask: (thread: Remote<Answering>, held: Held) => Promise<T>,
  ): Promise<[T, IndexFingerprint]> {
    const start = async (thread: Remote<Answering>): Promise<[T, IndexFingerprint]> => {
      const held = this.#held(asked, signal);
      const end = performance.now() + timeoutMs;
      const isStopped = () => signal?.aborted === true || performance.now() >= end;
      // An error that is thrown at once becomes a rejection, so that the other is awaited and the views are released.
      const answering = Promise.try(ask, thread, held);
      const pooled = this.#kindOf(held.view.kind);
      const summing = Promise.try(() => pooled.fingerprintOf(held.view, isStopped));
      // Both read files of the view, whichever fails first.
      void Promise.allSettled([answering, summing]).then(() => held[Symbol.dispose]());
      const answer = await answering;
      const index = await summing;
      if (index !== null) return [answer, index];
      const message = `the query took longer than ${timeoutMs} ms`;
      throw new ServiceError('query_timeout', message, { retryAfter: 1 });
    };
    return untilAborted(signal, () => this.#put(start, timeoutMs, signal));
  }

  /** Keeps the views of these questions, all of one kind. */
  #held(questions: readonly Needing[], signal: AbortSignal | undefined): Held {
    const kind = kindOfAll(questions);
    const other = this.#kindOf(otherKind(kind));
    const hasUnder = questions.some(({ under }) => under !== undefined);
    if (hasUnder) other.expectWhole();
    const needsOther = hasUnder || questions.some(({ evidence }) => evidence === true);
    const hasOther = needsOther && other.damage === null;
    // None of these calls throws.
    const pin = this.#kindOf(kind).pin();
    const otherPin = hasOther ? other.pin() : null;
    const flag = new AbortFlag(signal);
    return {
      ...{ view: pin.data, hasOther, gone: flag.gone },
      [Symbol.dispose]: () => {
        flag[Symbol.dispose]();
        otherPin?.[Symbol.dispose]();
        pin[Symbol.dispose]();
      },
    };
  }

  /** Begins with the first free thread. */
  #put<T>(
    start: (thread: Remote<Answering>) => Promise<T>,
    timeoutMs = Infinity,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    if (this.#local !== null) return start(this.#local.answering);
    this.#startReaders(FIRST_READERS);
    const answer = this.#questions.run(({ calls }) => start(calls), { ms: timeoutMs, signal });
    this.#startForWaiting();
    return answer;
  }

  /** Resolves when the first readers have answered once; rejects if one cannot be started. */
  async warm(): Promise<void> {
    if (this.#local !== null) return;
    this.#startReaders(WARM_READERS);
    await Promise.all(this.#readers.map((thread) => this.#warmed(thread)));
  }

  /** The thread with the least work, for calls that are no questions. */
  reader(): Remote<Answering> {
    if (this.#local !== null) return this.#local.answering;
    this.#startReaders(FIRST_READERS);
    return this.#readers.reduce((least, thread) => (thread.pending < least.pending ? thread : least)).calls;
  }

  writer(): Remote<Writing> {
    return this.#local?.writing ?? this.#writingAs('writer');
  }

  /** Prepares part of a batch beside the writer; null: everything runs in one thread. */
  helper(): Remote<Writing> | null {
    return this.#local === null ? this.#writingAs('helper') : null;
  }

  /** For a merge of this many records. A long merge in the caller's thread could not be stopped, and would block it. */
  merger(records = 0): Remote<Writing> {
    const isBrief = this.#workers === 0 || records < MANY_MERGED;
    return this.#local !== null && isBrief ? this.#local.writing : this.#writingAs('merger');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#questions.settled();
    this.#isClosing = true;
    await Promise.all(
      [this.#local, this.#retired, ...this.#alive()].map((thread) => thread?.[Symbol.asyncDispose]()),
    );
  }

  #warmed(thread: Reader): Promise<void> {
    return this.#warm.getOrInsertComputed(thread, async () => {
      await Promise.all(KINDS.map((kind) => this.#askFirst(thread, kind)));
    });
  }

  /** Loads code and pages before a caller's first question. */
  async #askFirst(thread: Reader, kind: Kind): Promise<void> {
    using _pin = this.#kindOf(kind).pin();
    try {
      const page = { order: 'newest', limit: 1, after: null } as const;
      await thread.calls.ask({ kind, query: { items: [] }, page, evidence: true }, false, null);
    } catch (error) {
      // The thread answers; that the index is damaged is found and told when it is read.
      // uncovered: a fault of ours: damage is found when the index is read
      if (!(error instanceof StorageError)) throw error;
    }
  }

  /** Starts as many as `count` and `workers` allow, and replaces ended ones. */
  #startReaders(count: number): void {
    for (const [i, thread] of this.#readers.entries()) if (!thread.isAlive) this.#startReader(i);
    while (this.#readers.length < Math.min(count, this.#workers)) this.#startReader(this.#readers.length);
  }

  /** Starts one more for each question that no thread can take soon. */
  #startForWaiting(): void {
    const starting = this.#readers.filter(({ isAlive, hasStarted }) => isAlive && !hasStarted).length;
    if (this.#questions.waiting() > starting) this.#startReaders(this.#readers.length + 1);
  }

  #startReader(number: number): void {
    const reader = { states: this.#states, number, isSpare: number >= this.#peers };
    const thread: Reader = this.#started(
      new WorkerThread({ ...this.#options, reader }, resultOf, () => this.#onReader(thread)),
    );
    for (const [other, reader] of this.#readers.slice(0, this.#peers).entries()) {
      if (number < this.#peers && other !== number && reader.isAlive) thread.meet(number, reader, other);
    }
    this.#readers[number] = thread;
  }

  /** A reader has started, is idle, or has ended. */
  #onReader(thread: Reader): void {
    if (!thread.isAlive && this.#questions.waiting() > 0 && !this.#isClosing) {
      if (thread.hasStarted) this.#startReaders(FIRST_READERS);
      // It could not start, and trying again at once would not help: callers get an error, and the next call tries
      // again.
      else if (!this.#readers.some(({ isAlive }) => isAlive)) {
        const words = 'the search threads do not start';
        this.#questions.giveUp(new EngineUnavailable(words, { cause: thread.failure }));
      }
    }
    this.#questions.turn(this.#readers.some(({ isAlive, hasStarted }) => isAlive && hasStarted));
  }

  #writingAs(role: 'writer' | 'helper' | 'merger'): Remote<Writing> {
    let thread = this.#writing.get(role);
    if (!thread?.isAlive) {
      thread = this.#started(new WorkerThread<Writing>(this.#options));
      this.#writing.set(role, thread);
    }
    return thread.calls;
  }

  #started<Calls extends object>(thread: WorkerThread<Calls>): WorkerThread<Calls> {
    for (const view of this.#views.values()) thread.show(view);
    return thread;
  }

  #alive(): WorkerThread<object>[] {
    return [...this.#readers, ...this.#writing.values()].filter(({ isAlive }) => isAlive);
  }
}

function isFree({ isAlive, hasStarted, pending }: Reader): boolean {
  return isAlive && hasStarted && pending === 0;
}
