// One search in a view, looked at for wholeness: what comes back is of all shards, or it is an error. OpenSearch gives
// what it has with status 200 where a shard is lost, late, or nowhere. Fingerprints are sums over such searches.

import { randomUUID } from 'node:crypto';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import { hex64, type IndexFingerprint, recordMix, Sum64 } from '../../../model/hash.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { Call, OpenSearchClient, Reply, Types } from './client.ts';
import type { Deadline } from './deadline.ts';
import type { RecordSource } from './documents.ts';

export type Dsl = Readonly<Record<string, unknown>>;

export interface SearchBody {
  /** Absent: every document, of which bounds of a number are known without looking at them. */
  readonly query?: Dsl;
  /** How many hits, at most MAX_HITS. */
  readonly size: number;
  readonly sort?: readonly Dsl[];
  /** The sort values of the hit before the first one. */
  readonly search_after?: readonly SortValue[];
  readonly aggs?: Readonly<Record<string, Dsl>>;
  /** Absent: all are counted; false: they are not, and `total` is 0. */
  readonly track_total_hits?: false;
  /** Fields whose values hits come with; only those that are kept beside the source. */
  readonly docvalue_fields?: readonly string[];
  /** Absent: hits come with what is kept of their documents; otherwise with nothing of it, or these parts. */
  readonly _source?: false | readonly string[];
}

export type SortValue = string | number;

export interface Hit {
  readonly _id: string;
  readonly _source: RecordSource;
  /** Absent where no sort was asked for. */
  readonly sort: readonly SortValue[];
  /** Of `docvalue_fields`, each value once; a field without any is absent. */
  readonly fields?: Readonly<Record<string, readonly unknown[]>>;
}

export interface SearchResult<Aggregations> {
  readonly total: number;
  readonly hits: readonly Hit[];
  readonly aggregations: Aggregations;
}

/** Of one search: `max_result_window`. */
export const MAX_HITS = 10_000;

/** How long the cluster keeps a view that nobody asks. Each search begins it anew. */
export const KEEP_ALIVE = '10m';

/** How long one search may run where nobody gave a budget. */
const LONGEST_SEARCH_MS = 15 * 60_000;

/** The view is gone, whole or in part: it may be opened anew. */
export class ViewLost extends EngineUnavailable {
  readonly pit: string;

  constructor(pit: string, message: string) {
    super(`OpenSearch: ${message}`);
    this.name = 'ViewLost';
    this.pit = pit;
  }
}

/** Those that were asked; one that is nowhere counts in `total` alone. */
export type Shards = Types.Common.ShardStatistics;

export interface SearchReply<Found> {
  readonly timed_out?: boolean;
  readonly _shards?: Shards;
  readonly hits?: {
    readonly total?: { readonly value: number; readonly relation: string };
    readonly hits: readonly Found[];
  };
  readonly aggregations?: unknown;
  readonly error?: Types.Common.ErrorCause;
}

type WholeReply<Found> = SearchReply<Found> & Required<Pick<SearchReply<Found>, 'hits'>>;

/** Whether it is of all shards, and has not run out of time. */
export function isWhole<Found>(reply: SearchReply<Found>): reply is WholeReply<Found> {
  return reply.timed_out === false && ofAllShards(reply._shards) && reply.hits !== undefined;
}

/** An aggregation that counts by a number, the least first. `More`: of each bucket. */
export interface Histogram<More = unknown> {
  readonly buckets: readonly ({ readonly key: number; readonly doc_count: number } & More)[];
}

/** The searches of one question: all within its time. */
export class Searcher {
  readonly client: OpenSearchClient;
  readonly deadline: Deadline;

  constructor(client: OpenSearchClient, deadline: Deadline) {
    this.client = client;
    this.deadline = deadline;
  }

  /** Throws a ViewLost, an EngineUnavailable if a shard is missing, `query_timeout`, the signal's reason. */
  async search<A = undefined>(pit: string, body: SearchBody): Promise<SearchResult<A>> {
    const left = this.deadline.left();
    const sent = {
      track_total_hits: true,
      ...body,
      pit: { id: pit, keep_alive: KEEP_ALIVE },
      ...(this.deadline.isLimited && { timeout: `${Math.ceil(left)}ms` }),
    };
    // The name of a point in time of 200 shards takes some 20 KB, and each answer would repeat it.
    const query = { allow_partial_search_results: false, filter_path: '-pit_id' };
    const call = { path: '/_search', query, body: sent };
    const { status, body: reply } = await this.request<SearchReply<Hit>>(call, LOST);
    // What was cut off for its time may be told as the failure of a shard.
    this.deadline.left();
    if (status >= 300) throw new ViewLost(pit, reasonOf(status, reply));
    return this.#whole<A>(pit, reply, body.track_total_hits !== false);
  }

  /** The first `most` matches in the order of `sort`, in as few searches as there can be. Throws as `search` does. */
  async *pages(
    pit: string,
    body: Omit<SearchBody, 'size' | 'track_total_hits'>,
    most = Infinity,
  ): AsyncGenerator<readonly Hit[]> {
    let after = body.search_after;
    for (let left = most; left > 0; ) {
      const size = Math.min(MAX_HITS, left);
      const { hits }: SearchResult<undefined> = await this.search(pit, {
        ...{ ...body, size, track_total_hits: false },
        ...(after && { search_after: after }),
      });
      if (hits.length > 0) yield hits;
      if (hits.length < size) return;
      after = hits.at(-1)!.sort;
      left -= hits.length;
    }
  }

  /** How many match. Throws as `search` does, and so does `aggregate`. */
  async count(pit: string, query: Dsl): Promise<number> {
    return (await this.search(pit, { query, size: 0 })).total;
  }

  /** What the matches come to, of which nothing else is told. */
  async aggregate<A>(pit: string, query: Dsl, aggs: Readonly<Record<string, Dsl>>): Promise<A> {
    const body = { query, size: 0, track_total_hits: false, aggs } as const;
    return (await this.search<A>(pit, body)).aggregations;
  }

  /** Posts a body within the time of the question; `expect` are statuses besides 2xx that are answers. */
  async request<T extends object>(
    call: Pick<Call, 'path' | 'query' | 'body'>,
    expect: readonly number[] = [],
  ): Promise<Reply<T>> {
    const left = this.deadline.left();
    const { signal } = this.deadline;
    try {
      return await this.client.request<T>(
        { method: 'POST', ...call },
        {
          ...{ expect, signal },
          ...(this.deadline.isLimited ? { timeoutMs: left } : { tryMs: LONGEST_SEARCH_MS }),
        },
      );
    } catch (error) {
      const isLate =
        error instanceof EngineUnavailable && (error.cause as Error | undefined)?.name === 'TimeoutError';
      if (isLate && this.deadline.isLimited) throw this.deadline.over();
      throw error;
    }
  }

  #whole<A>(pit: string, body: SearchReply<Hit>, isCounted: boolean): SearchResult<A> {
    if (body.timed_out === true && this.deadline.isLimited) throw this.deadline.over();
    if (!isWhole(body) || (isCounted && body.hits.total?.relation !== 'eq')) {
      const { timed_out, _shards, hits } = body;
      const found = JSON.stringify({ timed_out, _shards, total: hits?.total });
      const message = `an answer is not of all shards: ${found}; ${SEE_HEALTH}`;
      throw ofAllShards(_shards)
        ? new EngineUnavailable(`OpenSearch: ${message}`)
        : new ViewLost(pit, message);
    }
    const { hits, aggregations } = body;
    return {
      total: isCounted ? hits.total!.value : 0,
      hits: hits.hits,
      aggregations: aggregations as A,
    };
  }
}

export const SEE_HEALTH = '`GET /_cluster/health` says which are missing';

/** Of a view that is gone, or whose nodes are. */
const LOST = [404, 500, 503];

/** Whether an answer is of all shards. Those that were passed over since nothing in them can match count as asked. */
export function ofAllShards(shards: Shards | undefined): boolean {
  return shards !== undefined && shards.failed === 0 && shards.successful === shards.total;
}

function reasonOf(status: number, { error }: SearchReply<Hit>): string {
  const reason = error?.root_cause?.[0]?.reason ?? '';
  return `a search failed with status ${status}: ${error?.type ?? ''} ${reason}`.trim();
}

const FIELDS = ['m0', 'm1', 'm2', 'm3'] as const;

/**
 * The aggregations that make Mixes: what documents add to fingerprints, summed up by the cluster. Four fields of 16
 * bits each (indices.ts), so that the sums are exact below 2^53, up to 2^37 records.
 */
export const MIX_SUMS: Readonly<Record<string, Dsl>> = Object.fromEntries(
  FIELDS.map((field) => [field, { sum: { field } }]),
);

export type Mixes = Readonly<Record<(typeof FIELDS)[number], { readonly value: number }>>;

/** Not yet modulo 2^64. */
export function mixSum(mixes: Mixes): bigint {
  return FIELDS.reduce((sum, field, i) => sum + (BigInt(mixes[field].value) << BigInt(16 * i)), 0n);
}

/** Modulo 2^64: 16 lower-case hex digits. */
export function hexOf(sum: bigint): string {
  return BigInt.asUintN(64, sum).toString(16).padStart(16, '0');
}

/** The sum in the manifest, updated by each change: of the records that readers see, folded-in removals aside. */
export interface KeptSum extends IndexFingerprint {
  /** null: it is of all of them. Otherwise names what it is short of: all sums of this name lack the same. */
  readonly short: string | null;
}

export const NO_SUM: KeptSum = { fingerprint: hexOf(0n), records: 0, short: null };

/** Nobody knows what there is; what comes and goes from now on is carried on. */
export function unknownSum(): KeptSum {
  return { ...NO_SUM, short: randomUUID() };
}

/** `change`: null: nobody knows it. */
export function carriedOn(sum: KeptSum, change: IndexFingerprint | null): KeptSum {
  return change === null ? unknownSum() : { ...added(sum, change), short: sum.short };
}

/** `sign`: -1 subtracts the other. */
export function added(one: IndexFingerprint, other: IndexFingerprint, sign: 1 | -1 = 1): IndexFingerprint {
  const mix = ({ fingerprint }: IndexFingerprint) => BigInt(`0x${fingerprint}`);
  return {
    fingerprint: hexOf(mix(one) + BigInt(sign) * mix(other)),
    records: one.records + sign * other.records,
  };
}

/** What a sum changes by. */
export function changeOf(came: readonly StoredRecord[], went: readonly StoredRecord[]): IndexFingerprint {
  const sum = new Sum64();
  for (const record of came) sum.add(recordMix(record));
  for (const record of went) sum.subtract(recordMix(record));
  return { fingerprint: hex64(sum.value()), records: came.length - went.length };
}
