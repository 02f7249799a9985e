// Who is next among the callers that wait. Each caller has an account of the work that was begun for it; whoever's next
// request would end first on that account is next, so that every caller gets an equal share of the work, and short
// requests come before long ones. What has waited longer than expected goes before all that has not. Start-time fair
// queueing, by the ends: Goyal, Vin and Cheng, SIGCOMM 1996, 2.

import { type Means, newMeans } from './service-times.ts';

/** A request in the queue, or at work. */
export interface Turn {
  readonly caller: Caller;
  /** What is asked for: requests of one sort take similar times. */
  readonly sort: string;
  /** Milliseconds of work that are expected. */
  readonly expectedMs: number;
  /** False where the caller asks for this sort for the first time. */
  readonly isKnown: boolean;
  /** From then on it has waited longer than what is let in is expected to, and goes before all that have not. */
  readonly hurriesMs: number;
  readonly begin: () => void;
}

/** A caller that has requests here, or had some lately. */
export interface Caller {
  readonly name: string;
  /** Milliseconds of work begun for it, on the clock of the queue. */
  begunMs: number;
  /** Requests at work, and the milliseconds that were expected of them. */
  underWay: number;
  underWayMs: number;
  /** In the order in which they came. */
  readonly waiting: Set<Turn>;
  /** Milliseconds of work that are expected for all that wait. */
  waitingMs: number;
  /** What its requests took. */
  readonly means: Means;
}

export class FairQueue {
  /** Those with requests that wait. */
  readonly #callers = new Set<Caller>();
  /** Where the account of the caller stood whose turn it was last. */
  #clockMs = 0;
  #length = 0;

  /** Requests that wait. */
  get length(): number {
    return this.#length;
  }

  /** Callers that wait. */
  get callers(): number {
    return this.#callers.size;
  }

  add(turn: Turn): void {
    const { caller } = turn;
    // Who comes with nothing waiting begins no further back than the others are: nobody saves up turns.
    if (caller.waiting.size === 0) caller.begunMs = Math.max(caller.begunMs, this.#clockMs);
    caller.waiting.add(turn);
    caller.waitingMs += turn.expectedMs;
    this.#callers.add(caller);
    this.#length++;
  }

  /** False where it does not wait any more. */
  remove(turn: Turn): boolean {
    const { caller } = turn;
    if (!caller.waiting.delete(turn)) return false;
    caller.waitingMs -= turn.expectedMs;
    if (caller.waiting.size === 0) {
      caller.waitingMs = 0;
      this.#callers.delete(caller);
    }
    this.#length--;
    return true;
  }

  /** Takes the next request among those that `suits` lets through; null: there is none. */
  take(nowMs: number, suits: (turn: Turn) => boolean): Turn | null {
    let next: Turn | null = null;
    let nextEndMs = Infinity;
    let hurried: Turn | null = null;
    for (const caller of this.#callers) {
      const [first] = caller.waiting;
      if (!suits(first!)) continue;
      if (first!.hurriesMs <= nowMs && first!.hurriesMs < (hurried?.hurriesMs ?? Infinity)) hurried = first!;
      const endMs = caller.begunMs + first!.expectedMs;
      if (endMs >= nextEndMs) continue;
      next = first!;
      nextEndMs = endMs;
    }
    const taken = hurried ?? next;
    if (taken === null) return null;
    this.remove(taken);
    const { caller, expectedMs } = taken;
    // What goes out of turn says nothing of how far the others are.
    if (hurried === null) this.#clockMs = Math.max(this.#clockMs, caller.begunMs);
    caller.begunMs += expectedMs;
    return taken;
  }

  /** Of each caller that waits, the request that is next. */
  *firsts(): Generator<Turn> {
    for (const { waiting } of this.#callers) yield* [...waiting.values().take(1)];
  }

  /**
   * Milliseconds of work that come before a request that waits, the last of its caller, itself left out: what is there
   * now, or an equal share for each that waits, since the others may go on asking.
   */
  workBefore({ caller, expectedMs }: Turn): number {
    const endMs = caller.begunMs + caller.waitingMs;
    const ownMs = caller.waitingMs - expectedMs;
    let workMs = ownMs;
    for (const other of this.#callers) {
      if (other === caller) continue;
      workMs += Math.min(other.waitingMs, Math.max(0, endMs - other.begunMs));
    }
    return Math.max(workMs, ownMs * this.#callers.size);
  }
}

export function newCaller(name: string): Caller {
  return {
    name,
    begunMs: 0,
    underWay: 0,
    underWayMs: 0,
    waiting: new Set(),
    waitingMs: 0,
    means: newMeans(),
  };
}
