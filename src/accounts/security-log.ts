// What happens to accounts and limits, for whoever guards the server: a line of JSON for each event, with the whole
// address, so that a program can shut an attacker out. It names accounts and keys by their numbers. Contract 14.4.

/** Every event with what it means; docs/monitoring.md has the same table. */
export const SECURITY_EVENTS = {
  signed_in: 'a session began: a sign-in, a new account, or a new password',
  sign_in_refused: 'a wrong address or password',
  sessions_ended:
    'sessions were ended before their time, by their owner or on the command line (of all, without a number)',
  second_factor_on: 'the second factor of an account was turned on',
  second_factor_off: 'the second factor of an account was turned off, by its owner or on the command line',
  second_factor_refused: 'a wrong or used code, after a right password',
  recovery_code_used: 'a recovery code was taken in place of a code of the app',
  recovery_codes_made: 'new recovery codes were made in place of those before',
  key_refused: 'an API key that is unknown, expired or revoked, or a wrong token for the metrics',
  limit_hit: 'a request beyond a limit (429); of each network one line in 10 s, with the number of `others`',
  request_refused: 'a request for what its caller may not do, such as a form from another site (403)',
  key_made: 'an API key was made',
  key_revoked: 'an API key was revoked',
  feed_made: 'an address of a feed was made, which ends the one before',
  feed_revoked: 'an address of a feed was revoked',
  account_made: 'an account was made on the command line',
  link_made: 'a one-time link that sets a password was made on the command line',
  account_removed: 'an account was removed, with its keys, sessions and saved searches',
} as const;

export type SecurityEventName = keyof typeof SECURITY_EVENTS;

export interface SecurityEvent {
  readonly security: SecurityEventName;
  readonly account?: number | string;
  readonly key?: number | string;
  readonly saved?: number;
}

/** Of an event on the network; on the command line there is neither. */
interface EventPlace {
  readonly id?: string;
  readonly address?: string;
  readonly route?: string;
  /** How many like it had no line. */
  readonly others?: number;
}

export type SecurityLog = (event: SecurityEvent & EventPlace) => void;
