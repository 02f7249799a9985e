// The list of removals: which records must not be indexed. It contains HMACs under a key of the folder's own,
// but no id, no name and no text. Records are looked up in an index of the database, which takes 2 µs a
// record, beside 2 µs for its HMAC, whatever the length of the list, and no memory (a million entries in a
// Set: 37 MB, 1 s to load, 0.5 µs to look up).

import { createHmac, randomBytes } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Kind, StoredRecord } from '../model/record.ts';
import type {
  MovedRecords,
  Removal,
  RemovalEntry,
  RemovalList,
  RemovalMonth,
  RemovalState,
  RemovalSubject,
} from '../model/removals.ts';
import { unixNow } from '../model/time.ts';
import { change, inTransaction, rows, tryToLock, value, valueStatement } from '../sqlite/database.ts';

const CLASSES = { post: 0, comment: 1, community: 2, thread: 3 } as const satisfies Record<
  RemovalEntry['kind'],
  number
>;

/** Bytes of the key, and of what is kept of an HMAC: two ids are never taken for one another. */
const KEY_BYTES = 32;
const HASH_BYTES = 16;

/** How many communities and threads are remembered with their answer, while the list stays the same. */
const MAX_REMEMBERED = 20_000;

/** How many entries one transaction deletes; others can write in between. */
const DELETED_AT_ONCE = 20_000;

/** An entry counts while its removal is in force. */
const HOLDS =
  "EXISTS (SELECT 1 FROM removals WHERE id = removal AND state IN ('pending', 'done', 'undoing'))";

export interface EntryHash {
  readonly class: number;
  readonly hash: Uint8Array;
}

/** In which entries are written, so that pages of a table are written one after the other. */
export function inTableOrder(a: EntryHash, b: EntryHash): number {
  return a.class - b.class || Buffer.compare(a.hash, b.hash);
}

interface RemovalRow extends Omit<Removal, 'withComments'> {
  readonly with_comments: number;
}

/** Every change is synced and visible to other processes when the call returns. */
export class Removals implements RemovalList {
  readonly #database: DatabaseSync;
  readonly #lockFile: string;
  readonly #list: Lookup;
  readonly #version: StatementSync;
  #key: Uint8Array | null = null;

  constructor(database: DatabaseSync, lockFile: string) {
    this.#database = database;
    this.#lockFile = lockFile;
    this.#version = valueStatement(database, 'SELECT version FROM removal_list');
    this.#list = new Lookup(database, HOLDS, this);
  }

  version(): number {
    return value<number>(this.#version)!;
  }

  /** Some 4 µs a record for each class of entries that the list has. */
  refused(records: readonly StoredRecord[]): readonly boolean[] {
    return this.#list.refused(records);
  }

  /** In whatever state the removal is. */
  entriesOf(removal: number): Lookup {
    return new Lookup(this.#database, `removal = ${Math.trunc(removal)}`, this);
  }

  /** Begins one in state `listing`; returns its number: this one, or the next (null, absent). */
  begin(subject: RemovalSubject, withComments: boolean, number: number | null = null): number {
    return Number(
      this.#database
        .prepare(
          `INSERT INTO removals (id, subject, with_comments, state, begun, listed, posts, comments)
           VALUES (?, ?, ?, 'listing', ?, 0, 0, 0)`,
        )
        .run(number, subject, Number(withComments), unixNow()).lastInsertRowid,
    );
  }

  /** Adds all of these or none; skips entries that exist. */
  add(removal: number, entries: readonly RemovalEntry[]): void {
    const hashes = entries.map((entry) => this.hashOf(entry)).sort(inTableOrder);
    inTransaction(this.#database, () => {
      this.#expect(removal, 'listing');
      const insert = this.#database.prepare('INSERT OR IGNORE INTO removal_entries VALUES (?, ?, ?)');
      let added = 0;
      for (const entry of hashes) added += Number(insert.run(entry.class, entry.hash, removal).changes);
      change(this.#database, 'UPDATE removals SET listed = listed + ? WHERE id = ?', added, removal);
    });
  }

  /** `listing` → `pending`: from now on its entries are refused. */
  hold(removal: number): void {
    this.#change(removal, ['listing'], 'pending', () => this.#raiseVersion());
  }

  count(removal: number, kind: Kind, hidden: MovedRecords): void {
    const column = kind === 'post' ? 'posts' : 'comments';
    inTransaction(this.#database, () => {
      const sql = `UPDATE removals SET ${column} = ${column} + ? WHERE id = ?`;
      change(this.#database, sql, hidden.records, removal);
      this.#addMonths(removal, kind, 'hidden', hidden);
    });
  }

  countBack(removal: number, kind: Kind, back: MovedRecords): void {
    inTransaction(this.#database, () => this.#addMonths(removal, kind, 'back', back));
  }

  /** `pending` → `done`. */
  finish(removal: number): void {
    this.#change(removal, ['pending'], 'done');
  }

  /** Drops a removal in state `listing`, as if it had not begun. */
  drop(removal: number): void {
    this.#expect(removal, 'listing');
    this.#deleteEntries(removal);
    this.#database.prepare('DELETE FROM removals WHERE id = ?').run(removal);
  }

  /** `done`, or what damage kept from it, `pending` or `undoing` → `undoing`. */
  beginUndo(removal: number): void {
    this.#change(removal, ['pending', 'done', 'undoing'], 'undoing');
  }

  /** `undoing` → `undone`: its entries are deleted, and from now on nothing is refused by them. */
  finishUndo(removal: number): void {
    this.#expect(removal, 'undoing');
    this.#deleteEntries(removal);
    this.#change(removal, ['undoing'], 'undone', () => {
      this.#database.prepare('UPDATE removals SET undone = ? WHERE id = ?').run(unixNow(), removal);
      this.#raiseVersion();
    });
  }

  /** The records of these removals are erased from every file, by a purge that began at this Unix second. */
  markErased(removals: readonly number[], time: number): void {
    inTransaction(this.#database, () => {
      const mark = this.#database.prepare('UPDATE removals SET erased = ? WHERE id = ?');
      for (const removal of removals) mark.run(time, removal);
    });
  }

  all(): readonly Removal[] {
    const all = rows<RemovalRow>(this.#database.prepare('SELECT * FROM removals ORDER BY id'));
    return all.map(({ with_comments, ...removal }) => ({ ...removal, withComments: with_comments === 1 }));
  }

  months(): readonly RemovalMonth[] {
    const statement = this.#database.prepare('SELECT removal, kind, month, hidden, back FROM removal_months');
    return rows<RemovalMonth>(statement).map((month) => ({ ...month }));
  }

  /** Only its holder changes the list; null: another process holds it, until it releases it or dies. */
  tryToLock(): Disposable | null {
    return tryToLock(this.#lockFile);
  }

  /** As the list stores the entry: two that are equal mean the same record, community or thread. */
  hashOf({ kind, name }: RemovalEntry): EntryHash {
    const hash = createHmac('sha256', this.#hmacKey()).update(`${kind}:${name}`).digest();
    return { class: CLASSES[kind], hash: hash.subarray(0, HASH_BYTES) };
  }

  /** Of the entries of one removal, in whatever state it is. Nothing may be written until the iteration ends. */
  hashesOf(removal: number): Iterable<EntryHash> {
    return this.#hashes('removal = ?', removal);
  }

  /** Of all entries in force. Nothing may be written until the iteration ends. */
  hashesInForce(): Iterable<EntryHash> {
    return this.#hashes(HOLDS);
  }

  /**
   * The version of the list, if no record that it refuses is in an index that can be read; null: a removal is under
   * way, so that some may be.
   */
  settledVersion(): number | null {
    return inSnapshot(this.#database, () => {
      const underWay = valueStatement(
        this.#database,
        "SELECT EXISTS (SELECT 1 FROM removals WHERE state IN ('pending', 'undoing'))",
      );
      return value<number>(underWay) === 1 ? null : this.version();
    });
  }

  #hashes(which: string, ...values: number[]): Iterable<EntryHash> {
    const statement = this.#database.prepare(`SELECT class, hash FROM removal_entries WHERE ${which}`);
    return statement.iterate(...values) as Iterable<unknown> as Iterable<EntryHash>;
  }

  #addMonths(removal: number, kind: Kind, column: 'hidden' | 'back', { months }: MovedRecords): void {
    const add = this.#database.prepare(
      `INSERT INTO removal_months (removal, kind, month, hidden, back) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET ${column} = ${column} + excluded.${column}`,
    );
    for (const [month, records] of months) {
      const [hidden, back] = column === 'hidden' ? [records, 0] : [0, records];
      add.run(removal, kind, month, hidden, back);
    }
  }

  #change(removal: number, from: readonly RemovalState[], to: RemovalState, more = () => {}): void {
    inTransaction(this.#database, () => {
      this.#expect(removal, ...from);
      this.#database.prepare('UPDATE removals SET state = ? WHERE id = ?').run(to, removal);
      more();
    });
  }

  /** Other records are refused from here on. */
  #raiseVersion(): void {
    this.#database.exec('UPDATE removal_list SET version = version + 1');
  }

  /** Steps must come in their order; anything else is a bug in the caller. */
  #expect(removal: number, ...states: readonly RemovalState[]): void {
    const statement = valueStatement(this.#database, 'SELECT state FROM removals WHERE id = ?');
    const found = value<RemovalState>(statement, removal);
    if (found === undefined || !states.includes(found)) {
      throw new Error(`removal ${removal}: expected state ${states.join(' or ')}, found ${found ?? 'none'}`);
    }
  }

  #deleteEntries(removal: number): void {
    const some = this.#database.prepare(
      `DELETE FROM removal_entries WHERE (class, hash, removal) IN
         (SELECT class, hash, removal FROM removal_entries WHERE removal = ? LIMIT ${DELETED_AT_ONCE})`,
    );
    while (Number(some.run(removal).changes) > 0);
  }

  #hmacKey(): Uint8Array {
    if (this.#key !== null) return this.#key;
    const statement = valueStatement(this.#database, 'SELECT key FROM removal_list');
    const read = () => value<Uint8Array | null>(statement);
    const make = () => {
      // Read again: another process may have made it before the lock was ours.
      const key = read() ?? randomBytes(KEY_BYTES);
      this.#database.prepare('UPDATE removal_list SET key = ?').run(key);
      return key;
    };
    this.#key = read() ?? inTransaction(this.#database, make);
    return this.#key;
  }
}

/** One snapshot and one lock of the database for all that `look` reads. */
function inSnapshot<T>(database: DatabaseSync, look: () => T): T {
  database.exec('BEGIN');
  try {
    return look();
  } finally {
    database.exec('COMMIT');
  }
}

/**
 * Which records meet the entries of all removals in force, or of one removal. The list stores no names, so entries are
 * found by records that match them.
 */
class Lookup {
  readonly #database: DatabaseSync;
  readonly #entry: StatementSync;
  readonly #anyOfClass: StatementSync;
  readonly #list: Pick<Removals, 'version' | 'hashOf'>;
  /** What is remembered belongs to this version of the list. */
  #knownVersion = -1;
  #present: readonly RemovalEntry['kind'][] = [];
  readonly #remembered = { community: new Map<string, boolean>(), thread: new Map<string, boolean>() };

  constructor(database: DatabaseSync, which: string, list: Pick<Removals, 'version' | 'hashOf'>) {
    this.#database = database;
    const from = `FROM removal_entries WHERE class = ?`;
    this.#entry = valueStatement(database, `SELECT EXISTS (SELECT 1 ${from} AND hash = ? AND ${which})`);
    this.#anyOfClass = valueStatement(database, `SELECT EXISTS (SELECT 1 ${from})`);
    this.#list = list;
  }

  refused(records: readonly StoredRecord[]): readonly boolean[] {
    return this.#look(() =>
      records.map((record) => entriesOf(record).some((entry) => this.#isListed(entry))),
    );
  }

  /** The entries that these records match, named by the records. An entry is given for each record that matches it. */
  met(records: readonly StoredRecord[]): readonly RemovalEntry[] {
    return this.#look(() => records.flatMap(entriesOf).filter((entry) => this.#isListed(entry)));
  }

  #look<T>(look: () => T): T {
    return inSnapshot(this.#database, () => {
      this.#lookAgain();
      return look();
    });
  }

  #lookAgain(): void {
    const version = this.#list.version();
    if (version === this.#knownVersion) return;
    this.#knownVersion = version;
    const all = Object.keys(CLASSES) as RemovalEntry['kind'][];
    this.#present = all.filter((kind) => value<number>(this.#anyOfClass, CLASSES[kind]) === 1);
    for (const remembered of Object.values(this.#remembered)) remembered.clear();
  }

  #isListed(entry: RemovalEntry): boolean {
    const { kind, name } = entry;
    if (!this.#present.includes(kind)) return false;
    if (kind === 'post' || kind === 'comment') return this.#has(entry);
    const remembered = this.#remembered[kind];
    if (remembered.size > MAX_REMEMBERED) remembered.clear();
    return remembered.getOrInsertComputed(name, () => this.#has(entry));
  }

  #has(entry: RemovalEntry): boolean {
    const found = this.#list.hashOf(entry);
    return value<number>(this.#entry, found.class, found.hash) === 1;
  }
}

function entriesOf(record: StoredRecord): RemovalEntry[] {
  const own: RemovalEntry[] = [
    { kind: record.kind, name: record.id },
    { kind: 'community', name: record.community },
  ];
  if (record.kind === 'comment' && record.post !== '') own.push({ kind: 'thread', name: record.post });
  return own;
}
