// What was written, shown to searches.

import { EngineUnavailable } from '../../model/engine-errors.ts';
import { type OpenSearchClient, pathOf } from './client.ts';

interface RefreshReply {
  readonly _shards: { readonly failed: number };
}

/** Shows to searches what was written, on every copy that is there. */
export async function refreshIndex(client: OpenSearchClient, index: string): Promise<void> {
  const { body } = await client.request<RefreshReply>({ method: 'POST', path: `${pathOf(index)}/_refresh` });
  if (body._shards.failed > 0) {
    throw new EngineUnavailable(
      `OpenSearch: ${body._shards.failed} shards of \`${index}\` are not refreshed`,
    );
  }
}
