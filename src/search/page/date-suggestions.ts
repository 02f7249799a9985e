// Dates to complete `after:` and `before:` with: those at which a year or a month of the archive begins.

import type { Suggestion } from './suggestion.ts';

/** Unix seconds of the first and last record. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/**
 * For an item that begins with `after:` or `before:`, the latest years first, and the months of a year that is written
 * whole; at most `size`. Empty for all other items.
 */
export function dateSuggestions(item: string, { first, last }: Span, size: number): Suggestion[] {
  const parts = /^(after|before):(\d{0,4}(?:-[\d-]*)?)$/i.exec(item);
  if (parts === null) return [];
  const operator = parts[1]!.toLowerCase();
  const written = parts[2]!;
  const isAfter = operator === 'after';
  const [firstYear, lastYear] = [yearOf(first), yearOf(last)];
  const dates: (readonly [date: string, hint: string])[] = [];
  // `before:` a day leaves that day out: the end of the last year is the beginning of the one behind it.
  for (let year = lastYear + (isAfter ? 0 : 1); year >= firstYear + (isAfter ? 0 : 1); year--) {
    dates.push([`${year}-01-01`, isAfter ? `from ${year} on` : `to the end of ${year - 1}`]);
  }
  const year = Number(written.slice(0, 4));
  if (/^\d{4}/.test(written) && year >= firstYear && year <= lastYear) {
    for (let month = 2; month <= 12; month++) {
      const date = `${year}-${String(month).padStart(2, '0')}-01`;
      dates.push([date, isAfter ? `from ${MONTHS[month - 1]} on` : `to the end of ${MONTHS[month - 2]}`]);
    }
  }
  if (isAfter) dates.push(['1970-01-01', 'all time']);
  return dates
    .filter(([date]) => date.startsWith(written) && date !== written)
    .slice(0, size)
    .map(([date, hint]) => ({ text: `${operator}:${date}`, hint }));
}

function yearOf(time: number): number {
  return new Date(time * 1000).getUTCFullYear();
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
