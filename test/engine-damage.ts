// What an engine does while one kind cannot be read: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { Answer, SearchEngine } from '../src/model/engine.ts';
import { IndexDamage } from '../src/model/engine-errors.ts';
import { KINDS, type Kind, otherKind, type StoredRecord } from '../src/model/record.ts';
import type { DamageWay, EngineHarness, EnginePlace } from './engine-harness.ts';
import { expectPurged } from './engine-removals.ts';
import { EVERYTHING, firstPage, RULES } from './engine-suite.ts';
import { comment, post, START_OF_2008 } from './helpers.ts';
import { silenceLog } from './silent-log.ts';

/** As many as make a file of their own. */
const RECORDS = 2_100;

/** Fills some pages of a file: records that come later stand behind them. */
export const LONG_TEXT = Array.from({ length: 6_000 }, (_, i) => ((i * 7_919) % 1_000_003).toString(36)).join(
  ' ',
);

export function damageConformance({ name, place: makePlace, damages: ways }: EngineHarness): void {
  const isSkipped = typeof ways === 'string';

  /** An index of both kinds; each test damages a copy. */
  let whole: EnginePlace;
  const makeWhole = async () => {
    whole = makePlace();
    await using engine = await whole.open({ rules: RULES });
    for (const one of KINDS) {
      await engine.index(one, packRecords(recordsOf(one)), { source: 'file', state: 'half' });
      await engine.hide(1, one, { ids: ['0'] });
    }
  };

  /** Runs `test` with an engine over an index of which this kind is damaged; `mend` brings it back as it was. */
  async function withDamage(
    way: DamageWay,
    kind: Kind,
    test: (engine: SearchEngine, mend: () => void) => Promise<void>,
  ): Promise<void> {
    await using place = whole.copy();
    const mend = place.damage(way, kind);
    await using engine = await place.open({ rules: RULES });
    await test(engine, mend);
  }

  // Each has a place of its own, and waits: a kind that cannot be read is looked at again after a while.
  describe(`${name}: with one kind damaged`, { skip: isSkipped && ways, concurrency: 4 }, () => {
    // Each damage is logged when it is found.
    silenceLog();
    before(async () => {
      if (!isSkipped) await makeWhole();
    });
    after(() => whole?.[Symbol.asyncDispose]());
    for (const way of isSkipped ? [] : ways) {
      for (const kind of KINDS) {
        const other = otherKind(kind);
        describe(`${kind}s: ${way.name}`, () => {
          it(`what concerns ${other}s works`, () =>
            withDamage(way, kind, (engine) => expectWhole(engine, other, way)));

          it('what concerns the kind throws an IndexDamage of it; calls for both do the other one first', () =>
            withDamage(way, kind, async (engine) => {
              await expectDamaged(engine, kind, way);
              const page = firstPage('oldest', 1);
              const question = { kind: 'comment', query: EVERYTHING, under: EVERYTHING, page } as const;
              const isOfKind = (error: unknown) => error instanceof IndexDamage && error.kind === kind;
              await assert.rejects(engine.ask(question), isOfKind, 'comments under posts need both');
              assert.equal(await found(engine, other, ['0']), 0);
              await assert.rejects(engine.restore(1), IndexDamage);
              assert.equal(await found(engine, other, ['0']), 1);
              await engine.hide(2, other, { ids: ['0'] });
              await assert.rejects(engine.purge(), IndexDamage);
              for await (const batch of engine.buried(other)) assert.deepEqual(batch, []);
            }));

          it('is told once it is found, and over once the files are back', () =>
            withDamage(way, kind, async (engine, mend) => {
              await assert.rejects(oldest(engine, kind), IndexDamage);
              const damages = await engine.damages();
              assert.equal(damages[kind]?.kind, way.isLate === true ? undefined : kind);
              assert.equal(damages[other], null);
              mend();
              while ((await engine.damages())[kind] !== null) {
                await sleep(100);
                await engine.refresh();
              }
              const { total } = await oldest(engine, kind);
              assert.equal(total, RECORDS - 1);
            }));
        });
      }
    }
  });
}

function recordsOf(kind: Kind): StoredRecord[] {
  return Array.from({ length: RECORDS }, (_, i) => {
    const fields = { id: String(i), created: START_OF_2008 + i };
    const text = i === 0 ? LONG_TEXT : 'solar';
    return kind === 'post'
      ? post({ ...fields, title: text, adult: false })
      : comment({ ...fields, body: text, post: fields.id });
  });
}

/** How many of these ids are found. */
async function found(engine: SearchEngine, kind: Kind, ids: readonly string[]): Promise<number> {
  return (await engine.records({ kind, ids })).records.length;
}

/** Reads texts, unlike a total alone. */
function oldest(engine: SearchEngine, kind: Kind): Promise<Answer> {
  return engine.ask({ kind, query: EVERYTHING, page: firstPage('oldest', 1) });
}

async function expectWhole(engine: SearchEngine, kind: Kind, { isLate }: DamageWay): Promise<void> {
  const page = firstPage('oldest', 1);
  const breakdowns = [{ field: 'community', size: 1 }] as const;
  const question = { kind, query: EVERYTHING, page, breakdowns, timeline: {}, evidence: true } as const;
  const answer = await engine.ask(question);
  assert.deepEqual([answer.total, answer.page?.records[0]?.id], [RECORDS - 1, '1']);
  const scanned = (await Array.fromAsync(engine.scan(kind, EVERYTHING, 'top'))).flat();
  assert.equal(scanned.length, RECORDS - 1);
  assert.equal(await found(engine, kind, ['0', '1']), 1);
  assert.equal((await engine.checkpoints(kind)).get('file'), 'half');
  // What the other kind says is left out where it cannot be read; damage of its texts and lists alone leaves it known.
  const judgedPosts = kind === 'post' || isLate === true ? RECORDS - 1 : 0;
  assert.deepEqual(answer.evidence?.get('energy'), { id: '', judgedPosts, adultPosts: 0 });
  const stats = (await engine.stats())[kind];
  assert.ok(!(stats instanceof IndexDamage));
  assert.equal(stats.records, RECORDS - 1);
  const fingerprint = (await engine.fingerprints())[kind];
  assert.ok(!(fingerprint instanceof IndexDamage));
  assert.equal(fingerprint.records, RECORDS - 1);
  const fresh = kind === 'post' ? post({ id: 'fresh' }) : comment({ id: 'fresh' });
  assert.equal((await engine.index(kind, packRecords([fresh]))).added, 1);
  assert.equal((await engine.hide(2, kind, { ids: ['fresh', '2'] })).records, 2);
  assert.equal(await engine.hiddenCount([kind]), 3);
  assert.equal((await engine.restore(2, [kind])).records, 2);
  await engine.maintain();
  assert.equal(await engine.hiddenCount([kind]), 1, 'kept as long as it may be taken back');
  await expectPurged(engine, [kind]);
  await engine.refresh();
  assert.equal((await engine.ask({ kind, query: EVERYTHING })).total, RECORDS);
}

async function expectDamaged(engine: SearchEngine, kind: Kind, { isLate }: DamageWay): Promise<void> {
  const newer = { id: '1', created: START_OF_2008, retrieved: START_OF_2008 };
  const reading: Record<string, () => Promise<unknown>> = {
    ask: () => oldest(engine, kind),
    scan: async () => {
      for await (const _ of engine.scan(kind, EVERYTHING, 'newest')) assert.fail('nothing can be read');
    },
    records: () => found(engine, kind, ['1']),
    index: () => engine.index(kind, packRecords(kind === 'post' ? [post(newer)] : [comment(newer)])),
    'hide ids': () => engine.hide(2, kind, { ids: ['1'] }),
    'hide a community': () => engine.hide(2, kind, { community: 'energy' }),
    buried: async () => {
      for await (const _ of engine.buried(kind)) assert.fail('nothing can be read');
    },
    restore: () => engine.restore(1, [kind]),
    purge: () => engine.purge([kind]),
  };
  const other: Record<string, () => Promise<unknown>> = {
    total: () => engine.ask({ kind, query: EVERYTHING }),
    checkpoints: () => engine.checkpoints(kind),
    hiddenCount: () => engine.hiddenCount([kind]),
    lastRemoval: () => engine.lastRemoval(kind),
  };
  for (const [call, work] of Object.entries(isLate === true ? reading : { ...reading, ...other })) {
    await assert.rejects(work(), (error) => error instanceof IndexDamage && error.kind === kind, call);
  }
  await engine.maintain();
  assert.equal((await engine.stats())[kind] instanceof IndexDamage, isLate !== true);
  assert.equal((await engine.fingerprints())[kind] instanceof IndexDamage, isLate !== true);
}
