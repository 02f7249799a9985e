// Admission to the engine. A request begins, waits or is refused before its query is read. Callers take turns. A
// request leaves the queue when its caller disconnects, and rarely waits longer than `queueMs`. Contract 12.1.
//
// FairQueue chooses the next request. Each caller has an account of the work begun for it. The request that would end
// first on its caller's account is next: callers get equal shares, and short requests come before long ones. Requests
// that have waited longer than expected go first. Start-time fair queueing, ordered by ends: Goyal, Vin and Cheng,
// SIGCOMM 1996, 2.
//
// ServiceTimes predicts how long a request takes: the moving mean of its sort, of this caller or else of all callers.
//
// WaitBound sets the expected wait from which on requests are refused at once. It follows a quantile step by step, so
// that few requests wait longer than allowed (Robbins and Monro, Annals of Mathematical Statistics 22, 1951).

import { ServiceError } from '../../errors.ts';
import { patiently } from '../../model/waiting.ts';

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

interface Entry {
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

interface Turn {
  readonly caller: Caller;
  /** Requests of one sort take similar times. */
  readonly sort: string;
  /** Expected milliseconds of work. */
  readonly expectedMs: number;
  /** Known to take little. */
  readonly isShort: boolean;
  readonly bound: WaitBound;
  /** From this time on it has waited longer than expected, and goes before requests that have not. */
  readonly hurriesMs: number;
  readonly begin: () => void;
}

/** Work begun for a caller or group, on the clock of those that share turns with it. */
interface Account {
  begunMs: number;
  /** Expected milliseconds of all waiting requests. */
  waitingMs: number;
}

interface Caller extends Account {
  readonly name: string;
  readonly group: Group;
  /** Running requests, and their expected milliseconds. */
  underWay: number;
  underWayMs: number;
  /** In order of arrival. */
  readonly waiting: Set<Turn>;
  readonly means: Means;
}

/** All accounts, or all networks of visitors: each group gets half of the work. */
interface Group extends Account {
  /** Callers with waiting requests. */
  readonly callers: Set<Caller>;
  /** The account of the caller that had the last turn. */
  clockMs: number;
}

class FairQueue {
  readonly #accounts = newGroup();
  readonly #visitors = newGroup();
  readonly #groups: readonly Group[] = [this.#accounts, this.#visitors];
  /** The account of the group that had the last turn. */
  #clockMs = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get callers(): number {
    return this.#accounts.callers.size + this.#visitors.callers.size;
  }

  /** `name`: a CallerName. */
  newCaller(name: string): Caller {
    const group = name.startsWith('network:') ? this.#visitors : this.#accounts;
    const account = { begunMs: 0, waitingMs: 0, underWay: 0, underWayMs: 0 };
    return { name, group, ...account, waiting: new Set(), means: newMeans() };
  }

  add(turn: Turn): void {
    const { caller, expectedMs } = turn;
    const { group } = caller;
    // An idle caller or group catches up with the clock: nobody saves up turns.
    if (group.callers.size === 0) group.begunMs = Math.max(group.begunMs, this.#clockMs);
    if (caller.waiting.size === 0) caller.begunMs = Math.max(caller.begunMs, group.clockMs);
    caller.waiting.add(turn);
    group.callers.add(caller);
    for (const account of [caller, group]) account.waitingMs += expectedMs;
    this.#length++;
  }

  remove(turn: Turn): boolean {
    const { caller, expectedMs } = turn;
    const { group } = caller;
    if (!caller.waiting.delete(turn)) return false;
    for (const account of [caller, group]) account.waitingMs -= expectedMs;
    if (caller.waiting.size === 0) {
      caller.waitingMs = 0;
      group.callers.delete(caller);
    }
    if (group.callers.size === 0) group.waitingMs = 0;
    this.#length--;
    return true;
  }

  /** The next request among those that suit; null: none. `nowMs` -Infinity: no request is hurried. */
  take(nowMs: number, suits: (turn: Turn) => boolean): Turn | null {
    let taken: { readonly turn: Turn; readonly endMs: number; readonly isHurried: boolean } | null = null;
    for (const group of this.#groups) {
      const next = nextOf(group, nowMs, suits);
      if (next === null) continue;
      const endMs = group.begunMs + next.turn.expectedMs;
      if (taken === null || endMs < taken.endMs) taken = { ...next, endMs };
    }
    if (taken === null) return null;
    const { turn, isHurried } = taken;
    this.remove(turn);
    const { caller, expectedMs } = turn;
    const { group } = caller;
    // A hurried request is out of turn and does not move the clock.
    if (!isHurried) group.clockMs = Math.max(group.clockMs, caller.begunMs);
    this.#clockMs = Math.max(this.#clockMs, group.begunMs);
    this.correct(caller, expectedMs);
    return turn;
  }

  /** Adds work to the account of the caller; negative if it took less than expected. */
  correct(caller: Caller, moreMs: number): void {
    for (const account of [caller, caller.group]) account.begunMs += moreMs;
  }

  /** The next request of each waiting caller. */
  *firsts(): Generator<Turn> {
    for (const { callers } of this.#groups) for (const caller of callers) yield firstOf(caller);
  }

  /** Expected milliseconds of work before the caller's last waiting request. */
  workBefore({ caller, expectedMs }: Turn): number {
    const { group } = caller;
    const endMs = caller.begunMs + caller.waitingMs;
    const ownMs = caller.waitingMs - expectedMs;
    let workMs = ownMs;
    for (const other of group.callers) {
      const isFirst = other !== caller && endOf(firstOf(other)) <= endMs;
      if (isFirst) workMs += Math.min(other.waitingMs, endMs - other.begunMs);
    }
    workMs = Math.max(workMs, ownMs * group.callers.size);
    const groupEndMs = group.begunMs + workMs + expectedMs;
    for (const other of this.#groups) {
      if (other !== group) workMs += Math.min(other.waitingMs, Math.max(0, groupEndMs - other.begunMs));
    }
    return workMs;
  }
}

function nextOf(
  { callers }: Group,
  nowMs: number,
  suits: (turn: Turn) => boolean,
): { readonly turn: Turn; readonly isHurried: boolean } | null {
  let next: Turn | null = null;
  let nextEndMs = Infinity;
  let hurried: Turn | null = null;
  for (const caller of callers) {
    const first = firstOf(caller);
    if (!suits(first)) continue;
    if (first.hurriesMs <= nowMs && first.hurriesMs < (hurried?.hurriesMs ?? Infinity)) hurried = first;
    const endMs = endOf(first);
    if (endMs >= nextEndMs) continue;
    next = first;
    nextEndMs = endMs;
  }
  const turn = hurried ?? next;
  return turn === null ? null : { turn, isHurried: hurried !== null };
}

/** The account of the caller after this request. */
function endOf({ caller, expectedMs }: Turn): number {
  return caller.begunMs + expectedMs;
}

function firstOf({ waiting }: Caller): Turn {
  const [first] = waiting;
  return first!;
}

function newGroup(): Group {
  return { begunMs: 0, waitingMs: 0, clockMs: 0, callers: new Set() };
}

/** Mean milliseconds by sort. */
type Means = Map<string, number>;

/** Milliseconds, for a sort without an answer yet. */
const FIRST_GUESS_MS = 20;
/** Weight of the latest request in a caller's mean. */
const OWN_WEIGHT = 1 / 8;
const WEIGHT_OF_ALL = 1 / 64;

function newMeans(): Means {
  return new Map();
}

class ServiceTimes {
  readonly #ofAll = newMeans();

  /** Milliseconds. */
  expected(own: Means, sort: string): number {
    return own.get(sort) ?? this.#ofAll.get(sort) ?? FIRST_GUESS_MS;
  }

  note(own: Means, sort: string, tookMs: number): void {
    move(own, sort, tookMs, OWN_WEIGHT);
    move(this.#ofAll, sort, tookMs, WEIGHT_OF_ALL);
  }
}

function move(means: Means, sort: string, tookMs: number, weight: number): void {
  const before = means.get(sort) ?? tookMs;
  means.set(sort, before + (tookMs - before) * weight);
}

/** Limits of the bound, as shares of the allowed wait. */
const MOST = 0.6;
const LEAST = 0.15;
/** One wait in a thousand may become too long. */
const MAY_BREAK = 1 / 1_000;
const STEP = 0.04;

class WaitBound {
  readonly #allowedMs: number;
  #share = MOST;

  /** `allowedMs` Infinity: no bound. */
  constructor(allowedMs: number) {
    this.#allowedMs = allowedMs;
  }

  /** A request with a longer expected wait is refused. */
  get ms(): number {
    return this.#allowedMs * this.#share;
  }

  get mostMs(): number {
    return this.#allowedMs * MOST;
  }

  /** A request was refused at once, or began before it was too late. */
  kept(): void {
    this.#share = Math.min(MOST, this.#share + STEP * MAY_BREAK);
  }

  /** A request waited longer than allowed. */
  broken(): void {
    this.#share = Math.max(LEAST, this.#share - STEP);
  }
}
