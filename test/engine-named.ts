// Records by their ids: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SearchEngine } from '../src/model/engine.ts';
import { EngineLimit } from '../src/model/engine-errors.ts';
import { countedBytes } from '../src/model/pages.ts';
import type { Kind, StoredRecord } from '../src/model/record.ts';
import { MAX_NAMED_RECORDS } from '../src/model/record-link.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import type { EngineHarness } from './engine-harness.ts';
import { askingMaker, engineMaker } from './engine-suite.ts';
import { comment, post } from './helpers.ts';

const POST = post({ id: 'p', title: 'a post', community: 'cats', communityId: 'c1', adult: true });
const RECORDS: readonly StoredRecord[] = [
  POST,
  post({ id: 'both', title: 'also a post' }),
  comment({ id: 'both', body: 'a comment', community: 'cats', created: 9 }),
  comment({ id: 'old', body: 'first', created: 1 }),
  comment({ id: 'new', body: 'last', created: 99, retrieved: 7 }),
];

export function namedConformance(harness: EngineHarness): void {
  const withEngine = engineMaker(harness);
  const idsOf = async (engine: SearchEngine, kind: Kind, ...ids: string[]) =>
    (await engine.records({ kind, ids })).records.map(({ id }) => id);

  describe(`${harness.name}: records by their ids`, () => {
    const asking = askingMaker(harness);
    it('come whole, in the order of the ids, each once; what is not there is left out', () =>
      asking(RECORDS, async (engine) => {
        assert.deepEqual(await idsOf(engine, 'comment', 'new', 'nowhere', 'old', 'new', 'both', 'p'), [
          'new',
          'old',
          'both',
        ]);
        const { records, ...rest } = await engine.records({ kind: 'post', ids: ['both', 'p'] });
        assert.deepEqual(records, [RECORDS[1], POST]);
        assert.deepEqual(Object.keys(rest), ['index']);
        assert.deepEqual((await engine.records({ kind: 'post', ids: [] })).records, []);
      }));

    it('are those of the view whose fingerprint is told', () =>
      withEngine(RECORDS, async (engine) => {
        const fingerprint = async () => (await engine.fingerprints()).comment;
        const index = async () => (await engine.records({ kind: 'comment', ids: ['x'] })).index;
        const first = await fingerprint();
        assert.deepEqual(await index(), first);
        await engine.index('comment', packRecords([comment({ id: 'x' })]));
        assert.notDeepEqual(await fingerprint(), first);
        assert.deepEqual(await index(), await fingerprint());
        await engine.hide(1, 'comment', { ids: ['x'] });
        assert.deepEqual(await index(), first);
      }));

    it('what was removed is not there, what was replaced is there once', () =>
      withEngine(RECORDS, async (engine) => {
        const ids = ['old', 'new'];
        await engine.hide(1, 'comment', { ids: ['old'] });
        assert.deepEqual(await idsOf(engine, 'comment', ...ids), ['new']);
        await engine.restore(1);
        assert.deepEqual(await idsOf(engine, 'comment', ...ids), ids);
        await engine.index('comment', packRecords([comment({ id: 'new', body: 'later', retrieved: 8 })]));
        const { records } = await engine.records({ kind: 'comment', ids });
        assert.deepEqual(
          records.map((record) => record.kind === 'comment' && record.body),
          ['first', 'later'],
        );
      }));

    it('evidence and arrivals come where they are asked for, as with a page', () =>
      asking(RECORDS, async (engine) => {
        const ids = ['both', 'new'];
        const items = ids.map((id) => ({ kind: 'id', record: { id, of: null }, negated: false }) as const);
        const page = { order: 'oldest', limit: 9, after: null } as const;
        const asked = { kind: 'comment', evidence: true, arrived: true } as const;
        const answer = await engine.ask({ ...asked, query: { items }, page });
        const { evidence, arrived } = await engine.records({ ...asked, ids });
        assert.deepEqual(evidence, answer.evidence);
        assert.equal(evidence!.get('cats')!.adultPosts, 1);
        assert.deepEqual(arrived, answer.arrived);
        assert.ok(arrived!.every((time) => time !== null));
      }));

    it(`${MAX_NAMED_RECORDS} at once come in the order of their ids, of one second too`, () => {
      const many = Array.from({ length: MAX_NAMED_RECORDS }, (_, i) => comment({ id: `m${(i * 7) % 1000}` }));
      return withEngine([...RECORDS, ...many], async (engine) => {
        const ids = many.map(({ id }) => id);
        assert.deepEqual(await idsOf(engine, 'comment', ...ids), ids);
      });
    });

    it('larger than their bytes together are an EngineLimit, in whatever order and of one second too', () => {
      const tied = [comment({ id: 't1', body: 'a \u0001 "' }), comment({ id: 't2', body: 'ä'.repeat(900) })];
      return withEngine([...RECORDS, ...tied], async (engine) => {
        const sizes = new Map([...RECORDS, ...tied].flatMap((one) => [[one.id, countedBytes(one)]] as const));
        for (const ids of [['old'], ['new', 'old', 'nowhere', 'new'], ['t2', 't1'], ['t1', 'old', 't2']]) {
          const here = new Set(ids.filter((id) => id !== 'nowhere'));
          const maxBytes = [...here].reduce((sum, id) => sum + sizes.get(id)!, 0);
          const asked = { kind: 'comment', ids, evidence: true } as const;
          const { records } = await engine.records({ ...asked, maxBytes });
          assert.deepEqual(new Set(records.map(({ id }) => id)), here);
          const over = { limit: 'named_bytes', maxBytes: maxBytes - 1 } as const;
          await assert.rejects(engine.records({ ...asked, maxBytes: maxBytes - 1 }), (error) => {
            assert.ok(error instanceof EngineLimit);
            assert.deepEqual(error.reached, over);
            return true;
          });
        }
      });
    });

    it('without any time left they are refused as too slow', () =>
      asking(RECORDS, async (engine) => {
        const request = { kind: 'comment', ids: ['new'], timeoutMs: 0 } as const;
        await assert.rejects(engine.records(request), { code: 'query_timeout' });
      }));
  });
}
