// A caller that goes before it has its answer: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EngineHarness } from './engine-harness.ts';
import { EVERYTHING, engineMaker, firstPage } from './engine-suite.ts';
import { comment } from './helpers.ts';

/** More than one batch of a scan. */
const RECORDS = 2_500;

export function abortConformance(harness: EngineHarness): void {
  const { name } = harness;
  const records = Array.from({ length: RECORDS }, (_, i) => comment({ id: String(i), created: i }));
  const withEngine = engineMaker(harness);
  const question = { kind: 'comment', query: EVERYTHING, page: firstPage('newest', 9) } as const;
  const reason = new Error('the caller has gone');
  const isReason = (error: unknown) => error === reason;

  describe(`${name}: a caller that goes`, () => {
    it('before it asks is told the reason, and nothing else', () =>
      withEngine(records, async (engine) => {
        const signal = AbortSignal.abort(reason);
        await assert.rejects(engine.ask(question, signal), isReason);
        await assert.rejects(engine.records({ kind: 'comment', ids: ['7'] }, signal), isReason);
        await assert.rejects(async () => {
          for await (const _ of engine.scan('comment', EVERYTHING, 'oldest', signal)) assert.fail('a batch');
        }, isReason);
        assert.equal((await engine.ask(question)).total, RECORDS);
      }));

    it('while its question waits among others is told the reason; the others are answered', () =>
      withEngine(records, async (engine) => {
        const controller = new AbortController();
        const asked = Array.from({ length: 12 }, (_, i) =>
          engine.ask(question, i % 3 === 0 ? controller.signal : undefined),
        );
        controller.abort(reason);
        for (const [i, answer] of (await Promise.allSettled(asked)).entries()) {
          if (i % 3 === 0) assert.ok(answer.status === 'rejected' && isReason(answer.reason));
          else assert.ok(answer.status === 'fulfilled' && answer.value.total === RECORDS);
        }
      }));

    it('while it scans is told the reason in place of the next batch', () =>
      withEngine(records, async (engine) => {
        const controller = new AbortController();
        let scanned = 0;
        await assert.rejects(async () => {
          for await (const batch of engine.scan('comment', EVERYTHING, 'oldest', controller.signal)) {
            scanned += batch.length;
            controller.abort(reason);
          }
        }, isReason);
        assert.ok(scanned > 0 && scanned < RECORDS, `${scanned} records before it went`);
        assert.equal((await engine.ask(question)).total, RECORDS);
      }));

    it('after its answer changes nothing', () =>
      withEngine(records, async (engine) => {
        const controller = new AbortController();
        const { total } = await engine.ask(question, controller.signal);
        controller.abort(reason);
        assert.equal(total, RECORDS);
        assert.equal((await engine.ask(question)).total, RECORDS);
      }));
  });
}
