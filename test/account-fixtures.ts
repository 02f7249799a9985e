// What tests of accounts share.

import { it } from 'node:test';
import { Accounts } from '../src/accounts/accounts.ts';
import { type Clock, stopClock } from './clock.ts';
import { temporaryFolder } from './helpers.ts';

/** 2026-11-20 00:00:00 UTC. */
export const START = 1_795_132_800;
export const ANN = 'ann@example.org';
export const PASSWORD = 'correct horse';

export function keyWish(fields: { email?: string; name?: string; expiresInDays?: number | null } = {}) {
  return { email: ANN, name: 'notebook', expiresInDays: null, ...fields };
}

interface Place {
  readonly accounts: Accounts;
  /** Another process. */
  readonly other: Accounts;
  readonly clock: Clock;
  readonly folder: string;
}

/** A test with accounts in a folder of its own, by a clock that stands. */
export function test(rule: string, body: (place: Place) => Promise<void> | void): void {
  it(rule, async () => {
    using folder = temporaryFolder();
    const clock = stopClock();
    clock.seconds = START;
    await using accounts = Accounts.open(folder.path);
    await using other = Accounts.open(folder.path);
    await body({ accounts, other, clock, folder: folder.path });
  });
}
