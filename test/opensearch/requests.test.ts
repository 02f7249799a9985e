// How many requests to the cluster a question of the API costs.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { openService } from '../api/service.ts';
import { RULES } from '../engine-suite.ts';
import { comment, post } from '../helpers.ts';
import { deleteIndices, freshSettings } from './harness.ts';
import { startProxy } from './proxy.ts';
import { onCluster } from './test-cluster.ts';

const MANIFESTS = 'POST /_mget';
const SEARCH = 'POST /_search?allow_partial_search_results=false';
const IN_CATS = { community: 'cats', communityId: 'c1' };
const COMMENTS = Array.from({ length: 60 }, (_, i) =>
  comment({ id: `a${i}`, created: 1_000 + i, body: `cat ${i % 2 === 0 ? 'even' : 'odd'}`, ...IN_CATS }),
);

/** Whose community's id is told by others. */
const BARE = comment({ id: 'bare', created: 900, body: 'bare', community: 'cats', communityId: '' });

await onCluster('requests to the cluster', (nodes) => {
  it('a page of 25: the manifests and one search; communities that are new to the view, one more of each kind', async () => {
    const settings = freshSettings(nodes);
    const requests: string[] = [];
    await using proxy = await startProxy(nodes[0]!, ({ method, path }) => {
      requests.push(`${method} ${path}`);
      return 'pass';
    });
    try {
      const behind = { ...settings, nodes: [proxy.address] };
      await using service = await openService([post({ id: 'p', ...IN_CATS })], [...COMMENTS, BARE], () =>
        openOpenSearchEngine(behind, { rules: RULES }),
      );
      const server = await service.build();
      const headers = { authorization: `Bearer ${service.keys.good}` };
      /** What one page asks for. */
      const asked = async (words: string) => {
        requests.length = 0;
        await pageOf(words);
        return [...requests];
      };
      const pageOf = async (words: string) => {
        const url = `/api/v1/search/comments?query=${encodeURIComponent(words)}&limit=25`;
        const answer = await server.inject({ url, headers });
        assert.equal(answer.statusCode, 200, answer.body);
        return answer.json().data;
      };
      const idOfBare = async () => (await pageOf('bare'))[0].subreddit.id;
      await asked('nothing');
      assert.deepEqual(await asked('cat'), [MANIFESTS, SEARCH, SEARCH, SEARCH]);
      assert.deepEqual(await asked('even'), [MANIFESTS, SEARCH]);
      assert.equal(await idOfBare(), 'c1');
      const more = comment({ id: 'more', created: 5_000, body: 'cat', ...IN_CATS, communityId: 'c0' });
      await service.engine.index('comment', packRecords([more]));
      assert.equal(await idOfBare(), 'c0', 'what the newer view says');
      assert.deepEqual(await asked('odd'), [MANIFESTS, SEARCH]);
    } finally {
      await deleteIndices(settings);
    }
  });
});
