// Whole results that end before their end, and what shapers throw: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsageError } from '../src/errors.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { EngineUnavailable } from '../src/model/engine-errors.ts';
import { exported, openExport } from './engine-export.ts';
import type { EngineHarness } from './engine-harness.ts';
import { EVERYTHING, engineMaker, firstPage } from './engine-suite.ts';
import { comment } from './helpers.ts';
import { type LineOptions, lineShaper } from './line-shaper.ts';

/** More than two blocks of any engine. */
const COUNT = 2_500;

export function exportEndConformance(harness: EngineHarness): void {
  const { name } = harness;
  const records = Array.from({ length: COUNT }, (_, i) => comment({ id: i.toString(36), created: i }));
  const withEngine = engineMaker(harness);
  const reason = new Error('the caller has gone');
  const isReason = (error: unknown) => error === reason;

  /** All is as if there had been no export. */
  async function expectWell(engine: SearchEngine): Promise<void> {
    const { last } = await exported(engine, { kind: 'comment' });
    assert.equal(last.records, COUNT);
    const page = firstPage('newest', 5);
    assert.equal((await engine.ask({ kind: 'comment', query: EVERYTHING, page })).total, COUNT);
  }

  describe(`${name}: exports that end early`, () => {
    it('a caller that has gone before is told the reason', () =>
      withEngine(records, async (engine) => {
        const opening = openExport(engine, { kind: 'comment' }, AbortSignal.abort(reason));
        await assert.rejects(opening, isReason);
        await expectWell(engine);
      }));

    it('a caller that goes in the midst is told the reason in place of the next block', () =>
      withEngine(records, async (engine) => {
        const controller = new AbortController();
        await using run = await openExport(engine, { kind: 'comment' }, controller.signal);
        let given = 0;
        await assert.rejects(async () => {
          for await (const block of run.blocks) {
            given = block.records;
            controller.abort(reason);
          }
        }, isReason);
        assert.ok(given > 0 && given < COUNT, `${given} records before it went`);
        await expectWell(engine);
      }));

    it('a caller that goes behind the last block changes nothing', () =>
      withEngine(records, async (engine) => {
        const controller = new AbortController();
        await using run = await openExport(engine, { kind: 'comment' }, controller.signal);
        for await (const _ of run.blocks);
        controller.abort(reason);
        await expectWell(engine);
      }));

    it('a caller that breaks off, or asks for no block, lets go of everything', () =>
      withEngine(records, async (engine) => {
        {
          await using run = await openExport(engine, { kind: 'comment' });
          for await (const _ of run.blocks) break;
          await using unread = await openExport(engine, { kind: 'comment' });
          assert.equal(unread.head.total, COUNT);
        }
        await engine.maintain();
        await expectWell(engine);
      }));

    it('with the engine: an EngineUnavailable', () =>
      withEngine(records, async (engine, place) => {
        const first = await place.open({ rules: { keepOriginals: false } });
        const run = await openExport(first, { kind: 'comment' });
        await assert.rejects(async () => {
          for await (const _ of run.blocks) await first[Symbol.asyncDispose]();
        }, EngineUnavailable);
        await run[Symbol.asyncDispose]();
        await expectWell(engine);
      }));

    const failures: readonly [LineOptions['fails'], new (message: string) => Error, string][] = [
      ['open', UsageError, 'no shaper today'],
      ['add', UsageError, 'no records today'],
      ['end', Error, 'no end today'],
    ];
    for (const [fails, type, message] of failures) {
      it(`what a shaper throws in \`${fails}\` arrives as what it is`, () =>
        withEngine(records, async (engine) => {
          const run = async () => {
            await exported(engine, { kind: 'comment', shaper: lineShaper({ fails: fails! }) });
          };
          await assert.rejects(run, (error) => error instanceof type && error.message === message);
          await expectWell(engine);
        }));
    }

    it('a place that belongs to another order is a TypeError', () =>
      withEngine(records, async (engine) => {
        const after = { score: 1, second: 1 };
        await assert.rejects(openExport(engine, { kind: 'comment', order: 'oldest', after }), TypeError);
        await expectWell(engine);
      }));
  });
}
