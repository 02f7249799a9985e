// What the records of both kinds say of communities.

import type { CommunityEvidence } from '../../model/evidence.ts';
import { leastId } from '../../model/order.ts';
import { idOfKey } from './documents.ts';
import { allIn } from './queries.ts';
import type { Searcher } from './search.ts';
import type { View } from './views.ts';

interface Aggregations {
  readonly names: {
    readonly buckets: readonly {
      readonly key: string;
      readonly ids: { readonly buckets: readonly { readonly key: string }[] };
      readonly judged?: { readonly doc_count: number };
      readonly adult?: { readonly doc_count: number };
    }[];
  };
}

/** Of these communities in these views; one that no record has is absent. */
export async function evidenceIn(
  searcher: Searcher,
  views: readonly View[],
  communities: ReadonlySet<string>,
): Promise<Map<string, CommunityEvidence>> {
  const found = new Map<string, CommunityEvidence>();
  if (communities.size === 0) return found;
  const told = await Promise.all(views.map((view) => saidIn(searcher, view, [...communities])));
  for (const [name, { id, judgedPosts, adultPosts }] of told.flat()) {
    const known = found.get(name) ?? { id: '', judgedPosts: 0, adultPosts: 0 };
    found.set(name, {
      id: leastId(known.id, id),
      judgedPosts: known.judgedPosts + judgedPosts,
      adultPosts: known.adultPosts + adultPosts,
    });
  }
  return found;
}

/** What the records of one kind say. */
async function saidIn(
  searcher: Searcher,
  view: View,
  communities: readonly string[],
): Promise<[string, CommunityEvidence][]> {
  if (view.pit === null) return [];
  const { aggregations } = await searcher.search<Aggregations>(view.pit, {
    query: allIn(view, { terms: { community: communities } }),
    size: 0,
    aggs: {
      names: {
        terms: { field: 'community', size: communities.length, shard_size: communities.length },
        aggs: {
          // In the order of keys the first one of each shard is right, and so is that of all of them.
          ids: { terms: { field: 'cid', size: 1, order: { _key: 'asc' } } },
          ...(view.kind === 'post' && {
            judged: { filter: { exists: { field: 'adult' } } },
            adult: { filter: { term: { adult: true } } },
          }),
        },
      },
    },
  });
  return aggregations.names.buckets.map(({ key, ids, judged, adult }) => {
    const [least] = ids.buckets;
    const id = least === undefined ? '' : idOfKey(least.key);
    return [key, { id, judgedPosts: judged?.doc_count ?? 0, adultPosts: adult?.doc_count ?? 0 }];
  });
}
