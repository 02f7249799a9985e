// What an engine tells of all its records in one number: the contract of `fingerprints`.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { IndexDamage } from '../src/model/engine-errors.ts';
import { hex64, type IndexFingerprint, recordMix, Sum64 } from '../src/model/hash.ts';
import { KINDS, type Kind, type StoredRecord } from '../src/model/record.ts';
import type { EngineHarness } from './engine-harness.ts';
import { engineMaker, everything, RULES } from './engine-suite.ts';
import { comment, post } from './helpers.ts';

export function fingerprintConformance(harness: EngineHarness): void {
  const withEngine = engineMaker(harness);
  const open = async (records: readonly StoredRecord[]) => {
    await using place = harness.place();
    await using engine = await place.open({ rules: RULES });
    for (const record of records) await engine.index(record.kind, packRecords([record]));
    return await fingerprintOf(engine, 'comment');
  };

  describe(`${harness.name}: fingerprints`, () => {
    it('of no records it is 0', () =>
      withEngine([], async (engine) => {
        for (const kind of KINDS) {
          assert.deepEqual(await fingerprintOf(engine, kind), { fingerprint: '0'.repeat(16), records: 0 });
        }
      }));

    it('is that of the records, of each kind', () =>
      withEngine([post({ id: '1' }), comment({ id: '1' }), comment({ id: '2' })], async (engine) => {
        for (const kind of KINDS)
          assert.deepEqual(await fingerprintOf(engine, kind), await madeAnew(engine, kind));
        assert.equal((await fingerprintOf(engine, 'comment')).records, 2);
      }));

    it('differs where a score or a text does, not where only the time of retrieval does', async () => {
      const own = await open([comment({ id: '1', body: 'one', retrieved: 1 })]);
      assert.deepEqual(await open([comment({ id: '1', body: 'one', retrieved: 2 })]), own);
      for (const other of [{ body: 'two' }, { body: 'one', score: 2 }]) {
        assert.notEqual((await open([comment({ id: '1', ...other })])).fingerprint, own.fingerprint);
      }
    });

    it('follows removals, their undoing, purges and upkeep', () =>
      withEngine(
        Array.from({ length: 20 }, (_, i) => comment({ id: `${i}`, community: i % 2 ? 'odd' : 'even' })),
        async (engine) => {
          const before = await fingerprintOf(engine, 'comment');
          const expectAnew = async (records: number) => {
            const found = await fingerprintOf(engine, 'comment');
            assert.deepEqual(found, await madeAnew(engine, 'comment'));
            assert.equal(found.records, records);
          };
          await engine.hide(1, 'comment', { community: 'odd' });
          await expectAnew(10);
          await engine.hide(2, 'comment', { ids: ['0', '1', '2'] });
          await expectAnew(8);
          await engine.index('comment', packRecords([comment({ id: '4', score: 9 }), comment({ id: '99' })]));
          await expectAnew(9);
          await engine.restore(2);
          await expectAnew(11);
          await engine.hide(3, 'comment', { ids: ['99'] });
          await engine.purge();
          await engine.maintain();
          await expectAnew(10);
          await engine.restore(1);
          await engine.refresh();
          await expectAnew(10);
          assert.notDeepEqual(await fingerprintOf(engine, 'comment'), before);
        },
      ));

    it('is there again after reopening, and another process sees the same', async () => {
      await using place = harness.place();
      let before: IndexFingerprint;
      {
        await using engine = await place.open({ rules: RULES });
        await engine.index('comment', packRecords([comment({ id: '1' }), comment({ id: '2' })]));
        before = await fingerprintOf(engine, 'comment');
        await using other = await place.open({ rules: RULES });
        assert.deepEqual(await fingerprintOf(other, 'comment'), before);
      }
      await using engine = await place.open({ rules: RULES });
      assert.deepEqual(await fingerprintOf(engine, 'comment'), before);
    });
  });
}

/** Of a kind that can be read. */
export async function fingerprintOf(engine: SearchEngine, kind: Kind): Promise<IndexFingerprint> {
  const found = (await engine.fingerprints())[kind];
  if (found instanceof IndexDamage) throw found;
  return found;
}

/** From a scan over all records. */
export async function madeAnew(engine: SearchEngine, kind: Kind): Promise<IndexFingerprint> {
  const sum = new Sum64();
  const records = await everything(engine, kind);
  for (const record of records) sum.add(recordMix(record));
  return { fingerprint: hex64(sum.value()), records: records.length };
}
