// The entry of a worker thread that derives tags of passwords, one after the other, at a low priority.

import { argon2Sync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { standBack } from '../../niceness.ts';
import type { Derivation } from './hashing.ts';

/**
 * Of 0 to 19: how far hashes stand back, behind the threads that answer questions and beside those that import. Further
 * back, other programs of the machine starve them: at 19, with twelve threads at work, a sign-in took over a minute.
 */
const HASH_NICENESS = 10;

/** Beside much other work a hash takes seconds, most of which it waits. */
const MOST_REST_MS = 250;

const port = parentPort!;
standBack(HASH_NICENESS);

const untilTimeout = new Int32Array(new SharedArrayBuffer(4));

port.on('message', (derivation: Derivation) => {
  const started = performance.now();
  port.postMessage(argon2Sync('argon2id', derivation));
  // It rests for as long, with the answer given: priority alone does not keep caches and the other half of a core free.
  Atomics.wait(untilTimeout, 0, 0, Math.min(performance.now() - started, MOST_REST_MS));
});
