// The table of keys that the server signs with. Each is made when it is first needed.

import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { row } from '../sqlite/rows.ts';

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
