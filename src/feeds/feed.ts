// A feed as a value, whatever form it is written in. Addresses are absolute, times are Unix seconds.

export interface Feed {
  /** The same for ever: a tag URI. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** The page of what the feed is about. */
  readonly home: string;
  /** Address of this document. */
  readonly self: string;
  /** Address of the one with the entries behind these (RFC 5005, 3); null: there is none. */
  readonly next: string | null;
  readonly updated: number;
  /** The newest first. */
  readonly entries: readonly FeedEntry[];
}

export interface FeedEntry {
  /** As that of a feed. */
  readonly id: string;
  readonly title: string;
  readonly link: string;
  /** Plain, with line breaks. */
  readonly text: string;
  /** null: it has none but `updated`. */
  readonly published: number | null;
  readonly updated: number;
  /** What it is filed under. */
  readonly tags: readonly string[];
}
