// Who is asking, and may they? Accounts by their email addresses, with their keys and sessions, in `accounts.db`.
// Checks texts from outside. Every change is synced to disk and visible to other processes when the call returns.

import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../errors.ts';
import { unixNow } from '../model/time.ts';
import { inTransaction, openDatabase, openDatabaseToRead, row, type TableHome } from '../sqlite/database.ts';
import { quoted } from '../text/quoted.ts';
import { type KeyRecord, KeyStore, type KeyWish, newKey, readKeyWish, SessionStore } from './secrets.ts';

/**
 * The tables of accounts.db, beside those that features keep there (feature-tables.ts). Times are Unix seconds; keys
 * and sessions are stored as SHA-256, keys with their first characters as well.
 *
 * `MIGRATIONS[n]` leads from schema version n to n + 1. Never edit one that was released: add another.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    email TEXT NOT NULL UNIQUE,       -- lower case
    password TEXT,                    -- argon2id in PHC form; null: none set yet
    created INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER,                  -- null: never
    revoked INTEGER,                  -- null: not revoked
    last_used INTEGER,                -- null: never
    day INTEGER NOT NULL DEFAULT 0,   -- days since 1970 of the last use, UTC
    requests INTEGER NOT NULL DEFAULT 0, -- on that day
    start TEXT NOT NULL               -- the first characters of the key (keyStart)
  ) STRICT;
  CREATE INDEX keys_of_account ON keys (account);

  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,
    agent TEXT NOT NULL,              -- what the browser calls itself, for the list of sessions
    created INTEGER NOT NULL,
    last_used INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sessions_of_account ON sessions (account);
  CREATE INDEX sessions_by_use ON sessions (last_used);
  `,
];

/** The longest address that mail can be sent to (RFC 5321, 4.5.3.1.3, without the angle brackets). */
const MAX_EMAIL_LENGTH = 254;

/** One @, something on both sides, no white space, control or format characters, no signs used in lists. */
const EMAIL_SHAPE = /^[^\s\p{C}@<>()[\],;:"\\]+@[^\s\p{C}@<>()[\],;:"\\]+$/u;

/** The spelling in which addresses are compared, whether or not this is one: lower case, NFC, trimmed. */
export function comparableEmail(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

/** The address in the spelling in which it is stored and compared. Throws a UsageError if it is not an address. */
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

export interface CreatedKey extends KeyRecord {
  /** The key itself. It is not stored, so this is the only time it can be seen. */
  readonly key: string;
}

/** Keys of one account that are neither revoked nor expired. */
export const MAX_LIVE_KEYS = 100;

export class Accounts implements TableHome {
  /** Whether nothing of it can be changed: calls that would throw. */
  readonly isReadOnly: boolean;
  readonly database: DatabaseSync;
  readonly keys: KeyStore;
  readonly sessions: SessionStore;

  /** Makes the folder and the database if they do not exist. Throws a UsageError if that is not possible. */
  static open(dataFolder: string): Accounts {
    const database = openDatabase(join(dataFolder, 'accounts.db'), MIGRATIONS);
    return new Accounts(database);
  }

  /**
   * For callers that only read: a missing database is not made and counts as one without accounts. An older one
   * is brought up to date where it may be written, unless `isReadOnly`. Uses of keys stay in memory, those of
   * sessions are not noted. Throws a UsageError.
   */
  static openToRead(dataFolder: string, isReadOnly = false): Accounts {
    const database = openDatabaseToRead(join(dataFolder, 'accounts.db'), MIGRATIONS, isReadOnly);
    return new Accounts(database, true);
  }

  private constructor(database: DatabaseSync, isReadOnly = false) {
    this.isReadOnly = isReadOnly;
    this.database = database;
    this.keys = new KeyStore(database, isReadOnly);
    this.sessions = new SessionStore(database, isReadOnly);
  }

  /** Makes the account, without a password, if it does not exist. Throws a UsageError. */
  createKey({ email, ...wish }: KeyWish & { readonly email: string }): CreatedKey {
    const normalised = normaliseEmail(email);
    return this.#createKey(wish, (created) => {
      const add = 'INSERT INTO accounts (email, created) VALUES (?, ?) ON CONFLICT DO NOTHING';
      this.database.prepare(add).run(normalised, created);
      return this.idOf(normalised)!;
    });
  }

  /** A key for an account that exists. Throws a UsageError. */
  createKeyFor(accountId: number, wish: KeyWish): CreatedKey {
    return this.#createKey(wish, () => {
      const find = this.database.prepare('SELECT id FROM accounts WHERE id = ?');
      if (find.get(accountId) !== undefined) return accountId;
      throw new UsageError(`expected the id of an account, found \`${accountId}\``);
    });
  }

  /** null: no account has this address. */
  idOf(email: string): number | null {
    const find = this.database.prepare('SELECT id FROM accounts WHERE email = ?');
    return row<{ readonly id: number }>(find, comparableEmail(email))?.id ?? null;
  }

  /** Ends those of an account, or of all (null). How many that were; null: no such account. */
  endSessions(email: string | null): number | null {
    if (email === null) return this.sessions.endAll();
    const id = this.idOf(email);
    return id === null ? null : this.sessions.endOthers(id, null);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.keys[Symbol.dispose]();
    } finally {
      this.database.close();
    }
  }

  /** `ownerAt`: the account; called in the transaction, at this second. */
  #createKey(wish: KeyWish, ownerAt: (created: number) => number): CreatedKey {
    const created = unixNow();
    const { name, expires } = readKeyWish(wish, created);
    return inTransaction(this.database, () => {
      const accountId = ownerAt(created);
      if (this.keys.countLive(accountId) >= MAX_LIVE_KEYS) {
        throw new UsageError(
          `expected at most ${MAX_LIVE_KEYS} keys of one account, found that many already; revoke one first`,
        );
      }
      const key = newKey();
      const id = this.keys.add(accountId, key, { name, created, expires });
      const record = this.keys.list(accountId).find((listed) => listed.id === id);
      return { ...record!, key };
    });
  }
}
