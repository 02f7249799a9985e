// A move into a cluster, and out of one, whose process is killed: the same again brings the rest, and nothing is there
// twice or missing.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import type { OpenSearchSettings } from '../../src/engines/opensearch/cluster/client.ts';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { KINDS } from '../../src/model/record.ts';
import { everything, RULES } from '../engine-suite.ts';
import { comment, post, temporaryFolder } from '../helpers.ts';
import { dieWhere, inPlace } from './place.ts';
import type { Passing } from './proxy.ts';
import { onCluster } from './test-cluster.ts';

const POSTS = Array.from({ length: 5 }, (_, i) => post({ id: `p${i}`, created: 500 + i }));
/** More than two batches. */
const COMMENTS = Array.from({ length: 2_500 }, (_, i) =>
  comment({ id: `c${i}`, created: 1_000 + Math.floor(i / 7), body: `words ${i % 50}` }),
);
const STATE = { source: 'dump', state: 'half' };

type Direction = 'to' | 'from';

await onCluster('a move that is killed', (nodes) => {
  /** Kills it at the so manieth of such requests, before it or once its answer is held; false: it was through. */
  function dieAt(
    settings: OpenSearchSettings,
    work: readonly [folder: string, Direction],
    place: number,
    { is, verdict }: { is(passing: Passing): boolean; readonly verdict: 'hold' | 'hold answer' },
  ): Promise<boolean> {
    let found = 0;
    return dieWhere('move-process.ts', settings, work, (passing, kill) => {
      if (found === place) return 'hold';
      if (!is(passing) || ++found < place) return 'pass';
      // What is done with its answer lost must be done before the process is.
      if (verdict === 'hold answer') setTimeout(kill, 300);
      else kill();
      return verdict;
    });
  }

  async function moveAgain(settings: OpenSearchSettings, work: readonly [string, Direction]): Promise<void> {
    assert.equal(await dieWhere('move-process.ts', settings, work, () => 'pass'), false);
  }

  async function expectAll(engine: SearchEngine): Promise<void> {
    await engine.refresh();
    const found = await Promise.all(KINDS.map((kind) => everything(engine, kind)));
    const expected = [POSTS, COMMENTS].map((records) => new Set(records.map(({ id }) => id)));
    const ids = found.map((records) => new Set(records.map(({ id }) => id)));
    assert.deepEqual(ids, expected);
    const counts = found.map(({ length }) => length);
    assert.deepEqual(counts, [POSTS.length, COMMENTS.length]);
    assert.equal((await engine.checkpoints('comment')).get(STATE.source), STATE.state);
  }

  async function fill(engine: SearchEngine): Promise<void> {
    await engine.index('post', packRecords(POSTS));
    await engine.index('comment', packRecords(COMMENTS), STATE);
  }

  const isWrite = ({ method, path }: Passing) => method === 'PUT' || /_(bulk|refresh)/.test(path);
  const isSearch = ({ path }: Passing) => path.startsWith('/_search?');

  // Each waits long for writers that died.
  describe('at some moments', { concurrency: true }, () => {
    for (const verdict of ['hold', 'hold answer'] as const) {
      it(`into a cluster, ${verdict === 'hold' ? 'before' : 'behind'} some of its writes`, () =>
        inPlace(nodes, async (settings) => {
          using home = temporaryFolder();
          const folder = join(home.path, 'data');
          {
            await using embedded = await openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
            await fill(embedded);
          }
          let killed = 0;
          for (const place of [2, 7, 11]) {
            if (await dieAt(settings, [folder, 'to'], place, { is: isWrite, verdict })) killed++;
          }
          assert.ok(killed >= 2, `${killed} were killed`);
          await moveAgain(settings, [folder, 'to']);
          await using cluster = await openOpenSearchEngine(settings, { rules: RULES });
          await expectAll(cluster);
        }));
    }

    it('out of a cluster, before some of its searches', () =>
      inPlace(nodes, async (settings) => {
        using home = temporaryFolder();
        const folder = join(home.path, 'data');
        {
          await using cluster = await openOpenSearchEngine(settings, { rules: RULES });
          await fill(cluster);
        }
        let killed = 0;
        for (const place of [2, 6, 8]) {
          if (await dieAt(settings, [folder, 'from'], place, { is: isSearch, verdict: 'hold' })) killed++;
        }
        assert.ok(killed >= 2, `${killed} were killed`);
        await moveAgain(settings, [folder, 'from']);
        await using embedded = await openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
        await expectAll(embedded);
      }));
  });
});
