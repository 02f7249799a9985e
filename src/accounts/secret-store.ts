// Secrets that the service hands out (keys, links, sessions): random tokens, and the hash that is stored of
// them.
//
// The table of keys that the server signs with. Each is made when it is first needed.

import { hash, randomBytes, randomInt } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { row } from '../sqlite/statements.ts';

/** 256 random bits as 43 characters that may stand in an address or a cookie (base64url). */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Base 62, lowest digit first. */
export const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

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

const BYTES = 32;

export class SecretStore {
  readonly #database: DatabaseSync;
  readonly #known = new Map<string, Uint8Array>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** null: none was made yet. */
  read(name: string): Uint8Array | null {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = row<{ readonly value: Uint8Array }>(
      this.#database.prepare('SELECT value FROM secrets WHERE name = ?'),
      name,
    );
    if (found === undefined) return null;
    this.#known.set(name, found.value);
    return found.value;
  }

  /** Another process that makes it at the same moment makes the same. */
  readOrMake(name: string): Uint8Array {
    const known = this.read(name);
    if (known !== null) return known;
    this.#database
      .prepare('INSERT OR IGNORE INTO secrets (name, value) VALUES (?, ?)')
      .run(name, randomBytes(BYTES));
    return this.read(name)!;
  }
}
