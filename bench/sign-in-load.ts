// A worker that signs in so many times a second, each time from another network and to another account, until it is
// told to stop; then it posts what it was answered.

import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { networkOf, SignInForm } from './sign-in-form.ts';

export interface SignInLoad {
  readonly address: string;
  readonly aSecond: number;
  /** The number of the first network: no two loads share one. */
  readonly first: number;
  /** Absent: another account each time. */
  readonly email?: string;
  /** How many networks there are; they are used in turn. Absent: another one each time. */
  readonly networks?: number;
}

export interface SignInReport {
  /** Status → how often. */
  readonly answers: Readonly<Record<number, number>>;
  /** Milliseconds to the answers that were refused for want of room. */
  readonly refusedMs: readonly number[];
}

// Strangers have machines of their own: behind the server, and before its hashes.
if (process.platform === 'linux') setPriority(5);
const { address, aSecond, first, email, networks = Number.MAX_SAFE_INTEGER } = workerData as SignInLoad;
const answers: Record<number, number> = {};
const refusedMs: number[] = [];
let isOver = false;
parentPort!.once('message', () => {
  isOver = true;
});

using form = await new SignInForm(address).open();
parentPort!.postMessage('started');
const began = performance.now();
const underWay: Promise<void>[] = [];
for (let number = 0; !isOver; number++) {
  const wait = began + (number * 1000) / aSecond - performance.now();
  if (wait > 0) await sleep(wait);
  const network = networkOf(first + (number % networks));
  const sent = form.send(email ?? `somebody-${first + number}@example.org`, 'a wrong password', network);
  underWay.push(
    sent.then(
      ({ status, ms }) => {
        answers[status] = (answers[status] ?? 0) + 1;
        if (status === 503) refusedMs.push(ms);
      },
      () => {
        answers[0] = (answers[0] ?? 0) + 1;
      },
    ),
  );
}
await Promise.all(underWay);
parentPort!.postMessage({ answers, refusedMs } satisfies SignInReport);
parentPort!.close();
