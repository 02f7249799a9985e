// How batches and checkpoints come in: part of the contract in engine-conformance.ts, for every engine alike.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SearchEngine } from '../src/model/engine.ts';
import { NO_RECORDS } from '../src/model/record.ts';
import { NO_REMOVALS, type RemovalList } from '../src/model/removals.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import type { EngineHarness } from './engine-harness.ts';
import { engineMaker, everything, RULES } from './engine-suite.ts';
import { comment } from './helpers.ts';

/** In the order of `oldest`. */
const RECORDS = ['1', '2', '3', '4', '5'].map((id) => comment({ id, body: `solar ${id}`, score: 4 }));
const BATCH = packRecords(RECORDS);
const SOURCE = 'dump';

/** A list of removals that refuses nothing, and cannot be read at its `failing`-th call, counted from 1. */
class FailingList implements RemovalList {
  #left: number;

  constructor(failing: number) {
    this.#left = failing;
  }

  version(): number {
    this.#count();
    return 1;
  }

  refused: RemovalList['refused'] = (records) => {
    this.#count();
    return NO_REMOVALS.refused(records);
  };

  /** From now on it can be read. */
  mend(): void {
    this.#left = Infinity;
  }

  #count(): void {
    if (--this.#left === 0) throw new Error('the list cannot be read');
  }
}

export function writingConformance(harness: EngineHarness): void {
  const { name } = harness;
  const withEngine = engineMaker(harness);

  async function expectAll(engine: SearchEngine): Promise<void> {
    assert.deepEqual(await everything(engine, 'comment'), RECORDS);
  }

  describe(`${name}: batches and checkpoints`, () => {
    it('the same batch again changes nothing, and reports each record as unchanged', () =>
      withEngine([], async (engine) => {
        const checkpoint = { source: SOURCE, state: 'end' };
        await engine.index('comment', BATCH, checkpoint);
        for (let again = 0; again < 2; again++) {
          const report = await engine.index('comment', BATCH, checkpoint);
          assert.deepEqual(report, { added: 0, replaced: 0, unchanged: 5, removed: 0 });
          await expectAll(engine);
          assert.equal(await engine.checkpoint('comment', SOURCE), 'end');
        }
      }));

    it('a batch of which a part is in already comes to the same as one that went through', async () => {
      const older = RECORDS.map((record) => ({ ...record, score: 1 }));
      for (let part = 0; part <= RECORDS.length; part++) {
        await withEngine(older.slice(1, 4), async (engine) => {
          await engine.index('comment', packRecords(RECORDS.slice(0, part)));
          const { added, replaced, unchanged } = await engine.index('comment', BATCH);
          assert.equal(added + replaced + unchanged, 5);
          assert.equal(unchanged, part, 'those that were in');
          await expectAll(engine);
        });
      }
    });

    it('after a rejection the checkpoint is not ahead of the records; the same call again completes it', async () => {
      let rejected = 0;
      for (let failing = 1; failing <= 6; failing++) {
        await using place = harness.place();
        const first = { source: SOURCE, state: 'first' };
        const whole = { source: SOURCE, state: 'whole' };
        {
          await using engine = await place.open({ rules: RULES });
          await engine.index('comment', packRecords(RECORDS.slice(0, 1)), first);
        }
        const list = new FailingList(failing);
        await using engine = await place.open({ rules: RULES, removals: list });
        const failed = await engine.index('comment', BATCH, whole).then(
          () => false,
          () => true,
        );
        list.mend();
        if (failed) {
          rejected++;
          await engine.refresh();
          const there = (await everything(engine, 'comment')).length;
          const state = await engine.checkpoint('comment', SOURCE);
          assert.ok(state === 'first' || there === RECORDS.length, `${state} with ${there} records`);
        }
        await engine.index('comment', BATCH, whole);
        await expectAll(engine);
        assert.equal(await engine.checkpoint('comment', SOURCE), 'whole');
      }
      assert.ok(rejected > 0, 'the list is asked at least once');
    });

    it('checkpoints: all sources of a kind with their states; those that are through are gone', () =>
      withEngine([], async (engine, place) => {
        const checkpoints = async (of = engine) => ({
          post: Object.fromEntries(await of.checkpoints('post')),
          comment: Object.fromEntries(await of.checkpoints('comment')),
        });
        assert.deepEqual(await checkpoints(), { post: {}, comment: {} });
        await engine.index('comment', BATCH, { source: 'a', state: '1' });
        await engine.index('comment', NO_RECORDS, { source: 'b', state: '2' });
        await engine.index('post', NO_RECORDS, { source: 'a', state: 'of posts' });
        await engine.index('comment', NO_RECORDS, { source: 'a', state: '3' });
        const kept = { post: { a: 'of posts' }, comment: { a: '3', b: '2' } };
        assert.deepEqual(await checkpoints(), kept);
        await engine.index('comment', BATCH, { source: 'a', state: null });
        await engine.index('post', NO_RECORDS, { source: 'never begun', state: null });
        assert.equal(await engine.checkpoint('comment', 'a'), null);
        assert.deepEqual(await checkpoints(), { ...kept, comment: { b: '2' } });
        await engine[Symbol.asyncDispose]();
        await using again = await place.open({ rules: RULES });
        assert.deepEqual(await checkpoints(again), { ...kept, comment: { b: '2' } });
      }));
  });
}
