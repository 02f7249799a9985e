// Documents of an index: by id, refreshed or not, or page by page, as searches show them now or in a point in time.

import { setTimeout as sleep } from 'node:timers/promises';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import type { Version } from './bulk.ts';
import { type CallOptions, type OpenSearchClient, OpenSearchRefusal, pathOf } from './client.ts';
import { DocumentSteps } from './hit-walk.ts';
import {
  type Dsl,
  KEEP_ALIVE,
  ofAllShards,
  SEE_HEALTH,
  type Shards,
  type SortValue,
  ViewLost,
} from './search.ts';

/** A document as it was read. */
export interface Found<Source> {
  readonly source: Source;
  readonly at: Version;
}

interface Reply<Source> {
  readonly docs: readonly {
    readonly _id: string;
    readonly found?: boolean;
    readonly _seq_no: number;
    readonly _primary_term: number;
    readonly _source: Source;
    readonly error?: { readonly type: string; readonly reason?: string };
  }[];
}

/** Ids of one request if only they come back. */
const IDS_AT_ONCE = 500;

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to wait for a new or lost shard. Absent: PATIENCE_MS. */
  readonly patienceMs?: number;
  /** As of CallOptions. */
  readonly isOfWriter?: true;
}

const PATIENCE_MS = 30_000;
const PAUSE_MS = 100;
/** How long a node may take before another is asked. */
const TRY_MS = 10_000;

/**
 * Documents by id; missing ones are absent. Checks each, since OpenSearch always answers 200. The first few are of one
 * moment.
 */
export async function multiGet<Source>(
  client: Pick<OpenSearchClient, 'request'>,
  index: string,
  ids: readonly string[],
  options: ReadOptions = {},
): Promise<Map<string, Found<Source>>> {
  const found = new Map<string, Found<Source>>();
  const steps = new DocumentSteps();
  for (let from = 0; from < ids.length; ) {
    const to = from + steps.most();
    const docs = ids.slice(from, to).map((_id) => ({ _index: index, _id }));
    const there = await getAll<Source>(client, docs, options);
    for (const { _id, _source: source, _seq_no, _primary_term } of there) {
      found.set(_id, { source, at: { if_seq_no: _seq_no, if_primary_term: _primary_term } });
    }
    // Missing documents count too, since a caller may look for what is gone.
    steps.add(docs.map((_, i) => there[i]?._source));
    from = to;
  }
  return found;
}

export async function multiHas(
  client: Pick<OpenSearchClient, 'request'>,
  index: string,
  ids: readonly string[],
  options: ReadOptions = {},
): Promise<ReadonlySet<string>> {
  const there = new Set<string>();
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const docs = ids.slice(from, from + IDS_AT_ONCE).map((_id) => ({ _index: index, _id, _source: false }));
    for (const { _id } of await getAll<never>(client, docs, options)) there.add(_id);
  }
  return there;
}

async function getAll<Source>(
  client: Pick<OpenSearchClient, 'request'>,
  docs: readonly object[],
  { signal, patienceMs = PATIENCE_MS, isOfWriter }: ReadOptions,
): Promise<Reply<Source>['docs'][number][]> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const call = { method: 'POST', path: '/_mget', body: { docs } } as const;
    const { body } = await client.request<Reply<Source>>(call, {
      ...{ signal, timeoutMs: patienceMs, tryMs: Math.min(TRY_MS, patienceMs) },
      ...(isOfWriter && { isOfWriter }),
    });
    const failed = body.docs.find(({ error }) => error !== undefined && error.type !== NO_INDEX);
    if (failed === undefined) return body.docs.filter(({ found }) => found === true);
    if (failed.error!.type === CLOSED)
      throw new OpenSearchRefusal(400, CLOSED, `an index of ${call.path} is closed`);
    if (performance.now() > deadline) {
      const { type, reason = '' } = failed.error!;
      throw new EngineUnavailable(`OpenSearch: a document cannot be read: ${type} ${reason}; ${SEE_HEALTH}`);
    }
    await sleep(PAUSE_MS);
    signal?.throwIfAborted();
  }
}

const NO_INDEX = 'index_not_found_exception';
const CLOSED = 'index_closed_exception';

export interface FoundIn<Source> {
  readonly id: string;
  readonly source: Source;
  readonly at: Version;
}

interface Walked {
  /** An index, or a point in time. */
  readonly from: { readonly index: string } | { readonly pit: string };
  readonly query: Dsl;
  /** The field that orders documents; no two have the same value. */
  readonly by: string;
}

interface WalkReply<Source> {
  readonly timed_out?: boolean;
  readonly _shards?: Shards;
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
  readonly aggregations?: unknown;
  readonly error?: { readonly type?: string };
}

/**
 * Documents in pages, ascending by the field; none without an index. Works on the index, not a view: nobody else may
 * write meanwhile. Throws an EngineUnavailable if a part is missing.
 */
export async function* walkDocuments<Source>(
  client: OpenSearchClient,
  { from, query, by }: Walked,
): AsyncGenerator<readonly FoundIn<Source>[]> {
  const steps = new DocumentSteps();
  let after: readonly SortValue[] | null = null;
  for (;;) {
    const size = steps.most();
    const reply: Whole<Source> | null = await search<Source>(client, from, {
      ...{ query, size, sort: [{ [by]: 'asc' }], track_total_hits: false, seq_no_primary_term: true },
      ...(after !== null && { search_after: after }),
    });
    const found: Whole<Source>['hits']['hits'] = reply?.hits.hits ?? [];
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

export async function countDocuments(client: OpenSearchClient, index: string, query: Dsl): Promise<number> {
  const found = await search(client, { index }, { query, size: 0, track_total_hits: true });
  return found?.hits.total?.value ?? 0;
}

/** What the matches come to; null: there is no index. */
export async function aggregateDocuments<A>(
  client: OpenSearchClient,
  index: string,
  query: Dsl,
  aggs: Readonly<Record<string, Dsl>>,
): Promise<A | null> {
  const found = await search(client, { index }, { query, size: 0, track_total_hits: false, aggs });
  return found && (found.aggregations as A);
}

/** The largest value of a field of numbers; 0: there is no value or no index. */
export async function largestOf(client: OpenSearchClient, index: string, field: string): Promise<number> {
  const sort = [{ [field]: { order: 'desc', mode: 'max' } }];
  const query = { exists: { field } };
  const found = await search(client, { index }, { query, size: 1, sort, _source: false });
  return Number(found?.hits.hits[0]?.sort[0] ?? 0);
}

/**
 * Opens a point in time of an index, for `closePit`. Throws an OpenSearchRefusal without an index, an EngineUnavailable
 * if a shard is missing.
 */
export async function openPit(
  client: OpenSearchClient,
  index: string,
  options?: Pick<CallOptions, 'timeoutMs'>,
): Promise<string> {
  const path = `${pathOf(index)}/_search/point_in_time`;
  const query = { keep_alive: KEEP_ALIVE, allow_partial_pit_creation: false };
  const { body } = await client.request<PitReply>({ method: 'POST', path, query }, options);
  if (ofAllShards(body._shards)) return body.pit_id;
  await closePit(client, body.pit_id);
  throw new EngineUnavailable(
    `OpenSearch: a view is not of all shards: ${JSON.stringify(body._shards)}; ${SEE_HEALTH}`,
  );
}

interface PitReply {
  readonly pit_id: string;
  readonly _shards: Shards;
}

/** If it stays open, the cluster drops it after `KEEP_ALIVE`. */
export async function closePit(client: OpenSearchClient, pit: string): Promise<void> {
  const call = { method: 'DELETE', path: '/_search/point_in_time', body: { pit_id: [pit] } } as const;
  await client.request(call, { expect: [404], timeoutMs: CLOSE_MS }).catch(() => undefined);
}

const CLOSE_MS = 1_000;

type Whole<Source> = WalkReply<Source> & Required<Pick<WalkReply<Source>, 'hits'>>;

/** null: there is no index. */
async function search<Source>(
  client: OpenSearchClient,
  from: Walked['from'],
  body: object,
): Promise<Whole<Source> | null> {
  const isView = 'pit' in from;
  const { status, body: reply } = await client.request<WalkReply<Source>>(
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
  return { ...reply, hits: reply.hits };
}
