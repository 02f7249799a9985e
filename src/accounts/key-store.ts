// The table of API keys: whom a key belongs to, and how it is used.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DAY } from '../model/time.ts';
import { inTransaction, row, rows } from '../sqlite/database.ts';
import { hashSecret, isKey, keyStart } from './secrets.ts';

export interface KeyOwner {
  readonly keyId: number;
  readonly accountId: number;
}

export interface KeyRecord {
  /** Never reused for another key, not even after a removal. */
  readonly id: number;
  readonly account: string;
  readonly name: string;
  /** Its first 8 characters, `clq_7Hq2`; null: the key was made before they were stored. */
  readonly start: string;
  readonly created: number;
  /** null: never. Uses in other processes may be missing for up to a minute. */
  readonly lastUsed: number | null;
  /** From this second on the key is refused; null: never. */
  readonly expires: number | null;
  readonly revoked: number | null;
  /** Requests since 00:00 UTC; those to other processes may be missing for up to a minute. */
  readonly requestsToday: number;
}

interface KeyRow extends Omit<KeyRecord, 'requestsToday'> {
  readonly day: number;
  readonly requests: number;
}

interface OwnerRow extends KeyOwner {
  readonly expires: number | null;
}

interface Usage {
  lastUsed: number;
  day: number;
  requests: number;
}

const LIST = `
  SELECT keys.id, email AS account, name, start, keys.created, last_used AS lastUsed, expires, revoked, day, requests
  FROM keys JOIN accounts ON accounts.id = keys.account`;

const LIVE = 'revoked IS NULL AND coalesce(expires > ?, TRUE)';

/** Adds uses to those that other processes wrote; uses of an earlier day than the row's no longer count. */
const ADD_USAGE = `
  UPDATE keys SET
    last_used = max(coalesce(last_used, 0), :lastUsed),
    requests = CASE WHEN day = :day THEN requests + :requests WHEN day < :day THEN :requests ELSE requests END,
    day = max(day, :day)
  WHERE id = :id`;

export class KeyStore {
  readonly #database: DatabaseSync;
  readonly #now: () => number;
  readonly #owner: StatementSync;
  readonly #unwritten = new Map<number, Usage>();

  constructor(database: DatabaseSync, now: () => number) {
    this.#database = database;
    this.#now = now;
    this.#owner = database.prepare(
      'SELECT id AS keyId, account AS accountId, expires FROM keys WHERE hash = ? AND revoked IS NULL',
    );
  }

  /**
   * The owner of a key that is valid at this moment, otherwise null. Asks the database each time (some
   * microseconds), so that a revocation by another process takes effect at once; the checksum gives noise
   * away without asking. Counts as a use.
   */
  check(presented: string): KeyOwner | null {
    if (!isKey(presented)) return null;
    const owner = row<OwnerRow>(this.#owner, hashSecret(presented));
    const now = this.#now();
    if (owner === undefined || (owner.expires !== null && now >= owner.expires)) return null;
    this.#noteUse(owner.keyId, now);
    return { keyId: owner.keyId, accountId: owner.accountId };
  }

  /** Stores the hash of the key and its start, and nothing else of it. */
  add(
    accountId: number,
    key: string,
    { name, created, expires }: Pick<KeyRecord, 'name' | 'created' | 'expires'>,
  ): number {
    const { lastInsertRowid } = this.#database
      .prepare('INSERT INTO keys (account, hash, start, name, created, expires) VALUES (?, ?, ?, ?, ?, ?)')
      .run(accountId, hashSecret(key), keyStart(key), name, created, expires);
    return Number(lastInsertRowid);
  }

  /** By ascending id; null: of every account. */
  list(accountId: number | null): readonly KeyRecord[] {
    const list =
      accountId === null
        ? rows<KeyRow>(this.#database.prepare(`${LIST} ORDER BY keys.id`))
        : rows<KeyRow>(this.#database.prepare(`${LIST} WHERE account = ? ORDER BY keys.id`), accountId);
    return list.map((key) => this.#withUsage(key));
  }

  /** Revoking again keeps the time of the first. False: no such key, or not one of the given account. */
  revoke(id: number, accountId: number | null): boolean {
    const { changes } = this.#database
      .prepare(
        'UPDATE keys SET revoked = coalesce(revoked, :now) WHERE id = :id AND account = coalesce(:accountId, account)',
      )
      .run({ now: this.#now(), id, accountId });
    return changes === 1;
  }

  countLive(accountId: number): number {
    const statement = this.#database.prepare(
      `SELECT count(*) AS live FROM keys WHERE account = ? AND ${LIVE}`,
    );
    return row<{ readonly live: number }>(statement, accountId, this.#now())!.live;
  }

  isLive(id: number): boolean {
    const statement = this.#database.prepare(`SELECT id FROM keys WHERE id = ? AND ${LIVE}`);
    return statement.get(id, this.#now()) !== undefined;
  }

  hasUnwritten(): boolean {
    return this.#unwritten.size > 0;
  }

  /** Writes the uses since the last call. If they cannot be written, they wait for the next call. */
  writeUsage(): void {
    if (!this.hasUnwritten()) return;
    const statement = this.#database.prepare(ADD_USAGE);
    inTransaction(this.#database, () => {
      for (const [id, { lastUsed, day, requests }] of this.#unwritten) {
        statement.run({ id, lastUsed, day, requests });
      }
    });
    this.#unwritten.clear();
  }

  #noteUse(id: number, now: number): void {
    const day = Math.floor(now / DAY);
    const usage = this.#unwritten.get(id);
    if (usage === undefined) {
      this.#unwritten.set(id, { lastUsed: now, day, requests: 1 });
      return;
    }
    usage.requests = usage.day === day ? usage.requests + 1 : 1;
    usage.day = day;
    usage.lastUsed = now;
  }

  #withUsage({ day, requests, ...record }: KeyRow): KeyRecord {
    const today = Math.floor(this.#now() / DAY);
    const usage = this.#unwritten.get(record.id);
    const written = day === today ? requests : 0;
    const unwritten = usage?.day === today ? usage.requests : 0;
    return {
      ...record,
      lastUsed: usage === undefined ? record.lastUsed : Math.max(usage.lastUsed, record.lastUsed ?? 0),
      requestsToday: written + unwritten,
    };
  }
}
