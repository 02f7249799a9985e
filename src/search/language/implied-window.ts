// The implied window: a `before:` without any `after:` gets an `after:` one day (24 hours) earlier. Contract 3.3.

import type { QueryItem } from '../../model/query.ts';
import { DAY } from '../../model/time.ts';

export type AfterItem = QueryItem & { readonly kind: 'after' };

/** The `after:` to add, a day before the earliest `before:` but never before 1970; null if none is needed. */
export function impliedAfter(items: readonly QueryItem[]): AfterItem | null {
  let earliest = Infinity;
  for (const item of items) {
    if (item.kind === 'after') return null;
    if (item.kind === 'before') earliest = Math.min(earliest, item.time);
  }
  if (earliest === Infinity) return null;
  return { kind: 'after', time: Math.max(0, earliest - DAY) };
}

/**
 * The items without their last one if it is the `after:` that would be added to the others, as in an echo.
 */
export function withoutImplied(items: readonly QueryItem[]): readonly QueryItem[] {
  const last = items.at(-1);
  const others = items.slice(0, -1);
  return last?.kind === 'after' && impliedAfter(others)?.time === last.time ? others : items;
}
