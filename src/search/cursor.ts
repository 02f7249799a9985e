// The cursor: the one number that callers see in `sort_key` and pass as `after`.
// Contract 4.3 and 4.6.
//
//   newest, oldest   second × 1000 + k      k = 0: the whole second has been given; 1 … 999: so many of it
//   top              (score + 2^20) × 2^32 + second
//
// Times stay below 2^42 and `top` at or above 2^47, so a cursor tells which orders it can belong to.

import { ServiceError } from '../errors.ts';
import {
  isOfTop,
  type Order,
  type PagePosition,
  type TimePosition,
  type TopPosition,
} from '../model/pages.ts';
import { quoted } from '../text/quoted.ts';

const TIME_END = 2 ** 42;
const TOP_START = 2 ** 47;
const SCORE_OFFSET = 2 ** 20;
const SECONDS = 2 ** 32;

/** The cursor of a place where a page goes on. */
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
