// Where passwords are hashed, and in which order: a gate that lets a few hashes through at once, while others wait in
// one of two lanes and what is beyond the end of a lane is refused; and the threads that derive them.

import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { Places } from '../../model/waiting.ts';

/** Whoever is known here goes first; strangers follow when no such work waits. */
const LANES = ['known', 'strangers'] as const;

export type Lane = (typeof LANES)[number];

export type GateFigures = ReturnType<Gate['figures']>;

/** Seconds after which a caller who was refused may come again. */
export const BUSY_RETRY_AFTER = 5;

export class Gate {
  readonly #places: Places;
  readonly #maxWaiting: number;
  #admitted = 0;
  #refused = 0;

  /** `maxWaiting` holds for each lane. */
  constructor(atOnce: number, maxWaiting: number) {
    this.#places = new Places(atOnce, { lanes: LANES.length });
    this.#maxWaiting = maxWaiting;
  }

  /**
   * True if `run` would throw `busy`; counts as a refusal. It costs next to nothing, so that it can be asked before a
   * request is read.
   */
  refuses(lane: Lane): boolean {
    if (!this.#places.isFull || this.#places.waiting(LANES.indexOf(lane)) < this.#maxWaiting) return false;
    this.#refused++;
    return true;
  }

  /** Runs `work` in its turn, in each lane first come, first served. Throws `busy` if the lane is full. */
  async run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.refuses(lane)) {
      throw new ServiceError(
        'busy',
        `expected at most ${this.#maxWaiting} callers who wait for a password to be checked, found more`,
        { retryAfter: BUSY_RETRY_AFTER },
      );
    }
    this.#admitted++;
    return await this.#places.run(work, { lane: LANES.indexOf(lane) });
  }

  figures() {
    const [admitted, refused] = [this.#admitted, this.#refused];
    return { running: this.#places.taken, waiting: this.#places.waiting(), admitted, refused };
  }
}

export interface Derivation {
  readonly message: string;
  readonly nonce: Uint8Array;
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  /** Bytes. */
  readonly tagLength: number;
}

/**
 * Threads that derive tags of passwords, so that this takes neither the event loop nor a core from searches: the pool
 * of Node's own `argon2` has threads of ordinary priority.
 */
export class HashThreads {
  readonly #idle: Worker[] = [];

  /**
   * Starts a thread if none is idle: whoever calls this bounds how many there are. An idle thread keeps no
   * process alive.
   */
  async derive(derivation: Derivation): Promise<Buffer> {
    const worker = this.#idle.pop() ?? new Worker(new URL('./hash-worker.ts', import.meta.url));
    worker.ref();
    const tag = await answerOf(worker, derivation);
    worker.unref();
    this.#idle.push(worker);
    return tag;
  }
}

/** Throws what ended the thread. */
function answerOf(worker: Worker, derivation: Derivation): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      end();
    };
    const onMessage = (tag: Uint8Array) => settle(() => resolve(Buffer.from(tag)));
    const onError = (error: unknown) => settle(() => reject(error));
    const onExit = () => settle(() => reject(new Error('expected a hash, found that its thread has ended')));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(derivation);
  });
}
