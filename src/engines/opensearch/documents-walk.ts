// Documents of an index page by page, as searches show them now or in a point in time of its own. For what works on the
// index itself, not on a view: who calls sees to it that nobody else writes meanwhile, or asks a point in time.

import { EngineUnavailable } from '../../model/engine-errors.ts';
import type { Version } from './bulk.ts';
import { type OpenSearchClient, OpenSearchRefusal, pathOf } from './client.ts';
import { DocumentSteps } from './document-steps.ts';
import { type Dsl, KEEP_ALIVE, ofAllShards, SEE_HEALTH, type SortValue, ViewLost } from './search.ts';

export interface FoundIn<Source> {
  readonly id: string;
  readonly source: Source;
  readonly at: Version;
}

export interface Walked {
  /** An index, or a point in time. */
  readonly from: { readonly index: string } | { readonly pit: string };
  readonly query: Dsl;
  /** The field whose values give the order; no two documents have the same one. */
  readonly by: string;
}

interface Reply<Source> {
  readonly timed_out?: boolean;
  readonly _shards?: { readonly total: number; readonly successful: number; readonly failed: number };
  readonly hits?: {
    readonly total?: { readonly value: number };
    readonly hits: readonly {
      readonly _id: string;
      readonly _seq_no: number;
      readonly _primary_term: number;
      readonly _source: Source;
      readonly sort: readonly SortValue[];
    }[];
  };
  readonly error?: { readonly type?: string };
}

/**
 * In pages, up by the field; none where the index is not there. Throws an EngineUnavailable where a part is missing.
 */
export async function* walkDocuments<Source>(
  client: OpenSearchClient,
  { from, query, by }: Walked,
): AsyncGenerator<readonly FoundIn<Source>[]> {
  const steps = new DocumentSteps();
  let after: readonly SortValue[] | null = null;
  for (;;) {
    const size = steps.most();
    const hits: NonNullable<Reply<Source>['hits']> | null = await search<Source>(client, from, {
      ...{ query, size, sort: [{ [by]: 'asc' }], track_total_hits: false, seq_no_primary_term: true },
      ...(after !== null && { search_after: after }),
    });
    const found: NonNullable<Reply<Source>['hits']>['hits'] = hits?.hits ?? [];
    if (found.length > 0) {
      yield found.map(({ _id, _source, _seq_no, _primary_term }) => ({
        ...{ id: _id, source: _source },
        at: { if_seq_no: _seq_no, if_primary_term: _primary_term },
      }));
    }
    if (found.length < size) return;
    steps.add(found.map(({ _source }) => _source));
    after = found.at(-1)!.sort;
  }
}

/** How many there are; 0 where the index is not there. */
export async function countDocuments(client: OpenSearchClient, index: string, query: Dsl): Promise<number> {
  const hits = await search(client, { index }, { query, size: 0, track_total_hits: true });
  return hits?.total?.value ?? 0;
}

/** A point in time of an index; null where it is not there. For `closePit`. */
export async function openPit(client: OpenSearchClient, index: string): Promise<string | null> {
  const { status, body } = await client.request<{
    pit_id: string;
    _shards: NonNullable<Reply<never>['_shards']>;
  }>(
    {
      ...{ method: 'POST', path: `${pathOf(index)}/_search/point_in_time` },
      query: { keep_alive: KEEP_ALIVE, allow_partial_pit_creation: false },
    },
    { expect: [404] },
  );
  if (status === 404) return null;
  if (ofAllShards(body._shards)) return body.pit_id;
  await closePit(client, body.pit_id);
  throw new EngineUnavailable(`OpenSearch: a view of \`${index}\` is not of all shards; ${SEE_HEALTH}`);
}

/** One that stays open is dropped by the cluster after `KEEP_ALIVE`. */
export async function closePit(client: OpenSearchClient, pit: string): Promise<void> {
  const call = { method: 'DELETE', path: '/_search/point_in_time', body: { pit_id: [pit] } } as const;
  await client.request(call, { expect: [404], timeoutMs: 1_000 }).catch(() => undefined);
}

/** null where the index is not there. */
async function search<Source>(
  client: OpenSearchClient,
  from: Walked['from'],
  body: object,
): Promise<NonNullable<Reply<Source>['hits']> | null> {
  const isView = 'pit' in from;
  const { status, body: reply } = await client.request<Reply<Source>>(
    {
      ...{ method: 'POST', path: isView ? '/_search' : `${pathOf(from.index)}/_search` },
      query: { allow_partial_search_results: false },
      body: isView ? { ...body, pit: { id: from.pit, keep_alive: KEEP_ALIVE } } : body,
    },
    { expect: [404] },
  );
  if (status === 404) {
    if (isView) throw new ViewLost(from.pit, 'a view of what is hidden is gone');
    if (reply.error?.type === 'index_not_found_exception') return null;
    throw new OpenSearchRefusal(status, reply.error?.type ?? '', `search of \`${from.index}\`: status 404`);
  }
  if (reply.timed_out !== false || !ofAllShards(reply._shards) || reply.hits === undefined) {
    throw new EngineUnavailable(`OpenSearch: an answer is not of all shards; ${SEE_HEALTH}`);
  }
  return reply.hits;
}
