// Passwords, one-time links that set them, second factors (two-factor authentication), and the key that signs cookies
// of known browsers. Making, exporting and removing accounts.

import { randomBytes } from 'node:crypto';
import { type Accounts, comparableEmail, normaliseEmail } from '../../accounts/accounts.ts';
import { hashSecret, newToken } from '../../accounts/secrets.ts';
import type { KeptOfAccount, ServedFeature } from '../../http/site/site.ts';
import { CLOCK_PUT_BACK, DAY, unixNow } from '../../model/time.ts';
import { change, FeatureTables, inTransaction, row, rows } from '../../sqlite/database.ts';
import { checkNewPassword, hashPassword, isOutdated, type Lane, verifyPassword } from './password.ts';
import { SecondFactors } from './second-factors.ts';

/** Times are Unix seconds. Secrets are stored as SHA-256, those of second factors and of the server as they are. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS links (  -- one-time links that set a password; one an account, a new one ends the old
    account INTEGER PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,
    expires INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE IF NOT EXISTS secrets ( -- keys that this server signs with; they open no account
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
  ) STRICT;

  CREATE TABLE IF NOT EXISTS second_factors (
    account INTEGER PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    secret BLOB NOT NULL,             -- as it is, since codes are computed from it
    last_step INTEGER NOT NULL,       -- of the code that was taken last (matchingStep)
    created INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE IF NOT EXISTS recovery_codes ( -- those that are not used yet
    account INTEGER NOT NULL REFERENCES second_factors ON DELETE CASCADE,
    hash BLOB NOT NULL,
    PRIMARY KEY (account, hash)
  ) STRICT, WITHOUT ROWID;
`;

export const CREDENTIALS = new FeatureTables(TABLES, (accounts: Accounts) => new Credentials(accounts));

export function credentialsOf(accounts: Accounts): Credentials {
  return CREDENTIALS.in(accounts);
}

export async function keptByFeatures(features: readonly ServedFeature[]): Promise<readonly KeptOfAccount[]> {
  return (await Promise.all(features.map(({ ofAccount }) => ofAccount?.()))).filter(
    (kept) => kept !== undefined,
  );
}

/** Seconds. */
export const LINK_LIFETIME = DAY;

interface AccountRow {
  readonly id: number;
  readonly email: string;
  /** Unix seconds. */
  readonly created: number;
  /** PHC form; null: none set yet. */
  readonly password: string | null;
}

export interface OneTimeLink {
  readonly email: string;
  readonly token: string;
  /** Unix seconds; from then on the link is not valid. */
  readonly expires: number;
}

const SIGNING_KEY = 'browsers';
const SIGNING_BYTES = 32;

const ACCOUNT = 'SELECT id, email, created, password FROM accounts';

/** Validates its inputs. When a call returns, its change is synced to disk and visible to other processes. */
export class Credentials {
  readonly secondFactors: SecondFactors;
  readonly #accounts: Accounts;
  #signingKey: Uint8Array | null = null;

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
    this.secondFactors = new SecondFactors(accounts.database);
  }

  /** An account without a password, and the link that sets one; null if the account exists. Throws a UsageError. */
  createAccount(email: string): OneTimeLink | null {
    const normalised = normaliseEmail(email);
    return this.#atOnce(() => (this.#add(normalised, null) === null ? null : this.#makeLink(normalised)));
  }

  /** A new link for a forgotten password; the password stays valid until the link is used. null: no such account. */
  resetAccount(email: string): OneTimeLink | null {
    const normalised = normaliseEmail(email);
    return this.#atOnce(() => (this.#byEmail(normalised) === null ? null : this.#makeLink(normalised)));
  }

  /** The email address of a valid one-time link; null: not valid. Does not use the link up. */
  emailOfLink(token: string): string | null {
    return this.#byLink(token)?.email ?? null;
  }

  /**
   * Uses a one-time link up: sets the password and ends every session. Returns the account's id, or null if the link is
   * unknown, used or expired. Throws a UsageError for a password that is not accepted (the link stays valid).
   */
  async setPasswordByLink(token: string, password: string): Promise<number | null> {
    const owner = this.#byLink(token);
    if (owner === null) return null;
    checkNewPassword(password, owner.email);
    const hashed = await hashPassword(password);
    return this.#atOnce(() => {
      const account = this.#byLink(token);
      if (account === null) return null;
      this.#run('UPDATE accounts SET password = ? WHERE id = ?', hashed, account.id);
      this.#endWithPassword(account.id);
      return account.id;
    });
  }

  /** Turns the second factor off and erases its secrets from disk. False: it was off; null: no such account. */
  turnOffSecondFactor(email: string): boolean | null {
    const id = this.#accounts.idOf(email);
    if (id === null) return null;
    const wasOn = this.secondFactors.turnOff(id);
    if (wasOn) this.#eraseTraces();
    return wasOn;
  }

  /** `keys`: how many that are not revoked. */
  listAccounts() {
    const list = rows<Omit<AccountRow, 'password'> & { is: number; has: number; keys: number }>(
      this.#accounts.database.prepare(
        `SELECT id, email, created, password IS NOT NULL AS "is",
           id IN (SELECT account FROM second_factors) AS has,
           (SELECT count(*) FROM keys WHERE account = accounts.id AND revoked IS NULL) AS keys
         FROM accounts ORDER BY email`,
      ),
    );
    return list.map(({ is, has, ...account }) => {
      return { ...account, hasPassword: is === 1, hasSecondFactor: has === 1 };
    });
  }

  /**
   * Removes the account with its keys, sessions, link and rows of other features in this database, and erases them from
   * disk. Returns what was removed; null: no such account.
   */
  removeAccount(email: string) {
    const normalised = normaliseEmail(email);
    const removed = this.#atOnce(() => {
      const account = this.#byEmail(normalised);
      if (account === null) return null;
      const keys = this.#accounts.keys.list(account.id).length;
      const sessions = this.#accounts.sessions.list(account.id).length;
      this.#run('DELETE FROM accounts WHERE id = ?', account.id);
      return { email: account.email, keys, sessions };
    });
    if (removed !== null) this.#eraseTraces();
    return removed;
  }

  /** What is stored about a person in these tables, except secrets. Times in Unix seconds. null: no such account. */
  exportAccount(accountId: number) {
    const account = this.#byId(accountId);
    if (account === null) return null;
    return {
      email: account.email,
      created: account.created,
      hasPassword: account.password !== null,
      secondFactor: this.secondFactors.of(accountId),
      keys: this.#accounts.keys.list(accountId),
      sessions: this.#accounts.sessions.list(accountId),
    };
  }

  /**
   * Returns the new account's id; null, after the same time, if the address has an account. Throws a UsageError, or
   * `busy`.
   */
  async register(email: string, password: string): Promise<number | null> {
    const normalised = normaliseEmail(email);
    checkNewPassword(password, normalised);
    return this.#add(normalised, await hashPassword(password, 'strangers'));
  }

  /**
   * Returns the account's id; null, after the same time, for a wrong address or password. Throws `busy`.
   */
  async verify(email: string, password: string, lane: Lane = 'known'): Promise<number | null> {
    for (;;) {
      const account = this.#byEmail(comparableEmail(email));
      const known = account?.password ?? null;
      const isRight = await verifyPassword(password, known, lane);
      if (account === null || known === null || !isRight) return null;
      const isStill = isOutdated(known)
        ? this.#exchangePassword(account.id, known, await hashPassword(password, lane))
        : this.#byId(account.id)?.password === known;
      if (isStill) return account.id;
      // Another password was set meanwhile: check again.
    }
  }

  /**
   * Sets a new password and ends all sessions. False: the current password is wrong, or another one was set
   * meanwhile.
   */
  async changePassword(
    accountId: number,
    { current, next }: { readonly current: string; readonly next: string },
    lane: Lane = 'known',
  ): Promise<boolean> {
    const account = this.#byId(accountId);
    if (account === null) return false;
    checkNewPassword(next, account.email);
    if (!(await verifyPassword(current, account.password, lane))) return false;
    const hashed = await hashPassword(next, lane);
    return this.#atOnce(() => {
      if (!this.#exchangePassword(accountId, account.password, hashed)) return false;
      this.#endWithPassword(accountId);
      return true;
    });
  }

  /** A hash that changes with the password; null: no such account, or no password. */
  passwordMark(accountId: number): string | null {
    const password = this.#byId(accountId)?.password ?? null;
    return password === null ? null : Buffer.from(hashSecret(password)).toString('base64url');
  }

  /** The key that signs cookies of known browsers; null: not made yet. */
  signingKey(): Uint8Array | null {
    const find = this.#accounts.database.prepare('SELECT value FROM secrets WHERE name = ?');
    this.#signingKey ??= row<{ readonly value: Uint8Array }>(find, SIGNING_KEY)?.value ?? null;
    return this.#signingKey;
  }

  /** Makes the key if there is none; of two processes at the same moment, the first one wins. */
  makeSigningKey(): Uint8Array {
    const known = this.signingKey();
    if (known !== null) return known;
    const bytes = randomBytes(SIGNING_BYTES);
    this.#run('INSERT OR IGNORE INTO secrets (name, value) VALUES (?, ?)', SIGNING_KEY, bytes);
    return this.signingKey()!;
  }

  #byEmail(email: string): AccountRow | null {
    return this.#one(`${ACCOUNT} WHERE email = ?`, email);
  }

  #byId(id: number): AccountRow | null {
    return this.#one(`${ACCOUNT} WHERE id = ?`, id);
  }

  #byLink(token: string): AccountRow | null {
    const now = unixNow();
    return this.#one(
      `${ACCOUNT} WHERE id = (SELECT account FROM links WHERE hash = ? AND expires > ? AND expires <= ?)`,
      ...[hashSecret(token), now, now + LINK_LIFETIME + CLOCK_PUT_BACK],
    );
  }

  /** The new account's id; null: the account exists. */
  #add(email: string, password: string | null): number | null {
    const sql = `INSERT INTO accounts (email, password, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`;
    return this.#one(sql, email, password, unixNow())?.id ?? null;
  }

  /** Replaces an earlier link. The account must exist. */
  #makeLink(email: string): OneTimeLink {
    const token = newToken();
    const expires = unixNow() + LINK_LIFETIME;
    this.#run(
      'INSERT OR REPLACE INTO links (account, hash, expires) SELECT id, ?, ? FROM accounts WHERE email = ?',
      ...[hashSecret(token), expires, email],
    );
    return { email, token, expires };
  }

  /** Sets the password if `known` is still the stored hash. False: another was set while this one was hashed. */
  #exchangePassword(id: number, known: string | null, password: string): boolean {
    return (
      this.#run('UPDATE accounts SET password = ? WHERE id = ? AND password IS ?', password, id, known) === 1
    );
  }

  #endWithPassword(accountId: number): void {
    this.#run('DELETE FROM links WHERE account = ?', accountId);
    this.#accounts.sessions.endOthers(accountId, null);
  }

  /** secure_delete has zeroed deleted rows; this removes the older pages from the write-ahead log. */
  #eraseTraces(): void {
    this.#accounts.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  #one(sql: string, ...values: (string | number | null | Uint8Array)[]): AccountRow | null {
    return row<AccountRow>(this.#accounts.database.prepare(sql), ...values) ?? null;
  }

  #run(sql: string, ...values: (string | number | null | Uint8Array)[]): number {
    return change(this.#accounts.database, sql, ...values);
  }

  #atOnce<T>(work: () => T): T {
    return inTransaction(this.#accounts.database, work);
  }
}
