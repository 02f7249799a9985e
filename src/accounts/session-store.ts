// The table of sessions: who is signed in, from which browser.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { CLOCK_PUT_BACK, DAY, HOUR } from '../model/time.ts';
import { row, rows } from '../sqlite/database.ts';
import { hashSecret, newToken } from './secrets.ts';

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

interface OwnerRow extends SessionOwner {
  readonly lastUsed: number;
}

const LIVE =
  'last_used > :now - :idle AND sessions.created > :now - :age AND sessions.created <= :now + :putBack';

export class SessionStore {
  readonly #database: DatabaseSync;
  readonly #now: () => number;
  readonly #owner: StatementSync;
  readonly #isReadOnly: boolean;

  constructor(database: DatabaseSync, now: () => number, isReadOnly = false) {
    this.#database = database;
    this.#isReadOnly = isReadOnly;
    this.#now = now;
    this.#owner = database.prepare(
      `SELECT sessions.id AS sessionId, account AS accountId, email, last_used AS lastUsed
       FROM sessions JOIN accounts ON accounts.id = account WHERE hash = :hash AND ${LIVE}`,
    );
  }

  /** Returns the token for the cookie: 43 characters, new for each session; only its hash is kept. */
  start(accountId: number, agent: string): string {
    this.#dropEnded();
    const token = newToken();
    this.#database
      .prepare('INSERT INTO sessions (account, hash, agent, created, last_used) VALUES (?, ?, ?, ?, ?)')
      .run(accountId, hashSecret(token), agent.slice(0, MAX_AGENT_LENGTH), this.#now(), this.#now());
    return token;
  }

  /** The account whose session the token opens; null if the session is unknown or has ended. */
  check(token: string): SessionOwner | null {
    const owner = row<OwnerRow>(this.#owner, { hash: hashSecret(token), ...this.#limits() });
    if (owner === undefined) return null;
    const { lastUsed, ...session } = owner;
    if (!this.#isReadOnly && this.#now() - lastUsed >= WRITTEN_EVERY) {
      this.#database
        .prepare('UPDATE sessions SET last_used = ? WHERE id = ?')
        .run(this.#now(), session.sessionId);
    }
    return session;
  }

  list(accountId: number): readonly SessionRecord[] {
    return rows<SessionRecord>(
      this.#database.prepare(
        'SELECT id, agent, created, last_used AS lastUsed FROM sessions WHERE account = :accountId ' +
          `AND ${LIVE} ORDER BY id`,
      ),
      { accountId, ...this.#limits() },
    );
  }

  end(id: number, accountId: number): boolean {
    const statement = this.#database.prepare('DELETE FROM sessions WHERE id = ? AND account = ?');
    return statement.run(id, accountId).changes === 1;
  }

  /** Ends every session of the account except one (null: every session). How many had not ended by themselves. */
  endOthers(accountId: number, keptId: number | null): number {
    this.#dropEnded();
    const statement = this.#database.prepare('DELETE FROM sessions WHERE account = ? AND id IS NOT ?');
    return Number(statement.run(accountId, keptId).changes);
  }

  endAll(): number {
    this.#dropEnded();
    return Number(this.#database.prepare('DELETE FROM sessions').run().changes);
  }

  #dropEnded(): void {
    this.#database.prepare(`DELETE FROM sessions WHERE NOT (${LIVE})`).run(this.#limits());
  }

  #limits(): Record<'now' | 'idle' | 'age' | 'putBack', number> {
    return { now: this.#now(), idle: SESSION_IDLE, age: SESSION_AGE, putBack: CLOCK_PUT_BACK };
  }
}
