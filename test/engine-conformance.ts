// What an engine is: the contract of `SearchEngine`, called once for each engine. Expectations are written by hand;
// agreement with the reference engine on random input is in engine-agreement.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { type Kind, NO_RECORDS, type StoredRecord } from '../src/model/record.ts';
import { arrivalConformance, newsConformance } from './engine-arrivals.ts';
import { breakdownConformance, countConformance } from './engine-counts.ts';
import { coverageConformance } from './engine-coverage.ts';
import { damageConformance } from './engine-damage.ts';
import { exportConformance, exportEndConformance, exportRemovalConformance } from './engine-export.ts';
import { fingerprintConformance, fingerprintOf } from './engine-fingerprints.ts';
import type { EngineHarness } from './engine-harness.ts';
import { itemConformance, matchingConformance } from './engine-matching.ts';
import { namedConformance, pageConformance } from './engine-pages.ts';
import { batchConformance, removalConformance } from './engine-removals.ts';
import { sampleConformance } from './engine-samples.ts';
import { EVERYTHING, engineMaker, everything, firstPage, queryOf, RULES, testsOver } from './engine-suite.ts';
import { threadConformance } from './engine-thread.ts';
import { comparedConformance, partsConformance, togetherConformance } from './engine-together.ts';
import { underConformance } from './engine-under.ts';
import { commentArbitrary } from './generators/records.ts';
import { comment, post } from './helpers.ts';
import { wholeStats } from './whole-stats.ts';

/** What a caller changes and finds again: records, removals, checkpoints, and an index that is damaged. */
export function writingConformance(harness: EngineHarness): void {
  batchConformance(harness);
  removalConformance(harness);
  damageConformance(harness);
  fingerprintConformance(harness);
  copyConformance(harness);
  lifeConformance(harness);
}

/** What one question finds. */
export function askingConformance(harness: EngineHarness): void {
  matchingConformance(harness);
  itemConformance(harness);
  pageConformance(harness);
  namedConformance(harness);
  countConformance(harness);
  breakdownConformance(harness);
  underConformance(harness);
  threadConformance(harness);
}

/** What goes on for long, is of several questions, or tells of time. */
export function walkingConformance(harness: EngineHarness): void {
  partsConformance(harness);
  togetherConformance(harness);
  comparedConformance(harness);
  sampleConformance(harness);
  abortConformance(harness);
  exportConformance(harness);
  exportEndConformance(harness);
  exportRemovalConformance(harness);
  arrivalConformance(harness);
  newsConformance(harness);
  coverageConformance(harness);
}

export function engineConformance(harness: EngineHarness): void {
  writingConformance(harness);
  askingConformance(harness);
  walkingConformance(harness);
}

function copyConformance(harness: EngineHarness): void {
  const { name } = harness;
  const withEngine = engineMaker(harness);

  describe(`${name}: copies, removals, communities`, () => {
    it('the report counts each id once as added or replaced, the rest as unchanged', () =>
      withEngine([comment({ id: '1', score: 1 }), comment({ id: '2', score: 1 })], async (engine) => {
        const batch = [
          comment({ id: '1', score: 1 }),
          comment({ id: '2', score: 2 }),
          comment({ id: '2', score: 3 }),
          comment({ id: '3', score: 1 }),
          comment({ id: '3', score: 0 }),
        ];
        for (const counts of [
          { added: 1, replaced: 1, unchanged: 3, removed: 0 },
          { added: 0, replaced: 0, unchanged: 5, removed: 0 },
        ])
          assert.deepEqual(await engine.index('comment', packRecords(batch)), counts);
        const scores = (await everything(engine, 'comment')).map((record) => record.score);
        assert.deepEqual(scores, [1, 3, 1]);
      }));

    it('a replaced record is found by its new words, time and community alone', () =>
      withEngine([post({ id: '1', title: 'old cats', created: 100, community: 'cats' })], async (engine) => {
        const newer = post({ id: '1', title: 'new dogs', created: 900, community: 'dogs', retrieved: 9 });
        await engine.index('post', packRecords([newer]));
        for (const [text, total] of [
          ['old', 0],
          ['/r/cats', 0],
          ['dogs', 1],
          ['/r/dogs', 1],
          ['', 1],
        ] as const) {
          assert.equal((await engine.ask({ kind: 'post', query: queryOf(text) })).total, total, text);
        }
      }));

    it('copies rank: withdrawn, retrieval, score; a folder may keep originals instead', async () => {
      const original = comment({ id: '1', body: 'text', retrieved: 9, score: 4 });
      const withdrawn = comment({ id: '1', body: '[deleted]', withdrawn: true, score: 2 });
      for (const keepOriginals of [false, true]) {
        for (const copies of [
          [original, withdrawn],
          [withdrawn, original],
        ]) {
          const test = async (engine: SearchEngine) => {
            const [record] = await everything(engine, 'comment');
            assert.deepEqual(record, keepOriginals ? original : withdrawn);
          };
          await withEngine(copies, test, { keepOriginals });
        }
      }
    });

    it('the index, and its fingerprint, do not depend on the order, the batches or the repetition of imports', async () => {
      const arbitrary = fc.array(commentArbitrary(true), { minLength: 1, maxLength: 30 }).chain((records) =>
        fc.record({
          records: fc.constant(records),
          shuffled: fc.shuffledSubarray([...records, ...records], { minLength: records.length * 2 }),
          size: fc.integer({ min: 1, max: 9 }),
          keepOriginals: fc.boolean(),
        }),
      );
      await fc.assert(
        fc.asyncProperty(arbitrary, async ({ records, shuffled, size, keepOriginals }) => {
          const rules = { keepOriginals };
          const state = async (engine: SearchEngine) => {
            return [await everything(engine, 'comment'), await fingerprintOf(engine, 'comment')];
          };
          let expected: unknown;
          const inOne = async (engine: SearchEngine) => {
            expected = await state(engine);
          };
          await withEngine(records, inOne, rules);
          const inBatches = async (engine: SearchEngine) => {
            for (let at = 0; at < shuffled.length; at += size) {
              await engine.index('comment', packRecords(shuffled.slice(at, at + size)));
            }
            assert.deepEqual(await state(engine), expected);
          };
          await withEngine([], inBatches, rules);
        }),
        { numRuns: 10 },
      );
    });

    it('evidence: the least id that any record of either kind gives, and how many posts are adult', () =>
      withEngine(
        [
          post({ id: '1', community: 'a', communityId: '10', adult: true }),
          post({ id: '2', community: 'a', communityId: 'z', adult: false }),
          post({ id: '3', community: 'a', adult: null }),
          comment({ id: '4', community: 'a', communityId: '2' }),
          comment({ id: '5', community: 'b' }),
        ],
        async (engine) => {
          const evidence = async (kind: Kind, text: string, limit: number) => {
            const page = firstPage('newest', limit);
            const answer = await engine.ask({ kind, query: queryOf(text), page, evidence: true });
            return Object.fromEntries(answer.evidence!);
          };
          const a = { id: '2', judgedPosts: 2, adultPosts: 1 };
          const b = { id: '', judgedPosts: 0, adultPosts: 0 };
          assert.deepEqual(await evidence('comment', '', 9), { a, b });
          assert.deepEqual(await evidence('comment', '/r/b', 9), { b });
          // Of all records, not of those on the page.
          assert.deepEqual(await evidence('post', 'id:3', 9), { a });
          assert.deepEqual(await evidence('post', 'id:nowhere', 9), {});
          const { evidence: none } = await engine.ask({ kind: 'post', query: EVERYTHING, evidence: true });
          assert.deepEqual(none, new Map(), 'no page, no communities');
          assert.equal('evidence' in (await engine.ask({ kind: 'post', query: EVERYTHING })), false);
          await engine.hide(1, 'comment', { ids: ['4', '5'] });
          assert.deepEqual(await evidence('post', '', 9), { a: { ...a, id: 'z' } });
        },
      ));

    it('an engine without a record is empty, one with a hidden record alone too', () =>
      withEngine([], async (engine) => {
        assert.equal(await engine.isEmpty(), true);
        await engine.index('comment', packRecords([comment({ id: '1' })]));
        assert.equal(await engine.isEmpty(), false);
        await engine.hide(1, 'comment', { ids: ['1'] });
        assert.equal(await engine.isEmpty(), true);
      }));

    it('stats: records, communities, first and last second', () =>
      withEngine(
        [post({ id: '1', created: 7 }), post({ id: '2', created: 9, community: 'b' })],
        async (engine) => {
          const stats = await wholeStats(engine);
          const { bytes, segments, ...rest } = stats.post;
          const lacking = { parents: 0, arrivals: 0 };
          assert.deepEqual(rest, { records: 2, communities: 2, first: 7, last: 9, lacking });
          assert.ok(segments >= 1);
          assert.ok(bytes > 0);
          const expected = {
            records: 0,
            communities: 0,
            first: null,
            last: null,
            segments: 0,
            bytes: 0,
            lacking,
          };
          assert.deepEqual({ ...stats.comment, bytes: 0 }, expected);
        },
      ));
  });

  describe(`${name}: what records lack`, () => {
    it('stats count comments of which it is not known what they answer, live ones alone', () =>
      withEngine(
        [comment({ id: '1' }), comment({ id: '2', parent: 'p' }), comment({ id: '3' }), post({ id: 'p' })],
        async (engine) => {
          const lacking = async () => {
            await engine.refresh();
            const { post, comment: comments } = await wholeStats(engine);
            return [post.lacking, comments.lacking];
          };
          const none = { parents: 0, arrivals: 0 };
          assert.deepEqual(await lacking(), [none, { parents: 2, arrivals: 0 }]);
          await engine.index('comment', packRecords([comment({ id: '1', parent: 'p', retrieved: 1 })]));
          assert.deepEqual(await lacking(), [none, { parents: 1, arrivals: 0 }]);
          await engine.hide(1, 'comment', { ids: ['3'] });
          assert.deepEqual(await lacking(), [none, none]);
          await engine.restore(1);
          await engine.maintain();
          assert.deepEqual(await lacking(), [none, { parents: 1, arrivals: 0 }]);
        },
      ));
  });
}

function lifeConformance(harness: EngineHarness): void {
  const { name } = harness;
  const withEngine = engineMaker(harness);

  describe(`${name}: life of the index`, () => {
    it('what was acknowledged is there after reopening, checkpoints too', () =>
      withEngine(
        [post({ id: '1', title: 'cats' }), comment({ id: '2', body: 'dogs' })],
        async (first, place) => {
          const checkpoint = { source: 'file', state: 'line 3' };
          await first.index('post', packRecords([post({ id: '3', title: 'cats' })]), checkpoint);
          await first.hide(1, 'post', { ids: ['1'] });
          await first[Symbol.asyncDispose]();
          await using again = await place.open({ rules: RULES });
          assert.equal((await again.ask({ kind: 'post', query: queryOf('cats') })).total, 1);
          assert.equal((await again.ask({ kind: 'comment', query: queryOf('dogs') })).total, 1);
          assert.equal((await again.checkpoints('post')).get('file'), 'line 3');
          assert.equal((await again.checkpoints('comment')).get('file'), undefined);
          await again.index('post', NO_RECORDS, { source: 'file', state: 'end' });
          assert.equal((await again.checkpoints('post')).get('file'), 'end');
          await again.index('post', NO_RECORDS, { source: 'file', state: null });
          assert.equal((await again.checkpoints('post')).get('file'), undefined);
        },
      ));

    it('a reader beside the writer sees what was acknowledged after a refresh', () =>
      withEngine([], async (writer, place) => {
        await using reader = await place.open({ rules: RULES });
        const total = async () => (await reader.ask({ kind: 'post', query: EVERYTHING })).total;
        assert.equal(await total(), 0);
        await writer.index('post', packRecords([post({ id: '1' }), post({ id: '2' })]));
        await reader.refresh();
        assert.equal(await total(), 2);
        await writer.hide(1, 'post', { ids: ['1'] });
        await reader.refresh();
        assert.equal(await total(), 1);
      }));

    it('a scan that was called before a change gives the view at the call, however late it is read', () =>
      withEngine([post({ id: '1' }), post({ id: '2' })], async (engine) => {
        const scan = engine.scan('post', EVERYTHING, 'oldest');
        await engine.index('post', packRecords([post({ id: '3' })]));
        await engine.hide(1, 'post', { ids: ['1'] });
        const idsIn = (records: readonly StoredRecord[]) => records.map(({ id }) => id);
        assert.deepEqual(idsIn((await Array.fromAsync(scan)).flat()), ['1', '2']);
        assert.deepEqual(idsIn(await everything(engine, 'post')), ['2', '3']);
      }));

    const timeoutMs = 0;
    const records = [post({ id: '1', title: 'cats' }), comment({ id: '2', post: '1' })];
    const [comments, sample] = [{ kind: 'comment', query: EVERYTHING } as const, { size: 1, seed: '1' }];
    const calls: Readonly<Record<string, (engine: SearchEngine) => Promise<unknown>>> = {
      query: (engine) => engine.ask({ kind: 'post', query: queryOf('cats'), timeoutMs }),
      sample: (engine) => engine.ask({ ...comments, page: { order: 'sample', ...sample }, timeoutMs }),
      thread: (engine) =>
        engine.ask({ ...comments, thread: { order: 'oldest', after: null, limit: 9 }, timeoutMs }),
      'query under posts': (engine) => engine.ask({ ...comments, under: EVERYTHING, timeoutMs }),
      'call for several': (engine) => engine.askAll([comments, comments], { timeoutMs }),
      'call for records by their ids': (engine) => engine.records({ kind: 'comment', ids: ['2'], timeoutMs }),
    };
    const test = testsOver(harness, records);
    for (const [what, call] of Object.entries(calls)) {
      test(`a ${what} without any time left is refused as too slow, never cut short`, (engine) =>
        assert.rejects(call(engine), { code: 'query_timeout' }));
    }
  });
}

/** More than one batch of a scan. */
const RECORDS = 2_500;

export function abortConformance(harness: EngineHarness): void {
  const { name } = harness;
  const records = Array.from({ length: RECORDS }, (_, i) => comment({ id: String(i), created: i }));
  const question = { kind: 'comment', query: EVERYTHING, page: firstPage('newest', 9) } as const;
  const reason = new Error('the caller has gone');
  const isReason = (error: unknown) => error === reason;

  describe(`${name}: a caller that goes`, () => {
    const test = testsOver(harness, records);

    test('before it asks is told the reason, and nothing else', async (engine) => {
      const signal = AbortSignal.abort(reason);
      await assert.rejects(engine.ask(question, signal), isReason);
      await assert.rejects(engine.records({ kind: 'comment', ids: ['7'] }, signal), isReason);
      await assert.rejects(async () => {
        for await (const _ of engine.scan('comment', EVERYTHING, 'oldest', signal)) assert.fail('a batch');
      }, isReason);
      assert.equal((await engine.ask(question)).total, RECORDS);
    });

    test('while its question waits among others is told the reason; the others are answered', async (engine) => {
      const controller = new AbortController();
      const asked = Array.from({ length: 12 }, (_, i) =>
        engine.ask(question, i % 3 === 0 ? controller.signal : undefined),
      );
      controller.abort(reason);
      for (const [i, answer] of (await Promise.allSettled(asked)).entries()) {
        if (i % 3 === 0) assert.ok(answer.status === 'rejected' && isReason(answer.reason));
        else assert.ok(answer.status === 'fulfilled' && answer.value.total === RECORDS);
      }
    });

    test('while it scans is told the reason in place of the next batch', async (engine) => {
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
    });

    test('after its answer changes nothing', async (engine) => {
      const controller = new AbortController();
      const { total } = await engine.ask(question, controller.signal);
      controller.abort(reason);
      assert.equal(total, RECORDS);
      assert.equal((await engine.ask(question)).total, RECORDS);
    });
  });
}
