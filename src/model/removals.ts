// Removals for good: the list as an engine asks it and as catalogue/ stores it, what an engine hides, and how many
// records that moves.

import type { Kind, StoredRecord } from './record.ts';
import { DAY } from './time.ts';

/** The list of removals of a data folder, as an engine sees it. It outlives the index. */
export interface RemovalList {
  /** Rises with every change of the list by any process; 0: the list never had an entry. Cheap. */
  version(): number;
  /** For each record, in order: whether the list refuses it. */
  refused(records: readonly StoredRecord[]): readonly boolean[];
}

/** For an index without removals: refuses nothing. */
export const NO_REMOVALS: RemovalList = {
  version: () => 0,
  refused: (records) => records.map(() => false),
};

/** The most ids or threads of one call, so that others can write between two calls. */
export const NAMED_AT_ONCE = 20_000;

/** Parts of at most `size`, in order. */
export function* chunks<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

/**
 * Which records of one kind a removal hides, with every copy: those with these ids, of this community (lower case), or
 * of these posts (comments by their post if it is known, posts by their id).
 */
export type Hidden =
  | { readonly ids: readonly string[] }
  | { readonly community: string }
  | { readonly threads: readonly string[] };

/** For each record, in order: whether `what` names it. */
export function hiddenOf(records: readonly StoredRecord[], what: Hidden): readonly boolean[] {
  if ('community' in what) return records.map(({ community }) => community === what.community);
  const wanted = new Set('ids' in what ? what.ids : what.threads);
  const byPost = 'threads' in what;
  if (byPost) wanted.delete('');
  return records.map((record) => wanted.has(byPost && record.kind === 'comment' ? record.post : record.id));
}

/**
 * Seconds after which `maintain` erases hidden records: until then an undo brings back everything, except records
 * beside some that were hidden that long ago, or among too many hidden ones (MAX_HELD of the embedded engine). Half of
 * the 24 hours after which no file contains a removed text (contract 5.6); the other half is for an import under way.
 */
export const KEPT_AFTER_HIDING = DAY / 2;

export type RemovalSubject = 'posts' | 'comments' | 'community' | 'query';

/**
 * `listing`: entries are added, nothing is refused yet. `pending`: listed, but not hidden everywhere yet. `done`.
 * `undoing`: still listed, so that no import brings in a record that is coming back. `undone`.
 */
export type RemovalState = 'listing' | 'pending' | 'done' | 'undoing' | 'undone';

export interface Removal {
  /** Rises from 1; if the list was lost, from the last number that the index knows. */
  readonly id: number;
  readonly subject: RemovalSubject;
  readonly withComments: boolean;
  readonly state: RemovalState;
  /** Unix seconds. */
  readonly begun: number;
  /** Number of entries: ids, communities, and posts whose comments are removed. */
  readonly listed: number;
  readonly posts: number;
  readonly comments: number;
  /** Unix seconds at which the purge that erased its records began; null: they are not erased. */
  readonly erased: number | null;
  /** Unix seconds; null: the removal is in force. */
  readonly undone: number | null;
}

export interface RemovalMonth {
  readonly removal: number;
  readonly kind: Kind;
  /** The first second (UTC) of the month of their creation. */
  readonly month: number;
  readonly hidden: number;
  /** Records that its undo brought back, including those that other removals still hid. */
  readonly back: number;
}

/** An entry of the list: a record, a whole community, or the comments of a post. Only its HMAC is stored. */
export interface RemovalEntry {
  readonly kind: 'post' | 'comment' | 'community' | 'thread';
  /** The id of the record, or of the post whose comments are removed; or the community's name in lower case. */
  readonly name: string;
}

export interface MovedRecords {
  readonly records: number;
  /** By the first second of the month, in UTC, in which they were created: up, each above 0; they add up. */
  readonly months: readonly (readonly [month: number, records: number])[];
}

export const NONE_MOVED: MovedRecords = { records: 0, months: [] };

/** Where copies of records stand outside of the index, as removals see it. All calls are synced when they return. */
export interface RecordCopies {
  withdraw(removal: number): void;
  /** The removal holds no more: what it withdrew is made anew with the records that came back. */
  undone(removal: number): void;
  /** Deletes unpublished copies that may have removed texts. False: another process works on some of them. */
  eraseLeft(): boolean;
}
