// Figures of a whole view: its content and its size on disk.

import type { KindStats } from '../../../model/engine.ts';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import type { IndexFingerprint } from '../../../model/hash.ts';
import type { Kind } from '../../../model/record.ts';
import { pathOf } from '../cluster/client.ts';
import { Deadline } from '../cluster/deadline.ts';
import type { IndexNames } from '../cluster/indices.ts';
import { isOfEachShard } from '../cluster/refreshing.ts';
import {
  added,
  hexOf,
  type KeptSum,
  MIX_SUMS,
  type Mixes,
  mixSum,
  NO_SUM,
  SEE_HEALTH,
  Searcher,
  type Shards,
} from '../cluster/search.ts';
import { type Manifest, ManifestStore } from '../state/manifest.ts';
import type { View, ViewSources } from '../state/views.ts';
import { breakdownFrom, frequentNames, type NamesFound, namesSearch } from './breakdowns.ts';
import { allIn } from './queries.ts';
import { BOUNDS, type Bounds } from './row-counts.ts';

const NO_STATS: KindStats = {
  ...{ records: 0, communities: 0, first: null, last: null, segments: 0, bytes: 0 },
  lacking: { parents: 0, arrivals: 0 },
};

interface Figures extends Bounds {
  readonly communities: NamesFound;
  readonly orphans: { readonly doc_count: number };
  readonly undated: { readonly doc_count: number };
}

export async function statsOf(searcher: Searcher, names: IndexNames, view: View): Promise<KindStats> {
  const { pit, kind } = view;
  if (pit === null) return NO_STATS;
  const query = allIn(view);
  const communities = { field: 'community', size: 0, distinct: true } as const;
  const [{ total, aggregations: found }, { segments, bytes }] = await Promise.all([
    searcher.search<Figures>(pit, {
      ...{ query, size: 0 },
      aggs: {
        ...BOUNDS,
        communities: frequentNames(communities)!,
        orphans: { filter: { term: { orphan: true } } },
        undated: { filter: { term: { undated: true } } },
      },
    }),
    storedOf(searcher, names[kind]),
  ]);
  const { distinct } = await breakdownFrom(found.communities, communities, namesSearch(searcher, pit, query));
  return {
    records: total,
    communities: distinct!,
    first: found.first.value,
    last: found.last.value,
    segments: total === 0 ? 0 : segments,
    bytes,
    lacking: { parents: found.orphans.doc_count, arrivals: found.undated.doc_count },
  };
}

interface StatsReply {
  readonly _shards: Shards;
  readonly _all: {
    readonly primaries: { readonly segments: { readonly count: number } };
    readonly total: { readonly store: { readonly size_in_bytes: number } };
  };
}

/** Segments of the primary shards; bytes of all copies. */
async function storedOf(
  { client, deadline }: Searcher,
  index: string,
): Promise<{ readonly segments: number; readonly bytes: number }> {
  const { body } = await client.request<StatsReply>(
    { method: 'GET', path: `${pathOf(index)}/_stats/store,segments` },
    { signal: deadline.signal },
  );
  if (!(await isOfEachShard(client, index, body._shards, deadline.signal))) {
    throw new EngineUnavailable(
      `OpenSearch: figures are not of all shards: ${JSON.stringify(body._shards)}; ${SEE_HEALTH}`,
    );
  }
  const { primaries, total } = body._all;
  return { segments: primaries.segments.count, bytes: total.store.size_in_bytes };
}

/** Fingerprints of views: from the manifest, or summed up once if that lacks them. */
export class Fingerprints {
  readonly #sources: Pick<ViewSources, 'client' | 'names'>;
  /** The difference of a torn view's sum, for the last one that was asked for. */
  readonly #shorts: Partial<Record<Kind, { readonly of: string; readonly by: Promise<IndexFingerprint> }>> =
    {};

  constructor(sources: Pick<ViewSources, 'client' | 'names'>) {
    this.#sources = sources;
  }

  /** The sum is kept even if the caller has gone or its time is over. */
  async of({ deadline }: Pick<Searcher, 'deadline'>, view: View): Promise<IndexFingerprint> {
    const { kind, pit, sum } = view;
    const known = sum ?? NO_SUM;
    const { fingerprint, records, short } = known;
    const name = sum === null ? pit : short;
    if (name === null) return { fingerprint, records };
    if (this.#shorts[kind]?.of !== name) {
      const by = this.#short(view, known);
      this.#shorts[kind] = { of: name, by };
      by.catch(() => {
        if (this.#shorts[kind]?.by === by) delete this.#shorts[kind];
      });
    }
    return added(known, await deadline.within(this.#shorts[kind]!.by));
  }

  async #short(view: View, known: KeptSum): Promise<IndexFingerprint> {
    const { client, names } = this.#sources;
    const searcher = new Searcher(client, new Deadline());
    const by = added(await sumIn(searcher, view), known, -1);
    const keep = ({ sum, ...manifest }: Manifest): Manifest | null =>
      known.short === null || sum.short !== known.short
        ? null
        : { ...manifest, sum: { ...added(sum, by), short: null } };
    // A process without the right to write knows the sum all the same.
    await new ManifestStore(client, names.control, view.kind).change(keep).catch(() => undefined);
    return by;
  }
}

/** Sums up the cluster's documents: sums of 16 bits each are exact below 2^53, up to 2^37 records. */
async function sumIn(searcher: Searcher, view: View): Promise<IndexFingerprint> {
  if (view.pit === null) return { fingerprint: hexOf(0n), records: 0 };
  const { total, aggregations: mixes } = await searcher.search<Mixes>(view.pit, {
    ...{ query: allIn(view), size: 0 },
    aggs: MIX_SUMS,
  });
  return { fingerprint: hexOf(mixSum(mixes)), records: total };
}

export async function isEmptyView(searcher: Searcher, view: View): Promise<boolean> {
  if (view.pit === null) return true;
  const body = { query: allIn(view), size: 1, track_total_hits: false, _source: false } as const;
  return (await searcher.search(view.pit, body)).hits.length === 0;
}
