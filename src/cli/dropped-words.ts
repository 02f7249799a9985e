// What of a query is not searched for, on standard error.

import type { Dropped } from '../search/language/dropped.ts';

/**
 * Words that are searched for without their signs; items that are dropped whole are missing in the
 * interpreted query.
 */
export function tellDropped(dropped: readonly Dropped[]): void {
  for (const { written, searched } of dropped) {
    if (searched !== null)
      process.stderr.write(`(\`${written}\` searches for \`${searched}\`: signs are not indexed)\n`);
  }
}
