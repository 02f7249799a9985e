// Threads that derive tags of passwords, so that this takes neither the event loop nor a core from searches: the
// pool of Node's own `argon2` has threads of ordinary priority.

import { Worker } from 'node:worker_threads';

/** What `argon2Sync` takes. */
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
