// The indices of a prefix belong to the data folder that wrote them first: no other is let in, and a copy of it is.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { EVERYTHING, RULES } from '../engine-suite.ts';
import { post, temporaryFolder } from '../helpers.ts';
import { environmentOf, inPlace, run } from './place.ts';
import { onCluster } from './test-cluster.ts';

const OTHERS = {
  name: 'StorageError',
  message: /expected indices `\S+-…` of this data folder, found those of another.*COLLOQUY_OPENSEARCH_PREFIX/,
};

await onCluster('indices belong to one data folder', (nodes) => {
  it('two folders with one prefix: the first write decides, the other is refused then and at its start', () =>
    inPlace(nodes, async (settings) => {
      const open = (identity: string | null) => openOpenSearchEngine(settings, { rules: RULES, identity });
      await using first = await open('one');
      await using second = await open('two');
      await first.index('post', packRecords([post({ id: 'p1' })]));
      await assert.rejects(second.index('post', packRecords([post({ id: 'p2' })])), OTHERS);
      await assert.rejects(second.hide(1, 'post', { ids: ['p1'] }), OTHERS);
      await assert.rejects(open('two'), OTHERS);
      await assert.rejects(open(null), OTHERS, 'a folder without a name has never written');
      await using again = await open('one');
      assert.equal((await again.ask({ kind: 'post', query: EVERYTHING })).total, 1);

      // As the message says, where the folder is lost for good.
      const words = await open('two').then(String, String);
      const path = /`DELETE (\S+)`/.exec(words)![1]!;
      assert.equal((await fetch(new URL(path, nodes[0]), { method: 'DELETE' })).status, 200);
      await using heir = await open('two');
      assert.equal((await heir.index('post', packRecords([post({ id: 'p2' })]))).added, 1);
      await assert.rejects(open('one'), OTHERS);
    }));

  it('every command of another folder is refused; a restored backup goes on', () =>
    inPlace(nodes, async (settings) => {
      using home = temporaryFolder();
      const [own, other, restored] = ['own', 'other', 'restored'].map((name) => join(home.path, name));
      const ran = (words: readonly string[], data: string, engine = 'opensearch') =>
        run([...words, '--data', data], { ...environmentOf(settings), COLLOQUY_ENGINE: engine });
      const posts = ['import', 'sample/posts.ndjson'];
      const search = ['search', 'posts', '', '--limit', '5', '--json'];
      assert.equal((await ran(posts, own!)).code, 0);
      assert.equal((await ran(posts, other!, 'embedded')).code, 0);
      for (const words of [search, posts, ['remove', 'posts', 't3_abc', '--dry-run']]) {
        const { code, stderr, stdout } = await ran(words, other!);
        assert.equal(code, 1, `${words}: ${stdout}${stderr}`);
        assert.match(stderr, /found those of another/);
      }
      const moved = await ran(['move', '--to', 'opensearch'], other!, 'embedded');
      assert.equal(moved.code, 1);
      assert.match(moved.stderr, /found those of another/);

      const backup = await ran(['backup', restored!], own!);
      assert.equal(backup.code, 0, backup.stderr);
      const before = await ran(search, own!);
      assert.equal((await ran(search, restored!)).stdout, before.stdout);
      assert.equal((await ran(posts, restored!)).code, 0);
    }));
});
