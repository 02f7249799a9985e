// What is removed from the index for good: how an engine asks whether a record may come in, and what it is
// told to hide.

import type { StoredRecord } from './record.ts';
import { DAY } from './time.ts';

/** The list of removals of a data folder, as an engine sees it. It outlives the index. */
export interface RemovalList {
  /** Goes up with every change of the list, by any process; 0: the list has never had an entry. Cheap. */
  version(): number;
  /** For each of these records, in order: whether it must not be indexed. */
  refused(records: readonly StoredRecord[]): readonly boolean[];
}

/** Refuses nothing: for an index without removals. */
export const NO_REMOVALS: RemovalList = {
  version: () => 0,
  refused: (records) => records.map(() => false),
};

/** How many ids or threads one call names at most, so that others can write between two calls. */
export const NAMED_AT_ONCE = 20_000;

/**
 * Which records of one kind a removal hides, every copy of them: those with these ids; of this community
 * (lower case); of these posts (comments by their post, where it is known, posts by their own id).
 */
export type Hidden =
  | { readonly ids: readonly string[] }
  | { readonly community: string }
  | { readonly threads: readonly string[] };

/** For each of these records, in order: whether it is meant. The plain way, looking at each. */
export function hiddenOf(records: readonly StoredRecord[], what: Hidden): readonly boolean[] {
  if ('community' in what) return records.map(({ community }) => community === what.community);
  const wanted = new Set('ids' in what ? what.ids : what.threads);
  const byPost = 'threads' in what;
  if (byPost) wanted.delete('');
  return records.map((record) => wanted.has(byPost && record.kind === 'comment' ? record.post : record.id));
}

/**
 * Seconds after which the engine erases hidden records of its own accord (`SearchEngine.maintain`): until then a
 * removal can be undone completely, except for records that stood beside some hidden that long ago, or among too many
 * (MAX_HELD of the embedded engine). Half of the 24 hours after which no file contains a removed text (contract 5.6);
 * the other half is for an import under way.
 */
export const KEPT_AFTER_HIDING = DAY / 2;
