// Comments of the posts that match another query: the ids of those posts, found once in a view of posts.

import { conditionsOf } from '../../model/conditions.ts';
import { EngineLimit, inUnder } from '../../model/engine-errors.ts';
import { MAX_POSTS_UNDER, type Query } from '../../model/query.ts';
import { idOfKey } from './documents.ts';
import type { PrefixLimit } from './prefix-limit.ts';
import { queryIn } from './queries.ts';
import { MAX_HITS, type Searcher, type SortValue } from './search.ts';
import type { View } from './views.ts';

/** Queries of one view that are remembered: ids of 100,000 posts take some 2 MB. */
const MAX_KNOWN = 16;

const known = new WeakMap<View, Map<string, readonly string[]>>();

/**
 * Ids of the posts of this view that match. Throws an EngineLimit that says it is of `under`, and what
 * `Searcher.search` does.
 */
export async function postsUnder(
  searcher: Searcher,
  limit: PrefixLimit,
  posts: View,
  query: Query,
): Promise<readonly string[]> {
  const ofView = known.get(posts) ?? new Map<string, readonly string[]>();
  known.set(posts, ofView);
  const name = JSON.stringify(query);
  const found = ofView.get(name);
  if (found !== undefined) return found;
  try {
    const ids = await idsOf(searcher, limit, posts, query);
    if (ofView.size >= MAX_KNOWN) ofView.clear();
    ofView.set(name, ids);
    return ids;
  } catch (error) {
    throw inUnder(error);
  }
}

async function idsOf(
  searcher: Searcher,
  limit: PrefixLimit,
  view: View,
  query: Query,
): Promise<readonly string[]> {
  if (view.pit === null) return [];
  const conditions = conditionsOf(query);
  await limit.check(searcher, view, conditions);
  const asked = {
    ...{ query: queryIn(view, conditions), size: MAX_HITS, _source: false as const },
    sort: [{ created: 'desc' }, { key: 'desc' }],
  };
  const { total, hits: first } = await searcher.search(view.pit, asked);
  if (total > MAX_POSTS_UNDER) throw new EngineLimit({ limit: 'posts_under', posts: total });
  const keys = first.map(({ sort }) => sort);
  while (keys.length < total) {
    const search_after = keys.at(-1) as readonly SortValue[];
    const page = { ...asked, search_after, track_total_hits: false as const };
    const { hits } = await searcher.search(view.pit, page);
    if (hits.length === 0) throw new Error(`expected ${total} posts, found ${keys.length}`);
    keys.push(...hits.map(({ sort }) => sort));
  }
  return keys.map(([, key]) => idOfKey(key as string));
}
