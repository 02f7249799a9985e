// A thread: a page of it as it is asked for, and the place that each comment has in it.

import type { PageSize, TimePosition } from './pages.ts';

interface ThreadPageSize extends PageSize {
  /** Id of a comment: this one, everything above it and its direct answers. Absent: all comments. */
  readonly around?: string;
}

/**
 * A page of the comments of one post. `oldest`: by time, in pages that end where those of the order of records do
 * (pages.ts); `tree`: each comment in front of what answers it (ThreadShape).
 */
export type ThreadRequest = ThreadPageSize &
  (
    | { readonly order: 'oldest'; readonly after: TimePosition | null }
    /** How many comments to leave out first. */
    | { readonly order: 'tree'; readonly from: number }
    /** The page with this comment, of pages of `limit` from the first on; the first where it is not here. */
    | { readonly order: 'tree'; readonly at: string }
  );

export interface ThreadPart {
  readonly listed: number;
  readonly start: number;
  readonly places: readonly ThreadPlace[];
}

export interface ThreadComment {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** Id of its post; empty if unknown. */
  readonly post: string;
  /** Id of what it answers: `post` at the top level; empty if unknown. */
  readonly parent: string;
}

export interface ThreadPlace {
  /**
   * Comments between it and the post; 0 answers the post. null: the way up ends at a missing or unknown one, or in a
   * circle.
   */
  readonly depth: number | null;
  /** How many comments lie above it in the tree. Equal to `depth` where that is known. */
  readonly level: number;
}
