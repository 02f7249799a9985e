// What records say of communities beside what is known of these from elsewhere.

/** What the records of both kinds say of one community. */
export interface CommunityEvidence {
  /** The least id (by `compareIds`) that a record gives it; empty where none does. */
  readonly id: string;
  /** Posts that say whether they are `over_18`. */
  readonly judgedPosts: number;
  /** Those that are. */
  readonly adultPosts: number;
}
