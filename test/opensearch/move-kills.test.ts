// A move into a cluster, and out of one, whose process is killed: the same again brings the rest, and nothing is there
// twice or missing.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { KINDS } from '../../src/model/record.ts';
import { everything, RULES } from '../engine-suite.ts';
import { comment, post, temporaryFolder } from '../helpers.ts';
import { dieWhere, inPlace, isWrite, open } from './place.ts';
import type { Passing } from './proxy.ts';
import { onCluster } from './test-cluster.ts';

const POSTS = Array.from({ length: 5 }, (_, i) => post({ id: `p${i}`, created: 500 + i }));
/** More than two batches. */
const COMMENTS = Array.from({ length: 2_500 }, (_, i) =>
  comment({ id: `c${i}`, created: 1_000 + Math.floor(i / 7), body: `words ${i % 50}` }),
);
const STATE = { source: 'dump', state: 'half' };

await onCluster('a move that is killed', (nodes) => {
  /** At the so manieth of such requests. */
  function atThe(place: number, is: (passing: Passing) => boolean, where: 'before' | 'behind') {
    let found = 0;
    return (passing: Passing) => (is(passing) && ++found === place ? where : null);
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
    for (const [title, direction, places, is, where] of [
      ['into a cluster, behind some of its writes', 'to', [2, 7, 11], isWrite, 'behind'],
      ['out of a cluster, before some of its searches', 'from', [2, 6, 8], isSearch, 'before'],
    ] as const) {
      it(title, () =>
        inPlace(nodes, async (settings) => {
          using home = temporaryFolder();
          const folder = join(home.path, 'data');
          const embedded = () => openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
          const cluster = () => open(settings);
          const [source, target] = direction === 'to' ? [embedded, cluster] : [cluster, embedded];
          {
            await using engine = await source();
            await fill(engine);
          }
          const move = (at: Parameters<typeof dieWhere>[3]) =>
            dieWhere('move-process.ts', settings, [folder, direction], at);
          let killed = 0;
          for (const place of places) if (await move(atThe(place, is, where))) killed++;
          assert.ok(killed >= 2, `${killed} were killed`);
          assert.equal(await move(() => null), false);
          await using engine = await target();
          await expectAll(engine);
        }),
      );
    }
  });
});
