// Limits how many passwords are hashed at once. Others wait in one of two queues ("lanes"); a full lane refuses. Also
// the threads that hash.

import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../errors.ts';
import { Places } from '../../model/waiting.ts';

/** `strangers` get their turn only when no `known` caller waits. */
const LANES = ['known', 'strangers'] as const;

export type Lane = (typeof LANES)[number];

export type GateFigures = ReturnType<Gate['figures']>;

/** Seconds. */
export const BUSY_RETRY_AFTER = 5;

export class Gate {
  readonly #places: Places;
  readonly #maxWaiting: number;
  #admitted = 0;
  #refused = 0;

  /** `maxWaiting`: for each lane. */
  constructor(atOnce: number, maxWaiting: number) {
    this.#places = new Places(atOnce, { lanes: LANES.length });
    this.#maxWaiting = maxWaiting;
  }

  /** Whether `run` would throw `busy`; if so, counts a refusal. Cheap, so that it can run before a body is read. */
  refuses(lane: Lane): boolean {
    if (!this.#places.isFull || this.#places.waiting(LANES.indexOf(lane)) < this.#maxWaiting) return false;
    this.#refused++;
    return true;
  }

  /** Runs `work` in its turn: first come, first served in each lane. Throws `busy` if the lane is full. */
  async run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.refuses(lane)) {
      throw new ServiceError(
        'busy',
        `expected at most ${this.#maxWaiting} requests waiting for a password check, found more`,
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

/** Threads for password hashes. Node's own `argon2` would use its thread pool, at ordinary priority. */
export class HashThreads {
  readonly #idle: Worker[] = [];

  /** Starts a thread if none is idle: the caller bounds the number. An idle thread does not keep the process alive. */
  async derive(derivation: Derivation): Promise<Buffer> {
    const worker = this.#idle.pop() ?? new Worker(new URL('./hash-worker.ts', import.meta.url));
    worker.ref();
    const tag = await answerOf(worker, derivation);
    worker.unref();
    this.#idle.push(worker);
    return tag;
  }
}

/** Rejects if the thread ends. */
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
