// What was written, shown to searches.

import { EngineUnavailable } from '../../../model/engine-errors.ts';
import { type OpenSearchClient, pathOf } from './client.ts';
import { SEE_HEALTH } from './search.ts';

/** Copies of shards that were asked; one that is nowhere counts in `total` alone. */
export interface AskedShards {
  readonly total: number;
  readonly successful: number;
  readonly failed: number;
}

interface RefreshReply {
  readonly _shards: AskedShards;
}

/** It writes segments: a busy node takes long. */
const LONG = { tryMs: 120_000, isOfWriter: true } as const;

/** Shows to searches what was written, on every copy that is there. */
export async function refreshIndex(client: OpenSearchClient, index: string): Promise<void> {
  const call = { method: 'POST', path: `${pathOf(index)}/_refresh` } as const;
  await expectWhole(client, index, (await client.request<RefreshReply>(call, LONG)).body);
}

/** As `refreshIndex`; false where the index is not there. */
export async function refreshIfThere(client: OpenSearchClient, index: string): Promise<boolean> {
  const call = { method: 'POST', path: `${pathOf(index)}/_refresh` } as const;
  const { status, body } = await client.request<RefreshReply>(call, { ...LONG, expect: [404] });
  if (status === 404) return false;
  await expectWhole(client, index, body);
  return true;
}

async function expectWhole(
  client: OpenSearchClient,
  index: string,
  { _shards }: RefreshReply,
): Promise<void> {
  if (await isOfEachShard(client, index, _shards)) return;
  const what = `${missingOf(_shards)} shards of \`${index}\` do not show what was written`;
  throw new EngineUnavailable(`OpenSearch: ${what}; ${SEE_HEALTH}; then run the same again`);
}

/** Those that failed; copies that are nowhere where none did. */
function missingOf({ total, successful, failed }: AskedShards): number {
  return failed > 0 ? failed : total - successful;
}

/**
 * Whether every shard of an index has a copy that did what was asked, and none has failed: one that is nowhere has not.
 */
export async function isOfEachShard(
  client: OpenSearchClient,
  index: string,
  { total, successful, failed }: AskedShards,
  signal?: AbortSignal,
): Promise<boolean> {
  if (failed > 0 || successful === total) return failed === 0;
  const call = { method: 'GET', path: `/_cluster/health${pathOf(index)}` } as const;
  const { body } = await client.request<{ readonly status: string }>(call, { signal });
  return body.status !== 'red';
}
