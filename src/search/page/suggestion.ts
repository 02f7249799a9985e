// What an item that is being written can be completed with.

export interface Suggestion {
  /** The whole item, as `/r/energy`. */
  readonly text: string;
  /** What it means, in few words. */
  readonly hint: string;
}
