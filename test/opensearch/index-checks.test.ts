// Indices that somebody has changed, in a real cluster: opening refuses them and says what to change, and writes
// nothing. What the cluster says of indices as we make them passes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Call, OpenSearchClient, pathOf } from '../../src/engines/opensearch/client.ts';
import { type IndexNames, indexNames, makeIndex } from '../../src/engines/opensearch/indices.ts';
import { checkCluster } from '../../src/engines/opensearch/start-checks.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { comments, inPlace, open } from './removing-suite.ts';
import { onCluster } from './test-cluster.ts';

const CHANGED: readonly (readonly [what: string, change: (names: IndexNames) => Call, words: RegExp])[] = [
  [
    'that refreshes by itself',
    ({ comment }) => settingsCall(comment, { 'index.refresh_interval': '1s' }),
    /expected `index\.refresh_interval` -1, found 1s; set it back with `PUT \/test-.*-comments\/_settings/,
  ],
  [
    'whose translog is written later',
    ({ control }) => settingsCall(control, { 'index.translog.durability': 'async' }),
    /expected `index\.translog\.durability` request, found async; set it back/i,
  ],
  [
    'that searches slices of a shard side by side',
    ({ comment }) => settingsCall(comment, { 'index.search.concurrent_segment_search.mode': 'all' }),
    /expected `index\.search\.concurrent_segment_search\.mode` none, found all; set it back/,
  ],
  [
    'whose documents a pipeline changes',
    ({ comment }) => settingsCall(comment, { 'index.final_pipeline': 'dates' }),
    /expected no `index\.final_pipeline`, found dates; take it away with/,
  ],
  [
    'with a field more',
    ({ comment }) => ({
      ...{ method: 'PUT', path: `${pathOf(comment)}/_mapping` },
      body: { properties: { author: { type: 'keyword' } } },
    }),
    /expected the mapping that Colloquy made, found it changed \(`author`\)/,
  ],
];

function settingsCall(index: string, body: Readonly<Record<string, unknown>>): Call {
  return { method: 'PUT', path: `${pathOf(index)}/_settings`, body };
}

await onCluster('OpenSearch: indices that were changed', (nodes) => {
  it('those that we make pass without a word', () =>
    inPlace(nodes, async (settings) => {
      await using engine = await open(settings);
      await engine.index('comment', packRecords(comments(20)));
      await engine.hide(1, 'comment', { ids: ['c1'] });
      await using client = new OpenSearchClient(settings);
      assert.deepEqual(await checkCluster(client, settings, { timeoutMs: 30_000 }), []);
    }));

  describe('are refused, and nothing is written to them', () => {
    for (const [what, change, message] of CHANGED) {
      it(`one ${what}`, () =>
        inPlace(nodes, async (settings) => {
          await using client = new OpenSearchClient(settings);
          await makeIndex(client, settings, 'control');
          await makeIndex(client, settings, 'comment');
          await client.request(change(indexNames(settings)));
          await assert.rejects(open(settings), { name: 'StorageError', message });
        }));
    }

    it('one with another number of shards than is set', () =>
      inPlace(nodes, async (settings) => {
        await using client = new OpenSearchClient(settings);
        await makeIndex(client, { ...settings, shards: 2 }, 'comment');
        await assert.rejects(open(settings), {
          ...{
            name: 'StorageError',
            message: /expected `index\.number_of_shards` 3, found 2; set `COLLOQUY/,
          },
        });
      }));

    it('one that something else made', () =>
      inPlace(nodes, async (settings) => {
        await using client = new OpenSearchClient(settings);
        const { comment } = indexNames(settings);
        await client.request({ method: 'PUT', path: pathOf(comment), body: {} });
        const message =
          /expected one of Colloquy, version 2, found one that something else made; set another `COLL/;
        await assert.rejects(open(settings), { name: 'StorageError', message });
        const { body } = await client.request<{ readonly count: number }>({
          ...{ method: 'GET', path: `${pathOf(comment)}/_count` },
        });
        assert.equal(body.count, 0);
      }));
  });

  it('one that is changed while the engine is open: what makes the next index finds it, and nothing is written', () =>
    inPlace(nodes, async (settings) => {
      await using engine = await open(settings);
      await using client = new OpenSearchClient(settings);
      const { comment } = indexNames(settings);
      // As a template would make it.
      await client.request({ method: 'PUT', path: pathOf(comment), body: {} });
      await assert.rejects(engine.index('comment', packRecords(comments(1))), {
        ...{ name: 'StorageError', message: /found one that something else made/ },
      });
    }));
});
