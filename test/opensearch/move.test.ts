// `colloquy move` into a cluster and back, by the command line: answers, removals, places of imports and times of
// arrival are those of before.

import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { NO_RECORDS } from '../../src/model/record.ts';
import { RULES } from '../engine-suite.ts';
import { linkPost, temporaryFolder } from '../helpers.ts';
import { environmentOf, inPlace, run } from './place.ts';
import { onCluster } from './test-cluster.ts';

const fileOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const SAMPLE = ['sample/posts.ndjson', 'sample/comments.ndjson'].map(fileOf);

const QUESTIONS: readonly (readonly string[])[] = [
  ['posts', '', '--limit', '1000'],
  ['posts', 'the', '--order', 'top', '--fields', 'id,arrived_utc,score'],
  ['comments', '', '--limit', '1000', '--order', 'oldest', '--fields', 'id,arrived_utc,body'],
  ['comments', 'a|the -of', '--limit', '30'],
  ['comments', '', '--under', 'the', '--limit', '30'],
];

interface Move {
  readonly posts: { readonly target: { readonly records: number } };
  readonly whole: boolean;
}

await onCluster('move', (nodes) => {
  it('brings a data folder into a cluster, and back, and answers stay what they were', () =>
    inPlace(nodes, async (settings) => {
      using home = temporaryFolder();
      const folder = join(home.path, 'data');
      /** What it prints on standard output. */
      const colloquy = async (words: readonly string[], engine = 'embedded') => {
        const own = { ...environmentOf(settings), COLLOQUY_DATA: folder, COLLOQUY_ENGINE: engine };
        const { code, stdout, stderr } = await run(words, own);
        assert.equal(code, 0, stderr);
        return stdout;
      };
      const answers = async (engine: string) => {
        const all: unknown[] = [];
        for (const question of QUESTIONS) {
          all.push(JSON.parse(await colloquy(['search', ...question, '--json'], engine)));
        }
        all.push(await colloquy(['remove', '--list', '--json'], engine));
        return all;
      };
      await colloquy(['import', ...SAMPLE]);
      const all = JSON.parse(await colloquy(['search', 'posts', '', '--limit', '1000', '--json']));
      const { id } = all.data[3];
      await colloquy(['remove', 'posts', id, '--with-comments', '--purge']);
      {
        await using engine = await openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
        await engine.index('comment', NO_RECORDS, { source: 'dump', state: 'half' });
        // As older versions stored it: longer than a keyword may be.
        const stored = linkPost({ id: 'longdomain', domain: '日'.repeat(40_000), title: 'the old one' });
        await engine.index('post', packRecords([stored]));
      }
      const before = await answers('embedded');

      const there: Move = JSON.parse(await colloquy(['move', '--to', 'opensearch', '--json']));
      assert.equal(there.whole, true);
      // One was removed, one came in.
      assert.equal(there.posts.target.records, all.total_count);
      assert.deepEqual(await answers('opensearch'), before);
      // The list refuses in the cluster what it refused here.
      const imported = JSON.parse(await colloquy(['import', SAMPLE[0]!, '--json'], 'opensearch'));
      assert.equal(imported.skipped.removed, 1);

      // The old index goes; accounts and catalogue stay.
      for (const name of readdirSync(folder)) {
        if (/^(?:posts|comments)(?:\.db.*)?$/.test(name)) {
          rmSync(join(folder, name), { recursive: true });
        }
      }
      const back: Move = JSON.parse(await colloquy(['move', '--to', 'embedded', '--json'], 'opensearch'));
      assert.equal(back.whole, true);
      assert.deepEqual(await answers('embedded'), before);
      assert.match(await colloquy(['check']), /no problems/);
      await using engine = await openEmbeddedEngine(folder, { rules: RULES, workers: 0 });
      assert.equal((await engine.checkpoints('comment')).get('dump'), 'half');
    }));
});
