// The total order of records. Contract 4.1.

import { compareIds, type Order, rankingScore } from '../../src/model/pages.ts';
import type { StoredRecord } from '../../src/model/record.ts';

type Ordered = Pick<StoredRecord, 'created' | 'id' | 'score'>;

const comparators: Record<Order, (a: Ordered, b: Ordered) => number> = {
  newest: (a, b) => b.created - a.created || compareIds(b.id, a.id),
  oldest: (a, b) => a.created - b.created || compareIds(a.id, b.id),
  top: (a, b) => rankingScore(b.score) - rankingScore(a.score) || comparators.newest(a, b),
};

export function comparator(order: Order): (a: Ordered, b: Ordered) => number {
  return comparators[order];
}
