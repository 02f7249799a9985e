// What the account pages need.

import type { Accounts } from '../../accounts/accounts.ts';
import type { SecurityLog } from '../../accounts/security-log.ts';
import type { Clock, WindowLimit } from '../limits/rate-limits.ts';
import type { NetworkLimit } from '../limits/request-limits.ts';
import type { Sessions } from '../session.ts';
import type { Site } from '../site/site.ts';
import type { PasswordAttempts } from './attempts.ts';
import type { ExchangeContext } from './exchange.ts';
import type { UsedOnce } from './forms.ts';
import type { HalfSessions, OfferedSecrets } from './half-sessions.ts';
import type { AccountBrake, KnownBrowsers, KnownTurns } from './known-browsers.ts';

export interface AccountPageDeps {
  readonly site: Site;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly registration: 'open' | 'closed';
  /** `COLLOQUY_PUBLIC_URL`. */
  readonly publicUrl: string | null;
  /** For each account; 0: no limit. */
  readonly requestsPerMinute: number;
  readonly security: SecurityLog;
  readonly now: Clock;
  /** Unix seconds. */
  readonly time: () => number;
}

/** What the handlers of all pages share. */
export interface AccountContext extends AccountPageDeps, ExchangeContext {
  readonly passwords: PasswordAttempts;
  readonly brake: AccountBrake;
  /** Of codes of second factors. It has names of its own, which nobody can type as an address. */
  readonly codeBrake: AccountBrake;
  readonly halves: HalfSessions;
  readonly browsers: KnownBrowsers;
  readonly turns: KnownTurns;
  readonly registrations: NetworkLimit;
  readonly newKeys: WindowLimit;
  readonly usedForms: UsedOnce;
  readonly offered: OfferedSecrets;
}
