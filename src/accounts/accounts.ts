// Who is asking, and may they? Accounts, their keys, one-time links, passwords and sessions, in `accounts.db`.
// Texts from outside are checked here. Every change is synced to disk and seen by other processes when it returns.

import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../errors.ts';
import { log } from '../log.ts';
import { copyDatabase } from '../sqlite/copy.ts';
import { integrityProblems } from '../sqlite/integrity.ts';
import { openDatabase, openDatabaseToRead } from '../sqlite/open.ts';
import { inTransaction } from '../sqlite/transaction.ts';
import { type AccountRecord, type AccountRow, AccountStore, type OneTimeLink } from './account-store.ts';
import { newKey } from './api-key.ts';
import { comparableEmail, normaliseEmail } from './email.ts';
import { type KeyOwner, type KeyRecord, KeyStore } from './key-store.ts';
import { type KeyWish, readKeyWish } from './key-wish.ts';
import { checkNewPassword, hashPassword, isOutdated, verifyPassword } from './password.ts';
import { MIGRATIONS } from './schema.ts';
import { type SessionOwner, type SessionRecord, SessionStore } from './session-store.ts';

export interface AccountsOptions {
  /** The time in whole Unix seconds. */
  readonly now?: () => number;
}

export interface CreatedKey extends KeyRecord {
  /** The key itself. It is kept nowhere: this is the only time it is seen. */
  readonly key: string;
}

/** Everything that is kept of a person, secrets apart. */
export interface AccountExport {
  readonly email: string;
  /** Unix seconds, as every time in here. */
  readonly created: number;
  readonly hasPassword: boolean;
  readonly keys: readonly KeyRecord[];
  readonly sessions: readonly SessionRecord[];
}

/** What went with an account. */
export interface RemovedAccount {
  readonly email: string;
  readonly keys: number;
  readonly sessions: number;
}

/** Keys of one account that are neither revoked nor expired. */
export const MAX_LIVE_KEYS = 100;

const USAGE_WRITTEN_EVERY_MS = 60_000;

export class Accounts {
  readonly #database: DatabaseSync;
  readonly #now: () => number;
  readonly #accounts: AccountStore;
  readonly #keys: KeyStore;
  readonly #sessions: SessionStore;
  #usageTimer: NodeJS.Timeout | null = null;

  /** Makes the folder and the database where there are none. Throws a UsageError where that is not possible. */
  static open(dataFolder: string, options: AccountsOptions = {}): Accounts {
    const database = openDatabase(join(dataFolder, 'accounts.db'), MIGRATIONS);
    return new Accounts(database, options.now ?? (() => Math.floor(Date.now() / 1000)));
  }

  /** For what only reads; accounts that are not there are not made: there are none. Throws a UsageError. */
  static openToRead(dataFolder: string, options: AccountsOptions = {}): Accounts {
    const database = openDatabaseToRead(join(dataFolder, 'accounts.db'), MIGRATIONS);
    return new Accounts(database, options.now ?? (() => Math.floor(Date.now() / 1000)));
  }

  private constructor(database: DatabaseSync, now: () => number) {
    this.#database = database;
    this.#now = now;
    this.#accounts = new AccountStore(database, now);
    this.#keys = new KeyStore(database, now);
    this.#sessions = new SessionStore(database, now);
  }

  // Keys

  /** null where the key is malformed, unknown, expired or revoked. Counts as a use of the key. */
  checkKey(presented: string): KeyOwner | null {
    const owner = this.#keys.check(presented);
    if (owner !== null) this.#writeUsageSoon();
    return owner;
  }

  /** Makes the account where there is none (without a password). Throws a UsageError. */
  createKey({ email, ...wish }: KeyWish & { readonly email: string }): CreatedKey {
    const normalised = normaliseEmail(email);
    const { name, expires } = readKeyWish(wish, this.#now());
    return inTransaction(this.#database, () => {
      const account = this.#accounts.byEmail(normalised) ?? this.#accounts.add(normalised, null);
      return this.#addKey(account!, name, expires);
    });
  }

  /** A key for an account that exists. Throws a UsageError. */
  createKeyFor(accountId: number, wish: KeyWish): CreatedKey {
    const { name, expires } = readKeyWish(wish, this.#now());
    return inTransaction(this.#database, () => this.#addKey(this.#existing(accountId), name, expires));
  }

  /** By id, up: of one account, or of all. Revoked and expired ones too. */
  listKeys(accountId: number | null = null): readonly KeyRecord[] {
    return this.#keys.list(accountId);
  }

  /** Holds at once, in every process. False: no such key, or (where one is named) not of this account. */
  revokeKey(id: number, accountId: number | null = null): boolean {
    return this.#keys.revoke(id, accountId);
  }

  // Accounts and one-time links

  /** An account without a password, and the link that sets one; null where the account exists. Throws a UsageError. */
  createAccount(email: string): OneTimeLink | null {
    const normalised = normaliseEmail(email);
    return inTransaction(this.#database, () => {
      const account = this.#accounts.add(normalised, null);
      return account === null ? null : this.#accounts.makeLink(account);
    });
  }

  /** A new link for a forgotten password; the password holds until the link is used. null: no such account. */
  resetAccount(email: string): OneTimeLink | null {
    const normalised = normaliseEmail(email);
    return inTransaction(this.#database, () => {
      const account = this.#accounts.byEmail(normalised);
      return account === null ? null : this.#accounts.makeLink(account);
    });
  }

  /** The address behind a one-time link that still holds; null otherwise. Looking does not use it up. */
  emailOfLink(token: string): string | null {
    return this.#accounts.byLink(token)?.email ?? null;
  }

  /**
   * Uses a one-time link up: sets the password and ends every session. Returns the account's id, or null where the link
   * is unknown, used or late. Throws a UsageError for a password that is not accepted (the link then still holds).
   */
  async setPasswordByLink(token: string, password: string): Promise<number | null> {
    checkNewPassword(password);
    if (this.#accounts.byLink(token) === null) return null;
    const hashed = await hashPassword(password);
    return inTransaction(this.#database, () => {
      const account = this.#accounts.byLink(token);
      if (account === null) return null;
      this.#accounts.setPassword(account.id, hashed);
      this.#endWithPassword(account.id, null);
      return account.id;
    });
  }

  /** By address. */
  listAccounts(): readonly AccountRecord[] {
    return this.#accounts.list();
  }

  /** Takes the account out with its keys, sessions and link, and overwrites them in the file. null: no such account. */
  removeAccount(email: string): RemovedAccount | null {
    const normalised = normaliseEmail(email);
    const removed = inTransaction(this.#database, () => {
      const account = this.#accounts.byEmail(normalised);
      if (account === null) return null;
      const keys = this.#keys.list(account.id).length;
      const sessions = this.#sessions.list(account.id).length;
      this.#accounts.remove(account.id);
      return { email: account.email, keys, sessions };
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
      keys: this.#keys.list(accountId),
      sessions: this.#sessions.list(accountId),
    };
  }

  // Passwords and sessions

  /**
   * Returns the new account's id; null, after the same time, where the address has one already. Throws a UsageError.
   */
  async register(email: string, password: string): Promise<number | null> {
    const normalised = normaliseEmail(email);
    checkNewPassword(password);
    const hashed = await hashPassword(password);
    return this.#accounts.add(normalised, hashed)?.id ?? null;
  }

  /** Returns the account's id; null, after the same time, for a wrong address and a wrong password. Throws `busy`. */
  async verify(email: string, password: string): Promise<number | null> {
    for (;;) {
      const account = this.#accounts.byEmail(comparableEmail(email));
      const known = account?.password ?? null;
      const isRight = await verifyPassword(password, known);
      if (account === null || known === null || !isRight) return null;
      const isStill = isOutdated(known)
        ? this.#accounts.exchangePassword(account.id, known, await hashPassword(password))
        : this.#accounts.byId(account.id)?.password === known;
      if (isStill) return account.id;
      // Another one was set meanwhile: that one counts.
    }
  }

  /**
   * Sets another password and ends all sessions but the one kept. False: the current password is not right, or no
   * longer, because another one was set meanwhile.
   */
  async changePassword(
    accountId: number,
    { current, next, keptSession }: { current: string; next: string; keptSession: number | null },
  ): Promise<boolean> {
    checkNewPassword(next);
    const account = this.#existing(accountId);
    if (!(await verifyPassword(current, account.password))) return false;
    const hashed = await hashPassword(next);
    return inTransaction(this.#database, () => {
      if (!this.#accounts.exchangePassword(accountId, account.password, hashed)) return false;
      this.#endWithPassword(accountId, keptSession);
      return true;
    });
  }

  /** Returns the token for the cookie. `agent` is what the browser calls itself. */
  startSession(accountId: number, agent: string): string {
    return this.#sessions.start(accountId, agent);
  }

  /** Who is signed in by this token; null where it is unknown or the session has ended. */
  checkSession(token: string): SessionOwner | null {
    return this.#sessions.check(token);
  }

  /** By id, up. */
  listSessions(accountId: number): readonly SessionRecord[] {
    return this.#sessions.list(accountId);
  }

  /** False: no such session of this account. */
  endSession(id: number, accountId: number): boolean {
    return this.#sessions.end(id, accountId);
  }

  /** Writes the uses of keys now instead of within a minute. */
  writeUsage(): void {
    this.#keys.writeUsage();
  }

  /** What SQLite finds wrong with the database, a line each; empty where all is well. */
  problems(): string[] {
    return integrityProblems(this.#database);
  }

  /** For a backup: everything as it is at this moment, as a new file. */
  copyTo(file: string): Promise<void> {
    return copyDatabase(this.#database, file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#usageTimer !== null) clearTimeout(this.#usageTimer);
    try {
      this.#keys.writeUsage();
    } finally {
      this.#database.close();
    }
  }

  #addKey(account: AccountRow, name: string, expires: number | null): CreatedKey {
    if (this.#keys.countLive(account.id) >= MAX_LIVE_KEYS) {
      throw new UsageError(
        `expected at most ${MAX_LIVE_KEYS} keys of one account, found that many already; revoke one first`,
      );
    }
    const key = newKey();
    const id = this.#keys.add(account.id, key, { name, expires });
    const record = this.#keys.list(account.id).find((listed) => listed.id === id);
    return { ...record!, key };
  }

  #existing(accountId: number): AccountRow {
    const account = this.#accounts.byId(accountId);
    if (account === null) throw new UsageError(`expected the id of an account, found \`${accountId}\``);
    return account;
  }

  /** What another password brings to its end. */
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
        // Another process holds the database; the uses are kept and the next one sets the timer again.
        log.warn({ err: error }, 'uses of keys not written yet');
      }
    }, USAGE_WRITTEN_EVERY_MS).unref();
  }
}
