// What was written, shown to searches.

import { EngineUnavailable } from '../../../model/engine-errors.ts';
import { type API, type OpenSearchClient, pathOf } from './client.ts';
import { SEE_HEALTH, type Shards } from './search.ts';

/** It writes segments: a busy node takes long. */
const LONG = { tryMs: 120_000, isOfWriter: true } as const;

/** Shows to searches what was written, on every copy that is there. Throws an OpenSearchRefusal without an index. */
export async function refreshIndex(client: OpenSearchClient, index: string): Promise<void> {
  await refreshed(client, index, []);
}

/** As `refreshIndex`; false where the index is not there. */
export async function refreshIfThere(client: OpenSearchClient, index: string): Promise<boolean> {
  return (await refreshed(client, index, [404])) !== 404;
}

async function refreshed(
  client: OpenSearchClient,
  index: string,
  expect: readonly number[],
): Promise<number> {
  const call = { method: 'POST', path: `${pathOf(index)}/_refresh` } as const;
  const { status, body } = await client.request<API.Indices_Refresh_ResponseBody>(call, { ...LONG, expect });
  if (status === 404 || (await isOfEachShard(client, index, body._shards))) return status;
  const { total, successful, failed } = body._shards;
  // Copies that are nowhere, where none has failed.
  const what = `${failed > 0 ? failed : total - successful} shards of \`${index}\` do not show what was written`;
  throw new EngineUnavailable(`OpenSearch: ${what}; ${SEE_HEALTH}; then run the same again`);
}

/** Whether each shard has a copy that did what was asked, and none failed. One that is nowhere has not. */
export async function isOfEachShard(
  client: OpenSearchClient,
  index: string,
  { total, successful, failed }: Shards,
  signal?: AbortSignal,
): Promise<boolean> {
  if (failed > 0 || successful === total) return failed === 0;
  const call = { method: 'GET', path: `/_cluster/health${pathOf(index)}` } as const;
  const { body } = await client.request<{ readonly status: string }>(call, { signal });
  return body.status !== 'red';
}
