// Which removals meet a data set: `members.db` beside its files has every entry that could take out one of its records.
// A removal takes a record out by an entry for its id, its community, or the post of a comment (catalogue/removals.ts),
// and the list of removals keeps entries as HMACs. So the same HMACs of all records of an edition are kept with it, and
// a removal meets the edition if and only if both have one in common. That holds whatever has become of the query's
// matches since, needs no look at the index, is the same for a removal that runs and for one that a dead process left,
// and no id stands in it.

import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { EntryHash } from '../../../catalogue/removals.ts';
import type { Community } from '../../../model/community.ts';
import type { Kind } from '../../../model/record.ts';
import type { RemovalEntry } from '../../../model/removals.ts';
import type { Row } from '../../../operation/text-forms.ts';

const FILE = 'members.db';

/** Entries that are sorted and written at once, so that pages of the tree are written one after the other. */
const WRITTEN_AT_ONCE = 200_000;

/** Communities and posts that are known to be in it. */
const MAX_REMEMBERED = 500_000;

export class MembersWriter implements Disposable {
  readonly #hashOf: (entry: RemovalEntry) => EntryHash;
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #remembered = new Set<string>();
  #waiting: EntryHash[] = [];

  /** Makes the file, which must not be there. */
  constructor(folder: string, hashOf: (entry: RemovalEntry) => EntryHash) {
    this.#hashOf = hashOf;
    this.#database = new DatabaseSync(join(folder, FILE));
    // It is synced with the other files of the edition, and nobody reads it before.
    this.#database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      CREATE TABLE members (class INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (class, hash))
        STRICT, WITHOUT ROWID`);
    this.#insert = this.#database.prepare('INSERT OR IGNORE INTO members VALUES (?, ?)');
  }

  /** `post`: of a comment, its post; empty where that is not known. */
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

/** Whether one of these entries is of a record of the edition in this folder. Throws where that cannot be read. */
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
