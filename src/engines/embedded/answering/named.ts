// Records by their ids, each looked up in the dictionaries of the segments.

import { namesOf } from '../../../model/engine.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import { PageBudget } from '../../../model/pages.ts';
import type { NamedRecords, NamedRequest } from '../../../model/record-link.ts';
import { evidenceOf } from '../counting/column-counts.ts';
import { arrivalOf, findLive, type View } from '../index/view.ts';
import type { Deadline } from '../matching/deadline.ts';
import type { TimesOf } from './searcher.ts';

/** `other`: the other kind, for evidence; null: unreadable, or not needed. Throws an EngineLimit, `query_timeout`. */
export function namedIn(
  view: View,
  other: View | null,
  { kind, ids, evidence, arrived, maxBytes = Infinity }: Omit<NamedRequest, 'timeoutMs'>,
  deadline: Deadline,
  timesOf: TimesOf,
): Omit<NamedRecords, 'index'> {
  deadline.check();
  const places = [...new Set(ids)].flatMap((id) => {
    deadline.step();
    return findLive(view.segments, id) ?? [];
  });
  const budget = new PageBudget(maxBytes);
  const records = places.map(({ source, doc }) => {
    deadline.step();
    const record = source.segment.record(doc);
    if (!budget.fits(record)) throw new EngineLimit({ limit: 'named_bytes', maxBytes });
    return record;
  });
  const arrivals = arrived ? places.map(({ source, doc }) => arrivalOf(source, doc)) : [];
  const times = timesOf(kind, arrivals);
  return {
    records,
    ...(evidence && { evidence: evidenceOf(other === null ? [view] : [view, other], namesOf(records)) }),
    ...(arrived && { arrived: arrivals.map((number) => times.get(number) ?? null) }),
  };
}
