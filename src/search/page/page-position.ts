// How many matches come before a page: counted, so that an address that is passed on shows the same place.

import { type PageRequest, SCORE_BOUND } from '../../model/order.ts';
import type { Query, QueryItem } from '../../model/query.ts';

/** The matches of `queries`, which have none in common, and `given` more. */
export interface Before {
  readonly queries: readonly Query[];
  readonly given: number;
}

/** What comes before a page of this query; null: this is the first page. */
export function beforePage(query: Query, page: PageRequest): Before | null {
  if (page.after === null) return null;
  const narrowed = (...items: readonly QueryItem[]): Query => ({ items: [...query.items, ...items] });
  if (page.order === 'top') {
    const { score, second } = page.after;
    // Beyond the bounds all scores rank as equal.
    const min = score === -SCORE_BOUND ? null : score;
    const max = score === SCORE_BOUND ? null : score;
    const ties = narrowed({ kind: 'score', min, max }, since(second));
    const higher = narrowed({ kind: 'score', min: score + 1, max: null });
    return { queries: max === null ? [ties] : [ties, higher], given: 0 };
  }
  const { second, given } = page.after;
  const isWhole = given === 'all';
  const reached =
    page.order === 'newest' ? since(isWhole ? second : second + 1) : until(isWhole ? second + 1 : second);
  return { queries: [narrowed(reached)], given: isWhole ? 0 : given };
}

function since(time: number): QueryItem {
  return { kind: 'after', time };
}

function until(time: number): QueryItem {
  return { kind: 'before', time };
}
