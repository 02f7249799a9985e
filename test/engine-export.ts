// Whole results as bytes, those that end before their end, and removals meanwhile: part of the contract in
// engine-conformance.ts.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { UsageError } from '../src/errors.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { EngineUnavailable } from '../src/model/engine-errors.ts';
import type { ExportBlock, ExportHead, ExportRequest, ExportRun } from '../src/model/export.ts';
import { ORDERS, type Order, type PagePosition } from '../src/model/pages.ts';
import type { StoredComment } from '../src/model/record.ts';
import type { EngineHarness } from './engine-harness.ts';
import { EVERYTHING, engineMaker, firstPage, queryOf, RULES, testsOver } from './engine-suite.ts';
import { comment, jsonLines, post } from './helpers.ts';
import { type LineOptions, lineOf, lineShaper } from './line-shaper.ts';
import { comparator } from './reference/order.ts';

export type Asked = Pick<ExportRequest, 'kind'> & Partial<ExportRequest>;

export interface Exported {
  readonly head: ExportHead;
  readonly text: string;
  readonly last: ExportBlock;
  /** Records given at each step. */
  readonly steps: readonly number[];
}

export function openExport(engine: SearchEngine, asked: Asked, signal?: AbortSignal): Promise<ExportRun> {
  const rest = { query: EVERYTHING, order: 'oldest', after: null, limit: null } as const;
  return engine.export({ ...rest, shaper: lineShaper(), ...asked }, signal);
}

/** All of it. `each` is called behind each block. */
export async function exported(
  engine: SearchEngine,
  asked: Asked,
  each: (block: ExportBlock) => Promise<void> = async () => {},
): Promise<Exported> {
  await using run = await openExport(engine, asked);
  const { head } = run;
  const bytes: Uint8Array[] = [];
  const steps: number[] = [];
  const seen: ExportBlock[] = [];
  for await (const block of run.blocks) {
    assert.equal(seen.at(-1)?.report, undefined, 'nothing comes behind the last block');
    assert.ok(block.bytes.length > 0 || block.state !== undefined || block.report !== undefined);
    bytes.push(...block.bytes.map((piece) => piece.slice()));
    if (block.state !== undefined) steps.push(block.records);
    seen.push({ ...block, bytes: [] });
    await each(block);
  }
  const all = Buffer.concat(bytes);
  const last = seen.at(-1)!;
  assert.equal(last.report?.sha256, createHash('sha256').update(all).digest('hex'));
  return { head, text: all.toString(), last, steps };
}

export function idsIn({ text }: Exported): string[] {
  return jsonLines(text).map(({ id }) => id);
}

/** Ties of thousands: few seconds, few scores. */
function tied(count: number): StoredComment[] {
  return Array.from({ length: count }, (_, i) =>
    comment({
      id: ((i * 7919) % count).toString(36),
      created: 1_000 + Math.floor(i / (count / 3)),
      score: [1, 1, 1, 7, 1_200_000, 2_000_000, -30][i % 7]!,
      body: i % 2 === 0 ? 'solar' : 'wind',
    }),
  );
}

export function exportConformance(harness: EngineHarness): void {
  const { name } = harness;
  const withEngine = engineMaker(harness);
  const records = tied(2_500);

  describe(`${name}: exports`, () => {
    const test = testsOver(harness, records);

    test('are every match in the order asked for, ties of thousands included; the head comes first', async (engine) => {
      const solar = records.filter(({ body }) => body === 'solar');
      for (const order of ORDERS) {
        const all = await exported(engine, { kind: 'comment', order });
        assert.deepEqual(all.head, { ...all.head, total: 2_500, matches: 2_500 });
        assert.equal(all.text, records.toSorted(comparator(order)).map(lineOf).join(''), order);
        assert.deepEqual([all.last.records, all.last.withheld], [2_500, 0]);
        const some = await exported(engine, { kind: 'comment', order, query: queryOf('solar') });
        assert.equal(some.text, solar.toSorted(comparator(order)).map(lineOf).join(''), order);
      }
    });

    test('go on behind a place, pass over records, and end at a limit', async (engine) => {
      const [all, some] = (['all', 700] as const).map((given) => ({ second: 1_001, given }));
      const ranks = [1, 1_000_000, -30].map((score, i) => ({ score, second: [1_001, 1_002, 0][i]! }));
      const places: Record<Order, PagePosition[]> = {
        oldest: [all!, some!, { second: 1_001, given: 5_000 }],
        newest: [all!, some!, { second: 900, given: 1 }],
        top: ranks,
      };
      for (const order of ORDERS) {
        const sorted = records.toSorted(comparator(order));
        for (const [i, after] of places[order].entries()) {
          const behind = sorted.filter((record) => isBehind(record, after, order, sorted));
          for (const [skip, limit] of [
            [[0, 3, 5_000][i]!, null],
            [0, 10],
            [4, 10],
            [10, 10],
            [0, 0],
          ] as const) {
            const found = await exported(engine, { kind: 'comment', order, after, skip, limit });
            const wanted = behind.slice(0, limit ?? undefined);
            const where = JSON.stringify({ order, after, skip, limit });
            assert.deepEqual(found.head, { ...found.head, total: wanted.length, matches: 2_500 }, where);
            assert.equal(found.text, wanted.slice(skip).map(lineOf).join(''), where);
            assert.equal(found.last.records, wanted.length, where);
          }
        }
      }
    });

    it('know what the records of both kinds say of communities, in the view that they come from', () =>
      withEngine(
        [
          post({ id: 'p1', community: 'cats', communityId: '7', adult: true }),
          comment({ id: 'c1', community: 'cats', communityId: '9' }),
          comment({ id: 'c2', community: 'dogs' }),
        ],
        async (engine) => {
          const shaper = lineShaper({ communities: ['cats', 'dogs', 'birds'] });
          await using run = await openExport(engine, { kind: 'comment', query: queryOf('id:c2'), shaper });
          await engine.index('post', packRecords([post({ id: 'p2', community: 'birds', adult: false })]));
          let text = '';
          for await (const { bytes } of run.blocks) text += Buffer.concat(bytes).toString();
          const [head, ...evidence] = JSON.parse(text.trim().split('\n').at(-1)!);
          assert.deepEqual(head, { ...head, total: 1, matches: 1 });
          const cats = { id: '7', judgedPosts: 1, adultPosts: 1 };
          const dogs = { id: '', judgedPosts: 0, adultPosts: 0 };
          assert.deepEqual(Object.fromEntries(evidence), { cats, dogs });
        },
      ));

    it('have the fingerprints of the views that they come from', () =>
      withEngine([post({ id: 'p1' }), comment({ id: 'c1' }), comment({ id: 'c2' })], async (engine) => {
        const before = await engine.fingerprints();
        await using run = await openExport(engine, { kind: 'comment' });
        await engine.index('comment', packRecords([comment({ id: 'c3' })]));
        await engine.hide(1, 'post', { ids: ['p1'] });
        assert.deepEqual(await run.fingerprints(), before);
        assert.notDeepEqual(await engine.fingerprints(), before);
      }));
  });
}

function isBehind(
  { id, created, score }: StoredComment,
  after: PagePosition,
  order: string,
  all: readonly StoredComment[],
): boolean {
  const ahead = order === 'oldest' ? created - after.second : after.second - created;
  if ('score' in after) {
    const ranking = Math.min(1_000_000, score);
    return ranking < after.score || (ranking === after.score && ahead > 0);
  }
  const inSecond = all.filter((record) => record.created === after.second);
  return (
    ahead > 0 ||
    (ahead === 0 && after.given !== 'all' && inSecond.findIndex((record) => record.id === id) >= after.given)
  );
}

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
    const test = testsOver(harness, records);

    test('a caller that has gone before is told the reason', async (engine) => {
      const opening = openExport(engine, { kind: 'comment' }, AbortSignal.abort(reason));
      await assert.rejects(opening, isReason);
      await expectWell(engine);
    });

    test('a caller that goes in the midst is told the reason in place of the next block', async (engine) => {
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
    });

    test('a caller that goes behind the last block changes nothing', async (engine) => {
      const controller = new AbortController();
      await using run = await openExport(engine, { kind: 'comment' }, controller.signal);
      for await (const _ of run.blocks);
      controller.abort(reason);
      await expectWell(engine);
    });

    test('a caller that breaks off, or asks for no block, lets go of everything', async (engine) => {
      {
        await using run = await openExport(engine, { kind: 'comment' });
        for await (const _ of run.blocks) break;
        await using unread = await openExport(engine, { kind: 'comment' });
        assert.equal(unread.head.total, COUNT);
      }
      await engine.maintain();
      await expectWell(engine);
    });

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
      test(`what a shaper throws in \`${fails}\` arrives as what it is`, async (engine) => {
        const run = exported(engine, { kind: 'comment', shaper: lineShaper({ fails: fails! }) });
        await assert.rejects(run, (error) => error instanceof type && error.message === message);
        await expectWell(engine);
      });
    }

    test('a place that belongs to another order is a TypeError', async (engine) => {
      const after = { score: 1, second: 1 };
      await assert.rejects(openExport(engine, { kind: 'comment', order: 'oldest', after }), TypeError);
      await expectWell(engine);
    });
  });
}

const RECORDS: readonly StoredComment[] = Array.from({ length: COUNT }, (_, i) =>
  comment({
    id: ((i * 7919) % COUNT).toString(36),
    created: 1_000 + Math.floor(i / 900),
    score: i % 3,
    community: i % 7 === 0 ? 'cats' : 'energy',
    body: 'x'.repeat(i % 50),
  }),
);

/** Records that were given or withheld so far. */
function done({ records, withheld }: ExportBlock): number {
  return records + withheld;
}

export function exportRemovalConformance(harness: EngineHarness): void {
  const { name } = harness;
  const withEngine = engineMaker(harness);

  /** `change` is made when the first block is there. Returns how far it was then, besides. */
  async function changedMidway(engine: SearchEngine, asked: Asked, change: () => Promise<unknown>) {
    let before = 0;
    const all = await exported(engine, asked, async (block) => {
      if (before > 0) return;
      before = done(block);
      await change();
    });
    assert.ok(before > 0 && before < all.head.total, `${before} records before the change`);
    assert.equal(done(all.last), all.head.total);
    return { all, before };
  }

  /** Expects these records, but for those behind the first `before` that `isGone` names. */
  function expectWithheld(
    { all, before }: Awaited<ReturnType<typeof changedMidway>>,
    records: readonly StoredComment[],
    isGone: (record: StoredComment) => boolean,
  ): void {
    const left = records.filter((record, i) => i < before || !isGone(record));
    assert.equal(all.text, left.map(lineOf).join(''));
    assert.deepEqual([all.last.records, all.last.withheld], [left.length, records.length - left.length]);
  }

  describe(`${name}: removals during an export`, () => {
    it('hold from the next block on, by id and by community; what was given is not counted', () =>
      withEngine(RECORDS, async (engine) => {
        for (const [i, order] of ORDERS.entries()) {
          const sorted = RECORDS.toSorted(comparator(order));
          const ids = [0, COUNT - 300, COUNT - 1].map((at) => sorted[at]!.id);
          const byId = await changedMidway(engine, { kind: 'comment', order }, () =>
            engine.hide(i * 2 + 1, 'comment', { ids: [...ids, 'unknown'] }),
          );
          expectWithheld(byId, sorted, ({ id }) => ids.includes(id));
          assert.equal((await engine.restore(i * 2 + 1)).records, 3);
          const byCommunity = await changedMidway(engine, { kind: 'comment', order }, () =>
            engine.hide(i * 2 + 2, 'comment', { community: 'cats' }),
          );
          expectWithheld(byCommunity, sorted, ({ community }) => community === 'cats');
          await engine.restore(i * 2 + 2);
        }
      }));

    it('hold for what the shaper still keeps back, which was given before', () =>
      withEngine(RECORDS, async (engine) => {
        for (const [i, order] of ORDERS.entries()) {
          const sorted = RECORDS.toSorted(comparator(order));
          const ids = [0, 5, COUNT - 1].map((at) => sorted[at]!.id);
          const waits = `${name} ${order}`;
          const channel = new BroadcastChannel(waits);
          channel.onmessage = async () => {
            await engine.hide(i + 1, 'comment', { ids });
            channel.postMessage('go on');
          };
          const shaper = lineShaper({ keepsBack: true, waits });
          const found = await exported(engine, { kind: 'comment', order, shaper });
          channel.close();
          expectWithheld({ all: found, before: 0 }, sorted, ({ id }) => ids.includes(id));
          await engine.restore(i + 1);
        }
      }));

    it('hold where all that was left is gone', () =>
      withEngine(RECORDS, async (engine) => {
        const found = await changedMidway(engine, { kind: 'comment' }, async () => {
          await engine.hide(1, 'comment', { community: 'cats' });
          await engine.hide(2, 'comment', { community: 'energy' });
        });
        expectWithheld(found, RECORDS.toSorted(comparator('oldest')), () => true);
        assert.equal(found.all.last.records, found.before);
      }));

    it('hold until they are undone, for the blocks between', () =>
      withEngine(RECORDS, async (engine) => {
        const odd = RECORDS.filter((_, i) => i % 2 === 1).map(({ id }) => id);
        const ends: number[] = [];
        const all = await exported(engine, { kind: 'comment' }, async (block) => {
          ends.push(done(block));
          if (ends.length === 1) await engine.hide(1, 'comment', { ids: odd });
          if (ends.length === 2) await engine.restore(1);
        });
        assert.ok(ends.length > 2, `${ends.length} blocks`);
        const isOdd = new Set(odd);
        const isLeft = ({ id }: StoredComment, i: number) => i < ends[0]! || i >= ends[1]! || !isOdd.has(id);
        const left = RECORDS.toSorted(comparator('oldest')).filter(isLeft);
        assert.equal(all.text, left.map(lineOf).join(''));
        assert.equal(all.last.withheld, COUNT - left.length);
      }));

    it('by another opener of the same index hold too', () =>
      withEngine(RECORDS, async (engine, place) => {
        await using other = await place.open({ rules: RULES });
        const found = await changedMidway(engine, { kind: 'comment' }, () =>
          other.hide(1, 'comment', { community: 'cats' }),
        );
        const sorted = RECORDS.toSorted(comparator('oldest'));
        expectWithheld(found, sorted, ({ community }) => community === 'cats');
      }));

    it('hold beside batches that replace, merges and the erasing of texts, which change nothing else', () =>
      withEngine([], async (engine) => {
        await indexed(engine, RECORDS);
        const sorted = RECORDS.toSorted(comparator('oldest'));
        const replaced = sorted.slice(-400, -100).filter(({ community }) => community === 'energy');
        const found = await changedMidway(engine, { kind: 'comment' }, async () => {
          await engine.hide(1, 'comment', { community: 'cats' });
          await indexed(engine, replaced, { score: 900, body: 'newer' });
          await engine.hide(2, 'comment', { ids: [replaced[1]!.id, replaced[2]!.id] });
          await indexed(engine, [comment({ id: 'later', created: 1_000_000 })]);
          await engine.maintain();
          await engine.purge();
        });
        const hidden = [replaced[1]!.id, replaced[2]!.id];
        expectWithheld(found, sorted, ({ id, community }) => community === 'cats' || hidden.includes(id));
        assert.ok(!found.all.text.includes('newer'), 'from one view');
      }));

    it('that were undone before the next block leave no trace', () =>
      withEngine(RECORDS, async (engine) => {
        const found = await changedMidway(engine, { kind: 'comment', order: 'top' }, async () => {
          await engine.hide(1, 'comment', { community: 'cats' });
          await engine.restore(1);
          await engine.maintain();
        });
        expectWithheld(found, RECORDS.toSorted(comparator('top')), () => false);
      }));
  });
}

/** In eight batches. */
async function indexed(
  engine: SearchEngine,
  records: readonly StoredComment[],
  change: Partial<StoredComment> = {},
): Promise<void> {
  const size = Math.ceil(records.length / 8);
  for (let at = 0; at < records.length; at += size) {
    const batch = records.slice(at, at + size).map((record) => ({ ...record, ...change }));
    await engine.index('comment', packRecords(batch));
  }
}
