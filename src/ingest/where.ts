// `--where`: the query that says which records of a source are taken in.

import type { Query } from '../model/query.ts';

export interface Where {
  readonly query: Query;
  /** Its canonical form, by which checkpoints and the log of imports know it. Not empty. */
  readonly text: string;
}
