// What a thread counts with.

import type { NameField } from '../../../model/engine.ts';
import type { NameTable } from '../index/name-table.ts';
import type { WordPool } from '../sets/chunk.ts';
import type { Deadline } from './deadline.ts';

export interface CountingMeans {
  /** For the view of the question. */
  readonly tableFor: (field: NameField) => NameTable;
  /** Used and given back. */
  readonly scratch: WordPool;
  readonly deadline: Deadline;
}
