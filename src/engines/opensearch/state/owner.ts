// Which data folder owns the indices. Its list of removals and its settings decide what may be in them, so no other
// folder may write or read them. The first write names the owner in the control index.

import { StorageError } from '../../../errors.ts';
import {
  type CallOptions,
  type OpenSearchClient,
  type OpenSearchSettings,
  pathOf,
} from '../cluster/client.ts';
import { indexNames } from '../cluster/indices.ts';

/** As `EngineOptions.identity`; undefined: the folder is not looked at. */
export type Identity = string | null | undefined;

type Asker = Pick<OpenSearchClient, 'request'>;

interface OwnerReply {
  readonly found?: boolean;
  readonly _source?: { readonly body: { readonly identity: string } };
}

/** Throws a StorageError where the indices belong to another folder. Nobody owns them before the first write. */
export async function expectOwner(
  client: Asker,
  settings: OpenSearchSettings,
  identity: Identity,
  options?: CallOptions,
): Promise<void> {
  if (identity === undefined) return;
  const path = pathOfOwner(settings);
  const { body } = await client.request<OwnerReply>({ method: 'GET', path }, { ...options, expect: [404] });
  const owner = body._source?.body.identity;
  if (owner === undefined || owner === identity) return;
  throw new StorageError(
    `OpenSearch: expected indices \`${settings.prefix}-…\` of this data folder, found those of another, ` +
      'whose list of removals this one does not have; use that folder or a restored backup of it, or set another ' +
      `\`COLLOQUY_OPENSEARCH_PREFIX\`; where it is lost for good, \`DELETE ${path}\` leaves the indices to the folder ` +
      'that writes next, and what was removed may come back with the next import',
  );
}

/** Before the first write of a process; the index that controls is there. Throws as `expectOwner`. */
export async function claimIndices(
  client: Asker,
  settings: OpenSearchSettings,
  identity: Identity,
): Promise<void> {
  if (identity === undefined || identity === null) return;
  const document = { what: 'folder', body: { identity } };
  const call = {
    method: 'PUT',
    path: pathOfOwner(settings),
    query: { op_type: 'create' },
    body: document,
  } as const;
  const { status } = await client.request(call, { expect: [409] });
  if (status === 409) await expectOwner(client, settings, identity);
}

function pathOfOwner(settings: OpenSearchSettings): string {
  return pathOf(indexNames(settings).control, '_doc', 'folder');
}
