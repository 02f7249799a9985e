// Who is next among the callers that wait. Each caller has an account of the work that was begun for it; whoever's next
// request would end first on that account is next, so that every caller gets an equal share of the work, and short
// requests come before long ones. What has waited longer than expected goes before all that has not. Start-time fair
// queueing, by the ends: Goyal, Vin and Cheng, SIGCOMM 1996, 2.
//
// How long a request will be at work: the moving mean of what those of its sort took, for this caller, else for all.
//
// From what expected wait on a request is refused at once. What waits in vain was refused too late, so the bound moves
// until almost no expectation is broken, whatever share of the load is long, and however well it is expected.
// A quantile that is followed step by step: Robbins and Monro, Annals of Mathematical Statistics 22, 1951.

export interface Turn {
  readonly caller: Caller;
  /** What is asked for: requests of one sort take similar times. */
  readonly sort: string;
  /** Milliseconds of work that are expected. */
  readonly expectedMs: number;
  /** Its caller is known to ask for what takes little. */
  readonly isShort: boolean;
  readonly bound: WaitBound;
  /** From then on it has waited longer than what is let in is expected to, and goes before all that have not. */
  readonly hurriesMs: number;
  readonly begin: () => void;
}

/** Work begun for somebody, on the clock of those among whom turns are shared. */
interface Account {
  begunMs: number;
  /** Milliseconds of work that are expected for all that wait. */
  waitingMs: number;
}

/** A caller that has requests here, or had some lately. */
export interface Caller extends Account {
  readonly name: string;
  readonly group: Group;
  /** Requests at work, and the milliseconds that were expected of them. */
  underWay: number;
  underWayMs: number;
  /** In the order in which they came. */
  readonly waiting: Set<Turn>;
  readonly means: Means;
}

/** Callers that share one half of the work: accounts, or networks of visitors. */
export interface Group extends Account {
  /** Those with requests that wait. */
  readonly callers: Set<Caller>;
  /** Where the account of the caller stood whose turn it was last. */
  clockMs: number;
}

export class FairQueue {
  readonly #accounts = newGroup();
  readonly #visitors = newGroup();
  readonly #groups: readonly Group[] = [this.#accounts, this.#visitors];
  /** Where the account of the group stood whose turn it was last. */
  #clockMs = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get callers(): number {
    return this.#accounts.callers.size + this.#visitors.callers.size;
  }

  /** A caller without requests. Whoever is no network is an account. */
  newCaller(name: string): Caller {
    const group = name.startsWith('network:') ? this.#visitors : this.#accounts;
    const account = { begunMs: 0, waitingMs: 0, underWay: 0, underWayMs: 0 };
    return { name, group, ...account, waiting: new Set(), means: newMeans() };
  }

  add(turn: Turn): void {
    const { caller, expectedMs } = turn;
    const { group } = caller;
    // Who comes with nothing waiting begins no further back than the others are: nobody saves up turns.
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

  /** Takes the next request among those that `suits` lets through; null: there is none. `nowMs` -Infinity: no hurry. */
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
    // What goes out of turn says nothing of how far the others are.
    if (!isHurried) group.clockMs = Math.max(group.clockMs, caller.begunMs);
    this.#clockMs = Math.max(this.#clockMs, group.begunMs);
    this.correct(caller, expectedMs);
    return turn;
  }

  /** So much more work than was known has been begun for the caller. */
  correct(caller: Caller, moreMs: number): void {
    for (const account of [caller, caller.group]) account.begunMs += moreMs;
  }

  /** Of each caller that waits, the request that is next. */
  *firsts(): Generator<Turn> {
    for (const { callers } of this.#groups) for (const caller of callers) yield firstOf(caller);
  }

  /**
   * Milliseconds of work before the caller's last waiting request: the present work, or an equal share for each waiting
   * caller.
   */
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

/** Where the account of its caller stands once the next request of it is done. */
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

/** By sort, in milliseconds. */
export type Means = Map<string, number>;

/** Milliseconds, for a sort of which none has been answered yet. */
const FIRST_GUESS_MS = 20;
/** How much the last request of a caller counts in its mean: some eight are remembered. */
const OWN_WEIGHT = 1 / 8;
const WEIGHT_OF_ALL = 1 / 64;

export function newMeans(): Means {
  return new Map();
}

export class ServiceTimes {
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

/** Shares of the wait that is allowed. */
const MOST = 0.6;
const LEAST = 0.15;
/** One wait in a thousand may become too long. */
const MAY_BREAK = 1 / 1_000;
const STEP = 0.04;

export class WaitBound {
  readonly #allowedMs: number;
  #share = MOST;

  /** Milliseconds that a request may wait; Infinity: any wait is expected to be kept. */
  constructor(allowedMs: number) {
    this.#allowedMs = allowedMs;
  }

  /** Milliseconds: what is expected to wait longer may wait too long. */
  get ms(): number {
    return this.#allowedMs * this.#share;
  }

  /** The same while no wait was in vain. */
  get mostMs(): number {
    return this.#allowedMs * MOST;
  }

  /** A request was refused at once, or began before it was too late. */
  kept(): void {
    this.#share = Math.min(MOST, this.#share + STEP * MAY_BREAK);
  }

  /** One has waited longer than it may. */
  broken(): void {
    this.#share = Math.max(LEAST, this.#share - STEP);
  }
}
