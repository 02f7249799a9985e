// Which removals affect a data set: `members.db` beside its files has every entry that could remove one of its records.
// An entry is for a record's id, its community, or a comment's post (catalogue/removals.ts). The list of removals
// stores entries as HMACs, so an edition keeps the same HMACs of its records. A removal affects the edition if and only
// if both have one in common. This stays true when the query's matches change, needs no index, is the same for running
// and interrupted removals, and reveals no id.

import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { EntryHash } from '../../../catalogue/removals.ts';
import type { Community } from '../../../model/community.ts';
import type { Kind } from '../../../model/record.ts';
import type { RemovalEntry } from '../../../model/removals.ts';
import type { Row } from '../../../operation/text-forms.ts';

const FILE = 'members.db';

/** Entries sorted and written at once, so that pages of the tree are written in order. */
const WRITTEN_AT_ONCE = 200_000;

/** Communities and posts remembered as already added. */
const MAX_REMEMBERED = 500_000;

export class MembersWriter implements Disposable {
  readonly #hashOf: (entry: RemovalEntry) => EntryHash;
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #remembered = new Set<string>();
  #waiting: EntryHash[] = [];

  /** Creates the file, which must not exist. */
  constructor(folder: string, hashOf: (entry: RemovalEntry) => EntryHash) {
    this.#hashOf = hashOf;
    this.#database = new DatabaseSync(join(folder, FILE));
    // It is synced with the edition's other files, and nobody reads it before.
    this.#database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      CREATE TABLE members (class INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (class, hash))
        STRICT, WITHOUT ROWID`);
    this.#insert = this.#database.prepare('INSERT OR IGNORE INTO members VALUES (?, ?)');
  }

  /** `post`: a comment's post; empty if it is not known. */
  add(kind: Kind, row: Row, post: string): void {
    this.#add({ kind, name: row.id as string });
    this.#addOnce({ kind: 'community', name: (row.subreddit as Community).name });
    if (kind === 'comment' && post !== '') this.#addOnce({ kind: 'thread', name: post });
  }

  end(): void {
    this.#write();
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #addOnce(entry: RemovalEntry): void {
    const key = `${entry.kind}:${entry.name}`;
    if (this.#remembered.has(key)) return;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.add(key);
    this.#add(entry);
  }

  #add(entry: RemovalEntry): void {
    this.#waiting.push(this.#hashOf(entry));
    if (this.#waiting.length >= WRITTEN_AT_ONCE) this.#write();
  }

  #write(): void {
    const sorted = this.#waiting.sort((a, b) => a.class - b.class || Buffer.compare(a.hash, b.hash));
    this.#waiting = [];
    this.#database.exec('BEGIN');
    for (const entry of sorted) this.#insert.run(entry.class, entry.hash);
    this.#database.exec('COMMIT');
  }
}

/** Whether one of these entries is for a record of the edition in this folder. Throws if that cannot be read. */
export function meetsMembers(folder: string, entries: Iterable<EntryHash>): boolean {
  const database = new DatabaseSync(join(folder, FILE), { readOnly: true });
  try {
    const find = database.prepare('SELECT 1 FROM members WHERE class = ? AND hash = ?');
    for (const entry of entries) {
      if (find.get(entry.class, entry.hash) !== undefined) return true;
    }
    return false;
  } finally {
    database.close();
  }
}
