import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openOwnEngine } from '../../../../test/embedded-index.ts';
import { exported, idsIn, openExport } from '../../../../test/engine-export.ts';
import { comment, START_OF_2008, someComments } from '../../../../test/helpers.ts';
import { lineShaper } from '../../../../test/line-shaper.ts';
import { watchWorkers } from '../../../../test/watched-workers.ts';
import { UsageError } from '../../../errors.ts';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import { packRecords } from '../../packing/packed-records.ts';
import { KindStore } from '../index/view.ts';

const COUNT = 3_500;
const RECORDS = someComments(COUNT);
const IDS = RECORDS.map(({ id }) => id);

describe('exports on worker threads', async () => {
  const engine = await openOwnEngine({ workers: 2 }, RECORDS);
  after(() => engine[Symbol.asyncDispose]());

  it('two at once, beside questions and a removal, are whole; each withholds what came after its view', async () => {
    const first = exported(engine, { kind: 'comment' });
    await using second = await openExport(engine, { kind: 'comment', order: 'newest' });
    await engine.hide(1, 'comment', { ids: [IDS[0]!] });
    const asked = Array.from({ length: 20 }, () => engine.ask({ kind: 'comment', query: { items: [] } }));
    const texts: string[] = [];
    let withheld = 0;
    for await (const block of second.blocks) {
      texts.push(Buffer.concat(block.bytes).toString());
      withheld = block.withheld;
    }
    const ids = texts.join('').match(/(?<="id":")\w+/g);
    assert.deepEqual(ids, IDS.slice(1).reverse());
    assert.equal(withheld, 1);
    assert.deepEqual(new Set((await Promise.all(asked)).map(({ total }) => total)), new Set([COUNT - 1]));
    const all = await first;
    await engine.restore(1);
    assert.ok(all.last.records + all.last.withheld === COUNT && idsIn(all).at(-1) === IDS.at(-1));
  });

  it('errors of a shaper arrive as what they are; a thread that ends is an EngineUnavailable', async () => {
    for (const [fails, type] of [
      ['add', UsageError],
      ['exits', EngineUnavailable],
    ] as const) {
      const failing = exported(engine, { kind: 'comment', shaper: lineShaper({ fails }) });
      await assert.rejects(failing, type, fails);
    }
    assert.deepEqual(idsIn(await exported(engine, { kind: 'comment' })), IDS);
  });

  it('a caller that goes while its shaper works ends the thread; so does one that breaks off', async () => {
    const reason = new Error('the caller has gone');
    const controller = new AbortController();
    const gone = await openExport(engine, { kind: 'comment' }, controller.signal);
    const next = gone.blocks[Symbol.asyncIterator]().next();
    controller.abort(reason);
    await assert.rejects(next, (error) => error === reason);
    await gone[Symbol.asyncDispose]();
    const broken = await openExport(engine, { kind: 'comment' });
    for await (const _ of broken.blocks) break;
    assert.deepEqual(idsIn(await exported(engine, { kind: 'comment' })), IDS);
  });

  it('a view that was pinned while removals were looked for stayed so where the caller went at that moment', async (t) => {
    let held = 0;
    const { pin } = KindStore.prototype;
    t.mock.method(KindStore.prototype, 'pin', function (this: KindStore) {
      const { data, [Symbol.dispose]: release } = pin.call(this);
      held++;
      const letGo = () => {
        held--;
        release();
      };
      return { data, [Symbol.dispose]: letGo };
    });
    const controller = new AbortController();
    const run = await openExport(engine, { kind: 'comment' }, controller.signal);
    const blocks = run.blocks[Symbol.asyncIterator]();
    const commit = (id: string) =>
      engine.index('comment', packRecords([comment({ id, created: START_OF_2008 + COUNT })]));
    await blocks.next();
    await commit('later1');
    await blocks.next();
    await commit('later2');
    const next = blocks.next();
    controller.abort(new Error('the caller has gone'));
    await assert.rejects(next);
    await run[Symbol.asyncDispose]();
    await engine.maintain();
    assert.equal(held, 0);
  });

  it('a warm engine has a thread ready, another one when that one has begun, and makes a dead one anew', async () => {
    using workers = watchWorkers('export-worker.ts');
    const { started } = workers;
    await engine.warm();
    assert.equal(started.length, 1);
    {
      await using run = await openExport(engine, { kind: 'comment' });
      assert.equal(started.length, 1);
      for await (const _ of run.blocks) assert.equal(started.length, 2);
    }
    await started[1]!.terminate();
    assert.equal(idsIn(await exported(engine, { kind: 'comment' })).length, COUNT + 2);
  });

  it('every export ended its thread, which left memory behind: all are made by the same two', async () => {
    const ids = idsIn(await exported(engine, { kind: 'comment' }));
    using workers = watchWorkers('export-worker.ts');
    for (let i = 0; i < 4; i++) {
      const request = { kind: 'comment', order: i % 2 === 0 ? 'oldest' : 'newest' } as const;
      const told = idsIn(await exported(engine, request));
      assert.deepEqual(i % 2 === 0 ? told : told.reverse(), ids);
    }
    for (let i = 0; i < 4; i++) {
      await using run = await openExport(engine, { kind: 'comment' });
      for await (const _ of run.blocks) break;
    }
    assert.deepEqual(workers.started, []);
    const failing = exported(engine, { kind: 'comment', shaper: lineShaper({ fails: 'add' }) });
    await assert.rejects(failing, UsageError);
    assert.deepEqual(idsIn(await exported(engine, { kind: 'comment' })), ids);
  });
});
