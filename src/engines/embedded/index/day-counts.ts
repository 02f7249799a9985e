// How many records of a segment live by day, and what they lack: read from columns, without the dead.

import { DayCounter, type DayFacts, type DayTable } from '../../../model/day-table.ts';
import type { Segment } from './segment.ts';
import { type DeadDocs, isDead } from './view.ts';

/**
 * What the counts of docs `from` to before `to` change by where `before` were the dead ones and `now` are; `before`
 * null: nothing was counted.
 */
export function dayChange(
  segment: Segment,
  before: DeadDocs | null,
  now: DeadDocs,
  { from, to }: { readonly from: number; readonly to: number },
): DayTable {
  const counter = new DayCounter();
  for (let doc = from; doc < to; doc++) {
    const isGone = isDead(now, doc);
    if (isGone === (before === null || isDead(before, doc))) continue;
    counter.add(factsOf(segment, doc), isGone ? -1 : 1);
  }
  return counter.table();
}

function factsOf(segment: Segment, doc: number): DayFacts {
  return {
    created: segment.created[doc]!,
    withdrawn: segment.withdrawnAt(doc),
    unrated: segment.kind === 'comment' && segment.sentimentAt(doc) === null,
    retrieved: segment.retrievedAt(doc),
  };
}
