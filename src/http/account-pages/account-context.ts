// What the account pages need.

import type { Accounts } from '../../accounts/accounts.ts';
import type { SecurityLog } from '../../accounts/security-log.ts';
import type { Sessions } from '../session.ts';
import type { Site } from '../site/respond.ts';
import type { AccountBrake } from './account-brake.ts';
import type { Clock, PasswordAttempts, WindowLimit } from './attempts.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import type { KnownTurns } from './known-turns.ts';
import type { UsedOnce } from './used-once.ts';

export interface AccountPageDeps {
  readonly site: Site;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly registration: 'open' | 'closed';
  /** For each key; 0: no limit. */
  readonly requestsPerMinute: number;
  readonly security: SecurityLog;
  readonly now: Clock;
  /** Unix seconds. */
  readonly time: () => number;
}

/** What the handlers of all pages share. */
export interface AccountContext extends AccountPageDeps {
  readonly passwords: PasswordAttempts;
  readonly brake: AccountBrake;
  readonly browsers: KnownBrowsers;
  readonly turns: KnownTurns;
  readonly registrations: WindowLimit;
  readonly newKeys: WindowLimit;
  readonly usedForms: UsedOnce;
}
