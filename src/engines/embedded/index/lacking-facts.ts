// What records lack because they came in before it was kept.

import type { LackingFacts } from '../../../model/engine.ts';
import { ARRIVAL_UNKNOWN, PARENT_UNKNOWN } from '../format/fact-columns.ts';
import { isDead, type View, type ViewSegment } from './view.ts';

const LACKING = PARENT_UNKNOWN | ARRIVAL_UNKNOWN;

/** Over the live records. */
export function lackingFacts(view: View): LackingFacts {
  let parents = 0;
  let arrivals = 0;
  for (const source of view.segments) {
    const [lackParent, lackArrival] = countsOf(source);
    parents += view.kind === 'comment' ? lackParent! : 0;
    arrivals += lackArrival!;
  }
  return { parents, arrivals };
}

/** Counted once for a segment and its dead records. */
function countsOf(source: ViewSegment): Uint32Array {
  let counts = source.memo.get('lacking');
  if (counts === undefined) {
    counts = countsOfMarks(source);
    source.memo.set('lacking', counts);
  }
  return counts;
}

function countsOfMarks({ segment, dead }: ViewSegment): Uint32Array {
  const counts = new Uint32Array(2);
  for (let doc = 0; doc < segment.docs; doc++) {
    const marks = segment.marksAt(doc);
    if ((marks & LACKING) === 0 || isDead(dead, doc)) continue;
    if (marks & PARENT_UNKNOWN) counts[0]!++;
    if (marks & ARRIVAL_UNKNOWN) counts[1]!++;
  }
  return counts;
}
