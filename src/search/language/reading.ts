// What reading one item comes to: what it means, or what is wrong with it.

import type { ProblemCode } from '../../errors.ts';
import type { QueryItem } from '../../model/query.ts';

/** What an item means. */
export interface Meaning {
  /** Never empty. */
  readonly meaning: readonly QueryItem[];
}

/** What is wrong with it. */
export interface Fault {
  readonly code: ProblemCode;
  /** What was expected, what was found, and what to write instead: lower case, no final stop. */
  readonly message: string;
}

export type Reading = Meaning | Fault;
