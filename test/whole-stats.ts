// Figures of an engine of which no kind is damaged.

import type { KindStats, SearchEngine } from '../src/model/engine.ts';
import { IndexDamage } from '../src/model/engine-errors.ts';
import type { Kind } from '../src/model/record.ts';

/** Throws the IndexDamage of a kind that cannot be read. */
export async function wholeStats(
  engine: Pick<SearchEngine, 'stats'>,
): Promise<Readonly<Record<Kind, KindStats>>> {
  const { post, comment } = await engine.stats();
  if (post instanceof IndexDamage) throw post;
  if (comment instanceof IndexDamage) throw comment;
  return { post, comment };
}
