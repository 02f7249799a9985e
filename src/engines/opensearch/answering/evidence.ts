// What the records of both kinds say of communities.

import type { CommunityEvidence } from '../../../model/community.ts';
import { leastId } from '../../../model/pages.ts';
import { idOfKey } from '../cluster/documents.ts';
import type { Searcher } from '../cluster/search.ts';
import type { View } from '../state/views.ts';
import { allIn } from './queries.ts';

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

/** Evidence about these communities in these views. Communities without records are absent. */
export async function evidenceIn(
  searcher: Searcher,
  views: readonly View[],
  communities: ReadonlySet<string>,
): Promise<Map<string, CommunityEvidence>> {
  const found = new Map<string, CommunityEvidence>();
  if (communities.size === 0) return found;
  const told = await Promise.all(views.map((view) => saidIn(searcher, view, [...communities])));
  for (const [name, said] of told.flat()) {
    if (said === null) continue;
    const other = found.get(name) ?? { id: '', judgedPosts: 0, adultPosts: 0 };
    found.set(name, {
      id: leastId(other.id, said.id),
      judgedPosts: other.judgedPosts + said.judgedPosts,
      adultPosts: other.adultPosts + said.adultPosts,
    });
  }
  return found;
}

/** The evidence of one kind about a community; null: it has no records. */
type Said = CommunityEvidence | null;

const MAX_KNOWN = 20_000;

const known = new WeakMap<View, Map<string, Said>>();

/** Cached, since a view says the same of a community as long as it lasts. */
async function saidIn(
  searcher: Searcher,
  view: View,
  communities: readonly string[],
): Promise<[string, Said][]> {
  if (view.pit === null) return [];
  const ofView = known.getOrInsertComputed(view, () => new Map<string, Said>());
  const said = new Map(communities.map((name) => [name, ofView.get(name)]));
  const unknown = communities.filter((name) => said.get(name) === undefined);
  if (unknown.length > 0) {
    const found = await askedOf(searcher, view, view.pit, unknown);
    if (ofView.size + unknown.length > MAX_KNOWN) ofView.clear();
    for (const name of unknown) {
      const evidence = found.get(name) ?? null;
      said.set(name, evidence);
      ofView.set(name, evidence);
    }
  }
  return [...said] as [string, Said][];
}

async function askedOf(
  searcher: Searcher,
  view: View,
  pit: string,
  communities: readonly string[],
): Promise<Map<string, CommunityEvidence>> {
  const asked = allIn(view, { terms: { community: communities } });
  const { names } = await searcher.aggregate<Aggregations>(pit, asked, {
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
  });
  return new Map(
    names.buckets.map(({ key, ids, judged, adult }) => {
      const [least] = ids.buckets;
      const id = least === undefined ? '' : idOfKey(least.key);
      return [key, { id, judgedPosts: judged?.doc_count ?? 0, adultPosts: adult?.doc_count ?? 0 }];
    }),
  );
}
