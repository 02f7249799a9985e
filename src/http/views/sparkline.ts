// How the rows of a breakdown go over time: drawings as small as words, all of a table over the same buckets.

import type { BreakdownRow } from '../../model/engine.ts';
import type { Buckets } from '../../model/timeline.ts';
import { count } from './format.ts';
import { type Html, html } from './html.ts';
import { linePath, SLOT } from './svg.ts';
import { bucketName } from './timeline.ts';

/** Pixels, as in styles/side.css. */
const HEIGHT = 16;

/** From the first bucket in which one of the rows has something to the last. */
export function shownTimes(rows: readonly BreakdownRow[], { step, starts }: Buckets): Buckets {
  const filled = new Set(rows.flatMap(({ by = [] }) => by.map(({ start }) => start)));
  const [from, to] = [
    starts.findIndex((start) => filled.has(start)),
    starts.findLastIndex((start) => filled.has(start)),
  ];
  return { step, starts: from === -1 ? [] : starts.slice(from, to + 1) };
}

/** `2012 to 2024`. */
export function rangeWords({ step, starts }: Buckets): string {
  if (starts.length < 2) return `Per ${step}`;
  return `${bucketName(step, starts[0]!)} to ${bucketName(step, starts.at(-1)!)}`;
}

/** The row over time, up to its own maximum, which is its name. */
export function sparkline({ by = [] }: Pick<BreakdownRow, 'by'>, { step, starts }: Buckets): Html {
  const counts = new Map(by.map(({ start, count: found }) => [start, found]));
  const values = starts.map((start) => counts.get(start) ?? 0);
  const most = Math.max(...values, 1);
  const at = values.indexOf(most);
  const busiest = at === -1 ? '' : `busiest ${step}: ${bucketName(step, starts[at]!)}, ${count(most)}`;
  return html`<svg class="sparkline" viewBox="0 -1 ${Math.max(1, starts.length) * SLOT} ${HEIGHT}" preserveAspectRatio="none" role="img"><title>${busiest}</title><path d="${linePath(values, most, HEIGHT - 2)}"/></svg>`;
}
