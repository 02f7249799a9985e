// What no corpus of the conformance suite or of the agreement with the reference engine reaches: sizes, and what a
// cluster is not asked.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { comment } from '../../../../test/helpers.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import { MAX_TOKEN_UNITS } from '../../../text/tokenizer.ts';
import { OpenSearchClient } from '../cluster/client.ts';
import { Deadline } from '../cluster/deadline.ts';
import { Steps } from '../cluster/hit-walk.ts';
import { indexBody } from '../cluster/indices.ts';
import { type Hit, Searcher } from '../cluster/search.ts';
import { tokensIn } from './queries.ts';
import { MAX_MATCHES, sampleIds } from './sample.ts';

it('steps bring some 16 MiB, one record at the least, 10,000 at the most', () => {
  const hitsOfLength = (length: number): Hit[] =>
    Array.from({ length: 10 }, () => {
      const r = comment({ id: '1', body: 'x'.repeat(length) });
      return { _id: '1', sort: [], _source: { r, a: 1, b: '', g: 1 } };
    });
  for (const [length, least, most] of [
    [0, 10_000, 10_000],
    [10_000, 1_400, 1_700],
    [1_048_576, 15, 16],
    [20_000_000, 1, 1],
  ] as const) {
    const steps = new Steps();
    steps.add(hitsOfLength(length));
    assert.ok(steps.most() >= least && steps.most() <= most, `${length}: ${steps.most()}`);
  }
});

it('a sample of more matches than are looked at is what this engine cannot do, and none of them is looked at', async () => {
  // Nothing is sent: nobody listens there.
  const nodes = ['http://127.0.0.1:1'];
  const settings = { nodes, prefix: 'x', signIn: null, shards: 1, replicas: 0 };
  await using client = new OpenSearchClient(settings);
  const searcher = new Searcher(client, new Deadline());
  const matching = { searcher, pit: '', query: {}, total: MAX_MATCHES + 1 };
  await assert.rejects(sampleIds(matching, { size: 1, seed: '1' }), (error) => {
    assert.ok(error instanceof EngineLimit);
    assert.deepEqual(error.reached, { limit: 'not_here', what: 'samples of more than 50,000 matches' });
    return true;
  });
});

/** Longer tokens are cut in pieces by the analyzer `whitespace` of OpenSearch, in UTF-16 units. */
const MAX_WHITESPACE_TOKEN = 255;

it('no token of ours is cut in pieces by the analyzer of the mapping', () => {
  const settings = { nodes: [], prefix: 'test', shards: 1, replicas: 0, signIn: null };
  const { t } = indexBody(settings, 'post').mappings.properties!;
  assert.equal((t as { readonly analyzer: string }).analyzer, 'whitespace');
  assert.ok(MAX_TOKEN_UNITS < MAX_WHITESPACE_TOKEN);
});

it('tokens behind a prefix are those of all shards, each once; a shard without any names the prefix itself', () => {
  const found = tokensIn(['t:pan t:panel', 't:pan*', 't:panel t:pants']);
  assert.deepEqual([...found], ['t:pan', 't:panel', 't:pants']);
  assert.equal(tokensIn(['t:pan*', 't:pan*']).size, 0);
});
