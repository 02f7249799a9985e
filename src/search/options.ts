// Options beside a query: a cursor, ids, the query in `under` (contract 4.9), an arrival.
//
// The cursor is the number that callers see in `sort_key` and pass as `after` (contract 4.3 and 4.6):
//
//   newest, oldest   second × 1000 + k      k = 0: the whole second has been given; 1 … 999: so many of it
//   top              (score + 2^20) × 2^32 + second
//
// Times stay below 2^42 and `top` at or above 2^47, so a cursor tells which orders it can belong to.

import { ServiceError } from '../errors.ts';
import { MAX_NAMED_RECORDS } from '../model/engine.ts';
import {
  isOfTop,
  type Order,
  type PagePosition,
  type TimePosition,
  type TopPosition,
} from '../model/pages.ts';
import type { Query } from '../model/query.ts';
import { type Kind, readRecordName } from '../model/record.ts';
import { quoted } from '../text/quoted.ts';
import { type Interpretation, interpretWithoutWindow } from './language/interpret.ts';

const TIME_END = 2 ** 42;
const TOP_START = 2 ** 47;
const SCORE_OFFSET = 2 ** 20;
const SECONDS = 2 ** 32;

export function cursorOf(position: PagePosition): number {
  if (isOfTop(position)) return (position.score + SCORE_OFFSET) * SECONDS + position.second;
  return position.second * 1000 + (position.given === 'all' ? 0 : position.given);
}

/** Takes `n` and `[[n]]`. Throws `bad_cursor`, `cursor_of_other_order`. */
export function readCursor(text: string, order: 'top'): TopPosition;
export function readCursor(text: string, order: 'newest' | 'oldest'): TimePosition;
export function readCursor(text: string, order: Order): PagePosition;
export function readCursor(text: string, order: Order): PagePosition {
  const digits = /^(?:\[\[(\d+)\]\]|(\d+))$/.exec(text);
  const cursor = Number(digits?.[1] ?? digits?.[2] ?? NaN);
  if (!Number.isSafeInteger(cursor)) {
    throw new ServiceError(
      'bad_cursor',
      'parameter `after`: expected the number of a `sort_key` (a whole number from 0 to 2^53 − 1), ' +
        `found ${quoted(text)}`,
    );
  }
  if (order === 'top') {
    if (cursor < TOP_START) throw otherOrder(cursor, order);
    return { score: Math.floor(cursor / SECONDS) - SCORE_OFFSET, second: cursor % SECONDS };
  }
  if (cursor >= TIME_END) throw otherOrder(cursor, order);
  const given = cursor % 1000;
  return { second: Math.floor(cursor / 1000), given: given === 0 ? 'all' : given };
}

function otherOrder(cursor: number, order: Order): ServiceError {
  return new ServiceError(
    'cursor_of_other_order',
    `parameter \`after\`: expected a cursor of \`order_by=${order}\`, found \`${cursor}\`, which belongs to another ` +
      'order; repeat the request with the order that gave it, or without `after`',
  );
}

/** Most characters of a text in a message; most links are shorter. */
const MAX_SHOWN = 120;

interface AskedName {
  readonly typed: string;
  readonly id: string | null;
}

/**
 * The records that a comma-separated list names, each once, in its order. Empty parts are ignored. `base`: as in
 * `readRecordName`. Throws `bad_ids` for an empty list or an invalid id, and `too_many_ids`.
 */
export function readAskedNames(list: string, kind: Kind, base: string): readonly AskedName[] {
  const asked = new Map<string, AskedName>();
  const strange: string[] = [];
  for (const typed of list.split(',').map((piece) => piece.trim())) {
    if (typed === '') continue;
    const name = readRecordName(typed, base);
    if (name === null) strange.push(typed);
    else {
      const of = name.of ?? kind;
      const key = `${of} ${name.id}`;
      if (!asked.has(key)) asked.set(key, { typed, id: of === kind ? name.id : null });
    }
  }
  if (strange.length > 0) throw badIds(`${quoted(strange[0]!, MAX_SHOWN)}${andOthers(strange.length - 1)}`);
  if (asked.size === 0) throw badIds('none');
  if (asked.size <= MAX_NAMED_RECORDS) return [...asked.values()];
  const [most, found] = [MAX_NAMED_RECORDS, asked.size].map((number) => number.toLocaleString('en'));
  throw new ServiceError(
    'too_many_ids',
    `parameter \`ids\`: expected at most ${most} different ids, found ${found}`,
  );
}

function badIds(found: string): ServiceError {
  const expected = 'ids or permalinks of records, separated by commas';
  return new ServiceError('bad_ids', `parameter \`ids\`: expected ${expected}, found ${found}`);
}

function andOthers(count: number): string {
  return count === 0 ? '' : ` and ${count.toLocaleString('en')} more that are none`;
}

/** The largest arrival that a caller may give. */
export const MAX_SINCE = 999_999_999;

/** As part of a request: absent if everything is wanted. */
export function sinceOf({ since = 0 }: { readonly since?: number | undefined }): { readonly since?: number } {
  return since === 0 ? {} : { since };
}

/**
 * null: absent, empty, or only separators. Throws what the language refuses, with positions in `under`, and for a
 * `before:` without an `after:`.
 */
export function readUnder(text: string | null): Omit<Interpretation, 'implied'> | null {
  if (text === null || text === '') return null;
  try {
    const under = interpretWithoutWindow(text);
    return under.query.items.length === 0 ? null : under;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.position === undefined) throw error;
    const position = { ...error.position, parameter: 'under' } as const;
    throw new ServiceError(error.code, `parameter \`under\`: ${error.message}`, { position, cause: error });
  }
}

/** The same as part of a request: absent if null. */
export function underQuery(text: string | null = null): { readonly under?: Query } {
  const under = readUnder(text);
  return under === null ? {} : { under: under.query };
}

/**
 * The result of `work`. Throws `query_timeout` after this many milliseconds (Infinity: no limit); the work goes on, for
 * the next caller.
 */
export async function withinBudget<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  if (timeoutMs === Infinity) return await work();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const words = `what is known of the whole index took longer than ${timeoutMs} ms`;
    late.reject(new ServiceError('query_timeout', words, { retryAfter: 1 }));
  }, timeoutMs);
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
