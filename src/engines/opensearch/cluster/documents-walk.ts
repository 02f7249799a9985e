// Documents of an index: by id, refreshed or not, or page by page, as searches show them now or in a point in time.

import { setTimeout as sleep } from 'node:timers/promises';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import { type Version, type Versioned, versionOf } from './bulk.ts';
import {
  type API,
  type CallOptions,
  type OpenSearchClient,
  OpenSearchRefusal,
  pathOf,
  type Types,
} from './client.ts';
import { lengthOf, Steps } from './hit-walk.ts';
import {
  type Dsl,
  isWhole,
  KEEP_ALIVE,
  ofAllShards,
  SEE_HEALTH,
  type SearchReply,
  type SortValue,
  ViewLost,
} from './search.ts';

/** A document as it was read. */
export interface Found<Source> {
  readonly id: string;
  readonly source: Source;
  readonly at: Version;
}

/** A document as the cluster tells it: by its id, or in a search. */
interface Told<Source> extends Versioned {
  readonly _id: string;
  readonly _source: Source;
  readonly found?: boolean;
  readonly error?: Types.Common.ErrorCause;
  readonly sort?: readonly SortValue[];
}

function foundOf<Source>(told: Told<Source>): Found<Source> {
  return { id: told._id, source: told._source, at: versionOf(told) };
}

/** Documents of one request where nobody knows yet how long they are. */
const FIRST = 32;
const MOST = 500;

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
  const steps = new Steps(FIRST, MOST);
  for (let from = 0; from < ids.length; ) {
    const to = from + steps.most();
    const docs = ids.slice(from, to).map((_id) => ({ _index: index, _id }));
    const there = await getAll<Source>(client, docs, options);
    for (const told of there) found.set(told._id, foundOf(told));
    // Missing documents count too, since a caller may look for what is gone.
    for (const i of docs.keys()) steps.count(lengthOf(there[i]?._source));
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
  for (let from = 0; from < ids.length; from += MOST) {
    const docs = ids.slice(from, from + MOST).map((_id) => ({ _index: index, _id, _source: false }));
    for (const { _id } of await getAll<never>(client, docs, options)) there.add(_id);
  }
  return there;
}

async function getAll<Source>(
  client: Pick<OpenSearchClient, 'request'>,
  docs: readonly object[],
  { signal, patienceMs = PATIENCE_MS, isOfWriter }: ReadOptions,
): Promise<Told<Source>[]> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const call = { method: 'POST', path: '/_mget', body: { docs } } as const;
    const { body } = await client.request<{ readonly docs: readonly Told<Source>[] }>(call, {
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

interface Walked {
  /** An index, or a point in time. */
  readonly from: { readonly index: string } | { readonly pit: string };
  readonly query: Dsl;
  /** The field that orders documents; no two have the same value. */
  readonly by: string;
}

/**
 * Documents in pages, ascending by the field; none without an index. Works on the index, not a view: nobody else may
 * write meanwhile. Throws an EngineUnavailable if a part is missing.
 */
export async function* walkDocuments<Source>(
  client: OpenSearchClient,
  { from, query, by }: Walked,
): AsyncGenerator<readonly Found<Source>[]> {
  const steps = new Steps(FIRST, MOST);
  let after: readonly SortValue[] | undefined;
  for (;;) {
    const size = steps.most();
    const reply = await search<Source>(client, from, {
      ...{ query, size, sort: [{ [by]: 'asc' }], track_total_hits: false, seq_no_primary_term: true },
      ...(after && { search_after: after }),
    });
    const found: readonly Told<Source>[] = reply?.hits?.hits ?? [];
    if (found.length > 0) yield found.map(foundOf);
    if (found.length < size) return;
    for (const { _source } of found) steps.count(lengthOf(_source));
    after = found.at(-1)!.sort;
  }
}

export async function countDocuments(client: OpenSearchClient, index: string, query: Dsl): Promise<number> {
  const found = await search(client, { index }, { query, size: 0, track_total_hits: true });
  return found?.hits?.total?.value ?? 0;
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
  return Number(found?.hits?.hits[0]?.sort?.[0] ?? 0);
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
  const { body } = await client.request<API.CreatePit_ResponseBody>({ method: 'POST', path, query }, options);
  if (ofAllShards(body._shards)) return body.pit_id;
  await closePit(client, body.pit_id);
  throw new EngineUnavailable(
    `OpenSearch: a view is not of all shards: ${JSON.stringify(body._shards)}; ${SEE_HEALTH}`,
  );
}

/** If it stays open, the cluster drops it after `KEEP_ALIVE`. */
export async function closePit(client: OpenSearchClient, pit: string): Promise<void> {
  const call = { method: 'DELETE', path: '/_search/point_in_time', body: { pit_id: [pit] } } as const;
  await client.request(call, { expect: [404], timeoutMs: CLOSE_MS }).catch(() => undefined);
}

const CLOSE_MS = 1_000;

/** An answer of all shards; null: there is no index. */
async function search<Source>(
  client: OpenSearchClient,
  from: Walked['from'],
  body: object,
): Promise<SearchReply<Told<Source>> | null> {
  const isView = 'pit' in from;
  const { status, body: reply } = await client.request<SearchReply<Told<Source>>>(
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
  if (isWhole(reply)) return reply;
  throw new EngineUnavailable(`OpenSearch: an answer is not of all shards; ${SEE_HEALTH}`);
}
