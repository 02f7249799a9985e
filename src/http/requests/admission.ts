// The one door to the engine: a request is let in or refused before its query is read, waits in its caller's own turn,
// is given up when its caller has gone, and hardly ever waits longer than told. Contract 12.1.

import { ServiceError } from '../../errors.ts';
import { patiently } from '../../model/waiting.ts';
import { type Caller, endOf, FairQueue, ServiceTimes, type Turn, WaitBound } from './fair-queue.ts';

/** How long a request may wait for its turn: a quarter of the time budget of a query, in milliseconds. */
export function waitMsOf(queryTimeoutMs: number): number {
  return Math.max(1, Math.round(queryTimeoutMs / 4));
}

/** Absent in settings: no request is refused. */
export interface AdmissionSettings {
  /** Requests at work at once, 1 or more. */
  readonly atOnce: number;
  /** Milliseconds that a request should wait for its turn at the most. */
  readonly queueMs: number;
}

export interface Entry {
  /** Callers of one name share a turn. */
  readonly caller: string;
  /** What is asked for, such as the path of a route: requests of one sort take similar times. A fixed set. */
  readonly sort: string;
  readonly signal: AbortSignal;
}

export type AdmissionFigures = ReturnType<Admission['figures']>;

/**
 * Places beyond `atOnce`, for a short request of a caller with nothing under way: it need not wait for long work of
 * others.
 */
export const EXTRA_PLACES = 1;
/** A request is short if this much is expected at most, in milliseconds. Who waits for one waits no longer. */
const SHORT_MS = 10;
/**
 * A request is refused after this multiple of the allowed wait: it is near its turn, and a late answer beats a late
 * refusal.
 */
const LATE_FACTOR = 2;
/** Requests that wait, whatever the estimate: each holds a connection and a request. */
export const MAX_WAITING = 2_000;
/** Of callers without a request, so many of those that came last are remembered, with what their requests took. */
const MAX_IDLE_CALLERS = 10_000;

export class Admission {
  readonly #settings: AdmissionSettings;
  readonly #now: () => number;
  readonly #queue = new FairQueue();
  readonly #times = new ServiceTimes();
  /** What long ones wait in vain says nothing of short ones. */
  readonly #bounds: { readonly short: WaitBound; readonly long: WaitBound };
  /** By name: those that wait or have something under way. */
  readonly #callers = new Map<string, Caller>();
  /** By name, the one that came last at the end. */
  readonly #idle = new Map<string, Caller>();
  #atWork = 0;
  /** Of them, those that were let in beyond `atOnce`. */
  readonly #extra = new Set<Turn>();
  /** Milliseconds expected of all that is at work, from its beginning. */
  #atWorkMs = 0;
  /** By the seconds that they tell to wait: making an error and its stack is a tenth of a refusal. */
  readonly #refusals = new Map<number, ServiceError>();
  /** `refusedAtOnce`: by the estimate, without a wait; `refusedLate`: the estimate was too low. */
  readonly #counts = { letIn: 0, refusedAtOnce: 0, refusedLate: 0, givenUp: 0 };

  /** `now` gives milliseconds and never goes back. */
  constructor(settings: AdmissionSettings, now: () => number = () => performance.now()) {
    this.#settings = settings;
    const { queueMs } = settings;
    this.#bounds = { short: new WaitBound(queueMs), long: new WaitBound(queueMs) };
    this.#now = now;
  }

  /** Whether a request would have to wait, but for those that need no more than the one place more. */
  get isFull(): boolean {
    return this.#atWork - this.#extra.size >= this.#settings.atOnce;
  }

  figures() {
    const { length: waiting, callers: callersWaiting } = this.#queue;
    return { atWork: this.#atWork, waiting, callersWaiting, ...this.#counts };
  }

  /**
   * A place at work, until disposed of. Throws `busy` at once if the wait would be too long, else after it; or the
   * signal's reason.
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

  /** What `enter` would throw at once; null: it would not. A refusal counts as one. */
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
    // What others waited in vain is no reason to refuse who asks for one thing at a time.
    const isAlone = caller.underWay + caller.waiting.size === 0;
    const boundMs = isAlone && bound === this.#bounds.short ? bound.mostMs : bound.ms;
    const turn: Turn = { caller, sort, expectedMs, isShort, bound, hurriesMs: this.#now() + boundMs, begin };
    this.#queue.add(turn);
    return turn;
  }

  /** Takes it out of the queue where it would wait too long. */
  #refusalOf(turn: Turn): ServiceError | null {
    const waitMs = this.#waitMs(turn);
    if (this.#now() + waitMs <= turn.hurriesMs && this.#queue.length <= MAX_WAITING) return null;
    this.#leave(turn, 'refusedAtOnce');
    turn.bound.kept();
    return this.#busy(waitMs);
  }

  async #turnOf(turn: Turn, begun: PromiseWithResolvers<void>, signal: AbortSignal): Promise<void> {
    const { queueMs } = this.#settings;
    const cameMs = this.#now();
    await patiently(begun, {
      ...{ signal, ms: LATE_FACTOR * queueMs },
      leave: (why) => this.#leave(turn, why === 'late' ? 'refusedLate' : 'givenUp'),
      late: () => {
        turn.bound.broken();
        return this.#busy(this.#waitMs(turn));
      },
    });
    if (this.#now() - cameMs <= queueMs) turn.bound.kept();
    else turn.bound.broken();
  }

  /** Milliseconds until its turn comes, if all takes as long as expected; of what is at work, half is done. */
  #waitMs(turn: Turn): number {
    const { atOnce } = this.#settings;
    const waitMs = (this.#queue.workBefore(turn) + this.#atWorkMs / 2) / atOnce;
    if (waitMs <= 0 || !turn.isShort) return waitMs;
    const { caller, expectedMs } = turn;
    const endMs = caller.begunMs + caller.waitingMs;
    // The one place more is shared by those whose requests are short; those that end later come later.
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
      // What has waited long goes before others, but not into the one place more, which long work would hold.
      const nowMs = isExtra ? -Infinity : this.#now();
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
    const beganMs = this.#now();
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        // What was broken off tells nothing.
        if (isTaken) this.#end(turn, signal.aborted ? null : this.#now() - beganMs);
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

  /** False where it does not wait any more. */
  #leave(turn: Turn, why: 'refusedAtOnce' | 'refusedLate' | 'givenUp' | null): boolean {
    if (!this.#queue.remove(turn)) return false;
    if (why !== null) this.#counts[why]++;
    this.#rest(turn.caller);
    return true;
  }

  /** Lets the caller that came longest ago be forgotten, where this one has no request any more. */
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
    const known = this.#refusals.get(retryAfter);
    if (known !== undefined) return known;
    const message = `expected a turn within ${this.#settings.queueMs} ms, found too many requests before this one`;
    const made = new ServiceError('busy', `${message}; try again in ${retryAfter} s`, { retryAfter });
    this.#refusals.set(retryAfter, made);
    return made;
  }
}
