// Documents read by their ids as they are now, refreshed or not. OpenSearch answers 200 whatever became of them: each
// is looked at.

import { setTimeout as sleep } from 'node:timers/promises';
import { EngineUnavailable } from '../../model/engine-errors.ts';
import type { Version } from './bulk.ts';
import { type OpenSearchClient, OpenSearchRefusal } from './client.ts';
import { DocumentSteps } from './document-steps.ts';
import { SEE_HEALTH } from './search.ts';

/** A document, as it was when it was read. */
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

/** Where no more than their ids comes back. */
const IDS_AT_ONCE = 500;

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds for which a shard is waited for: one that has just been made, or whose node has gone. Absent:
   * PATIENCE_MS.
   */
  readonly patienceMs?: number;
  /** As of CallOptions. */
  readonly isOfWriter?: true;
}

const PATIENCE_MS = 30_000;
const PAUSE_MS = 100;
/** How long a node may take; then another is asked. */
const TRY_MS = 10_000;

/**
 * By id; what is not there is absent, as everything is where there is no index. Those of the first few ids are of one
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
    // What is not there counts too: one that looks for what is gone asks for many.
    steps.add(docs.map((_, i) => there[i]?._source));
    from = to;
  }
  return found;
}

/** Which of these ids are there. */
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
