// The table of saved searches, and of the tokens of their feeds: a token opens the feed of one search and nothing else.
// Contract 21.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Accounts } from '../../accounts/accounts.ts';
import { hashSecret, randomDigits, readName } from '../../accounts/secrets.ts';
import { UsageError } from '../../errors.ts';
import type { KeptOfAccount } from '../../http/site/site.ts';
import type { Order } from '../../model/pages.ts';
import { KIND_NAMES, type Kind } from '../../model/record.ts';
import { unixNow } from '../../model/time.ts';
import { change, FeatureTables, inTransaction, row, rows } from '../../sqlite/database.ts';

/** In accounts.db. Times are Unix seconds; tokens are stored as SHA-256. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS saved_searches (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,               -- 'post' or 'comment'
    query TEXT NOT NULL,              -- in canonical form
    under TEXT,                       -- of comments: what their posts match; null: whatever the post
    sort TEXT NOT NULL,               -- the order of its results
    created INTEGER NOT NULL,
    changed INTEGER NOT NULL,         -- what its feed says of it, or the switch of the feed
    seen INTEGER,                     -- arrival up to which it was looked at; null: never
    feed_hash BLOB UNIQUE,            -- of the token of its feed; null: it has none
    feed_made INTEGER,
    feed_older TEXT NOT NULL DEFAULT 'one' -- records older than 30 days when they came in: 'one', 'all' or 'none'
  ) STRICT;
  CREATE INDEX IF NOT EXISTS saved_searches_of_account ON saved_searches (account);
`;

export const SAVED = new FeatureTables(TABLES, ({ database }: Accounts) => new SavedSearches(database));

export function savedOf(accounts: Accounts): SavedSearches {
  return SAVED.in(accounts);
}

export const MAX_SAVED = 200;

const TOKEN_LENGTH = 32;
const TOKEN_SHAPE = /^[0-9A-Za-z]{32}$/;

/**
 * How a feed shows records that were more than 30 days old on arrival: `one` entry per import, `all` like any other
 * record, or `none`. The first is the default.
 */
export const OLDER_CHOICES = ['one', 'all', 'none'] as const;

export type OlderChoice = (typeof OLDER_CHOICES)[number];

export interface SavedWish {
  /** 1 to MAX_NAME_LENGTH characters, not counting white space around it. */
  readonly name: string;
  readonly kind: Kind;
  /** In canonical form, read without an implied window; empty: every record. */
  readonly query: string;
  /** For comments: the query that their post must match, in canonical form; absent or null: any post. */
  readonly under?: string | null;
  readonly order: Order;
}

export interface SavedSearch extends SavedWish {
  readonly under: string | null;
  readonly accountId: number;
  /** Never reused. */
  readonly id: number;
  readonly created: number;
  /** When its name last changed, or its feed was last switched on or off. */
  readonly changed: number;
  /** The arrival up to which its owner has looked; null: never. */
  readonly seen: number | null;
  /** null: it has no feed. */
  readonly feed: { readonly made: number; readonly older: OlderChoice } | null;
}

interface SavedRow extends Omit<SavedSearch, 'feed'> {
  readonly feedMade: number | null;
  readonly feedOlder: OlderChoice;
}

const SELECT = `
  SELECT id, account AS accountId, name, kind, query, under, sort AS "order", created, changed, seen,
    feed_made AS feedMade, feed_older AS feedOlder
  FROM saved_searches`;

export class SavedSearches {
  readonly #database: DatabaseSync;
  readonly #byToken: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#byToken = database.prepare(`${SELECT} WHERE feed_hash = ?`);
  }

  /** `seen`: as in a SavedSearch. Throws a UsageError for a bad name, and over MAX_SAVED. */
  add(
    accountId: number,
    { name, kind, query, under = null, order }: SavedWish,
    seen: number | null = null,
  ): SavedSearch {
    const given = readName(name, 'a saved search');
    return inTransaction(this.#database, () => {
      if (this.list(accountId).length >= MAX_SAVED) {
        throw new UsageError(
          `expected at most ${MAX_SAVED} saved searches of one account, found that many already; remove one first`,
        );
      }
      const now = unixNow();
      const { lastInsertRowid } = this.#database
        .prepare(
          `INSERT INTO saved_searches (account, name, kind, query, under, sort, created, changed, seen)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(accountId, given, kind, query, under, order, now, now, seen);
      return this.of(accountId, Number(lastInsertRowid))!;
    });
  }

  list(accountId: number): readonly SavedSearch[] {
    const statement = this.#database.prepare(`${SELECT} WHERE account = ? ORDER BY id`);
    return rows<SavedRow>(statement, accountId).map(asSaved);
  }

  of(accountId: number, id: number): SavedSearch | null {
    const found = this.byId(id);
    return found?.accountId === accountId ? found : null;
  }

  byId(id: number): SavedSearch | null {
    const found = row<SavedRow>(this.#database.prepare(`${SELECT} WHERE id = ?`), id);
    return found === undefined ? null : asSaved(found);
  }

  /** The search whose feed this token opens; null: malformed, unknown or revoked. Never cached. */
  byToken(token: string): SavedSearch | null {
    if (!TOKEN_SHAPE.test(token)) return null;
    const found = row<SavedRow>(this.#byToken, hashSecret(token));
    return found === undefined ? null : asSaved(found);
  }

  /** False: the account has no such saved search. Throws a UsageError. */
  rename(accountId: number, id: number, name: string): boolean {
    const given = readName(name, 'a saved search');
    return this.#set(accountId, id, 'name = ?, changed = ?', given, unixNow());
  }

  /** Raises `seen`, never lowers it. False: the account has no such saved search. */
  noteSeen(accountId: number, id: number, arrival: number): boolean {
    return this.#set(accountId, id, 'seen = max(coalesce(seen, 0), ?)', arrival);
  }

  /** Also ends its feed. False: the account has no such saved search. */
  remove(accountId: number, id: number): boolean {
    const sql = 'DELETE FROM saved_searches WHERE id = ? AND account = ?';
    return change(this.#database, sql, id, accountId) === 1;
  }

  /**
   * Makes a token for the feed and revokes the previous one. The token is not stored, so it cannot be read again. null:
   * the account has no such saved search.
   */
  makeFeed(accountId: number, id: number): string | null {
    const token = randomDigits(TOKEN_LENGTH);
    const isMade = this.#set(accountId, id, 'feed_hash = ?, feed_made = ?', hashSecret(token), unixNow());
    return isMade ? token : null;
  }

  /** Takes effect at once, in every process. False: the account has no such saved search. */
  revokeFeed(accountId: number, id: number): boolean {
    return this.#set(accountId, id, 'feed_hash = NULL, feed_made = NULL');
  }

  setOlder(accountId: number, id: number, older: OlderChoice): boolean {
    return this.#set(accountId, id, 'feed_older = ?, changed = ?', older, unixNow());
  }

  #set(accountId: number, id: number, columns: string, ...values: (string | number | Uint8Array)[]): boolean {
    const sql = `UPDATE saved_searches SET ${columns} WHERE id = ? AND account = ?`;
    return change(this.#database, sql, ...values, id, accountId) === 1;
  }
}

function asSaved({ feedMade, feedOlder, ...found }: SavedRow): SavedSearch {
  return { ...found, feed: feedMade === null ? null : { made: feedMade, older: feedOlder } };
}

export const OF_ACCOUNT: KeptOfAccount = {
  ...{ name: 'saved', words: ['saved search', 'saved searches'] },
  list: (accounts, account) =>
    savedOf(accounts)
      .list(account)
      .map(({ id, name, kind, query, under, order, created, seen, feed }) => {
        return { id, name, kind: KIND_NAMES[kind], query, under, order_by: order, created, seen, feed };
      }),
};
