// Which group of a sample a record is in.

import type { StoredRecord } from './record.ts';
import type { Sample } from './sample.ts';
import { bucketStart } from './timeline.ts';

/** Equal for the records of one group; without groups, for all. */
export function groupOf({ community, created }: StoredRecord, { per }: Sample): string | number {
  if (per === undefined) return '';
  return per === 'community' ? community : bucketStart('month', created);
}
