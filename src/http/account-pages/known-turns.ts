// How often an account's own browsers go before strangers in the line of passwords.

import type { Lane } from '../../accounts/gate.ts';
import { WindowLimit } from './attempts.ts';

/** How many hashes of one account go before those of strangers, in TURNS_WINDOW_MS. */
export const MAX_KNOWN_TURNS = 20;
export const TURNS_WINDOW_MS = 15 * 60_000;

/** The right to go before strangers: of each account so often, so that nobody who has one can fill the line. */
export class KnownTurns extends WindowLimit {
  constructor(now: () => number) {
    super(MAX_KNOWN_TURNS, TURNS_WINDOW_MS, now);
  }

  laneOf(accountId: number): Lane {
    return this.take(String(accountId)) === 0 ? 'known' : 'strangers';
  }
}
