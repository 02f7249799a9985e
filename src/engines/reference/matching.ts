// Which records match: a look at every one of them, within a time budget.

import { ServiceError } from '../../errors.ts';
import type { Conditions } from '../../model/conditions.ts';
import { EngineLimit } from '../../model/engine-errors.ts';
import { broadPrefix, matches } from '../../model/matcher.ts';
import type { StoredRecord } from '../../model/record.ts';

/** Records looked at between two looks at the clock. */
const CLOCK_EVERY = 256;

/** Throws `query_timeout`, an EngineLimit. */
export function matchingOf(
  records: readonly StoredRecord[],
  conditions: Conditions,
  timeoutMs: number,
): StoredRecord[] {
  const deadline = performance.now() + timeoutMs;
  const broad = broadPrefix(records, conditions);
  if (broad !== undefined) throw new EngineLimit({ limit: 'prefix_tokens', word: broad });
  const matching: StoredRecord[] = [];
  let looked = 0;
  for (const record of records) {
    if (looked++ % CLOCK_EVERY === 0 && performance.now() >= deadline) {
      throw tooLate(timeoutMs);
    }
    if (matches(record, conditions)) matching.push(record);
  }
  return matching;
}

export function tooLate(timeoutMs: number): ServiceError {
  return new ServiceError('query_timeout', `the query took longer than ${timeoutMs} ms`, { retryAfter: 1 });
}
