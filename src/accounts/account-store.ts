// The tables of accounts and of the one-time links that set their passwords.

import type { DatabaseSync } from 'node:sqlite';
import { CLOCK_PUT_BACK, DAY } from '../model/time.ts';
import { row, rows } from '../sqlite/statements.ts';
import { hashSecret, newToken } from './secret-store.ts';

/** How long a one-time link is valid, in seconds. */
export const LINK_LIFETIME = DAY;

export interface AccountRow {
  readonly id: number;
  readonly email: string;
  /** Unix seconds. */
  readonly created: number;
  /** PHC form; null: none set yet. */
  readonly password: string | null;
}

/** An account as the operator sees it in a list. */
export interface AccountRecord {
  readonly id: number;
  readonly email: string;
  /** Unix seconds. */
  readonly created: number;
  readonly hasPassword: boolean;
  readonly hasSecondFactor: boolean;
  /** Keys that are not revoked. */
  readonly keys: number;
}

interface ListRow extends Omit<AccountRecord, 'hasPassword' | 'hasSecondFactor'> {
  readonly hasPassword: number;
  readonly hasSecondFactor: number;
}

export interface OneTimeLink {
  readonly email: string;
  /** The secret part of the address. */
  readonly token: string;
  /** Unix seconds; from then on the link is not valid. */
  readonly expires: number;
}

/** Addresses are already normalised (accounts.ts). */
export class AccountStore {
  readonly #database: DatabaseSync;
  readonly #now: () => number;

  constructor(database: DatabaseSync, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  byEmail(email: string): AccountRow | null {
    return this.#one('SELECT id, email, created, password FROM accounts WHERE email = ?', email);
  }

  byId(id: number): AccountRow | null {
    return this.#one('SELECT id, email, created, password FROM accounts WHERE id = ?', id);
  }

  /** null, and no change, if the account exists. */
  add(email: string, password: string | null): AccountRow | null {
    return this.#one(
      `INSERT INTO accounts (email, password, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
       RETURNING id, email, created, password`,
      email,
      password,
      this.#now(),
    );
  }

  setPassword(id: number, password: string): void {
    this.#database.prepare('UPDATE accounts SET password = ? WHERE id = ?').run(password, id);
  }

  /**
   * Sets the password if `known` is still the stored hash, since hashing takes a while. False: it is not, and
   * nothing has changed.
   */
  exchangePassword(id: number, known: string | null, password: string): boolean {
    const { changes } = this.#database
      .prepare('UPDATE accounts SET password = ? WHERE id = ? AND password IS ?')
      .run(password, id, known);
    return changes === 1;
  }

  /** By address. */
  list(): readonly AccountRecord[] {
    const list = rows<ListRow>(
      this.#database.prepare(
        `SELECT id, email, created, password IS NOT NULL AS hasPassword,
           id IN (SELECT account FROM second_factors) AS hasSecondFactor,
           (SELECT count(*) FROM keys WHERE account = accounts.id AND revoked IS NULL) AS keys
         FROM accounts ORDER BY email`,
      ),
    );
    return list.map((account) => ({
      ...account,
      hasPassword: account.hasPassword === 1,
      hasSecondFactor: account.hasSecondFactor === 1,
    }));
  }

  /** Also removes its keys, sessions and link. */
  remove(id: number): void {
    this.#database.prepare('DELETE FROM accounts WHERE id = ?').run(id);
  }

  /** Replaces an earlier link of the account. */
  makeLink({ id, email }: AccountRow): OneTimeLink {
    const token = newToken();
    const expires = this.#now() + LINK_LIFETIME;
    this.#database
      .prepare('INSERT OR REPLACE INTO links (account, hash, expires) VALUES (?, ?, ?)')
      .run(id, hashSecret(token), expires);
    return { email, token, expires };
  }

  /** The account behind a link that is still valid; null otherwise. Looking does not use the link up. */
  byLink(token: string): AccountRow | null {
    return this.#one(
      `SELECT id, email, created, password FROM accounts
       WHERE id = (SELECT account FROM links WHERE hash = ? AND expires > ? AND expires <= ?)`,
      hashSecret(token),
      this.#now(),
      this.#now() + LINK_LIFETIME + CLOCK_PUT_BACK,
    );
  }

  dropLink(accountId: number): void {
    this.#database.prepare('DELETE FROM links WHERE account = ?').run(accountId);
  }

  #one(sql: string, ...values: (string | number | null | Uint8Array)[]): AccountRow | null {
    return row<AccountRow>(this.#database.prepare(sql), ...values) ?? null;
  }
}
