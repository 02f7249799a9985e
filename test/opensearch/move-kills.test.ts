// A move into a cluster, and out of one, whose process is killed: the same again brings the rest, and nothing is there
// twice or missing.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import type { OpenSearchSettings } from '../../src/engines/opensearch/cluster/client.ts';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { KINDS } from '../../src/model/record.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { everything, RULES } from '../engine-suite.ts';
import { comment, post, temporaryFolder } from '../helpers.ts';
import { type Passing, startProxy, type Verdict } from './proxy.ts';
import { inPlace } from './removing-suite.ts';
import { onCluster } from './test-cluster.ts';

const POSTS = Array.from({ length: 5 }, (_, i) => post({ id: `p${i}`, created: 500 + i }));
/** More than two batches. */
const COMMENTS = Array.from({ length: 2_500 }, (_, i) =>
  comment({ id: `c${i}`, created: 1_000 + Math.floor(i / 7), body: `words ${i % 50}` }),
);
const STATE = { source: 'dump', state: 'half' };
const SCRIPT = fileURLToPath(new URL('move-process.ts', import.meta.url));

type Direction = 'to' | 'from';

await onCluster('a move that is killed', (nodes) => {
  /** Kills it where `isThere` says so; false: it was through before. */
  async function dieWhere(
    settings: OpenSearchSettings,
    folder: string,
    direction: Direction,
    { isThere, verdict }: { isThere(passing: Passing): boolean; readonly verdict: 'hold' | 'hold answer' },
  ): Promise<boolean> {
    const reached = Promise.withResolvers<void>();
    let isOver = false;
    const judge = (passing: Passing): Verdict => {
      if (isOver) return 'hold';
      isOver = isThere(passing);
      if (!isOver) return 'pass';
      // What is done with its answer lost must be done before the process is.
      if (verdict === 'hold answer') setTimeout(reached.resolve, 300);
      else reached.resolve();
      return verdict;
    };
    await using proxy = await startProxy(nodes[0]!, judge);
    const words = [JSON.stringify({ ...settings, nodes: [proxy.address] }), folder, direction];
    const child = spawn(process.execPath, [SCRIPT, ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(child, 'exit');
    await Promise.race([reached.promise, ended]);
    child.kill('SIGKILL');
    const [code, signal] = await ended;
    assert.ok(code === 0 || signal === 'SIGKILL', `exit code ${code}`);
    return code === null;
  }

  async function moveAgain(
    settings: OpenSearchSettings,
    folder: string,
    direction: Direction,
  ): Promise<void> {
    const words = [JSON.stringify(settings), folder, direction];
    const child = spawn(process.execPath, [SCRIPT, ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  }

  async function expectAll(engine: SearchEngine): Promise<void> {
    await engine.refresh();
    const found = await Promise.all(KINDS.map((kind) => everything(engine, kind)));
    const expected = [POSTS, COMMENTS].map((records) => new Set(records.map(({ id }) => id)));
    assert.deepEqual(
      found.map((records) => new Set(records.map(({ id }) => id))),
      expected,
    );
    assert.deepEqual(
      found.map(({ length }) => length),
      [POSTS.length, COMMENTS.length],
    );
    assert.equal(await engine.checkpoint('comment', STATE.source), STATE.state);
  }

  async function fill(engine: SearchEngine): Promise<void> {
    await engine.index('post', packRecords(POSTS));
    await engine.index('comment', packRecords(COMMENTS), STATE);
  }

  const isWrite = ({ method, path }: Passing) => method === 'PUT' || /_(bulk|refresh)/.test(path);

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
            let writes = 0;
            const isThere = (passing: Passing) => isWrite(passing) && ++writes === place;
            if (await dieWhere(settings, folder, 'to', { isThere, verdict })) killed++;
          }
          assert.ok(killed >= 2, `${killed} were killed`);
          await moveAgain(settings, folder, 'to');
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
          let searches = 0;
          const isThere = ({ path }: Passing) => path.startsWith('/_search?') && ++searches === place;
          if (await dieWhere(settings, folder, 'from', { isThere, verdict: 'hold' })) killed++;
        }
        assert.ok(killed >= 2, `${killed} were killed`);
        await moveAgain(settings, folder, 'from');
        await using embedded = await openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
        await expectAll(embedded);
      }));
  });
});
