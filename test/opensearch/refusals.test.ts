// What a cluster refuses for the moment, document by document: the disk is full, or too much is asked of it at once.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenSearchSettings, Patience } from '../../src/engines/opensearch/cluster/client.ts';
import { type IndexRole, indexNames } from '../../src/engines/opensearch/cluster/indices.ts';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { EVERYTHING, everything, RULES } from '../engine-suite.ts';
import { call } from './harness.ts';
import { comments, inPlace, open } from './place.ts';
import { type Answer, startProxy, type Verdict } from './proxy.ts';
import { onCluster } from './test-cluster.ts';

const FIRST = comments(200);
const SECOND = comments(300, {}, 100);
const ALL = comments(400);
/** Operations of a bulk that a node has room for. */
const MOST_TOLD = 120;
/** Documents are given up soon; a request has time, as a slow machine may refresh a shard for a second. */
const SHORT = { requestMs: 5_000, documentsMs: 700 };

await onCluster('OpenSearch: what is refused for the moment', (nodes) => {
  function behindProxy(
    test: (engine: SearchEngine, settings: OpenSearchSettings) => Promise<void>,
    judge: (passing: { readonly path: string }) => Verdict,
    patience?: Partial<Patience>,
  ): Promise<void> {
    return inPlace(nodes, async (settings) => {
      await using proxy = await startProxy(nodes[0]!, judge);
      const asked = { ...settings, nodes: [proxy.address] };
      await using engine = await openOpenSearchEngine(asked, { rules: RULES }, patience);
      await test(engine, settings);
    });
  }

  /** As OpenSearch itself does where a disk is over its flood-stage watermark; on all of these indices. */
  async function block(settings: OpenSearchSettings, isBlocked: boolean, roles: IndexRole[]): Promise<void> {
    const names = roles.map((role) => indexNames(settings)[role]).join(',');
    const body = { 'index.blocks.read_only_allow_delete': isBlocked ? true : null };
    await call(settings, 'PUT', `/${names}/_settings`, body);
  }

  describe('a full disk', () => {
    for (const roles of [['comment'], ['comment', 'control']] satisfies IndexRole[][]) {
      it(`under ${roles}: an import stops with words that name the disk, and goes on once there is room`, () =>
        behindProxy(
          async (engine, settings) => {
            const total = async () => (await engine.ask({ kind: 'comment', query: EVERYTHING })).total;
            await engine.index('comment', packRecords(FIRST), { source: 'dump', state: 'first' });
            await block(settings, true, roles);
            const second = () =>
              engine.index('comment', packRecords(SECOND), { source: 'dump', state: 'second' });
            await assert.rejects(second(), {
              ...{ name: 'EngineUnavailable', message: /^a disk of OpenSearch is full.*run the same again/ },
            });
            assert.equal(await total(), FIRST.length, 'questions are answered');
            assert.equal((await engine.checkpoints('comment')).get('dump'), 'first');
            await block(settings, false, roles);
            assert.deepEqual(await second(), { added: 200, replaced: 0, unchanged: 100, removed: 0 });
            assert.deepEqual(await everything(engine, 'comment'), ALL);
            assert.equal((await engine.checkpoints('comment')).get('dump'), 'second');
          },
          () => 'pass',
          SHORT,
        ));
    }

    it('that gets room while an import waits is not told of', () => {
      let refusals = 0;
      return behindProxy(
        async (engine, settings) => {
          await engine.index('comment', packRecords(FIRST));
          await block(settings, true, ['comment', 'control']);
          const second = engine.index('comment', packRecords(SECOND));
          while (refusals < 2) await sleep(20);
          await block(settings, false, ['comment', 'control']);
          assert.deepEqual(await second, { added: 200, replaced: 0, unchanged: 100, removed: 0 });
          assert.deepEqual(await everything(engine, 'comment'), ALL);
        },
        () => async (body, ask) => {
          const told = await ask(body);
          if (told.body.includes('read-only-allow-delete')) refusals++;
          return told;
        },
      );
    });
  });

  describe('a full queue', () => {
    it('of which a node does a part and refuses the rest is sent the rest again, and counted once', () => {
      let refused = 0;
      return behindProxy(
        async (engine) => {
          assert.deepEqual(await engine.index('comment', packRecords(FIRST)), {
            ...{ added: 200, replaced: 0, unchanged: 0, removed: 0 },
          });
          const came = refused;
          assert.ok(came > 0, 'some were refused');
          assert.deepEqual(await engine.index('comment', packRecords(SECOND)), {
            ...{ added: 200, replaced: 0, unchanged: 100, removed: 0 },
          });
          assert.ok(refused > came, 'some were refused again');
          assert.deepEqual(await everything(engine, 'comment'), ALL);
        },
        ({ path }) => {
          if (!path.includes('/_bulk')) return 'pass';
          return (body, ask) => partly(body, ask, (left) => (refused += left));
        },
      );
    });

    it('that stays full ends a batch, of which nothing is seen; where a shard starts anew all that was before is', () => {
      let isFull = false;
      let room = MOST_TOLD;
      return behindProxy(
        async (engine, settings) => {
          await engine.index('comment', packRecords(FIRST));
          isFull = true;
          await assert.rejects(engine.index('comment', packRecords(SECOND)), {
            ...{ name: 'EngineUnavailable', message: /rejected_execution_exception/ },
          });
          await engine.refresh();
          assert.deepEqual(await everything(engine, 'comment'), FIRST);
          await call(settings, 'POST', `/${indexNames(settings).comment}/_refresh`);
          assert.deepEqual(await everything(engine, 'comment'), FIRST);
          await using other = await open(settings);
          const seen = await everything(other, 'comment');
          assert.deepEqual(seen.slice(0, FIRST.length), FIRST);
          isFull = false;
          await engine.index('comment', packRecords(SECOND));
          assert.deepEqual(await everything(engine, 'comment'), ALL);
        },
        ({ path }) => {
          if (!path.includes('/_bulk') || !isFull) return 'pass';
          return (body, ask) => {
            const most = room;
            room = 0;
            return partly(body, ask, () => 0, most);
          };
        },
        SHORT,
      );
    });
  });
});

/** A bulk of which a node does the first few operations, and has no room for the others. */
async function partly(
  body: string,
  ask: (body: string) => Promise<Answer>,
  note: (refused: number) => unknown,
  most = MOST_TOLD,
): Promise<Answer> {
  const operations: string[] = [];
  const lines = body.split('\n').slice(0, -1);
  for (let i = 0; i < lines.length; ) {
    const length = lines[i]!.startsWith('{"delete"') ? 1 : 2;
    operations.push(lines.slice(i, i + length).join('\n'));
    i += length;
  }
  const done = operations.slice(0, most);
  const told = done.length === 0 ? { status: 200, body: '{"items":[]}' } : await ask(`${done.join('\n')}\n`);
  const left = operations.length - done.length;
  note(left);
  const error = { type: 'rejected_execution_exception', reason: 'rejected execution of a test' };
  const items = JSON.parse(told.body).items.concat(
    Array.from({ length: left }, () => ({ create: { status: 429, error } })),
  );
  return { status: told.status, body: JSON.stringify({ items }) };
}
