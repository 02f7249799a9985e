// A removal as the list stores it, and the list for those who write it (catalogue/ stores it, removals/ keeps
// it).

import type { MovedRecords } from './moved-records.ts';
import type { Kind, StoredRecord } from './record.ts';
import type { RemovalList } from './removals.ts';

/** What a removal was given. */
export type RemovalSubject = 'posts' | 'comments' | 'community' | 'query';

/**
 * `listing`: its entries are being added, and nothing is refused yet; `pending`: listed, but not yet hidden
 * in the whole index; `done`; `undoing`: still listed, so that no import brings in a record that is just
 * coming back; `undone`.
 */
export type RemovalState = 'listing' | 'pending' | 'done' | 'undoing' | 'undone';

export interface Removal {
  /** Counted from 1, in the order of the removals. */
  readonly id: number;
  readonly subject: RemovalSubject;
  readonly withComments: boolean;
  readonly state: RemovalState;
  /** Unix seconds. */
  readonly begun: number;
  /** Entries of the list: ids, communities, and posts whose comments are removed. */
  readonly listed: number;
  /** Records that it hid. */
  readonly posts: number;
  readonly comments: number;
  /** Unix seconds at which the purge began that erased its records; null: not erased yet. */
  readonly erased: number | null;
  /** Unix seconds; null: it is in force. */
  readonly undone: number | null;
}

/** What a removal did to the records of a month: numbers, and nothing else. */
export interface RemovalMonth {
  readonly removal: number;
  readonly kind: Kind;
  /** The first second of the month, in UTC, in which they were created. */
  readonly month: number;
  /** Records that it hid. */
  readonly hidden: number;
  /** Records that its undo brought back: those that other removals hid as well, and still hid, too. */
  readonly back: number;
}

/** An entry of the list: a record, a whole community, or the comments of a post. Only its HMAC is stored. */
export interface RemovalEntry {
  readonly kind: 'post' | 'comment' | 'community' | 'thread';
  /** The id of the record, or of the post whose comments are meant; the name of the community in lower case. */
  readonly name: string;
}

/**
 * The entries of one removal. The list contains no names, so entries are found by the records that meet them.
 */
export interface EntriesOfRemoval {
  /**
   * The entries that these records meet, named by the records. An entry appears once for each record that
   * meets it.
   */
  met(records: readonly StoredRecord[]): readonly RemovalEntry[];
}

/** Every change is synced and visible to other processes when the call returns. */
export interface RemovalLog extends RemovalList {
  /** Begins one in state `listing`; returns its number. */
  begin(subject: RemovalSubject, withComments: boolean): number;
  /** Adds all of these or none; skips entries that exist. */
  add(removal: number, entries: readonly RemovalEntry[]): void;
  /** `listing` → `pending`: from now on its entries are refused. */
  hold(removal: number): void;
  /** These more records of this kind are hidden. */
  count(removal: number, kind: Kind, hidden: MovedRecords): void;
  /** These records of this kind are back: the removal is being undone. */
  countBack(removal: number, kind: Kind, back: MovedRecords): void;
  /** `pending` → `done`. */
  finish(removal: number): void;
  /** Drops a removal in state `listing`, as if it had not begun. */
  drop(removal: number): void;
  /** `done`, or what damage kept from it, `pending` or `undoing` → `undoing`. */
  beginUndo(removal: number): void;
  /** `undoing` → `undone`: its entries are deleted, and from now on nothing is refused by them. */
  finishUndo(removal: number): void;
  /** The records of these removals are erased from every file, by a purge that began at this Unix second. */
  markErased(removals: readonly number[], time: number): void;
  /** In whatever state the removal is. */
  entriesOf(removal: number): EntriesOfRemoval;
  /** In the order of their numbers. */
  all(): readonly Removal[];
  /** What they did, by month, in no order; nothing of those before it was noted. */
  months(): readonly RemovalMonth[];
  /**
   * Only the holder of this lock changes the list; null: another process holds it. The system releases it
   * when the process dies.
   */
  tryToLock(): Disposable | null;
}
