import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clientOf, listen } from '../../../../test/opensearch/one-node.ts';
import { openPits } from './expunge.ts';

it('a point in time that was being opened has no id yet, and ended an erasure with a TypeError: it counts as open', async () => {
  const ids = [null, 'of-posts', 'of-others'].map((name) => name && Buffer.from(name).toString('base64url'));
  await using node = await listen((_request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ pits: ids.map((pit_id) => ({ pit_id })) }));
  });
  await using client = clientOf(node);
  assert.equal((await openPits(client, ['posts'])).length, 2);
});
