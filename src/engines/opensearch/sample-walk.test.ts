// A sample of more matches than are looked at is refused before any of them is.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EngineLimit } from '../../model/engine-errors.ts';
import { MAX_MATCHES, sampleIds } from './answering/sample.ts';
import { OpenSearchClient } from './cluster/client.ts';
import { Deadline } from './cluster/deadline.ts';
import { Searcher } from './cluster/search.ts';

describe('a sample of more matches than are looked at', () => {
  it('is what this engine cannot do', async () => {
    // Nothing is sent: nobody listens there.
    const nodes = ['http://127.0.0.1:1'];
    const settings = { nodes, prefix: 'x', signIn: null, ca: null, shards: 1, replicas: 0 };
    await using client = new OpenSearchClient(settings);
    const matching = {
      searcher: new Searcher(client, new Deadline()),
      pit: '',
      query: {},
      total: MAX_MATCHES + 1,
    };
    await assert.rejects(sampleIds(matching, { size: 1, seed: '1' }), (error) => {
      assert.ok(error instanceof EngineLimit);
      assert.deepEqual(error.reached, { limit: 'not_here', what: 'samples of more than 50,000 matches' });
      return true;
    });
  });
});
