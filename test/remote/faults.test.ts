// What a far engine does when something befalls it: the index is what it should be or the call says that it
// is not, and a scan is whole or says that it is not.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as macrotask } from 'node:timers/promises';
import type { SearchEngine } from '../../src/model/engine.ts';
import { EngineUnavailable } from '../../src/model/engine-errors.ts';
import type { StoredComment } from '../../src/model/record.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { compareOnCorpus, SHAPES } from '../engine-agreement.ts';
import { exported } from '../engine-export.ts';
import { EVERYTHING, everything, RULES } from '../engine-suite.ts';
import { comment, START_OF_2008 } from '../helpers.ts';
import { FAULTS } from './faults.ts';
import { remoteHarness } from './harness.ts';

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);

const RECORDS: readonly StoredComment[] = Array.from({ length: 60 }, (_, i) =>
  comment({ id: i.toString(36), created: START_OF_2008 + i, body: `solar ${i}` }),
);
const BATCH = packRecords(RECORDS);

/** Every method of an engine but the one that closes it, and those that only some have. */
type Call = Exclude<keyof SearchEngine, 'memoryUse' | 'expectBatches' | typeof Symbol.asyncDispose>;

async function scanned(
  scan: AsyncIterable<readonly { readonly id: string }[]>,
  into: string[],
): Promise<void> {
  for await (const batch of scan) into.push(...batch.map(({ id }) => id));
}

describe('a far engine', () => {
  it('agrees with the reference engine on random queries over random corpora', async () => {
    let compared = 0;
    for (const seed of SEEDS.slice(0, 5)) {
      compared += await compareOnCorpus(remoteHarness(seed), SHAPES[seed % SHAPES.length]!, seed);
    }
    assert.ok(compared > 100, `${compared} answers`);
  });

  it('every fault befalls it, and no record is lost, doubled or counted twice', async () => {
    const counts = Object.fromEntries(FAULTS.map((fault) => [fault, 0]));
    for (const seed of SEEDS) {
      await using place = remoteHarness(seed).place();
      await using engine = await place.open({ rules: RULES });
      for (let at = 0; at < RECORDS.length; at += 10) {
        const checkpoint = { source: 'dump', state: String(at) };
        const report = await engine.index('comment', packRecords(RECORDS.slice(at, at + 10)), checkpoint);
        assert.deepEqual(report, { added: 10, replaced: 0, unchanged: 0, removed: 0 });
      }
      assert.equal(await engine.checkpoint('comment', 'dump'), '50');
      assert.equal((await engine.hide(1, 'comment', { ids: ['1', '2', '3', 'zz', '3'] })).records, 3);
      assert.equal((await engine.restore(1)).records, 3);
      assert.deepEqual(await everything(engine, 'comment'), RECORDS);
      for (const fault of FAULTS) counts[fault]! += place.faults.counts[fault];
    }
    for (const fault of FAULTS) assert.ok(counts[fault]! > 5, `${fault}: ${counts[fault]}`);
  });

  it('a scan whose view is lost goes on where it was while the index is the same', async () => {
    let lost = 0;
    for (const seed of SEEDS) {
      await using place = remoteHarness(seed).place();
      await using engine = await place.open({ rules: RULES });
      await engine.index('comment', BATCH);
      const ids: string[] = [];
      for await (const batch of engine.scan('comment', EVERYTHING, 'oldest')) {
        ids.push(...batch.map(({ id }) => id));
        place.service!.loseViews();
        lost++;
      }
      assert.deepEqual(
        ids,
        RECORDS.map(({ id }) => id),
      );
    }
    assert.ok(lost > SEEDS.length);
  });

  it('a scan whose view is lost when the index has changed says so, never gives a part for the whole', async () => {
    for (const seed of SEEDS) {
      await using place = remoteHarness(seed).place();
      await using engine = await place.open({ rules: RULES });
      await engine.index('comment', BATCH);
      const scan = engine.scan('comment', EVERYTHING, 'oldest');
      const ids: string[] = [];
      const reading = (async () => {
        for await (const batch of scan) {
          ids.push(...batch.map(({ id }) => id));
          await engine.hide(1, 'comment', { ids: [RECORDS.at(-1)!.id] });
          place.service!.loseViews();
        }
      })();
      await assert.rejects(reading, EngineUnavailable);
      const given = RECORDS.slice(0, ids.length).map(({ id }) => id);
      assert.deepEqual(ids, given);
      assert.ok(ids.length > 0 && ids.length < RECORDS.length);
    }
  });

  it('a view pinned while a second client commits was taken for one of the index after it', async () => {
    const [before, older] = [RECORDS.slice(20), RECORDS.slice(0, 20)];
    const all = RECORDS.map(({ id }) => id);
    // From before the commit to behind it, wherever in it the view is pinned.
    for (let seed = 0, isBehind = false; !isBehind || seed < SEEDS.length; seed++) {
      await using place = remoteHarness(seed).place();
      await using reader = await place.open({ rules: RULES });
      await using writer = await place.open({ rules: RULES });
      await reader.index('comment', packRecords(before));
      const indexing = writer.index('comment', packRecords(older));
      for (let turns = 0; turns < 2 * seed; turns++) await macrotask();
      const ids: string[] = [];
      const reading = (async () => {
        for await (const batch of reader.scan('comment', EVERYTHING, 'oldest')) {
          ids.push(...batch.map(({ id }) => id));
          await indexing;
          if (ids.length === batch.length) place.service!.loseViews();
        }
      })();
      const refused = await reading.then(
        () => null,
        (error: unknown) => error,
      );
      await indexing;
      if (refused !== null) assert.ok(refused instanceof EngineUnavailable, String(refused));
      else assert.deepEqual(ids, all, `seed ${seed}`);
      isBehind = refused === null;
    }
  });

  it('that is out of reach throws EngineUnavailable from every call, and works again afterwards', async () => {
    await using place = remoteHarness(1).place();
    await using engine = await place.open({ rules: RULES });
    await engine.index('comment', BATCH);
    const calls: Readonly<Record<Call, () => Promise<unknown>>> = {
      index: () => engine.index('comment', BATCH),
      hide: () => engine.hide(1, 'comment', { ids: ['1'] }),
      restore: () => engine.restore(1),
      buried: () => scanned(engine.buried('comment'), []),
      present: () => engine.present('comment', ['1']),
      hiddenCount: () => engine.hiddenCount(),
      purge: () => engine.purge(),
      maintain: () => engine.maintain(),
      refresh: () => engine.refresh(),
      ask: () => engine.ask({ kind: 'comment', query: EVERYTHING }),
      records: () => engine.records({ kind: 'comment', ids: ['1'] }),
      askAll: () => engine.askAll([{ kind: 'comment', query: EVERYTHING }]),
      scan: () => scanned(engine.scan('comment', EVERYTHING, 'newest'), []),
      export: () => exported(engine, { kind: 'comment' }),
      isEmpty: () => engine.isEmpty(),
      checkpoint: () => engine.checkpoint('comment', 'dump'),
      checkpoints: () => engine.checkpoints('comment'),
      stats: () => engine.stats(),
      fingerprints: () => engine.fingerprints(),
      lastArrivals: () => engine.lastArrivals(),
      coverage: () => engine.coverage({ kind: 'comment', step: 'month', communities: [] }),
      damages: () => engine.damages(),
      warm: () => engine.warm(),
    };
    place.faults.isDown = true;
    for (const [name, call] of Object.entries(calls)) await assert.rejects(call(), EngineUnavailable, name);
    place.faults.isDown = false;
    for (const call of Object.values(calls)) await call();
    assert.equal((await engine.ask({ kind: 'comment', query: EVERYTHING })).total, RECORDS.length);
  });

  it('that is lost while a batch comes in: the checkpoint is not ahead, and the same call again completes it', async () => {
    for (const seed of SEEDS) {
      await using place = remoteHarness(seed).place();
      await using engine = await place.open({ rules: RULES });
      place.faults.goDownAt('half done');
      const call = () => engine.index('comment', BATCH, { source: 'dump', state: 'end' });
      await assert.rejects(call(), EngineUnavailable);
      place.faults.isDown = false;
      const there = await engine.present(
        'comment',
        RECORDS.map(({ id }) => id),
      );
      assert.ok(there > 0 && there < RECORDS.length, 'a half is in');
      assert.equal(await engine.checkpoint('comment', 'dump'), null);
      const { added, unchanged } = await call();
      assert.deepEqual([added, unchanged], [RECORDS.length - there, there]);
      assert.deepEqual(await everything(engine, 'comment'), RECORDS);
      assert.equal(await engine.checkpoint('comment', 'dump'), 'end');
    }
  });

  it('two clients share nothing: what one adds to a list while the other sends a batch is kept out', async () => {
    for (const seed of SEEDS) {
      await using place = remoteHarness(seed).place();
      const listed = new Set<string>();
      const removals = {
        version: () => listed.size,
        refused: (records: readonly { readonly id: string }[]) => records.map(({ id }) => listed.has(id)),
      };
      await using writer = await place.open({ rules: RULES, removals });
      await using remover = await place.open({ rules: RULES, removals });
      const indexing = writer.index('comment', BATCH);
      // Somewhere between the look at the list and the end of the batch.
      for (let turns = 0; turns < seed; turns++) await macrotask();
      for (const { id } of RECORDS.slice(seed, seed + 20)) listed.add(id);
      await remover.hide(1, 'comment', { ids: [...listed] });
      const report = await indexing;
      const { added, replaced, unchanged, removed } = report;
      assert.equal(added + replaced + unchanged + removed, RECORDS.length);
      const left = (await everything(writer, 'comment')).map(({ id }) => id);
      assert.deepEqual(
        left,
        RECORDS.map(({ id }) => id).filter((id) => !listed.has(id)),
      );
    }
  });

  it('nothing is told of it but by the interface: no function goes over the wire', async () => {
    await using place = remoteHarness(1).place();
    await using engine = await place.open({ rules: RULES });
    const question = { kind: 'comment', query: EVERYTHING, told: () => undefined } as const;
    await assert.rejects(engine.ask(question), /could not be cloned/);
  });
});
