// Admission to the engine. A request begins, waits or is refused before its query is read. Callers take turns. A
// request leaves the queue when its caller disconnects, and rarely waits longer than `queueMs`. Contract 12.1.

import { ServiceError } from '../../errors.ts';
import { patiently } from '../../model/waiting.ts';
import { type Caller, endOf, FairQueue, ServiceTimes, type Turn, WaitBound } from './fair-queue.ts';

/** Longest wait for a turn, in milliseconds: a quarter of the query timeout. */
export function waitMsOf(queryTimeoutMs: number): number {
  return Math.max(1, Math.round(queryTimeoutMs / 4));
}

/** Absent in settings: no request is refused. */
export interface AdmissionSettings {
  /** Requests at work at once, 1 or more. */
  readonly atOnce: number;
  /** Milliseconds that a request should wait at most. */
  readonly queueMs: number;
}

export interface Entry {
  /** Requests with the same caller share its turns. */
  readonly caller: string;
  /** The path of the route: requests of one sort take similar times. A fixed set. */
  readonly sort: string;
  readonly signal: AbortSignal;
}

export type AdmissionFigures = ReturnType<Admission['figures']>;

/** Places beyond `atOnce` for a short request of a caller without work, so that it does not wait for long ones. */
export const EXTRA_PLACES = 1;
/** A request is short if it is expected to take this many milliseconds at most. */
const SHORT_MS = 10;
/** A request that waits is refused only after this multiple of `queueMs`: a late answer beats a late refusal. */
const LATE_FACTOR = 2;
/** Most waiting requests: each holds a connection. */
export const MAX_WAITING = 2_000;
/** Idle callers whose mean times are remembered, the most recent ones. */
const MAX_IDLE_CALLERS = 10_000;

export class Admission {
  readonly #settings: AdmissionSettings;
  readonly #queue = new FairQueue();
  readonly #times = new ServiceTimes();
  /** Apart, since broken waits of long requests say nothing about short ones. */
  readonly #bounds: { readonly short: WaitBound; readonly long: WaitBound };
  /** By name: callers with a waiting or running request. */
  readonly #callers = new Map<string, Caller>();
  /** By name, the most recent last. */
  readonly #idle = new Map<string, Caller>();
  #atWork = 0;
  /** Those at work beyond `atOnce`. */
  readonly #extra = new Set<Turn>();
  /** Expected milliseconds of all running requests, from their beginning. */
  #atWorkMs = 0;
  /** Cache by seconds to wait: making an error with its stack costs a tenth of a refusal. */
  readonly #refusals = new Map<number, ServiceError>();
  /** `refusedAtOnce`: by the estimate, without a wait; `refusedLate`: the estimate was too low. */
  readonly #counts = { letIn: 0, refusedAtOnce: 0, refusedLate: 0, givenUp: 0 };

  constructor(settings: AdmissionSettings) {
    this.#settings = settings;
    const { queueMs } = settings;
    this.#bounds = { short: new WaitBound(queueMs), long: new WaitBound(queueMs) };
  }

  /** Whether all places are taken; EXTRA_PLACES may still be free. */
  get isFull(): boolean {
    return this.#atWork - this.#extra.size >= this.#settings.atOnce;
  }

  figures() {
    const { length: waiting, callers: callersWaiting } = this.#queue;
    return { atWork: this.#atWork, waiting, callersWaiting, ...this.#counts };
  }

  /**
   * Resolves to a place, held until it is disposed of. Rejects with `busy`, at once if the expected wait is too long,
   * or with the signal's reason.
   */
  async enter({ caller, sort, signal }: Entry): Promise<Disposable> {
    signal.throwIfAborted();
    const begun = Promise.withResolvers<void>();
    const turn = this.#add(caller, sort, begun.resolve);
    this.#begin();
    if (turn.caller.waiting.has(turn)) {
      const refusal = this.#refusalOf(turn);
      if (refusal !== null) throw refusal;
      await this.#turnOf(turn, begun, signal);
    }
    return this.#place(turn, signal);
  }

  /** The error that `enter` would throw at once; null: none. Counts as a refusal. */
  refusal({ caller, sort }: Pick<Entry, 'caller' | 'sort'>): ServiceError | null {
    if (!this.isFull) return null;
    const turn = this.#add(caller, sort, () => undefined);
    const refusal = this.#refusalOf(turn);
    if (refusal === null) this.#leave(turn, null);
    return refusal;
  }

  #add(name: string, sort: string, begin: () => void): Turn {
    const caller = this.#callers.get(name) ?? this.#idle.get(name) ?? this.#queue.newCaller(name);
    this.#idle.delete(name);
    this.#callers.set(name, caller);
    const expectedMs = this.#times.expected(caller.means, sort);
    const isKnown = caller.means.has(sort);
    const isShort = isKnown && expectedMs <= SHORT_MS;
    const bound = isShort || !isKnown ? this.#bounds.short : this.#bounds.long;
    // Broken waits of others are no reason to refuse a caller with one request at a time.
    const isAlone = caller.underWay + caller.waiting.size === 0;
    const boundMs = isAlone && bound === this.#bounds.short ? bound.mostMs : bound.ms;
    const hurriesMs = performance.now() + boundMs;
    const turn: Turn = { caller, sort, expectedMs, isShort, bound, hurriesMs, begin };
    this.#queue.add(turn);
    return turn;
  }

  /** Removes the turn from the queue if its wait would be too long. */
  #refusalOf(turn: Turn): ServiceError | null {
    const waitMs = this.#waitMs(turn);
    if (performance.now() + waitMs <= turn.hurriesMs && this.#queue.length <= MAX_WAITING) return null;
    this.#leave(turn, 'refusedAtOnce');
    turn.bound.kept();
    return this.#busy(waitMs);
  }

  async #turnOf(turn: Turn, begun: PromiseWithResolvers<void>, signal: AbortSignal): Promise<void> {
    const { queueMs } = this.#settings;
    const cameMs = performance.now();
    await patiently(begun, {
      ...{ signal, ms: LATE_FACTOR * queueMs },
      leave: (why) => this.#leave(turn, why === 'late' ? 'refusedLate' : 'givenUp'),
      late: () => {
        turn.bound.broken();
        return this.#busy(this.#waitMs(turn));
      },
    });
    if (performance.now() - cameMs <= queueMs) turn.bound.kept();
    else turn.bound.broken();
  }

  /** Expected milliseconds until the turn; assumes that running work is half done. */
  #waitMs(turn: Turn): number {
    const { atOnce } = this.#settings;
    const waitMs = (this.#queue.workBefore(turn) + this.#atWorkMs / 2) / atOnce;
    if (waitMs <= 0 || !turn.isShort) return waitMs;
    const { caller, expectedMs } = turn;
    const endMs = caller.begunMs + caller.waitingMs;
    // Short requests share the extra place, in the order of their ends.
    const ownMs = caller.underWayMs + caller.waitingMs - expectedMs;
    let extraMs = ownMs + (this.#extra.size > 0 ? SHORT_MS : 0);
    for (const first of this.#queue.firsts()) {
      if (first.caller !== caller && first.isShort && endOf(first) <= endMs)
        extraMs += first.expectedMs + ownMs;
      if (extraMs >= waitMs) return waitMs;
    }
    return Math.min(waitMs, extraMs);
  }

  #mayBeExtra(turn: Turn): boolean {
    return turn.caller.underWay === 0 && turn.isShort;
  }

  #begin(): void {
    while (!this.isFull || this.#extra.size < EXTRA_PLACES) {
      const isExtra = this.isFull;
      // Hurried requests go first, but not into the extra place, which long work would block.
      const nowMs = isExtra ? -Infinity : performance.now();
      const turn = this.#queue.take(nowMs, (first) => !isExtra || this.#mayBeExtra(first));
      if (turn === null) return;
      this.#atWork++;
      if (isExtra) this.#extra.add(turn);
      this.#atWorkMs += turn.expectedMs;
      turn.caller.underWay++;
      turn.caller.underWayMs += turn.expectedMs;
      this.#counts.letIn++;
      turn.begin();
    }
  }

  #place(turn: Turn, signal: AbortSignal): Disposable {
    const beganMs = performance.now();
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        // The time of a cancelled request says nothing.
        if (isTaken) this.#end(turn, signal.aborted ? null : performance.now() - beganMs);
        isTaken = false;
      },
    };
  }

  #end(turn: Turn, tookMs: number | null): void {
    const { caller, sort, expectedMs } = turn;
    this.#extra.delete(turn);
    this.#atWork--;
    this.#atWorkMs = this.#atWork === 0 ? 0 : this.#atWorkMs - expectedMs;
    caller.underWay--;
    caller.underWayMs = caller.underWay === 0 ? 0 : caller.underWayMs - expectedMs;
    if (tookMs !== null) {
      this.#times.note(caller.means, sort, tookMs);
      this.#queue.correct(caller, tookMs - expectedMs);
    }
    this.#rest(caller);
    this.#begin();
  }

  /** False: it no longer waits. */
  #leave(turn: Turn, why: 'refusedAtOnce' | 'refusedLate' | 'givenUp' | null): boolean {
    if (!this.#queue.remove(turn)) return false;
    if (why !== null) this.#counts[why]++;
    this.#rest(turn.caller);
    return true;
  }

  /** Marks a caller without requests as idle, and forgets the one that has been idle longest. */
  #rest(caller: Caller): void {
    if (caller.underWay > 0 || caller.waiting.size > 0) return;
    this.#callers.delete(caller.name);
    this.#idle.set(caller.name, caller);
    if (this.#idle.size <= MAX_IDLE_CALLERS) return;
    const [oldest] = this.#idle.keys();
    this.#idle.delete(oldest!);
  }

  #busy(waitMs: number): ServiceError {
    const retryAfter = Math.max(1, Math.ceil(waitMs / 1000));
    return this.#refusals.getOrInsertComputed(retryAfter, () => {
      const message = `expected a turn within ${this.#settings.queueMs} ms, found too many requests before this one`;
      return new ServiceError('busy', `${message}; try again in ${retryAfter} s`, { retryAfter });
    });
  }
}
