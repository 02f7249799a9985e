// FairQueue chooses the next request. Each caller has an account of the work begun for it. The request that would end
// first on its caller's account is next: callers get equal shares, and short requests come before long ones. Requests
// that have waited longer than expected go first. Start-time fair queueing, ordered by ends: Goyal, Vin and Cheng,
// SIGCOMM 1996, 2.
//
// ServiceTimes predicts how long a request takes: the moving mean of its sort, of this caller or else of all callers.
//
// WaitBound sets the expected wait from which on requests are refused at once. It follows a quantile step by step, so
// that few requests wait longer than allowed (Robbins and Monro, Annals of Mathematical Statistics 22, 1951).

export interface Turn {
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

export interface Caller extends Account {
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
export interface Group extends Account {
  /** Callers with waiting requests. */
  readonly callers: Set<Caller>;
  /** The account of the caller that had the last turn. */
  clockMs: number;
}

export class FairQueue {
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
    return { name, group, ...account, waiting: new Set(), means: new Map() };
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
export function endOf({ caller, expectedMs }: Turn): number {
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
export type Means = Map<string, number>;

/** Milliseconds, for a sort without an answer yet. */
const FIRST_GUESS_MS = 20;
/** Weight of the latest request in a caller's mean. */
const OWN_WEIGHT = 1 / 8;
const WEIGHT_OF_ALL = 1 / 64;

export class ServiceTimes {
  readonly #ofAll: Means = new Map();

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

export class WaitBound {
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
