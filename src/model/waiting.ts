// Who waits for something that there is little of: a thread, a place at work, room for an answer. Each waits until it
// is let in, its time is over, so that it learns soon that there is too much to do, or whoever asks has gone. And turns
// of the event loop: long work is done in pieces, and all pending work gets one turn each time around the loop, so many
// large answers delay it no longer than one. Threads stand back where there are more than processors.

import { getPriority, setPriority } from 'node:os';
import { setImmediate as nextRound } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';

interface Patience {
  /** Aborted when whoever asks has gone. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; Infinity: as long as it takes. */
  readonly ms: number;
  /** From when on they count; absent: now. */
  readonly from?: Promise<unknown>;
  /** Takes it out of the line. False: it does not wait any more. */
  leave(why: 'late' | 'gone'): boolean;
  /** What to reject with when the time is over. */
  late(): Error;
}

/** What `entry` resolves to when it is let in. Rejects when the time is over, or with the reason of the signal. */
export async function patiently<T>(
  { promise, reject }: PromiseWithResolvers<T>,
  { signal, ms, from, leave, late }: Patience,
): Promise<T> {
  let clock: NodeJS.Timeout | undefined;
  let isOver = false;
  const startClock = () => {
    if (!isOver && ms !== Infinity) clock = setTimeout(() => leave('late') && reject(late()), ms);
  };
  const onAbort = () => {
    if (leave('gone')) reject(signal!.reason);
  };
  if (from === undefined) startClock();
  else from.then(startClock);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await promise;
  } finally {
    isOver = true;
    clearTimeout(clock);
    signal?.removeEventListener('abort', onAbort);
  }
}

interface PoolOptions {
  /** Lines, of which the first go before the others; absent: one. */
  readonly lanes?: number;
  /** For the message of what has waited too long: for what, and what there was. Absent: for a thread. */
  readonly words?: { readonly expected: string; readonly found: string };
}

interface Wish {
  /** From 0 on; absent: 0. */
  readonly lane?: number;
  /** Milliseconds that it waits at the most; absent: as long as it takes. */
  readonly ms?: number;
  readonly signal?: AbortSignal | undefined;
}

interface Waiting<Thing> {
  begin(thing: Thing): void;
  refuse(error: unknown): void;
  readonly done: Promise<unknown>;
}

/** Seconds after which what was refused may come again. */
const RETRY_AFTER = 1;

const THREADS = { expected: 'a thread for the query', found: 'all of them at work' };

/** Things that work is done with, such as threads. Work waits for them, in each lane first come, first served. */
export class Pool<Thing> {
  readonly #idle: () => Thing | null;
  readonly #words: { readonly expected: string; readonly found: string };
  readonly #lanes: readonly Set<Waiting<Thing>>[];
  readonly #open = Promise.withResolvers<void>();

  /** `idle`: one that can begin at once; null where all are at work, or not there yet. */
  constructor(idle: () => Thing | null, { lanes = 1, words = THREADS }: PoolOptions = {}) {
    this.#idle = idle;
    this.#words = words;
    this.#lanes = Array.from({ length: lanes }, () => new Set());
  }

  /** How many wait, in all lanes or in one. */
  waiting(lane?: number): number {
    const lanes = lane === undefined ? this.#lanes : [this.#lanes[lane]!];
    return lanes.reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Calls `work` with the first thing that is free, at once if there is one. Rejects with `busy`, or with the reason of
   * `signal` if it is aborted before; then `work` is not called.
   */
  run<T>(work: (thing: Thing) => Promise<T>, { lane = 0, ms = Infinity, signal }: Wish = {}): Promise<T> {
    const thing = this.waiting() === 0 ? this.#idle() : null;
    if (thing !== null) return work(thing);
    const entry = Promise.withResolvers<T>();
    const { promise: done, resolve, reject: refuse } = entry;
    const line = this.#lanes[lane]!;
    const waiting = { begin: (one: Thing) => resolve(work(one)), refuse, done };
    line.add(waiting);
    const { expected, found } = this.#words;
    const words = `expected ${expected} within ${ms} ms, found ${found}`;
    const answer = patiently(entry, {
      ...{ signal, ms, from: this.#open.promise },
      leave: () => line.delete(waiting),
      late: () => new ServiceError('busy', words, { retryAfter: RETRY_AFTER }),
    });
    this.turn(false);
    return answer;
  }

  /**
   * To be called when a thing has come or has nothing more to do. Nobody's time counts before the first one has come
   * (`isOpen`), since until then nobody waits for the work of others.
   */
  turn(isOpen = true): void {
    for (const lane of this.#lanes) {
      for (const waiting of lane) {
        const thing = this.#idle();
        if (thing === null) break;
        lane.delete(waiting);
        waiting.begin(thing);
      }
    }
    if (isOpen) this.#open.resolve();
  }

  /** Refuses all that wait: nothing will come for them. */
  giveUp(error: unknown): void {
    for (const lane of this.#lanes) {
      for (const { refuse } of lane) refuse(error);
      lane.clear();
    }
  }

  /** Resolves when all that wait now is done. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#lanes.flatMap((lane) => [...lane].map(({ done }) => done)));
  }
}

/** So many places at work. */
export class Places {
  readonly #pool: Pool<true>;
  readonly #most: number;
  #taken = 0;

  constructor(most: number, options?: PoolOptions) {
    this.#most = most;
    this.#pool = new Pool<true>(() => (this.isFull ? null : true), options);
    this.#pool.turn();
  }

  get taken(): number {
    return this.#taken;
  }

  get isFull(): boolean {
    return this.#taken >= this.#most;
  }

  waiting(lane?: number): number {
    return this.#pool.waiting(lane);
  }

  /** As `Pool.run`. A place is handed on, not given back, so that nobody slips in between. */
  run<T>(work: () => Promise<T>, wish?: Wish): Promise<T> {
    const atWork = async () => {
      this.#taken++;
      try {
        return await work();
      } finally {
        this.#taken--;
        this.#pool.turn();
      }
    };
    return this.#pool.run(atWork, wish);
  }
}

/** Milliseconds that work may hold the event loop before it lets others have it. */
const TURN_MS = 4;

let last: Promise<unknown> = Promise.resolve();

/** Resolves once others have had their turn; first come, first served. */
export function turn(): Promise<unknown> {
  last = last.then(() => nextRound());
  return last;
}

/** Turns by the clock, counted from when it is made. Serves one piece of work: concurrent ones each have their own. */
export class Turns {
  #began = performance.now();

  /** Call it between two steps, each of which should take some milliseconds at most. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < TURN_MS) return;
    await turn();
    this.#began = performance.now();
  }
}

/**
 * Makes this thread stand back, by 0 to 19 as in nice(1); where the process stands back further, so does the thread,
 * which without rights may not come forward.
 * Only Linux knows the priority of a thread: elsewhere it would be that of the whole process.
 */
export function standBack(niceness: number): void {
  if (process.platform === 'linux') setPriority(Math.max(niceness, getPriority()));
}
