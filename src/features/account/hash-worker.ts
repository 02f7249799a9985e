// Worker thread that hashes passwords, one after the other, at low priority.

import { argon2Sync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { standBack } from '../../model/waiting.ts';
import type { Derivation } from './password.ts';

/**
 * Niceness, 0 to 19: behind the threads that answer queries, and equal to imports. At 19, other programs starve the
 * thread: with twelve threads at work, a sign-in took over a minute.
 */
const HASH_NICENESS = 10;

/** Longest rest: on a busy machine a hash takes seconds, most of them waiting. */
const MOST_REST_MS = 250;

const port = parentPort!;
standBack(HASH_NICENESS);

const untilTimeout = new Int32Array(new SharedArrayBuffer(4));

port.on('message', (derivation: Derivation) => {
  const started = performance.now();
  port.postMessage(argon2Sync('argon2id', derivation));
  // Rests as long as it worked: priority alone does not free caches and the sibling hyper-thread.
  Atomics.wait(untilTimeout, 0, 0, Math.min(performance.now() - started, MOST_REST_MS));
});
