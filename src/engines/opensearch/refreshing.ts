// What was written, shown to searches.

import { EngineUnavailable } from '../../model/engine-errors.ts';
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

/** Shows to searches what was written, on every copy that is there. */
export async function refreshIndex(client: OpenSearchClient, index: string): Promise<void> {
  const call = { method: 'POST', path: `${pathOf(index)}/_refresh` } as const;
  await expectEachShard(client, index, (await client.request<RefreshReply>(call)).body._shards);
}

/** As `refreshIndex`; false where the index is not there. */
export async function refreshIfThere(client: OpenSearchClient, index: string): Promise<boolean> {
  const call = { method: 'POST', path: `${pathOf(index)}/_refresh` } as const;
  const { status, body } = await client.request<RefreshReply>(call, { expect: [404] });
  if (status === 404) return false;
  await expectEachShard(client, index, body._shards);
  return true;
}

/**
 * Throws an EngineUnavailable where a copy failed, or a shard of the index has none: the answer counts as a success then,
 * of fewer copies.
 */
export async function expectEachShard(
  client: OpenSearchClient,
  index: string,
  { total, successful, failed }: AskedShards,
  signal?: AbortSignal,
): Promise<void> {
  const short = (what: string) =>
    new EngineUnavailable(`OpenSearch: ${what} of \`${index}\`; ${SEE_HEALTH}; then run the same again`);
  if (failed > 0) throw short(`${failed} shards failed`);
  if (successful === total) return;
  const call = { method: 'GET', path: `/_cluster/health${pathOf(index)}` } as const;
  const { body } = await client.request<{ readonly status: string }>(call, { signal });
  if (body.status === 'red') throw short('no node has some shards');
}
