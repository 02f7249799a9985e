// Secrets that the service hands out (keys, links, sessions): random tokens, and the hash that is stored of them. The
// text of an API key: how it is made, told apart from noise, and shown without giving it away.
//
//   clq_ 7Hq2…(32 of 0-9A-Za-z, 190 bits) 9fQe…(6: CRC-32 of the 36 characters before, in base 62)
//
// The prefix and the checksum let scanners for leaked secrets find keys without asking anyone (GitHub's tokens have the
// same form: https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/).

import { hash, randomBytes, randomInt } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { UsageError } from '../errors.ts';
import { log } from '../log.ts';
import { CLOCK_PUT_BACK, DAY, HOUR, unixNow } from '../model/time.ts';
import { change, inTransaction, row, rows } from '../sqlite/database.ts';
import { quoted } from '../text/quoted.ts';

/** 256 random bits as 43 characters that may stand in an address or a cookie (base64url). */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Base 62, lowest digit first. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Digits drawn without bias by the system's generator. 32 of them are 190 bits. */
export function randomDigits(length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += DIGITS[randomInt(DIGITS.length)];
  return text;
}

/** SHA-256. Enough for secrets of 190 bits and more, which cannot be guessed; passwords take argon2id instead. */
export function hashSecret(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer');
}

const PREFIX = 'clq_';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const START_LENGTH = 8;
const CHECKSUM_START = PREFIX.length + RANDOM_LENGTH;

const KEY_SHAPE = /^clq_[0-9A-Za-z]{38}$/;

export function newKey(): string {
  const text = PREFIX + randomDigits(RANDOM_LENGTH);
  return text + keyChecksum(text);
}

/**
 * Whether this text has the form and the checksum of a key. Noise passes once in 2^32, so it hardly ever
 * reaches the database.
 */
export function isKey(text: string): boolean {
  return KEY_SHAPE.test(text) && text.slice(CHECKSUM_START) === keyChecksum(text.slice(0, CHECKSUM_START));
}

/**
 * The part of a key that is stored, so that its owner can recognise it: `clq_7Hq2`. The other 28 characters,
 * 166 bits, stay unknown.
 */
export function keyStart(key: string): string {
  return key.slice(0, START_LENGTH);
}

/** CRC-32 of the text in base 62: 6 digits, the highest first. */
export function keyChecksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = DIGITS[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

export interface KeyWish {
  /** 1 to MAX_NAME_LENGTH characters, not counting white space around it. */
  readonly name: string;
  /** Whole days, 1 to MAX_KEY_DAYS; null: it never expires. */
  readonly expiresInDays: number | null;
}

export const MAX_KEY_DAYS = 3650;

/** The wish, with the expiry in Unix seconds. Throws a UsageError. */
export function readKeyWish(
  { name, expiresInDays }: KeyWish,
  now: number,
): { readonly name: string; readonly expires: number | null } {
  const trimmed = readName(name, 'a key');
  if (expiresInDays === null) return { name: trimmed, expires: null };
  if (!Number.isInteger(expiresInDays) || expiresInDays < 1 || expiresInDays > MAX_KEY_DAYS) {
    throw new UsageError(
      `expected 1 to ${MAX_KEY_DAYS} days until the key expires, found \`${expiresInDays}\``,
    );
  }
  return { name: trimmed, expires: now + expiresInDays * DAY };
}

/** Characters (code points), not counting white space around them. */
export const MAX_NAME_LENGTH = 100;

/** Without the white space around it. `of`: what it names (`a key`). Throws a UsageError. */
export function readName(name: string, of: string): string {
  const trimmed = name.trim();
  if (trimmed === '' || [...trimmed].length > MAX_NAME_LENGTH || /\p{C}/u.test(trimmed)) {
    throw new UsageError(
      `expected ${of}'s name of 1 to ${MAX_NAME_LENGTH} printable characters, found ${quoted(name)}`,
    );
  }
  return trimmed;
}

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

interface Usage {
  lastUsed: number;
  day: number;
  requests: number;
}

const LIST = `
  SELECT keys.id, email AS account, name, start, keys.created, last_used AS lastUsed, expires, revoked, day, requests
  FROM keys JOIN accounts ON accounts.id = keys.account`;

const LIVE_KEY = 'revoked IS NULL AND coalesce(expires > ?, TRUE)';

/** Adds uses to those that other processes wrote; uses of an earlier day than the row's no longer count. */
const ADD_USAGE = `
  UPDATE keys SET
    last_used = max(coalesce(last_used, 0), :lastUsed),
    requests = CASE WHEN day = :day THEN requests + :requests WHEN day < :day THEN :requests ELSE requests END,
    day = max(day, :day)
  WHERE id = :id`;

const USAGE_WRITTEN_EVERY_MS = 60_000;

export class KeyStore implements Disposable {
  readonly #database: DatabaseSync;
  readonly #owner: StatementSync;
  readonly #unwritten = new Map<number, Usage>();
  readonly #isReadOnly: boolean;
  #timer: NodeJS.Timeout | null = null;

  constructor(database: DatabaseSync, isReadOnly = false) {
    this.#database = database;
    this.#isReadOnly = isReadOnly;
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
    const owner = row<KeyOwner & Pick<KeyRecord, 'expires'>>(this.#owner, hashSecret(presented));
    const now = unixNow();
    if (owner === undefined || (owner.expires !== null && now >= owner.expires)) return null;
    this.#noteUse(owner.keyId, now);
    if (!this.#isReadOnly) this.#writeUsageSoon();
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

  /** By ascending id; null: of every account. Revoked and expired keys too. */
  list(accountId: number | null = null): readonly KeyRecord[] {
    const list =
      accountId === null
        ? rows<KeyRow>(this.#database.prepare(`${LIST} ORDER BY keys.id`))
        : rows<KeyRow>(this.#database.prepare(`${LIST} WHERE account = ? ORDER BY keys.id`), accountId);
    return list.map((key) => this.#withUsage(key));
  }

  /**
   * Takes effect at once, in every process. Revoking again keeps the time of the first. False: no such key, or not one
   * of the given account.
   */
  revoke(id: number, accountId: number | null = null): boolean {
    const sql =
      'UPDATE keys SET revoked = coalesce(revoked, :now) WHERE id = :id AND account = coalesce(:accountId, account)';
    return change(this.#database, sql, { now: unixNow(), id, accountId }) === 1;
  }

  countLive(accountId: number): number {
    const statement = this.#database.prepare(
      `SELECT count(*) AS live FROM keys WHERE account = ? AND ${LIVE_KEY}`,
    );
    return row<{ readonly live: number }>(statement, accountId, unixNow())!.live;
  }

  /** Whether it is neither revoked nor expired, and its account is there. Does not count as a use. */
  isLive(id: number): boolean {
    const statement = this.#database.prepare(`SELECT id FROM keys WHERE id = ? AND ${LIVE_KEY}`);
    return statement.get(id, unixNow()) !== undefined;
  }

  /** Writes the uses since the last call. If they cannot be written, they wait for the next call. */
  writeUsage(): void {
    if (this.#unwritten.size === 0) return;
    const statement = this.#database.prepare(ADD_USAGE);
    inTransaction(this.#database, () => {
      for (const [id, { lastUsed, day, requests }] of this.#unwritten) {
        statement.run({ id, lastUsed, day, requests });
      }
    });
    this.#unwritten.clear();
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (!this.#isReadOnly) this.writeUsage();
  }

  #writeUsageSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      try {
        this.writeUsage();
      } catch (error) {
        // uncovered: another process holds the database through all of the time that SQLite waits
        // Another process has locked the database; the uses are kept, and the next one sets the timer again.
        log.warn({ err: error }, 'uses of keys not written yet');
      }
    }, USAGE_WRITTEN_EVERY_MS).unref();
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
    const today = Math.floor(unixNow() / DAY);
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

/** A session ends when it has not been used for this long … */
export const SESSION_IDLE = 30 * DAY;
/** … and at this age, used or not. */
export const SESSION_AGE = 180 * DAY;

/** The time of the last use is written at most this often, in seconds. */
const WRITTEN_EVERY = HOUR;

const MAX_AGENT_LENGTH = 200;

export interface SessionRecord {
  readonly id: number;
  /** What the browser calls itself; empty if it did not say. */
  readonly agent: string;
  readonly created: number;
  /** Up to an hour old. */
  readonly lastUsed: number;
}

export interface SessionOwner {
  readonly sessionId: number;
  readonly accountId: number;
  readonly email: string;
}

const LIVE_SESSION =
  'last_used > :now - :idle AND sessions.created > :now - :age AND sessions.created <= :now + :putBack';

export class SessionStore {
  readonly #database: DatabaseSync;
  readonly #owner: StatementSync;
  readonly #isReadOnly: boolean;

  constructor(database: DatabaseSync, isReadOnly = false) {
    this.#database = database;
    this.#isReadOnly = isReadOnly;
    this.#owner = database.prepare(
      `SELECT sessions.id AS sessionId, account AS accountId, email, last_used AS lastUsed
       FROM sessions JOIN accounts ON accounts.id = account WHERE hash = :hash AND ${LIVE_SESSION}`,
    );
  }

  /** Returns the token for the cookie: 43 characters, new for each session; only its hash is kept. */
  start(accountId: number, agent: string): string {
    this.#dropEnded();
    const token = newToken();
    this.#database
      .prepare('INSERT INTO sessions (account, hash, agent, created, last_used) VALUES (?, ?, ?, ?, ?)')
      .run(accountId, hashSecret(token), agent.slice(0, MAX_AGENT_LENGTH), unixNow(), unixNow());
    return token;
  }

  /** The account whose session the token opens; null if the session is unknown or has ended. */
  check(token: string): SessionOwner | null {
    const values = { hash: hashSecret(token), ...this.#limits() };
    const owner = row<SessionOwner & Pick<SessionRecord, 'lastUsed'>>(this.#owner, values);
    if (owner === undefined) return null;
    const { lastUsed, ...session } = owner;
    if (!this.#isReadOnly && unixNow() - lastUsed >= WRITTEN_EVERY) {
      change(this.#database, 'UPDATE sessions SET last_used = ? WHERE id = ?', unixNow(), session.sessionId);
    }
    return session;
  }

  list(accountId: number): readonly SessionRecord[] {
    return rows<SessionRecord>(
      this.#database.prepare(
        'SELECT id, agent, created, last_used AS lastUsed FROM sessions WHERE account = :accountId ' +
          `AND ${LIVE_SESSION} ORDER BY id`,
      ),
      { accountId, ...this.#limits() },
    );
  }

  end(id: number, accountId: number): boolean {
    return change(this.#database, 'DELETE FROM sessions WHERE id = ? AND account = ?', id, accountId) === 1;
  }

  /** Ends every session of the account except one (null: every session). How many had not ended by themselves. */
  endOthers(accountId: number, keptId: number | null): number {
    this.#dropEnded();
    return change(
      this.#database,
      'DELETE FROM sessions WHERE account = ? AND id IS NOT ?',
      accountId,
      keptId,
    );
  }

  endAll(): number {
    this.#dropEnded();
    return change(this.#database, 'DELETE FROM sessions');
  }

  #dropEnded(): void {
    change(this.#database, `DELETE FROM sessions WHERE NOT (${LIVE_SESSION})`, this.#limits());
  }

  #limits(): Record<'now' | 'idle' | 'age' | 'putBack', number> {
    return { now: unixNow(), idle: SESSION_IDLE, age: SESSION_AGE, putBack: CLOCK_PUT_BACK };
  }
}
