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
import { dieWhere, inPlace, isWrite } from './place.ts';
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
  /** At the so manieth of such requests. */
  function atThe(place: number, is: (passing: Passing) => boolean, where: 'before' | 'behind') {
    let found = 0;
    return (passing: Passing) => (is(passing) && ++found === place ? where : null);
  }

  async function moveAgain(settings: OpenSearchSettings, work: readonly [string, Direction]): Promise<void> {
    assert.equal(await dieWhere('move-process.ts', settings, work, () => null), false);
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

  const isSearch = ({ path }: Passing) => path.startsWith('/_search?');

  // Each waits long for writers that died.
  describe('at some moments', { concurrency: true }, () => {
    it('into a cluster, behind some of its writes', () =>
      inPlace(nodes, async (settings) => {
        using home = temporaryFolder();
        const folder = join(home.path, 'data');
        {
          await using embedded = await openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
          await fill(embedded);
        }
        let killed = 0;
        for (const place of [2, 7, 11]) {
          const at = atThe(place, isWrite, 'behind');
          if (await dieWhere('move-process.ts', settings, [folder, 'to'], at)) killed++;
        }
        assert.ok(killed >= 2, `${killed} were killed`);
        await moveAgain(settings, [folder, 'to']);
        await using cluster = await openOpenSearchEngine(settings, { rules: RULES });
        await expectAll(cluster);
      }));

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
          const at = atThe(place, isSearch, 'before');
          if (await dieWhere('move-process.ts', settings, [folder, 'from'], at)) killed++;
        }
        assert.ok(killed >= 2, `${killed} were killed`);
        await moveAgain(settings, [folder, 'from']);
        await using embedded = await openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
        await expectAll(embedded);
      }));
  });
});
