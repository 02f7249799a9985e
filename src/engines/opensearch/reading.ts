// Documents read by their ids as they are now, refreshed or not, and the refresh that shows them to searches.

import { EngineUnavailable } from '../../model/engine-errors.ts';
import type { Version } from './bulk.ts';
import { type OpenSearchClient, pathOf } from './client.ts';
import type { RecordSource } from './documents.ts';

/** A document of a record, as it was when it was read. */
export interface FoundDocument {
  readonly source: RecordSource;
  readonly at: Version;
}

const IDS_AT_ONCE = 500;

interface MultiGetReply {
  readonly docs: readonly {
    readonly _id: string;
    readonly found?: boolean;
    readonly _seq_no: number;
    readonly _primary_term: number;
    readonly _source: RecordSource;
    readonly error?: { readonly type: string; readonly reason: string };
  }[];
}

/** By id; what is not there is absent. */
export async function readDocuments(
  client: OpenSearchClient,
  index: string,
  ids: readonly string[],
): Promise<Map<string, FoundDocument>> {
  const found = new Map<string, FoundDocument>();
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const { body } = await client.request<MultiGetReply>({
      ...{ method: 'POST', path: `${pathOf(index)}/_mget` },
      body: { ids: ids.slice(from, from + IDS_AT_ONCE) },
    });
    for (const { _id, found: isFound, error, _source, _seq_no, _primary_term } of body.docs) {
      if (error !== undefined) throw new EngineUnavailable(`OpenSearch: ${error.type} ${error.reason}`);
      if (isFound !== true) continue;
      found.set(_id, { source: _source, at: { if_seq_no: _seq_no, if_primary_term: _primary_term } });
    }
  }
  return found;
}

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
