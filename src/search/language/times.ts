// `before:` and `after:`: a day, or a finer time, always UTC.

import { printTime } from '../../model/print-query.ts';
import { quoted } from '../../text/quoted.ts';
import type { Reading } from './reading.ts';

export function readTimeItem(kind: 'before' | 'after', value: string, item: string): Reading {
  const time = readTime(value);
  if (time !== null) return { meaning: [{ kind, time }] };
  const advice = isOffset(value) ? '; times are UTC and take no offset' : '';
  return {
    code: 'bad_date',
    message: `expected a day from 1970-01-01 to 9999-12-31 behind \`${kind}:\`, as in \`${kind}:2024-01-31\`, or a time as in \`${kind}:2024-01-31T18:30\`, found ${quoted(item)}${advice}`,
  };
}

function isOffset(value: string): boolean {
  return /^[^T]*T/i.test(value) && OFFSET.test(value.slice(-LONGEST_OFFSET));
}

/** The item that keeps what `-before:` or `-after:` would keep; null where the value is no time. */
export function otherSide(kind: 'before' | 'after', value: string): string | null {
  const time = readTime(value);
  return time === null ? null : `${kind === 'before' ? 'after' : 'before'}:${printTime(time)}`;
}

const OFFSET = /[+-]\d\d:?\d\d$/;
const LONGEST_OFFSET = '+00:00'.length;

const DAY_OR_TIME = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2})?)Z?)?$/i;

/** Unix seconds of a day, or of a time of it, UTC; null where the calendar or the clock has no such, or before 1970. */
function readTime(text: string): number | null {
  const parts = DAY_OR_TIME.exec(text);
  if (parts === null) return null;
  const written = `${parts[1]}T${parts[2] ?? '00:00'}`;
  const milliseconds = Date.parse(
    written.length === 'YYYY-MM-DDTHH:MM'.length ? `${written}:00Z` : `${written}Z`,
  );
  if (Number.isNaN(milliseconds) || milliseconds < 0) return null;
  // Date.parse may take 02-30 for 03-01, and 24:00 for the next day.
  return new Date(milliseconds).toISOString().startsWith(written) ? milliseconds / 1000 : null;
}
