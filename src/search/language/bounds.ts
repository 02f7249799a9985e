// `score:`, `before:` and `after:`: bounds of a score or a time. They cannot be negated, since another bound
// says the same.

import { quoted } from '../../text/quoted.ts';
import { printTime } from './print-query.ts';
import { MAX_SCORE_DIGITS } from './query-syntax.ts';
import { faulty, type SyntaxItem, understood, type Written } from './syntax-tree.ts';

type BoundKind = 'score' | 'before' | 'after';

export function readBound(kind: BoundKind, value: string, negated: boolean, item: Written): SyntaxItem {
  if (negated) return refuseNegated(kind, value, item);
  return kind === 'score' ? readScore(value, item) : readTimeItem(kind, value, item);
}

/** The item without `-` that means the same as this one with `-`; null if no single item does. */
export function oppositeOf(kind: BoundKind, value: string): string | null {
  if (kind === 'score') return otherScores(value);
  const time = readTime(value);
  return time === null ? null : `${kind === 'before' ? 'after' : 'before'}:${printTime(time)}`;
}

/** What the message expects if the opposite of the value is not known. */
const ANY_OPPOSITE = {
  score: 'the scores that you want, as in `score:<5`',
  before: '`after:YYYY-MM-DD`',
  after: '`before:YYYY-MM-DD`',
} as const;

function refuseNegated(kind: BoundKind, value: string, item: Written): SyntaxItem {
  const opposite = oppositeOf(kind, value);
  const expected = opposite === null ? ANY_OPPOSITE[kind] : `\`${opposite}\``;
  return faulty(item, 'cannot_negate', expected, { because: `\`${kind}:\` takes no \`-\`` });
}

const NUMBER = String.raw`(-?\d{1,${MAX_SCORE_DIGITS}})`;
const COMPARED = new RegExp(`^([<>]=?)?${NUMBER}$`);
const RANGE = new RegExp(`^${NUMBER}?\\.\\.${NUMBER}?$`);

function readScore(value: string, item: Written): SyntaxItem {
  const range = readRange(value);
  if (range !== null) return understood(item, { kind: 'score', ...range });
  return faulty(
    item,
    'bad_score',
    `a whole number of at most ${MAX_SCORE_DIGITS} digits after \`score:\`, as in \`score:5\`, ` +
      '`score:<5` or `score:1..5`',
  );
}

function otherScores(value: string): string | null {
  const range = readRange(value);
  if (range?.min != null && range.max === null) return `score:<${range.min}`;
  if (range?.max != null && range.min === null) return `score:>${range.max}`;
  return null;
}

/** Both ends belong to the range. */
function readRange(value: string): { min: number | null; max: number | null } | null {
  const compared = COMPARED.exec(value);
  if (compared !== null) {
    const bound = wholeNumber(compared[2]!);
    switch (compared[1]) {
      case '>':
        return { min: bound + 1, max: null };
      case '<':
        return { min: null, max: bound - 1 };
      case '<=':
        return { min: null, max: bound };
      default:
        return { min: bound, max: null };
    }
  }
  const range = RANGE.exec(value);
  if (range === null || value === '..') return null;
  return {
    min: range[1] === undefined ? null : wholeNumber(range[1]),
    max: range[2] === undefined ? null : wholeNumber(range[2]),
  };
}

/** `-0` is 0. */
function wholeNumber(digits: string): number {
  return Number(digits) + 0;
}

function readTimeItem(kind: 'before' | 'after', value: string, item: Written): SyntaxItem {
  const time = readTime(value);
  if (time !== null) return understood(item, { kind, time });
  const advice = isOffset(value) ? '; times are UTC and take no offset' : '';
  return faulty(
    item,
    'bad_date',
    `a day from 1970-01-01 to 9999-12-31 after \`${kind}:\`, as in \`${kind}:2024-01-31\`, ` +
      `or a time as in \`${kind}:2024-01-31T18:30\``,
    { found: quoted(item.text) + advice },
  );
}

const OFFSET = /[+-]\d\d:?\d\d$/;
const LONGEST_OFFSET = '+00:00'.length;

function isOffset(value: string): boolean {
  return /^[^T]*T/i.test(value) && OFFSET.test(value.slice(-LONGEST_OFFSET));
}

const DAY_OR_TIME = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2})?)Z?)?$/i;

/**
 * Unix seconds of a day, or of a time of day, UTC; null if the calendar or the clock has no such time, or it
 * is before 1970.
 */
function readTime(text: string): number | null {
  const parts = DAY_OR_TIME.exec(text);
  if (parts === null) return null;
  const written = `${parts[1]}T${parts[2] ?? '00:00'}`;
  const milliseconds = Date.parse(
    written.length === 'YYYY-MM-DDTHH:MM'.length ? `${written}:00Z` : `${written}Z`,
  );
  if (Number.isNaN(milliseconds) || milliseconds < 0) return null;
  // Date.parse may read 02-30 as 03-01, and 24:00 as the next day.
  return new Date(milliseconds).toISOString().startsWith(written) ? milliseconds / 1000 : null;
}
