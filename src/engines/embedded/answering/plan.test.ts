import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, temporaryFolder } from '../../../../test/helpers.ts';
import { packRecords } from '../../../packing/packed-records.ts';
import { interpretQuery } from '../../../search/language/interpret.ts';
import { openEmbeddedEngine } from '../engine.ts';
import { KindStore } from '../index/kind-store.ts';
import { openView } from '../index/view.ts';
import { WordPool } from '../sets/chunk.ts';
import { Deadline } from './deadline.ts';
import { matchQuery, totalOf } from './matching.ts';

describe('id:', () => {
  it('costs a look-up, not a scan: at most one list of one record, of the segments that have it', async () => {
    using folder = temporaryFolder();
    await using engine = await openEmbeddedEngine(folder.path, {
      rules: { keepOriginals: false },
      workers: 0,
    });
    for (let batch = 0; batch < 3; batch++) {
      await engine.index(
        'comment',
        packRecords(
          Array.from({ length: 500 }, (_, i) =>
            comment({ id: `${batch}${1000 + i}`, created: batch * 40_000_000 + i, body: 'solar panel' }),
          ),
        ),
      );
    }
    const store = new KindStore(folder.path, 'comment');
    store.refresh();
    const view = openView(store.current, undefined);
    assert.ok(view.segments.length > 1, `${view.segments.length} segments`);
    const pool = new WordPool();
    const matchesOf = (text: string) => {
      const { query } = interpretQuery(text, { impliedWindow: 'off' });
      return matchQuery(view, query, pool, Deadline.never());
    };
    for (const text of ['id:21400', 'id:t1_21400 solar', 'id:21400 -"solar roof" score:1']) {
      const matching = matchesOf(text);
      assert.equal(matching.segments.length, 1, text);
      assert.equal(totalOf(matching), 1, text);
      // Estimated from the lengths of the lists.
      assert.ok(matching.segments[0]!.cost < matchesOf('solar "solar panel"').segments[0]!.cost / 10, text);
    }
    for (const text of ['id:t3_21400', 'id:nowhere', 'id:t3_21400 solar']) {
      assert.equal(matchesOf(text).segments.length, 0, text);
    }
    pool.releaseAll();
    store.close();
  });
});
