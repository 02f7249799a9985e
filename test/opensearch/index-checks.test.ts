// Indices that somebody has changed, in a real cluster: opening refuses them and says what to change, and writes
// nothing. What the cluster says of indices as we make them passes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenSearchClient, type OpenSearchSettings } from '../../src/engines/opensearch/cluster/client.ts';
import { type IndexNames, indexNames, makeIndex } from '../../src/engines/opensearch/cluster/indices.ts';
import { checkCluster } from '../../src/engines/opensearch/state/checked-client.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { KINDS, type Kind } from '../../src/model/record.ts';
import { exported } from '../engine-export.ts';
import { EVERYTHING } from '../engine-suite.ts';
import { comment, post } from '../helpers.ts';
import { silenceLog } from '../silent-log.ts';
import { call } from './harness.ts';
import { comments, inPlace, manifestIn, open } from './place.ts';
import { onCluster } from './test-cluster.ts';

silenceLog();

await onCluster('OpenSearch: indices that were changed', (nodes) => {
  it('those that we make pass without a word', () =>
    inPlace(nodes, async (settings) => {
      await using engine = await open(settings);
      await engine.index('comment', packRecords(comments(20)));
      await engine.hide(1, 'comment', { ids: ['c1'] });
      await using client = new OpenSearchClient(settings);
      assert.deepEqual(await checkCluster(client, settings, { timeoutMs: 30_000 }), []);
    }));

  it('one that something else made is refused, and nothing is written to it', () =>
    inPlace(nodes, async (settings) => {
      const { comment: index } = indexNames(settings);
      await call(settings, 'PUT', `/${index}`, {});
      const message =
        /expected one of Colloquy, version 3, found one that something else made; set another `COLL/;
      await assert.rejects(open(settings), { name: 'StorageError', message });
      assert.equal((await call<{ readonly count: number }>(settings, 'GET', `/${index}/_count`)).count, 0);
    }));

  it('one that is changed while the engine is open: what makes the next index finds it, and nothing is written', () =>
    inPlace(nodes, async (settings) => {
      await using engine = await open(settings);
      // As a template would make it.
      await call(settings, 'PUT', `/${indexNames(settings).comment}`, {});
      const damage = { name: 'IndexDamage', message: /found one that something else made/ };
      await assert.rejects(engine.index('comment', packRecords(comments(1))), damage);
    }));

  describe('under an engine that is open', () => {
    /** Posts and comments; both are read, and changed behind the back of who reads. */
    async function changed(
      change: (settings: OpenSearchSettings, names: IndexNames) => Promise<unknown>,
      expected: Readonly<Record<Kind, RegExp | null>>,
    ): Promise<void> {
      await inPlace(nodes, async (settings) => {
        await using engine = await open(settings);
        await engine.index('post', packRecords([post({ id: 'p' })]));
        await engine.index('comment', packRecords(comments(20)));
        const totals = { post: 1, comment: 20 };
        assert.deepEqual(await engine.damages(), { post: null, comment: null });
        for (const kind of KINDS) assert.equal(await totalOf(engine, kind), totals[kind]);
        await change(settings, indexNames(settings));
        // As a server does with each question; it looks every second.
        const endBy = performance.now() + 10_000;
        for (let isTold = false; !isTold && performance.now() < endBy; await sleep(100)) {
          await engine.refresh();
          const damages = await engine.damages();
          isTold = KINDS.every((kind) => (damages[kind] === null) === (expected[kind] === null));
        }
        await engine.warm();
        for (const kind of KINDS) {
          const message = expected[kind];
          const damage = { name: 'IndexDamage', ...(message && { message }) };
          if (message === null) assert.equal(await totalOf(engine, kind), totals[kind]);
          else {
            await assert.rejects(totalOf(engine, kind), damage);
            await assert.rejects(exported(engine, { kind }), damage);
            await assert.rejects(
              engine.index(kind, packRecords([kind === 'post' ? post({ id: 'x' }) : comment({ id: 'x' })])),
              damage,
            );
          }
        }
      });
    }

    it('a deleted index was a 500 of both kinds: it is damage of its own, and what to do is said', () =>
      changed((settings, { comment: index }) => call(settings, 'DELETE', `/${index}`), {
        post: null,
        comment:
          /-comments`: expected its records, found no index; restore all indices from one snapshot, or set/,
      }));

    it('without the index that controls, all was answered as empty: it is damage of both', () => {
      const message = /-control`: expected the manifest of `.*-posts`, found none; restore all indices/;
      return changed((settings, { control }) => call(settings, 'DELETE', `/${control}`), {
        post: message,
        comment: message,
      });
    });

    it('an alias of the posts in the place of the comments answered posts as comments', () =>
      changed(
        (settings, { post: index, comment: alias }) =>
          call(settings, 'POST', '/_aliases', {
            actions: [{ remove_index: { index: alias } }, { add: { index, alias } }],
          }),
        {
          post: null,
          comment: /expected no alias `.*-comments`, found one of index `.*-posts`; take it away/,
        },
      ));

    it('a mapping that is changed was not seen before the next start', () =>
      changed(
        (settings, { comment: index }) =>
          call(settings, 'PUT', `/${index}/_mapping`, { properties: { author: { type: 'keyword' } } }),
        { post: null, comment: /found it changed \(`author`\)/ },
      ));

    it('an index of the same name and mapping that is another one, as a snapshot brings back one alone', () =>
      changed(
        async (settings, { comment: index }) => {
          await call(settings, 'PUT', `/${index}/_settings`, { 'index.blocks.write': true });
          const open = { settings: { 'index.blocks.write': null } };
          await call(settings, 'POST', `/${index}/_clone/${index}-copy`, {
            settings: { 'index.blocks.write': true },
          });
          await call(settings, 'DELETE', `/${index}`);
          await call(settings, 'POST', `/${index}-copy/_clone/${index}`, open);
          await call(settings, 'DELETE', `/${index}-copy`);
        },
        { post: null, comment: /expected the one that `.*-control` speaks of, found another; restore all/ },
      ));
  });

  it('what a killed import has left without a record is not taken for damage', () =>
    inPlace(nodes, async (settings) => {
      await using client = new OpenSearchClient(settings);
      await makeIndex(client, settings, 'control');
      await manifestIn(client, settings).change((manifest) => manifest);
      for (const isMade of [false, true]) {
        if (isMade) await makeIndex(client, settings, 'comment');
        await using engine = await open(settings);
        assert.equal(await totalOf(engine, 'comment'), 0);
      }
      await using engine = await open(settings);
      assert.equal((await engine.index('comment', packRecords(comments(3)))).added, 3);
    }));
});

async function totalOf(engine: SearchEngine, kind: Kind): Promise<number> {
  await engine.refresh();
  return (await engine.ask({ kind, query: EVERYTHING, evidence: true })).total;
}
