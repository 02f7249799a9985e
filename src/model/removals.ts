// What is taken out of the index for good: how an engine asks whether a record may come in, and what it is told to hide.

import type { StoredRecord } from './record.ts';
import { DAY } from './time.ts';

/** The list of removals of a data folder, as an engine sees it. It outlives the index. */
export interface RemovalList {
  /** Goes up with every change of the list, by any process; 0: nothing was ever on it. Cheap. */
  version(): number;
  /** Which of these records may not be indexed, in their order. */
  refused(records: readonly StoredRecord[]): readonly boolean[];
}

/** Refuses nothing: for an index without removals. */
export const NO_REMOVALS: RemovalList = {
  version: () => 0,
  refused: (records) => records.map(() => false),
};

/** At most so many ids or threads are named in one call, so that others can write between two calls. */
export const NAMED_AT_ONCE = 20_000;

/**
 * Which records of one kind a removal hides, every copy of them: those with these ids; of this community
 * (lower case); of these posts (comments by their post, where it is known, posts by their own id).
 */
export type Hidden =
  | { readonly ids: readonly string[] }
  | { readonly community: string }
  | { readonly threads: readonly string[] };

/** Which of these records are meant, in their order: the plain way, by looking at each. */
export function hiddenOf(records: readonly StoredRecord[], what: Hidden): readonly boolean[] {
  if ('community' in what) return records.map(({ community }) => community === what.community);
  const wanted = new Set('ids' in what ? what.ids : what.threads);
  const byPost = 'threads' in what;
  if (byPost) wanted.delete('');
  return records.map((record) => wanted.has(byPost && record.kind === 'comment' ? record.post : record.id));
}

/**
 * Seconds from hiding to erasing by the engine's own accord (`SearchEngine.maintain`): until then a removal can be taken
 * back whole, save what a merge left behind. Half of the 24 hours within which a removed text is out of every file
 * (contract 5.6): the other half is for an import that goes on meanwhile.
 */
export const KEPT_AFTER_HIDING = DAY / 2;
