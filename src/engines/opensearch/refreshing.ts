// What was written, shown to searches.

import { EngineUnavailable } from '../../model/engine-errors.ts';
import { type OpenSearchClient, pathOf } from './client.ts';
import { SEE_HEALTH } from './search.ts';

interface RefreshReply {
  readonly _shards: { readonly failed: number };
}

/** Shows to searches what was written, on every copy that is there. */
export async function refreshIndex(client: OpenSearchClient, index: string): Promise<void> {
  const call = { method: 'POST', path: `${pathOf(index)}/_refresh` } as const;
  expectWhole(index, (await client.request<RefreshReply>(call)).body);
}

/** As `refreshIndex`; false where the index is not there. */
export async function refreshIfThere(client: OpenSearchClient, index: string): Promise<boolean> {
  const call = { method: 'POST', path: `${pathOf(index)}/_refresh` } as const;
  const { status, body } = await client.request<RefreshReply>(call, { expect: [404] });
  if (status === 404) return false;
  expectWhole(index, body);
  return true;
}

function expectWhole(index: string, { _shards: { failed } }: RefreshReply): void {
  if (failed === 0) return;
  const what = `${failed} shards of \`${index}\` do not show what was written`;
  throw new EngineUnavailable(`OpenSearch: ${what}; ${SEE_HEALTH}; then run the same again`);
}
