// The canonical form of a query, which the answer returns as `query`. Contract 3.8: parsing the printed form
// gives the same query.

import type { Query, QueryItem, Word } from '../../model/query.ts';
import { ID_PREFIX, PREFIX_OF } from '../../model/record-link.ts';
import { DAY, readableDay } from '../../model/time.ts';
import { isBare, MAX_SCORE_DIGITS, QUOTES } from './query-syntax.ts';

const MAX_TYPED_SCORE = 10 ** MAX_SCORE_DIGITS - 1;

/** Items in the order given, joined by commas; empty for a query without items. */
export function printQuery(query: Query): string {
  return query.items.map(printItem).join(',');
}

export function printItem(item: QueryItem): string {
  switch (item.kind) {
    case 'words':
      return sign(item) + item.words.map(printWord).join('|');
    case 'community':
      return `${sign(item)}/r/${item.name}`;
    case 'site':
      return `${sign(item)}site:${item.domain}`;
    case 'post':
      // An id that starts with a prefix would lose it when parsed, or be refused.
      return `${sign(item)}post:${ID_PREFIX.test(item.id) ? 't3_' : ''}${item.id}`;
    case 'id':
      return `${sign(item)}id:${item.record.of === null ? '' : PREFIX_OF[item.record.of]}${item.record.id}`;
    case 'score':
      return `score:${printRange(item.min, item.max)}`;
    case 'before':
    case 'after':
      return `${item.kind}:${printTime(item.time)}`;
  }
}

/** As short as it can be, UTC: `2024-01-31`, `2024-01-31T18:30`, `2024-01-31T18:30:15`. */
export function printTime(time: number): string {
  if (time % DAY === 0) return readableDay(time);
  const { length } = time % 60 === 0 ? 'YYYY-MM-DDTHH:MM' : LONGEST_TIME;
  return new Date(time * 1000).toISOString().slice(0, length);
}

export const LONGEST_TIME = 'YYYY-MM-DDTHH:MM:SS';

function sign(item: { readonly negated: boolean }): string {
  return item.negated ? '-' : '';
}

/**
 * As typed, without quotes if that parses the same. Only a word that the parser cannot have made (one that
 * needs quotes and contains a quote) is printed as other text with the same tokens.
 */
function printWord(word: Word): string {
  const { kind, typed } = word;
  if (kind === 'prefix') return `${isBare(typed) && !typed.endsWith('*') ? typed : word.prefix}*`;
  if (isBare(typed) && !typed.endsWith('*')) return typed;
  return `"${typed.replace(ANY_QUOTE, ' ')}"`;
}

const ANY_QUOTE = new RegExp(`[${QUOTES}]`, 'g');

/** The bound of `score:>999999999` cannot be typed, so its neighbour is printed. */
function printRange(min: number | null, max: number | null): string {
  if (max === null) {
    const least = min ?? -MAX_TYPED_SCORE;
    return least > MAX_TYPED_SCORE ? `>${least - 1}` : String(least);
  }
  if (max < -MAX_TYPED_SCORE) return `<${max + 1}`;
  return `${min ?? ''}..${max}`;
}
