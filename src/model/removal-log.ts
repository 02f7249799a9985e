// A removal as the list keeps it, and the list as those who write it see it (catalogue/ has it, removals/ leads it).

import type { Kind, StoredRecord } from './record.ts';
import type { RemovalList } from './removals.ts';

/** What a removal was asked by. */
export type RemovalSubject = 'posts' | 'comments' | 'community' | 'query';

/**
 * `listing`: its entries come in, and nothing is refused by them yet; `pending`: listed, not yet out of the whole index;
 * `done`; `undoing`: still listed, so that no import brings in anew what is just coming back; `undone`.
 */
export type RemovalState = 'listing' | 'pending' | 'done' | 'undoing' | 'undone';

export interface Removal {
  /** From 1 on, in the order of the removals. */
  readonly id: number;
  readonly subject: RemovalSubject;
  readonly withComments: boolean;
  readonly state: RemovalState;
  /** Unix seconds. */
  readonly begun: number;
  /** Entries of the list: ids, communities, and posts whose comments are out. */
  readonly listed: number;
  /** Records that it took out of the answers. */
  readonly posts: number;
  readonly comments: number;
  /** Unix seconds at which the purge began that erased what it took out; null: there was none yet. */
  readonly erased: number | null;
  /** Unix seconds; null: it holds. */
  readonly undone: number | null;
}

/** One line of the list: a record, a community whole, or the comments of a post. Only its HMAC is kept. */
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
   * The entries that these records meet, named by the records; an entry comes once for each record that meets
   * it.
   */
  met(records: readonly StoredRecord[]): readonly RemovalEntry[];
}

/** Every change is synced and seen by other processes when the call returns. */
export interface RemovalLog extends RemovalList {
  /** Begins one in state `listing`; returns its number. */
  begin(subject: RemovalSubject, withComments: boolean): number;
  /** All of these or none; an entry that is there already is passed over. */
  add(removal: number, entries: readonly RemovalEntry[]): void;
  /** `listing` → `pending`: from now on its entries are refused. */
  hold(removal: number): void;
  /** So many more records of this kind are out of the answers. */
  count(removal: number, kind: Kind, records: number): void;
  /** `pending` → `done`. */
  finish(removal: number): void;
  /** Takes a removal in state `listing` back as if it had not been begun. */
  drop(removal: number): void;
  /** `done` → `undoing`. */
  beginUndo(removal: number): void;
  /** `undoing` → `undone`: its entries are deleted, and from now on nothing is refused by them. */
  finishUndo(removal: number): void;
  /** What these removals took out is erased from every file, by a purge that began at this Unix second. */
  markErased(removals: readonly number[], time: number): void;
  /** In whatever state the removal is. */
  entriesOf(removal: number): EntriesOfRemoval;
  /** In the order of their numbers. */
  all(): readonly Removal[];
  /**
   * Who holds it is the only one to change the list; null: another process does. The system gives it back when the
   * process dies.
   */
  tryToLock(): Disposable | null;
}
