// A page of a thread as it is asked for, and what an answer says of it: which comments of a post, in which order, and
// where each stands.

import type { PageSize, TimePosition } from './order.ts';
import type { ThreadPlace } from './thread-shape.ts';

/** `oldest`: by time, the total order; `tree`: each comment in front of what answers it (ThreadShape). */
export type ThreadOrder = 'oldest' | 'tree';

interface ThreadPageSize extends PageSize {
  /**
   * Id of a comment: this one, what it answers, what that answers and so on, and what answers it directly; of one that
   * is not here, the last alone. Absent: all comments.
   */
  readonly around?: string;
}

/** A page of the comments of one post. Pages of `oldest` end where those of the order of records do (order.ts). */
export type ThreadRequest = ThreadPageSize &
  (
    | { readonly order: 'oldest'; readonly after: TimePosition | null }
    /** How many comments to leave out first. */
    | { readonly order: 'tree'; readonly from: number }
    /** The page with this comment, of pages of `limit` from the first on; the first where it is not here. */
    | { readonly order: 'tree'; readonly at: string }
  );

/** What an answer says of a thread beside the records on its page. */
export interface ThreadPart {
  /** How many comments there are on all pages. */
  readonly listed: number;
  /** How many of them come before this page. */
  readonly start: number;
  /** Of each record on the page. */
  readonly places: readonly ThreadPlace[];
}
