// Which removals affect a data set: `members.db` beside its files has every entry that could remove one of its records.
// An entry is for a record's id, its community, or a comment's post (catalogue/removals.ts). The list of removals
// stores entries as HMACs, so an edition keeps the same HMACs of its records. A removal affects the edition if and only
// if both have one in common. This stays true when the query's matches change, needs no index, is the same for running
// and interrupted removals, and reveals no id.

import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type EntryHash, inTableOrder } from '../../../catalogue/removals.ts';
import { log } from '../../../log.ts';
import type { Community } from '../../../model/community.ts';
import type { Kind } from '../../../model/record.ts';
import type { RecordCopies, RemovalEntry } from '../../../model/removals.ts';
import type { KeptFolder } from '../../../operation/operation.ts';
import type { Row } from '../../../operation/text-forms.ts';
import { DatasetPlaces, readMaking } from './places.ts';
import { type Dataset, datasetsOf } from './store.ts';

const FILE = 'members.db';

/** Entries sorted and written at once, so that pages of the tree are written in order. */
const WRITTEN_AT_ONCE = 200_000;

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
    const sorted = this.#waiting.sort(inTableOrder);
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
    for (const entry of entries) if (find.get(entry.class, entry.hash) !== undefined) return true;
    return false;
  } finally {
    database.close();
  }
}

/** Withdraws an edition that a removal affects, with its files, before the removal completes. */
export function copiesOf({ catalogue, config }: KeptFolder): RecordCopies {
  const { removals } = catalogue;
  const store = datasetsOf(catalogue);
  const places = new DatasetPlaces(config.dataFolder);
  /** True also if it cannot be determined. */
  const meets = ({ name, edition }: Dataset, removal: number) => {
    try {
      return meetsMembers(places.edition(name, edition), removals.hashesOf(removal));
    } catch (error) {
      log.warn({ err: error, dataset: name }, 'what a data set contains cannot be read: it is made anew');
      return true;
    }
  };
  return {
    // An edition published meanwhile is not missed: publishing is refused if the list of removals has changed since its
    // records were read (maker.ts). If no edition is served, or one is being made, nobody knows what the next one would
    // have had. The removal then counts as a loss, and undoing it rebuilds the data set.
    withdraw(removal) {
      for (const dataset of store.all()) {
        const { name, state, edition } = dataset;
        if (state === 'published' && meets(dataset, removal)) {
          store.withdraw(name, edition, removal);
          places.deleteEdition(name, edition);
        } else if (state === 'withdrawn' || places.hasUnpublished(dataset)) store.noteLoss(name, removal);
      }
    },
    undone: (removal) => store.undone(removal),
    eraseLeft: () =>
      places.sweep(
        (name) => store.get(name),
        (making) => readMaking(making)?.settled === removals.version(),
      ),
  };
}
