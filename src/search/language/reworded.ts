// Whether a query says something else than what was written, for its reader.

import { printItem } from '../../model/print-query.ts';
import type { QueryItem } from '../../model/query.ts';
import { QUOTES } from '../../model/query-syntax.ts';
import { parse } from './parser.ts';

/**
 * True where an item was left out or stands in other words in the canonical form. Capitals, quotes, blanks around bars
 * and slashes around `r/name` are no other words, nor is `/r/a+b`.
 */
export function isReworded(written: string): boolean {
  return parse(written).items.some((item) => {
    if (item.kind === 'dropped') return true;
    if (item.kind === 'faulty') return false;
    const { offset, length } = item.position;
    return plain(written.slice(offset, offset + length)) !== plain(together(item.meaning));
  });
}

/** As one item: several communities by `+`. */
function together([first, ...others]: readonly QueryItem[]): string {
  return [printItem(first!), ...others.map((item) => printItem(item).replace(/^-?\/r\//, ''))].join('+');
}

const UNSEEN = new RegExp(`[${QUOTES}\\p{White_Space}]+`, 'gu');

function plain(item: string): string {
  return item
    .toLowerCase()
    .replace(UNSEEN, '')
    .replace(/^(-?)([ru])\//, '$1/$2/')
    .replace(/\/$/, '');
}
