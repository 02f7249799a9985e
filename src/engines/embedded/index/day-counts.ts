// How many records of a segment live by day, and what they lack: read from columns, without the dead.

import { DayCounter, type DayFacts, type DayTable } from '../../../model/day-table.ts';
import { CHUNK_WORDS } from '../sets/chunk.ts';
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
  if (before === null) {
    for (let doc = from; doc < to; doc++) if (!isDead(now, doc)) counter.add(factsOf(segment, doc));
  } else {
    for (const doc of differing(before, now, from, to)) {
      counter.add(factsOf(segment, doc), isDead(now, doc) ? -1 : 1);
    }
  }
  return counter.table();
}

/** The docs from `from` to before `to`, both multiples of 32 or the end, that are dead in one of the two alone. Up. */
function* differing(before: DeadDocs, now: DeadDocs, from: number, to: number): Generator<number> {
  for (let word = from >>> 5; word << 5 < to; word++) {
    const chunk = Math.floor(word / CHUNK_WORDS);
    const at = word % CHUNK_WORDS;
    let bits = (before[chunk]?.[at] ?? 0) ^ (now[chunk]?.[at] ?? 0);
    while (bits !== 0) {
      yield (word << 5) + 31 - Math.clz32(bits & -bits);
      bits &= bits - 1;
    }
  }
}

function factsOf(segment: Segment, doc: number): DayFacts {
  return {
    created: segment.created[doc]!,
    withdrawn: segment.withdrawnAt(doc),
    unrated: segment.kind === 'comment' && segment.sentimentAt(doc) === null,
    retrieved: segment.retrievedAt(doc),
  };
}
