// When records came in: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Checkpoint, SearchEngine } from '../src/model/engine.ts';
import { ORDERS } from '../src/model/pages.ts';
import { KINDS, type Kind, type StoredComment, type StoredRecord } from '../src/model/record.ts';
import type { ArrivalTime } from '../src/model/time.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import { exported } from './engine-export.ts';
import type { EngineHarness } from './engine-harness.ts';
import { EVERYTHING, engineMaker, firstPage, RULES } from './engine-suite.ts';
import { comment, post } from './helpers.ts';
import { lineShaper } from './line-shaper.ts';
import { wholeStats } from './whole-stats.ts';

type Arrived = Readonly<Record<string, ArrivalTime>>;

const BEFORE: readonly StoredRecord[] = [
  ...['same', 'scored', 'rated', 'answers', 'edited', 'twice', 'hidden'].map((id) =>
    comment({ id, body: 'one', created: 1_000, retrieved: 1 }),
  ),
  comment({ id: 'gone', body: '[removed]', created: 1_000, retrieved: 1 }),
  ...['same', 'linked', 'titled'].map((id) =>
    post({ id, title: 'one', url: 'https://a.example/', retrieved: 1 }),
  ),
];

/** Later copies of some of them, and what is new. */
const AFTER: readonly StoredRecord[] = [
  comment({ id: 'scored', body: 'one', created: 1_000, score: 7, retrieved: 2 }),
  comment({ id: 'rated', body: 'one', created: 1_000, sentiment: 0.5, retrieved: 2 }),
  comment({ id: 'answers', body: 'one', created: 1_000, parent: 'same', retrieved: 2 }),
  comment({ id: 'edited', body: 'two', created: 1_000, retrieved: 2 }),
  comment({ id: 'twice', body: 'two', created: 1_000, retrieved: 2 }),
  comment({ id: 'twice', body: 'two', created: 1_000, score: 3, retrieved: 3 }),
  comment({ id: 'gone', body: '[removed]', created: 1_000, withdrawn: true, retrieved: 2 }),
  comment({ id: 'new', body: 'one' }),
  post({ id: 'linked', title: 'one', url: 'https://b.example/', retrieved: 2 }),
  post({ id: 'titled', title: 'two', url: 'https://a.example/', retrieved: 2 }),
];

const NEWS: Readonly<Record<Kind, readonly string[]>> = {
  comment: ['edited', 'gone', 'new', 'twice'],
  post: ['linked', 'titled'],
};

export function arrivalConformance(harness: EngineHarness): void {
  const withEngine = engineMaker(harness);

  describe(`${harness.name}: when records came in`, () => {
    it('a first copy and another text, title, URL or withdrawal come in; a score, rating or parent alone does not', () =>
      withEngine([], async (engine, place) => {
        const began = unixNow();
        await index(engine, BEFORE);
        const first = await whole(engine);
        const later = await nextSecond();
        for (const kind of KINDS) {
          for (const time of Object.values(first[kind])) assert.ok(time! >= began && time! < later);
        }
        await index(engine, AFTER);
        const now = await whole(engine);
        for (const kind of KINDS) {
          const news = Object.keys(now[kind]).filter((id) => now[kind][id]! >= later);
          assert.deepEqual(news.sort(), NEWS[kind]);
          for (const [id, time] of Object.entries(first[kind])) {
            if (!news.includes(id)) assert.equal(now[kind][id], time, id);
          }
        }
        // Nothing of this brings anything in, whoever looks.
        await nextSecond();
        await index(engine, AFTER);
        await engine.hide(1, 'comment', { ids: ['hidden', 'edited'] });
        await engine.maintain();
        const { hidden: _, edited: __, ...left } = now.comment;
        assert.deepEqual((await whole(engine)).comment, left);
        await engine.restore(1);
        await using other = await place.open({ rules: RULES });
        for (const one of [engine, other]) assert.deepEqual(await whole(one), now);
      }));

    it('what was removed and comes in again has come in again', () =>
      withEngine(BEFORE, async (engine) => {
        await engine.hide(1, 'comment', { ids: ['hidden'] });
        const later = await nextSecond();
        await index(engine, [comment({ id: 'hidden', body: 'one', created: 1_000, retrieved: 0 })]);
        assert.ok((await whole(engine)).comment.hidden! >= later);
        // The copy that ranks higher is back, and came in when it did.
        await engine.restore(1);
        assert.ok((await whole(engine)).comment.hidden! < later);
      }));

    it('is told after reopening and merges', async () => {
      await using place = harness.place();
      let before: Readonly<Record<Kind, Arrived>>;
      {
        await using engine = await place.open({ rules: RULES });
        for (const record of [...BEFORE, ...AFTER]) await index(engine, [record]);
        before = await whole(engine);
        await nextSecond();
        await engine.maintain();
        await engine.purge();
        assert.deepEqual(await whole(engine), before);
      }
      await using engine = await place.open({ rules: RULES });
      assert.deepEqual(await whole(engine), before);
    });

    it('may be given with a batch: of what is new, in whatever order; null is not known', () =>
      withEngine([], async (engine, place) => {
        const longAgo = 1_600_000_000;
        const hour = Math.floor(longAgo / 3_600) * 3_600;
        const now = unixNow();
        const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'same', 'edited'];
        const copies = (fields: Partial<StoredComment>) => ids.map((id) => comment({ id, ...fields }));
        const give = (
          records: readonly StoredRecord[],
          times: readonly ArrivalTime[],
          checkpoint?: Checkpoint,
        ) => engine.index('comment', packRecords(records), checkpoint, times);
        const last = now - 100;
        const times = [last, longAgo, now - 5_000, null, longAgo + 1, last, 1_000_000, now - 7];
        const report = await give(copies({ body: 'one', retrieved: 1 }), times, { source: 's', state: 'x' });
        assert.deepEqual(report, { added: 8, replaced: 0, unchanged: 0, removed: 0 });
        assert.equal(await engine.checkpoint('comment', 's'), 'x');
        const expected: Record<string, ArrivalTime> = {
          ...{ a: last, b: hour, c: now - 5_000, d: null, e: hour, f: last },
          ...{ same: Math.floor(1_000_000 / 3_600) * 3_600, edited: now - 7 },
        };
        const toldNow = async () => (await whole(engine)).comment;
        assert.deepEqual(await toldNow(), expected);
        // The same again, later: nothing comes in.
        await give(
          copies({ body: 'one', retrieved: 1 }),
          ids.map(() => now),
        );
        // Of one whose text is another the time that is given with it; a score alone keeps the time.
        await give(
          [
            comment({ id: 'edited', body: 'two', retrieved: 2 }),
            comment({ id: 'same', body: 'one', score: 9, retrieved: 2 }),
            comment({ id: 'd', body: 'two', retrieved: 2 }),
            comment({ id: 'twice', body: 'one', retrieved: 1 }),
            comment({ id: 'twice', body: 'two', retrieved: 2 }),
          ],
          [now - 3, now - 4, null, now - 6, now - 8],
        );
        const later = { ...expected, edited: now - 3, twice: now - 8 };
        assert.deepEqual(await toldNow(), later);
        assert.equal((await wholeStats(engine)).comment.lacking.arrivals, 1);
        const before = unixNow();
        await index(engine, [comment({ id: 'new' })]);
        await engine.maintain();
        await engine.purge();
        await using other = await place.open({ rules: RULES });
        for (const one of [engine, other]) {
          const { new: own, ...rest } = (await whole(one)).comment;
          assert.deepEqual(rest, later);
          assert.ok(own! >= before);
        }
      }));

    it('that is given is kept for what the list of removals lets in', async () => {
      await using place = harness.place();
      const removals = {
        version: () => 1,
        refused: (all: readonly StoredRecord[]) => all.map(({ id }) => id === 'b'),
      };
      await using engine = await place.open({ rules: RULES, removals });
      const now = unixNow();
      const records = ['a', 'b', 'c'].map((id) => comment({ id }));
      await engine.index('comment', packRecords(records), undefined, [now - 1, now - 2, now - 3]);
      assert.deepEqual((await whole(engine)).comment, { a: now - 1, c: now - 3 });
    });

    it('is told of the records of a page alone, and only where it is asked for', () =>
      withEngine(BEFORE, async (engine) => {
        const question = { kind: 'comment', query: EVERYTHING } as const;
        assert.equal((await engine.ask({ ...question, page: firstPage('top', 3) })).arrived, undefined);
        assert.deepEqual((await engine.ask({ ...question, arrived: true })).arrived, []);
        const none = await engine.ask({ ...question, page: firstPage('top', 0), arrived: true });
        assert.deepEqual(none.arrived, []);
        for (const order of ORDERS) {
          const { page, arrived } = await engine.ask({
            ...question,
            page: { ...firstPage(order, 2), maxBytes: 1 },
            arrived: true,
          });
          assert.equal(arrived!.length, page!.records.length);
        }
      }));

    it('is told to the shaper of an export, of the records that are not withheld', () =>
      withEngine([...BEFORE, ...AFTER], async (engine) => {
        await nextSecond();
        await index(engine, [comment({ id: 'edited', body: 'three', retrieved: 9 })]);
        const told = (await whole(engine)).comment;
        for (const keepsBack of [false, true]) {
          const shaper = lineShaper({ arrived: true, keepsBack });
          const { text } = await exported(engine, { kind: 'comment', shaper, arrived: true });
          const lines = text.trim().split('\n');
          const rows = lines.map((line): { id: string; arrived: ArrivalTime } => JSON.parse(line));
          assert.deepEqual(Object.fromEntries(rows.map(({ id, arrived }) => [id, arrived])), told);
        }
        const { text } = await exported(engine, { kind: 'post', shaper: lineShaper({ arrived: true }) });
        assert.ok(!text.includes('"arrived"'), 'nobody asked');
      }));
  });
}

async function index(engine: SearchEngine, records: readonly StoredRecord[]): Promise<void> {
  for (const kind of KINDS) {
    const ofKind = records.filter((record) => record.kind === kind);
    if (ofKind.length > 0) await engine.index(kind, packRecords(ofKind));
  }
}

/** Of every record; pages of all orders agree. */
async function whole(engine: SearchEngine): Promise<Readonly<Record<Kind, Arrived>>> {
  await engine.refresh();
  return { post: await ofKind(engine, 'post'), comment: await ofKind(engine, 'comment') };
}

async function ofKind(engine: SearchEngine, kind: Kind): Promise<Arrived> {
  const [first, ...others] = await Promise.all(
    ORDERS.map(async (order) => {
      const page = firstPage(order, 1_000);
      const answer = await engine.ask({ kind, query: EVERYTHING, page, arrived: true });
      const { records } = answer.page!;
      assert.equal(answer.arrived!.length, records.length);
      return Object.fromEntries(records.map(({ id }, i) => [id, answer.arrived![i]!]));
    }),
  );
  for (const other of others) assert.deepEqual(other, first);
  return first!;
}

function unixNow(): number {
  return Math.floor(Date.now() / 1000);
}

/** The second that has just begun. */
async function nextSecond(): Promise<number> {
  const before = unixNow();
  while (unixNow() === before) await sleep(1_001 - (Date.now() % 1000));
  return unixNow();
}
