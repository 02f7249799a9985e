// What becomes of a bulk whose items fare differently.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Operation, writeAll } from '../../src/engines/opensearch/cluster/bulk.ts';
import { OpenSearchClient } from '../../src/engines/opensearch/cluster/client.ts';
import { FakeCluster } from './fake-cluster.ts';

const CREATED = { status: 201, _seq_no: 1, _primary_term: 1 };

/** Creates two documents; `item`: what is answered at first in place of the second one's success. */
async function createTwo(item: object): Promise<{ ids: string[][]; outcomes: readonly string[] }> {
  await using cluster = await FakeCluster.start();
  await using client = new OpenSearchClient(cluster.settings);
  const ids: string[][] = [];
  cluster.fault = ({ body }) => {
    const heads = body.split('\n').filter((line) => line.startsWith('{"create"'));
    ids.push(heads.map((line) => JSON.parse(line).create._id));
    const items = heads.map((_, i) => ({ create: ids.length === 1 && i === 1 ? item : CREATED }));
    return { status: 200, body: { items } };
  };
  const operations = ['a', 'b'].map((id): Operation => ({ kind: 'create', id, document: () => ({ id }) }));
  const outcomes = await writeAll(client, 'index', operations, async () => undefined);
  return { ids, outcomes: outcomes.map(({ kind }) => kind) };
}

for (const [status, type] of [
  [500, 'node_not_connected_exception'],
  [500, 'retry_on_primary_exception'],
  [503, 'unavailable_shards_exception'],
  [429, 'rejected_execution_exception'],
] as const) {
  it(`an item with status ${status}, ${type}, is sent again, alone`, async () => {
    const { ids, outcomes } = await createTwo({ status, error: { type, reason: 'of the test' } });
    assert.deepEqual(ids, [['a', 'b'], ['b']]);
    assert.deepEqual(outcomes, ['done', 'done']);
  });
}

it('an item that is refused for good is an error that says why', async () => {
  const error = { type: 'mapper_parsing_exception', reason: 'no such field' };
  await assert.rejects(
    createTwo({ status: 400, error }),
    /status 400, mapper_parsing_exception no such field/,
  );
});
