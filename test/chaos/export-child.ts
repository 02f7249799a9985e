// The export that is killed: the command line as it is, with its calls of the file system counted from the
// start (kill-preload.ts). What it counted goes to a file, so that later kills can be aimed at its last
// calls.

import { writeFileSync } from 'node:fs';
import { getEnvironmentData } from 'node:worker_threads';

const calls = new Int32Array(getEnvironmentData('chaos calls') as SharedArrayBuffer);
const counted = process.env.CHAOS_COUNTED!;
process.on('exit', () => writeFileSync(counted, String(Atomics.load(calls, 0))));
Atomics.store(calls, 1, 1);
await import('../../src/main.ts');
