// Email addresses as names of accounts.
//
// Who is asking, and may they? Accounts, their keys, one-time links, passwords and sessions, in
// `accounts.db`. Checks texts from outside. Every change is synced to disk and visible to other processes
// when the call returns.

import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../errors.ts';
import { log } from '../log.ts';
import { copyDatabase, integrityProblems, openDatabase, openDatabaseToRead } from '../sqlite/open.ts';
import { inTransaction } from '../sqlite/statements.ts';
import { quoted } from '../text/quoted.ts';
import { type AccountRecord, type AccountRow, AccountStore, type OneTimeLink } from './account-store.ts';
import { type KeyWish, newKey, readKeyWish } from './api-key.ts';
import type { Lane } from './gate.ts';
import { type KeyOwner, type KeyRecord, KeyStore } from './key-store.ts';
import { checkNewPassword, hashPassword, isOutdated, verifyPassword } from './password.ts';
import { type SavedSearch, SavedSearches } from './saved-searches.ts';
import { MIGRATIONS } from './schema.ts';
import { type SecondFactor, SecondFactors } from './second-factors.ts';
import { hashSecret, SecretStore } from './secret-store.ts';
import { type SessionOwner, type SessionRecord, SessionStore } from './session-store.ts';

/** The longest address that mail can be sent to (RFC 5321, 4.5.3.1.3, without the angle brackets). */
const MAX_EMAIL_LENGTH = 254;

/**
 * One @, something on both sides, no white space, control or format characters, and none of the signs used in
 * lists.
 */
const EMAIL_SHAPE = /^[^\s\p{C}@<>()[\],;:"\\]+@[^\s\p{C}@<>()[\],;:"\\]+$/u;

/** The spelling in which addresses are compared, whether or not this is one: lower case, NFC, trimmed. */
export function comparableEmail(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

/**
 * The address in the spelling in which it is stored and compared. Throws a UsageError if it is not an
 * address.
 */
export function normaliseEmail(text: string): string {
  const email = comparableEmail(text);
  if (email.length > MAX_EMAIL_LENGTH) {
    throw new UsageError(
      `expected an email address of at most ${MAX_EMAIL_LENGTH} characters, found ${email.length}`,
    );
  }
  if (!EMAIL_SHAPE.test(email)) {
    throw new UsageError(`expected an email address such as \`ann@example.org\`, found ${quoted(text)}`);
  }
  return email;
}

interface AccountsOptions {
  /** The time in whole Unix seconds. */
  readonly now?: () => number;
}

export interface CreatedKey extends KeyRecord {
  /** The key itself. It is not stored, so this is the only time it can be seen. */
  readonly key: string;
}

/** Everything that is stored about a person, except secrets. */
interface AccountExport {
  readonly email: string;
  /** Unix seconds, like every time in this interface. */
  readonly created: number;
  readonly hasPassword: boolean;
  /** null: none. */
  readonly secondFactor: SecondFactor | null;
  readonly keys: readonly KeyRecord[];
  readonly sessions: readonly SessionRecord[];
  readonly saved: readonly SavedSearch[];
}

interface PasswordChange {
  readonly current: string;
  readonly next: string;
  /** null: no session is kept. */
  readonly keptSession: number | null;
  /** Who waits for it. */
  readonly lane?: Lane;
}

/** What was removed with an account. */
interface RemovedAccount {
  readonly email: string;
  readonly keys: number;
  readonly sessions: number;
  readonly saved: number;
}

/** Keys of one account that are neither revoked nor expired. */
export const MAX_LIVE_KEYS = 100;

const SIGNING_KEY = 'browsers';

const USAGE_WRITTEN_EVERY_MS = 60_000;

export class Accounts {
  /** Whether nothing of it can be changed: calls that would throw. */
  readonly isReadOnly: boolean;
  readonly secondFactors: SecondFactors;
  readonly saved: SavedSearches;
  readonly #database: DatabaseSync;
  readonly #now: () => number;
  readonly #accounts: AccountStore;
  readonly #keys: KeyStore;
  readonly #sessions: SessionStore;
  readonly #secrets: SecretStore;
  #usageTimer: NodeJS.Timeout | null = null;

  /** Makes the folder and the database if they do not exist. Throws a UsageError if that is not possible. */
  static open(dataFolder: string, options: AccountsOptions = {}): Accounts {
    const database = openDatabase(join(dataFolder, 'accounts.db'), MIGRATIONS);
    return new Accounts(database, options.now ?? (() => Math.floor(Date.now() / 1000)));
  }

  /**
   * For callers that only read: a missing database is not made and counts as one without accounts. An older one
   * is brought up to date where it may be written, unless `isReadOnly`. Uses of keys stay in memory, those of
   * sessions are not noted. Throws a UsageError.
   */
  static openToRead(dataFolder: string, options: AccountsOptions & { isReadOnly?: boolean } = {}): Accounts {
    const database = openDatabaseToRead(join(dataFolder, 'accounts.db'), MIGRATIONS, options.isReadOnly);
    return new Accounts(database, options.now ?? (() => Math.floor(Date.now() / 1000)), true);
  }

  private constructor(database: DatabaseSync, now: () => number, isReadOnly = false) {
    this.isReadOnly = isReadOnly;
    this.#database = database;
    this.#now = now;
    this.#accounts = new AccountStore(database, now);
    this.#keys = new KeyStore(database, now);
    this.#sessions = new SessionStore(database, now, isReadOnly);
    this.#secrets = new SecretStore(database);
    this.secondFactors = new SecondFactors(database, now);
    this.saved = new SavedSearches(database, now);
  }

  // Keys

  /** null if the key is malformed, unknown, expired or revoked. Counts as a use of the key. */
  checkKey(presented: string): KeyOwner | null {
    const owner = this.#keys.check(presented);
    if (owner !== null && !this.isReadOnly) this.#writeUsageSoon();
    return owner;
  }

  /** Whether it is neither revoked nor expired, and its account is there. */
  isLive(keyId: KeyRecord['id']): boolean {
    return this.#keys.isLive(keyId);
  }

  /** Makes the account, without a password, if it does not exist. Throws a UsageError. */
  createKey({ email, ...wish }: KeyWish & { readonly email: string }): CreatedKey {
    const normalised = normaliseEmail(email);
    const created = this.#now();
    const { name, expires } = readKeyWish(wish, created);
    return inTransaction(this.#database, () => {
      const account = this.#accounts.byEmail(normalised) ?? this.#accounts.add(normalised, null);
      return this.#addKey(account!, { name, created, expires });
    });
  }

  /** A key for an account that exists. Throws a UsageError. */
  createKeyFor(accountId: number, wish: KeyWish): CreatedKey {
    const created = this.#now();
    const { name, expires } = readKeyWish(wish, created);
    return inTransaction(this.#database, () =>
      this.#addKey(this.#existing(accountId), { name, created, expires }),
    );
  }

  /** By ascending id, of one account or of all; revoked and expired keys too. */
  listKeys(accountId: number | null = null): readonly KeyRecord[] {
    return this.#keys.list(accountId);
  }

  /** Takes effect at once, in every process. False: no such key, or not one of the given account. */
  revokeKey(id: number, accountId: number | null = null): boolean {
    return this.#keys.revoke(id, accountId);
  }

  // Accounts and one-time links

  /**
   * An account without a password, and the link that sets one; null if the account exists. Throws a
   * UsageError.
   */
  createAccount(email: string): OneTimeLink | null {
    const normalised = normaliseEmail(email);
    return inTransaction(this.#database, () => {
      const account = this.#accounts.add(normalised, null);
      return account === null ? null : this.#accounts.makeLink(account);
    });
  }

  /**
   * A new link for a forgotten password; the password stays valid until the link is used. null: no such
   * account.
   */
  resetAccount(email: string): OneTimeLink | null {
    const normalised = normaliseEmail(email);
    return inTransaction(this.#database, () => {
      const account = this.#accounts.byEmail(normalised);
      return account === null ? null : this.#accounts.makeLink(account);
    });
  }

  /**
   * The email address behind a one-time link that is still valid; null otherwise. Looking does not use the
   * link up.
   */
  emailOfLink(token: string): string | null {
    return this.#accounts.byLink(token)?.email ?? null;
  }

  /**
   * Uses a one-time link up: sets the password and ends every session. Returns the account's id, or null if
   * the link is unknown, used or expired. Throws a UsageError for a password that is not accepted (the link
   * stays valid).
   */
  async setPasswordByLink(token: string, password: string): Promise<number | null> {
    const owner = this.#accounts.byLink(token);
    if (owner === null) return null;
    checkNewPassword(password, owner.email);
    const hashed = await hashPassword(password);
    return inTransaction(this.#database, () => {
      const account = this.#accounts.byLink(token);
      if (account === null) return null;
      this.#accounts.setPassword(account.id, hashed);
      this.#endWithPassword(account.id, null);
      return account.id;
    });
  }

  /** null: no account has this address. */
  idOf(email: string): number | null {
    return this.#accounts.byEmail(comparableEmail(email))?.id ?? null;
  }

  /**
   * Turns the second factor of an account off, and overwrites it in the file. False: it had none; null: no such
   * account.
   */
  turnOffSecondFactor(email: string): boolean | null {
    const id = this.idOf(email);
    if (id === null) return null;
    const wasOn = this.secondFactors.turnOff(id);
    if (wasOn) this.#eraseTraces();
    return wasOn;
  }

  /** By address. */
  listAccounts(): readonly AccountRecord[] {
    return this.#accounts.list();
  }

  /**
   * Removes the account with its keys, sessions, saved searches and link, and overwrites them in the file. null: no
   * such account.
   */
  removeAccount(email: string): RemovedAccount | null {
    const normalised = normaliseEmail(email);
    const removed = inTransaction(this.#database, () => {
      const account = this.#accounts.byEmail(normalised);
      if (account === null) return null;
      const keys = this.#keys.list(account.id).length;
      const sessions = this.#sessions.list(account.id).length;
      const saved = this.saved.list(account.id).length;
      this.#accounts.remove(account.id);
      return { email: account.email, keys, sessions, saved };
    });
    if (removed !== null) this.#eraseTraces();
    return removed;
  }

  /** null: no such account. */
  exportAccount(accountId: number): AccountExport | null {
    const account = this.#accounts.byId(accountId);
    if (account === null) return null;
    return {
      email: account.email,
      created: account.created,
      hasPassword: account.password !== null,
      secondFactor: this.secondFactors.of(accountId),
      keys: this.#keys.list(accountId),
      sessions: this.#sessions.list(accountId),
      saved: this.saved.list(accountId),
    };
  }

  // Passwords and sessions

  /**
   * Returns the new account's id; null, after the same time, if the address already has one. Throws a
   * UsageError, or `busy`.
   */
  async register(email: string, password: string): Promise<number | null> {
    const normalised = normaliseEmail(email);
    checkNewPassword(password, normalised);
    const hashed = await hashPassword(password, 'strangers');
    return this.#accounts.add(normalised, hashed)?.id ?? null;
  }

  /**
   * Returns the account's id; null, after the same time, for a wrong address or a wrong password. Throws
   * `busy`. `lane`: who waits for it.
   */
  async verify(email: string, password: string, lane: Lane = 'known'): Promise<number | null> {
    for (;;) {
      const account = this.#accounts.byEmail(comparableEmail(email));
      const known = account?.password ?? null;
      const isRight = await verifyPassword(password, known, lane);
      if (account === null || known === null || !isRight) return null;
      const isStill = isOutdated(known)
        ? this.#accounts.exchangePassword(account.id, known, await hashPassword(password, lane))
        : this.#accounts.byId(account.id)?.password === known;
      if (isStill) return account.id;
      // Another password was set meanwhile: that one counts.
    }
  }

  /**
   * Sets a new password and ends all sessions except the one kept. False: the current password is wrong, or
   * another one was set meanwhile.
   */
  async changePassword(
    accountId: number,
    { current, next, keptSession, lane = 'known' }: PasswordChange,
  ): Promise<boolean> {
    const account = this.#existing(accountId);
    checkNewPassword(next, account.email);
    if (!(await verifyPassword(current, account.password, lane))) return false;
    const hashed = await hashPassword(next, lane);
    return inTransaction(this.#database, () => {
      if (!this.#accounts.exchangePassword(accountId, account.password, hashed)) return false;
      this.#endWithPassword(accountId, keptSession);
      return true;
    });
  }

  /** Another one for each password of the account, by which a change is seen; null: no such account, or none set. */
  passwordMark(accountId: number): string | null {
    const password = this.#accounts.byId(accountId)?.password ?? null;
    return password === null ? null : Buffer.from(hashSecret(password)).toString('base64url');
  }

  /** Signs what tells browsers that are known; null: none was made yet. */
  signingKey(): Uint8Array | null {
    return this.#secrets.read(SIGNING_KEY);
  }

  /** The same; makes it if there is none. */
  makeSigningKey(): Uint8Array {
    return this.#secrets.readOrMake(SIGNING_KEY);
  }

  /** Returns the token for the cookie. `agent` is what the browser calls itself. */
  startSession(accountId: number, agent: string): string {
    return this.#sessions.start(accountId, agent);
  }

  /** Who is signed in with this token; null if the session is unknown or has ended. */
  checkSession(token: string): SessionOwner | null {
    return this.#sessions.check(token);
  }

  /** By ascending id. */
  listSessions(accountId: number): readonly SessionRecord[] {
    return this.#sessions.list(accountId);
  }

  /** False: the account has no such session. */
  endSession(id: number, accountId: number): boolean {
    return this.#sessions.end(id, accountId);
  }

  /** Ends those of an account but one. How many that were. */
  endOtherSessions(accountId: number, keptId: number): number {
    return this.#sessions.endOthers(accountId, keptId);
  }

  /** Ends those of an account, or of all (null). How many that were; null: no such account. */
  endSessions(email: string | null): number | null {
    if (email === null) return this.#sessions.endAll();
    const id = this.idOf(email);
    return id === null ? null : this.#sessions.endOthers(id, null);
  }

  /** Writes the uses of keys now, instead of within a minute. */
  writeUsage(): void {
    this.#keys.writeUsage();
  }

  /** What SQLite finds wrong with the database, a line for each problem; empty if there is none. */
  problems(): string[] {
    return integrityProblems(this.#database);
  }

  /** For a backup: writes everything as it is at this moment to a new file. */
  copyTo(file: string): Promise<void> {
    return copyDatabase(this.#database, file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#usageTimer !== null) clearTimeout(this.#usageTimer);
    try {
      if (!this.isReadOnly) this.#keys.writeUsage();
    } finally {
      this.#database.close();
    }
  }

  #addKey(account: AccountRow, wish: Pick<KeyRecord, 'name' | 'created' | 'expires'>): CreatedKey {
    if (this.#keys.countLive(account.id) >= MAX_LIVE_KEYS) {
      throw new UsageError(
        `expected at most ${MAX_LIVE_KEYS} keys of one account, found that many already; revoke one first`,
      );
    }
    const key = newKey();
    const id = this.#keys.add(account.id, key, wish);
    const record = this.#keys.list(account.id).find((listed) => listed.id === id);
    return { ...record!, key };
  }

  #existing(accountId: number): AccountRow {
    const account = this.#accounts.byId(accountId);
    if (account === null) throw new UsageError(`expected the id of an account, found \`${accountId}\``);
    return account;
  }

  /** Ends what a new password invalidates. */
  #endWithPassword(accountId: number, keptSession: number | null): void {
    this.#accounts.dropLink(accountId);
    this.#sessions.endOthers(accountId, keptSession);
  }

  /** secure_delete has zeroed what was deleted; this takes the older pages out of the write-ahead log. */
  #eraseTraces(): void {
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  #writeUsageSoon(): void {
    this.#usageTimer ??= setTimeout(() => {
      this.#usageTimer = null;
      try {
        this.#keys.writeUsage();
      } catch (error) {
        // uncovered: another process holds the database through all of the time that SQLite waits
        // Another process has locked the database; the uses are kept, and the next one sets the timer again.
        log.warn({ err: error }, 'uses of keys not written yet');
      }
    }, USAGE_WRITTEN_EVERY_MS).unref();
  }
}
