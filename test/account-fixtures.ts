// What tests of accounts share.

import { it } from 'node:test';
import { Accounts } from '../src/accounts/accounts.ts';
import { temporaryFolder } from './helpers.ts';

/** 2026-11-20 00:00:00 UTC. */
export const START = 1_795_132_800;
export const ANN = 'ann@example.org';
export const PASSWORD = 'correct horse';

/** A clock that stands until it is moved. */
export class Clock {
  time = START;
  readonly now = (): number => this.time;
}

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
    const clock = new Clock();
    await using accounts = Accounts.open(folder.path, clock);
    await using other = Accounts.open(folder.path, clock);
    await body({ accounts, other, clock, folder: folder.path });
  });
}
