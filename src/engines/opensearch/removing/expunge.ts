// Takes deleted documents out of the files of an index. They stay in three places: in their segment, while a copy of
// the shard may still ask for the operation (retention leases, which follow within half a minute); in the translog,
// until a flush; and in merged segments, while a point in time reads them. Nobody may write to the index meanwhile.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import { type API, type OpenSearchClient, pathOf } from '../cluster/client.ts';
import { refreshIfThere } from '../cluster/refreshing.ts';
import { ofAllShards, type Shards } from '../cluster/search.ts';

/** How long to wait for a merge, in milliseconds. It goes on afterwards. */
const MERGE_MS = 60_000;
const POLL_MS = 1_000;
const ROUNDS = 3;

interface StatsReply {
  readonly _shards: Shards;
  readonly indices: Readonly<
    Record<string, { readonly shards: Readonly<Record<string, readonly ShardCopy[]>> }>
  >;
}

interface ShardCopy {
  readonly seq_no: { readonly max_seq_no: number; readonly global_checkpoint: number };
  readonly retention_leases: { readonly leases: readonly { readonly retaining_seq_no: number }[] };
  readonly translog: { readonly operations: number };
}

/**
 * True: no segment of any copy of the index has a deleted document any more, nor has the log of operations; files may
 * be kept by points in time that were open before (`openPits`). False: not yet, or not every copy of a shard is there.
 * Waits so many milliseconds for what hinders it. An index that is not there has nothing.
 */
export async function expunge(client: OpenSearchClient, index: string, patienceMs: number): Promise<boolean> {
  const endBy = performance.now() + patienceMs;
  if (!(await flush(client, index)) || (await isClean(client, index))) return true;
  while (!(await isLetGo(client, index))) {
    if (performance.now() + POLL_MS > endBy) return false;
    await sleep(POLL_MS);
  }
  for (let round = 0; round < ROUNDS; round++) {
    if (!(await merge(client, index))) return false;
    await flush(client, index);
    if (await isClean(client, index)) return true;
  }
  return false;
}

interface PitsReply {
  /** An id is null while its point in time is being opened. */
  readonly pits?: readonly { readonly pit_id: string | null }[];
}

/** Points in time that are open now over one of these indices, by any process: a short name for each. */
export async function openPits(
  client: OpenSearchClient,
  indices: readonly string[],
): Promise<readonly string[]> {
  const { status, body } = await client.request<PitsReply>(
    { method: 'GET', path: '/_search/point_in_time/_all' },
    { expect: [404] },
  );
  const ids = status === 404 ? [] : (body.pits ?? []).map(({ pit_id }) => pit_id);
  // Ids contain the names of their indices, but no document promises it. An id without any name counts as ours.
  const isOfOther = (id: string | null) => {
    if (id === null) return false;
    const text = Buffer.from(id, 'base64url').toString('latin1');
    return !indices.some((index) => text.includes(index));
  };
  return ids.filter((id) => !isOfOther(id)).map((id) => nameOf(id ?? ''));
}

/** False where the index is not there. */
async function flush(client: OpenSearchClient, index: string): Promise<boolean> {
  const query = { force: true, wait_if_ongoing: true };
  const { status } = await client.request(
    { method: 'POST', path: `${pathOf(index)}/_flush`, query },
    { expect: [404] },
  );
  return status !== 404 && (await refreshIfThere(client, index));
}

/** False: it takes longer. */
async function merge(client: OpenSearchClient, index: string): Promise<boolean> {
  const query = { only_expunge_deletes: true, flush: true };
  try {
    const { body } = await client.request<{ readonly _shards: Shards }>(
      { method: 'POST', path: `${pathOf(index)}/_forcemerge`, query },
      { timeoutMs: MERGE_MS },
    );
    return body._shards.failed === 0;
  } catch (error) {
    if (error instanceof EngineUnavailable) return false;
    throw error;
  }
}

/** Whether every copy of every shard is there, and none has to keep operations for another. */
async function isLetGo(client: OpenSearchClient, index: string): Promise<boolean> {
  const copies = await copiesOf(client, index);
  if (copies === null) return false;
  return copies.every(
    ({ seq_no: { max_seq_no, global_checkpoint }, retention_leases: { leases } }) =>
      global_checkpoint === max_seq_no &&
      leases.every(({ retaining_seq_no }) => retaining_seq_no > max_seq_no),
  );
}

async function isClean(client: OpenSearchClient, index: string): Promise<boolean> {
  const copies = await copiesOf(client, index);
  if (copies === null || copies.some(({ translog }) => translog.operations > 0)) return false;
  const { body } = await client.request<API.Indices_Segments_ResponseBody>({
    ...{ method: 'GET', path: `${pathOf(index)}/_segments` },
  });
  const segments = Object.values(body.indices)
    .flatMap(({ shards }) => Object.values(shards).flat())
    .flatMap((copy) => Object.values(copy.segments));
  return ofAllShards(body._shards) && segments.every(({ deleted_docs }) => deleted_docs === 0);
}

/** null: some are not there. */
async function copiesOf(client: OpenSearchClient, index: string): Promise<readonly ShardCopy[] | null> {
  const { body } = await client.request<StatsReply>({
    ...{ method: 'GET', path: `${pathOf(index)}/_stats`, query: { level: 'shards' } },
  });
  if (!ofAllShards(body._shards)) return null;
  return Object.values(body.indices).flatMap(({ shards }) => Object.values(shards).flat());
}

function nameOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 22);
}
