// Records by their ids: one page with all of them, put in the order of the ids.

import { EMPTY_PAGE } from '../../model/engine.ts';
import { EngineLimit } from '../../model/engine-errors.ts';
import type { NamedRecords, NamedRequest } from '../../model/named-records.ts';
import { PageBudget } from '../../model/page-budget.ts';
import type { Kind } from '../../model/record.ts';
import { answersIn } from './answer.ts';
import type { PrefixLimit } from './prefix-limit.ts';
import type { Searcher } from './search.ts';
import type { View } from './views.ts';

/** Throws an EngineLimit, and what `Searcher.search` does. */
export async function namedIn(
  searcher: Searcher,
  limit: PrefixLimit,
  views: ReadonlyMap<Kind, View>,
  { kind, ids, evidence = false, arrived = false, maxBytes = Infinity }: NamedRequest,
): Promise<Omit<NamedRecords, 'index'>> {
  const order = [...new Set(ids)];
  const items = order.map((id) => ({ kind: 'id', record: { id, of: kind }, negated: false }) as const);
  const page = { order: 'newest', limit: order.length, after: null, maxBytes } as const;
  const asked = [{ kind, query: { items }, page, evidence, arrived }];
  const [answer] = await answersIn(searcher, limit, views, asked);
  const { records, isShort } = answer!.page ?? EMPTY_PAGE;
  // Those of one second are not split, so a page may be over its budget and whole.
  const budget = new PageBudget(maxBytes);
  if (isShort || !records.every((record) => budget.fits(record))) {
    throw new EngineLimit({ limit: 'named_bytes', maxBytes });
  }
  const places = new Map(records.map(({ id }, place) => [id, place]));
  const found = order.flatMap((id) => places.get(id) ?? []);
  return {
    records: found.map((place) => records[place]!),
    ...(evidence && { evidence: answer!.evidence! }),
    ...(arrived && { arrived: found.map((place) => answer!.arrived![place]!) }),
  };
}
