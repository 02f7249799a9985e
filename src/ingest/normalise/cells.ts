// Reads one cell of a source: numbers, booleans, times and ids, in the types of twenty years of dumps and of CSV. Each
// function distinguishes "not given" (missing) from "cannot be read" (bad).

import { MAX_TEXT_BYTES, MAX_TIME } from '../../model/record.ts';

/** A parsed JSON object, or a CSV row by its header. Its keys are the source's: never merged into another object. */
export type Row = Readonly<Record<string, unknown>>;

export const MISSING: unique symbol = Symbol('missing');
export const BAD: unique symbol = Symbol('bad');

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined, null and the empty text count as missing. */
export function isMissing(cell: unknown): boolean {
  return cell === undefined || cell === null || cell === '';
}

const MAX_INTEGER = 2_147_483_647;
const WHOLE_NUMBER = /^-?\d{1,15}(?:\.0+)?$/;

/** A whole number within ±2147483647: integer, whole float, or either as text (`"-3"`, `"12.0"`). */
export function integerCell(cell: unknown): number | typeof MISSING | typeof BAD {
  const value = wholeNumber(cell);
  return typeof value === 'number' && Math.abs(value) > MAX_INTEGER ? BAD : value;
}

/** Unix seconds, 0 to MAX_TIME: integer, whole float, or either as text; or a time in ISO 8601. */
export function timeCell(cell: unknown): number | typeof MISSING | typeof BAD {
  const number = wholeNumber(cell);
  const value = number === BAD && typeof cell === 'string' ? (isoSeconds(cell) ?? BAD) : number;
  return typeof value === 'number' && (value < 0 || value > MAX_TIME) ? BAD : value;
}

function wholeNumber(cell: unknown): number | typeof MISSING | typeof BAD {
  if (typeof cell === 'number') return Number.isSafeInteger(cell) ? cell + 0 : BAD;
  if (isMissing(cell)) return MISSING;
  return typeof cell === 'string' && WHOLE_NUMBER.test(cell) ? Number(cell) + 0 : BAD;
}

/** Seconds of a time of retrieval, fractions dropped; 0 where it is missing, unreadable or out of range. */
export function retrievalCell(cell: unknown): number {
  const value = typeof cell === 'string' && cell !== '' ? Number(cell) : cell;
  return typeof value === 'number' && value >= 0 && value <= MAX_TIME ? Math.floor(value) : 0;
}

const BOOLEANS = new Map<unknown, boolean>([
  ...[true, 1, '1', 'true', 'True', 'TRUE'].map((cell) => [cell, true] as const),
  ...[false, 0, '0', 'false', 'False', 'FALSE'].map((cell) => [cell, false] as const),
]);

/** null if missing or unreadable. */
export function booleanCell(cell: unknown): boolean | null {
  return BOOLEANS.get(cell) ?? null;
}

/** VADER's compound, 4 decimals; null for an empty cell, which says "unrated" (pandas writes `nan` in some). */
export function ratingCell(cell: unknown): number | null | typeof BAD {
  if (isMissing(cell) || cell === 'nan' || cell === 'NaN') return null;
  const value = typeof cell === 'string' && /^[+-]?[\d.]+(?:[eE]-?\d+)?$/.test(cell) ? Number(cell) : cell;
  if (typeof value !== 'number' || !(Math.abs(value) <= 1)) return BAD;
  return Math.round(value * 10_000) / 10_000 + 0;
}

/** A text, or a number as text (a CSV re-saved by a spreadsheet, `"id": 123`); null for anything else. */
export function textCell(cell: unknown): string | null {
  if (typeof cell === 'string') return cell === '' ? null : cell;
  return typeof cell === 'number' && Number.isSafeInteger(cell) ? String(cell) : null;
}

/** A text as it may be stored: without NUL, lone surrogates as U+FFFD, at most MAX_TEXT_BYTES. */
export function cleanText(text: string): string {
  const withoutNul = text.includes('\0') ? text.replaceAll('\0', '') : text;
  return cutText(withoutNul.isWellFormed() ? withoutNul : withoutNul.toWellFormed());
}

/** No text of fewer UTF-16 units can be too long: a unit takes at most 3 bytes of UTF-8. */
const SURELY_SHORT = Math.floor(MAX_TEXT_BYTES / 3);

function cutText(text: string): string {
  if (text.length <= SURELY_SHORT || Buffer.byteLength(text) <= MAX_TEXT_BYTES) return text;
  // encodeInto stops before the first character that does not fit completely.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_TEXT_BYTES));
  return text.slice(0, read);
}

/** True if `cleanText` had to cut. */
export function isCut(text: string): boolean {
  if (text.length <= SURELY_SHORT) return false;
  return Buffer.byteLength(text.replaceAll('\0', '').toWellFormed()) > MAX_TEXT_BYTES;
}

/** `2021-01-31T18:30:15Z`, `2021-01-31 18:30:15.250+02:00`, `2021-01-31 18:30`, `2021-01-31 18:30:15 UTC`. */
const ISO_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?: ?(?:Z|UTC|([+-])(\d\d)(?::?(\d\d))?))?$/;

/**
 * Unix seconds, without fractions; UTC if there is no zone. null for anything else: a day without a time, a day or hour
 * that does not exist, any other format.
 */
export function isoSeconds(text: string): number | null {
  const match = ISO_TIME.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(numberOf);
  const [offsetHours = 0, offsetMinutes = 0] = match.slice(8, 10).map(numberOf);
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return null;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // Date.UTC reads 31 April as 1 May, and year 21 as 1921.
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day)
    return null;
  const offset = (offsetHours * 60 + offsetMinutes) * 60;
  return date.getTime() / 1000 - (match[7] === '-' ? -offset : offset);
}

function numberOf(digits: string | undefined): number {
  return Number(digits ?? 0);
}
