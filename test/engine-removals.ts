// What an engine does with removals: part of the contract in engine-conformance.ts, for every engine alike.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { KINDS, type Kind, NO_RECORDS, type StoredRecord } from '../src/model/record.ts';
import { type Hidden, hiddenOf, NO_REMOVALS, type RemovalList } from '../src/model/removals.ts';
import type { EngineHarness, EnginePlace } from './engine-harness.ts';
import { EVERYTHING, engineMaker, everything, fill, RULES, rowsOf } from './engine-suite.ts';
import { comment, linkPost, post, START_OF_2008 } from './helpers.ts';
import { wholeStats } from './whole-stats.ts';

/** A list of removals that a test adds to. */
export class TestRemovals implements RemovalList {
  readonly #entries: Hidden[] = [];

  add(...entries: readonly Hidden[]): void {
    this.#entries.push(...entries);
  }

  version(): number {
    return this.#entries.length;
  }

  refused(records: readonly StoredRecord[]): readonly boolean[] {
    const answers = this.#entries.map((entry) => hiddenOf(records, entry));
    return records.map((_, i) => answers.some((answer) => answer[i]));
  }
}

const RECORDS: readonly StoredRecord[] = [
  post({ id: 'p1', community: 'cats', created: 100, title: 'solar', adult: true, communityId: '7' }),
  linkPost({ id: 'p2', community: 'dogs', created: 200, title: 'solar', domain: 'a.example' }),
  comment({ id: 'c1', community: 'cats', created: 100, body: 'solar', post: 'p1' }),
  comment({ id: 'c2', community: 'dogs', created: 200, body: 'solar', post: 'p2' }),
  comment({ id: 'c3', community: 'cats', created: 300, body: 'solar www.a.example', post: 'p2' }),
];

/** What is hidden → ids of posts and of comments that are left, oldest first. */
const WAYS: readonly [string, Kind, Hidden, string, string][] = [
  ['ids, unknown and twice too', 'comment', { ids: ['c1', 'c1', 'x', 'c3'] }, 'p1 p2', 'c2'],
  ['ids of one kind alone', 'post', { ids: ['c1', 'p1'] }, 'p2', 'c1 c2 c3'],
  ['a community', 'comment', { community: 'cats' }, 'p1 p2', 'c2'],
  ['a community that has none', 'post', { community: 'energy' }, 'p1 p2', 'c1 c2 c3'],
  ['comments of posts', 'comment', { threads: ['p2', 'x'] }, 'p1 p2', 'c1'],
  ['posts of threads', 'post', { threads: ['p2'] }, 'p1', 'c1 c2 c3'],
];

export function removalConformance({ name, place: makePlace }: EngineHarness): void {
  /** Runs `test` with an engine over `RECORDS`, in a place of its own. */
  async function withEngine(
    test: (engine: SearchEngine, list: TestRemovals, place: EnginePlace) => Promise<void>,
    rules = RULES,
  ): Promise<void> {
    await using place = makePlace();
    const list = new TestRemovals();
    await using engine = await place.open({ rules, removals: list });
    await fill(engine, RECORDS);
    await test(engine, list, place);
  }

  function test(rule: string, body: Parameters<typeof withEngine>[0]): void {
    it(rule, () => withEngine(body));
  }

  describe(`${name}: removals`, () => {
    test('what is hidden and what comes back is told by the month of its creation', async (engine) => {
      const february = START_OF_2008 + 31 * 86_400;
      const more = [
        ...[february - 1, february, february + 5].map((created, i) => comment({ id: `m${i}`, created })),
        comment({ id: 'm3', created: february, community: 'odd' }),
      ];
      await engine.index('comment', packRecords(more));
      const january = [START_OF_2008, 1] as const;
      const hid = await engine.hide(1, 'comment', { ids: ['m0', 'm1', 'm2', 'unknown'] });
      assert.deepEqual(hid, { records: 3, months: [january, [february, 2]] });
      const odd = { records: 1, months: [[february, 1]] };
      assert.deepEqual(await engine.hide(2, 'comment', { ids: ['m1', 'm3'] }), odd);
      assert.deepEqual(await engine.restore(1), { records: 2, months: [january, [february, 1]] });
      assert.deepEqual(await engine.restore(2), { records: 2, months: [[february, 2]] });
      assert.deepEqual(await engine.restore(2), { records: 0, months: [] });
    });

    for (const [rule, kind, what, posts, comments] of WAYS) {
      test(`hides by ${rule}`, async (engine) => {
        const before = (await idsOf(engine, kind)).length;
        const { records: hid } = await engine.hide(1, kind, what);
        assert.deepEqual(await idsOf(engine, 'post'), posts.split(' '));
        assert.deepEqual(await idsOf(engine, 'comment'), comments.split(' '));
        assert.equal(hid, before - (await idsOf(engine, kind)).length);
        assert.equal(await engine.hiddenCount(), hid);
        assert.equal((await engine.hide(2, kind, what)).records, 0, 'hidden already');
        assert.equal((await engine.restore(1)).records, 0, 'the second removal hides them too');
        assert.equal((await engine.restore(2)).records, hid);
        assert.equal(await engine.hiddenCount(), 0);
        assert.deepEqual(await idsOf(engine, 'post'), ['p1', 'p2']);
        assert.deepEqual(await idsOf(engine, 'comment'), ['c1', 'c2', 'c3']);
      });
    }

    test('buried: what is hidden, each copy, of the moment of the call; what is found is not', async (engine) => {
      const buried = async (copies: AsyncIterable<readonly StoredRecord[]>) => {
        const bodies: string[] = [];
        for await (const batch of copies) for (const record of batch) bodies.push(bodyOf(record));
        return bodies.sort();
      };
      assert.deepEqual(await buried(engine.buried('comment')), []);
      await engine.hide(1, 'comment', { ids: ['c1'] });
      await engine.hide(2, 'comment', { ids: ['c1', 'c3'] });
      // The list refuses nothing here.
      await engine.index('comment', packRecords([comment({ id: 'c1', body: 'newer', retrieved: 9 })]));
      const before = engine.buried('comment');
      await engine.hide(3, 'comment', { ids: ['c1'] });
      assert.deepEqual(await buried(before), ['solar', 'solar www.a.example']);
      const all = ['newer', 'solar', 'solar www.a.example'];
      assert.deepEqual(await buried(engine.buried('comment')), all);
      assert.deepEqual(await buried(engine.buried('post')), []);
      await engine.restore(2);
      assert.deepEqual(await buried(engine.buried('comment')), ['newer', 'solar']);
    });

    test('what is hidden is in no total, page, breakdown, timeline, scan or community at once', async (engine) => {
      await engine.hide(1, 'comment', { ids: ['c3'] });
      await engine.hide(1, 'post', { community: 'cats' });
      const question = {
        kind: 'comment',
        query: EVERYTHING,
        page: { order: 'top', limit: 9, after: null },
        breakdowns: [
          { field: 'community', size: 9 },
          { field: 'domain', size: 9 },
        ],
        timeline: {},
        evidence: true,
      } as const;
      const { total, page, breakdowns, timeline, evidence } = await engine.ask(question);
      assert.equal(total, 2);
      const ids = page?.records.map(({ id }) => id);
      assert.deepEqual(ids, ['c2', 'c1']);
      assert.deepEqual(breakdowns?.[0]?.rows, rowsOf({ cats: 1, dogs: 1 }));
      assert.deepEqual(breakdowns?.[1]?.rows, []);
      const counts = timeline?.buckets.map(({ count }) => count);
      assert.deepEqual(counts, [2]);
      assert.deepEqual(evidence?.get('cats'), { id: '', judgedPosts: 0, adultPosts: 0 });
      const { records, last } = (await wholeStats(engine)).comment;
      assert.deepEqual([records, last], [2, 200]);
      const named = await engine.records({ kind: 'comment', ids: ['c1', 'c3', 'c1', 'x'] });
      assert.equal(named.records.map(({ id }) => id).join(), 'c1');
    });

    test('each removal brings back what it hid, save what another hides', async (engine) => {
      assert.equal((await engine.hide(1, 'comment', { community: 'cats' })).records, 2);
      assert.equal((await engine.hide(2, 'comment', { threads: ['p2'] })).records, 1);
      assert.equal(await engine.hiddenCount(), 3);
      assert.deepEqual([await engine.lastRemoval('comment'), await engine.lastRemoval('post')], [2, 0]);
      assert.equal((await engine.restore(1)).records, 1);
      assert.deepEqual(await idsOf(engine, 'comment'), ['c1']);
      assert.equal((await engine.restore(2)).records, 2);
      assert.equal(await engine.lastRemoval('comment'), 0);
      assert.equal((await engine.restore(2)).records, 0);
      assert.equal((await engine.restore(99)).records, 0);
      assert.deepEqual(await idsOf(engine, 'comment'), ['c1', 'c2', 'c3']);
    });

    test('one number hides records of both kinds, and more later; all of it comes back', async (engine) => {
      await engine.hide(5, 'post', { ids: ['p1'] });
      await engine.hide(5, 'comment', { threads: ['p1'] });
      await engine.hide(5, 'comment', { ids: ['c2'] });
      assert.deepEqual([await idsOf(engine, 'post'), await idsOf(engine, 'comment')], [['p2'], ['c3']]);
      assert.equal((await engine.restore(5)).records, 3);
    });

    test('what the list refuses is left out of a batch and counted; the four counts add up', async (engine, list) => {
      list.add({ ids: ['c1'] }, { community: 'dogs' });
      await engine.hide(1, 'comment', { ids: ['c1'] });
      await engine.hide(2, 'comment', { community: 'dogs' });
      const batch = [
        comment({ id: 'c1', community: 'cats', retrieved: 9 }),
        comment({ id: 'c2', community: 'dogs', retrieved: 9 }),
        comment({ id: 'c3', community: 'cats', created: 300, score: 8 }),
        comment({ id: 'c4', community: 'dogs' }),
        comment({ id: 'c5', community: 'energy', created: 900 }),
        comment({ id: 'c5', community: 'energy', created: 900 }),
      ];
      const counts = { added: 1, replaced: 1, unchanged: 1, removed: 3 };
      assert.deepEqual(await engine.index('comment', packRecords(batch)), counts);
      assert.deepEqual(await idsOf(engine, 'comment'), ['c3', 'c5']);
    });

    test('a batch of refused records alone still commits its checkpoint', async (engine, list) => {
      list.add({ community: 'cats' });
      const refused = [comment({ id: 'n', community: 'cats' })];
      const report = await engine.index('comment', packRecords(refused), { source: 's', state: '1' });
      assert.deepEqual(report, { added: 0, replaced: 0, unchanged: 0, removed: 1 });
      assert.equal((await engine.checkpoints('comment')).get('s'), '1');
    });

    test('older copies do not come through, when the newest is hidden or taken back', async (engine) => {
      const fields = { community: 'cats', created: 100, post: 'p1' };
      const newer = comment({ id: 'c1', ...fields, body: 'newer', retrieved: 5 });
      await engine.index('comment', packRecords([newer]));
      assert.equal((await engine.hide(1, 'comment', { ids: ['c1'] })).records, 1);
      assert.deepEqual(await idsOf(engine, 'comment'), ['c2', 'c3']);
      assert.equal((await engine.restore(1)).records, 1);
      assert.deepEqual((await everything(engine, 'comment'))[0], newer);
    });

    it('where another copy came in while one was hidden, the higher one stays', async () => {
      const ranks = [
        { retrieved: 5, body: 'newer', stays: 'newer', back: 0 },
        { retrieved: 0, body: '[deleted]', withdrawn: true, stays: '[deleted]', back: 0 },
        { score: -5, body: 'lower', stays: 'solar', back: 1 },
        { community: 'cats', post: 'p1', body: 'solar', stays: 'solar', back: 0 },
      ];
      for (const { stays, back, ...fields } of ranks) {
        await withEngine(async (engine) => {
          await engine.hide(1, 'comment', { community: 'cats' });
          // The list refuses nothing here.
          await fill(engine, [comment({ id: 'c1', community: 'birds', created: 100, ...fields })]);
          assert.deepEqual(await idsOf(engine, 'comment'), ['c1', 'c2']);
          assert.equal((await engine.restore(1)).records, back + 1);
          const [first] = await everything(engine, 'comment');
          assert.equal(first?.kind === 'comment' && first.body, stays);
          assert.deepEqual(await idsOf(engine, 'comment'), ['c1', 'c2', 'c3']);
        });
      }
    });

    it('a folder that keeps originals hides and brings back all the same', () =>
      withEngine(
        async (engine) => {
          const withdrawn = comment({ id: 'c1', community: 'cats', body: '[deleted]', withdrawn: true });
          await engine.index('comment', packRecords([withdrawn]));
          await engine.hide(1, 'comment', { ids: ['c1'] });
          assert.deepEqual(await idsOf(engine, 'comment'), ['c2', 'c3']);
          assert.equal((await engine.restore(1)).records, 1);
          assert.deepEqual((await everything(engine, 'comment'))[0], RECORDS[2]);
        },
        { keepOriginals: true },
      ));

    test('after a purge there is nothing to bring back; the rest stays as it was', async (engine) => {
      await engine.hide(1, 'comment', { community: 'cats' });
      await engine.hide(1, 'post', { ids: ['p1', 'p2'] });
      await expectPurged(engine);
      assert.equal((await engine.restore(1)).records, 0);
      assert.deepEqual([await idsOf(engine, 'post'), await idsOf(engine, 'comment')], [[], ['c2']]);
      await engine.index('post', packRecords([post({ id: 'p1' })]));
      assert.deepEqual(await idsOf(engine, 'post'), ['p1']);
    });

    test('upkeep leaves alone what was hidden a moment ago', async (engine) => {
      await engine.hide(1, 'comment', { community: 'cats' });
      await engine.maintain();
      assert.equal(await engine.hiddenCount(), 2);
      assert.equal((await engine.restore(1)).records, 2);
    });

    test('batches and merges that come after a removal erase nothing of it', async (engine) => {
      for (let i = 0; i < 4; i++) await engine.index('comment', packRecords([comment({ id: `h${i}` })]));
      assert.equal((await engine.hide(1, 'comment', { ids: ['h0', 'h2', 'c1'] })).records, 3);
      for (let i = 0; i < 12; i++) await engine.index('comment', packRecords([comment({ id: `n${i}` })]));
      await engine.maintain();
      assert.equal(await engine.hiddenCount(), 3);
      assert.equal((await engine.restore(1)).records, 3);
      const ids = ['h0', 'h2', 'c1'];
      assert.equal((await engine.records({ kind: 'comment', ids })).records.length, 3);
    });

    test('hides beside the writer, whose next batch sees it; survives reopening', async (writer, list, place) => {
      {
        await using other = await place.open({ rules: RULES, removals: list });
        list.add({ ids: ['c1'] });
        assert.equal((await other.hide(1, 'comment', { ids: ['c1'] })).records, 1);
        assert.deepEqual(await idsOf(other, 'comment'), ['c2', 'c3']);
      }
      const newer = packRecords([comment({ id: 'c1', retrieved: 99 })]);
      assert.equal((await writer.index('comment', newer)).removed, 1);
      await writer.refresh();
      assert.deepEqual(await idsOf(writer, 'comment'), ['c2', 'c3']);
      await writer[Symbol.asyncDispose]();
      await using again = await place.open({ rules: RULES, removals: list });
      assert.deepEqual(await idsOf(again, 'comment'), ['c2', 'c3']);
      assert.equal((await again.restore(1)).records, 1);
    });

    it('in an empty place there is nothing to hide, restore or erase', async () => {
      await using place = makePlace();
      await using engine = await place.open({ rules: RULES, removals: new TestRemovals() });
      assert.equal((await engine.restore(1)).records, 0);
      await engine.purge();
      await engine.maintain();
      assert.equal((await engine.hide(1, 'post', { ids: ['p'] })).records, 0);
      assert.equal(await engine.hiddenCount(), 0);
      await engine.index('post', packRecords([post({ id: 'q' })]));
      assert.deepEqual(await idsOf(engine, 'post'), ['q']);
    });
  });
}

function bodyOf(record: StoredRecord): string {
  return record.kind === 'comment' ? record.body : assert.fail('expected a comment');
}

/** Purges, and looks for what is left where nothing should be. */
export async function expectPurged(engine: SearchEngine, kinds: readonly Kind[] = KINDS): Promise<void> {
  const { erased } = await engine.purge(kinds);
  if (erased === 'scheduled') return;
  assert.equal(erased, 'now');
  assert.equal(await engine.hiddenCount(kinds), 0);
  for (const kind of kinds) {
    for await (const batch of engine.buried(kind)) assert.deepEqual(batch, [], 'erased, and there');
  }
}

/** Ids of a scan; fails where the total of a question is another. */
async function idsOf(engine: SearchEngine, kind: Kind): Promise<readonly string[]> {
  const ids = (await everything(engine, kind)).map(({ id }) => id);
  assert.equal((await engine.ask({ kind, query: EVERYTHING })).total, ids.length);
  return ids;
}

/** In the order of `oldest`. */
const WRITTEN = ['1', '2', '3', '4', '5'].map((id) => comment({ id, body: `solar ${id}`, score: 4 }));
const BATCH = packRecords(WRITTEN);
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

export function batchConformance(harness: EngineHarness): void {
  const { name } = harness;
  const withEngine = engineMaker(harness);

  async function expectAll(engine: SearchEngine): Promise<void> {
    assert.deepEqual(await everything(engine, 'comment'), WRITTEN);
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
          assert.equal((await engine.checkpoints('comment')).get(SOURCE), 'end');
        }
      }));

    it('a batch of which a part is in already comes to the same as one that went through', async () => {
      const older = WRITTEN.map((record) => ({ ...record, score: 1 }));
      for (let part = 0; part <= WRITTEN.length; part++) {
        await withEngine(older.slice(1, 4), async (engine) => {
          await engine.index('comment', packRecords(WRITTEN.slice(0, part)));
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
          await engine.index('comment', packRecords(WRITTEN.slice(0, 1)), first);
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
          const state = (await engine.checkpoints('comment')).get(SOURCE);
          assert.ok(state === 'first' || there === WRITTEN.length, `${state} with ${there} records`);
        }
        await engine.index('comment', BATCH, whole);
        await expectAll(engine);
        assert.equal((await engine.checkpoints('comment')).get(SOURCE), 'whole');
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
        assert.equal((await engine.checkpoints('comment')).get('a'), undefined);
        assert.deepEqual(await checkpoints(), { ...kept, comment: { b: '2' } });
        await engine[Symbol.asyncDispose]();
        await using again = await place.open({ rules: RULES });
        assert.deepEqual(await checkpoints(again), { ...kept, comment: { b: '2' } });
      }));
  });
}
