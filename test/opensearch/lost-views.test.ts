// What becomes of a question, a scan or an export whose view the cluster has lost, or of which it gives a part: all of
// it, of one view, or an error.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OpenSearchSettings } from '../../src/engines/opensearch/cluster/client.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { Question, SearchEngine } from '../../src/model/engine.ts';
import { EngineUnavailable } from '../../src/model/engine-errors.ts';
import { exported } from '../engine-export.ts';
import { EVERYTHING, firstPage } from '../engine-suite.ts';
import { comment } from '../helpers.ts';
import { lineShaper } from '../line-shaper.ts';
import { call } from './harness.ts';
import { comments, idsOf, inPlace, open } from './place.ts';
import { startProxy, type Verdict } from './proxy.ts';
import { onCluster } from './test-cluster.ts';

/** More than several batches. */
const COUNT = 2_500;
const RECORDS = comments(COUNT, { community: 'energy', communityId: 'e' });
const LATER = packRecords([comment({ id: 'later', created: 5 })]);
const TOTAL = { kind: 'comment', query: EVERYTHING } as const;
const QUESTION: Question = { ...TOTAL, page: firstPage('newest', 9) };

interface Place {
  readonly engine: SearchEngine;
  /** Takes every view of these indices from under whoever uses it; returns how many there were. */
  lose(): Promise<number>;
  /** What becomes of each search; null: nothing. */
  judge: (() => Verdict) | null;
  searches: number;
}

/** An answer with these fields in place of its own. */
const PARTIAL: readonly (readonly [what: string, fields: object])[] = [
  ['that ran out of time', { timed_out: true }],
  ['of which a shard failed', { _shards: { total: 2, successful: 1, skipped: 0, failed: 1 } }],
  ['of which a shard is nowhere', { _shards: { total: 2, successful: 1, skipped: 0, failed: 0 } }],
  ['that tells of no shards', { _shards: undefined }],
  ['without hits', { hits: undefined }],
  ['whose total is a lower bound', { hits: { total: { value: 7, relation: 'gte' }, hits: [] } }],
];

const edited =
  (fields: object): Verdict =>
  async (body, ask) => {
    const answer = await ask(body);
    return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), ...fields }) };
  };

await onCluster('OpenSearch: views that are lost', (nodes) => {
  function withPlace(test: (place: Place) => Promise<void>): Promise<void> {
    return inPlace(nodes, async (settings) => {
      const place = { judge: null as Place['judge'], searches: 0 };
      await using proxy = await startProxy(nodes[0]!, ({ path }) => {
        if (!path.startsWith('/_search?')) return 'pass';
        place.searches++;
        return place.judge?.() ?? 'pass';
      });
      await using engine = await open({ ...settings, nodes: [proxy.address] });
      await engine.index('comment', packRecords(RECORDS));
      await engine.refresh();
      await test(Object.assign(place, { engine, lose: () => loseViews(settings) }));
    });
  }

  describe('an answer', () => {
    it('that is a part is passed on by no call', () =>
      withPlace(async (place) => {
        const { engine } = place;
        const calls: Record<string, () => Promise<unknown>> = {
          total: () => engine.ask(TOTAL),
          page: () => engine.ask(QUESTION),
          under: () =>
            engine.ask({ ...QUESTION, breakdowns: [{ field: 'domain', size: 3, distinct: true }] }),
          records: () => engine.records({ kind: 'comment', ids: ['c1'] }),
          stats: () => engine.stats(),
        };
        for (const [what, fields] of PARTIAL) {
          place.judge = () => edited(fields);
          for (const [name, asked] of Object.entries(calls)) {
            await assert.rejects(asked(), EngineUnavailable, `${what}: ${name}`);
          }
          place.judge = null;
          for (const asked of Object.values(calls)) await asked();
        }
      }));

    it('that breaks off is asked for again', () =>
      withPlace(async (place) => {
        let cut = 0;
        place.judge = () => (cut++ === 0 ? 'cut answer' : 'pass');
        assert.equal((await place.engine.ask(QUESTION)).total, COUNT);
        assert.ok(cut > 1, 'it broke off');
      }));

    it('to a question with a time budget that is over is too slow, and not unavailable', () =>
      withPlace(async (place) => {
        place.judge = () => edited({ timed_out: true });
        await assert.rejects(place.engine.ask({ ...QUESTION, timeoutMs: 30_000 }), { code: 'query_timeout' });
      }));
  });

  it('a view that the cluster has closed is opened anew by the question that meets it', () =>
    withPlace(async (place) => {
      await place.engine.ask(QUESTION);
      await place.lose();
      place.searches = 0;
      for (const searches of [2, 3]) {
        assert.equal((await place.engine.ask(QUESTION)).total, COUNT);
        assert.equal(place.searches, searches);
      }
    }));

  describe('an export', () => {
    for (const communities of [[], ['energy']]) {
      it(`${communities.length} communities asked for at the end: goes on where nothing has changed`, () =>
        withPlace(async ({ engine, lose }) => {
          let lost = 0;
          const shaper = lineShaper({ communities });
          const whole = await exported(engine, { kind: 'comment', shaper });
          const found = await exported(engine, { kind: 'comment', shaper }, async ({ report }) => {
            if (report === undefined) lost += await lose();
          });
          assert.ok(lost > 1, `${lost} views were lost`);
          assert.equal(found.text, whole.text);
          assert.equal(found.last.report!.sha256, whole.last.report!.sha256);
        }));
    }

    it('ends with an EngineUnavailable where the index has changed since', () =>
      withPlace(async ({ engine, lose }) => {
        let given = 0;
        const exporting = exported(engine, { kind: 'comment' }, async (block) => {
          given = block.records;
          assert.equal(block.report, undefined, 'no part is given for the whole');
          await engine.index('comment', LATER);
          await lose();
        });
        await assert.rejects(exporting, EngineUnavailable);
        assert.ok(given > 0 && given < COUNT, `${given}`);
        assert.equal((await exported(engine, { kind: 'comment' })).last.records, COUNT + 1);
      }));
  });

  describe('a scan', () => {
    it('goes on where nothing has changed, with every record once', () =>
      withPlace(async ({ engine, lose }) => {
        const ids: string[] = [];
        for await (const batch of engine.scan('comment', EVERYTHING, 'oldest')) {
          ids.push(...batch.map(({ id }) => id));
          assert.ok((await lose()) > 0);
        }
        assert.deepEqual(ids, idsOf(RECORDS));
      }));

    it('throws an EngineUnavailable where the index has changed since', () =>
      withPlace(async ({ engine, lose }) => {
        let given = 0;
        await assert.rejects(async () => {
          for await (const batch of engine.scan('comment', EVERYTHING, 'oldest')) {
            given += batch.length;
            await engine.index('comment', LATER);
            await lose();
          }
        }, EngineUnavailable);
        assert.ok(given > 0 && given < COUNT, `${given}`);
      }));
  });
});

async function loseViews(settings: OpenSearchSettings): Promise<number> {
  const path = '/_search/point_in_time';
  const { pits = [] } = await call<{ pits?: { pit_id: string }[] }>(settings, 'GET', `${path}/_all`);
  // Ids name their indices, in base64.
  const own = pits
    .map(({ pit_id }) => pit_id)
    .filter((id) => Buffer.from(id, 'base64url').includes(settings.prefix));
  if (own.length > 0) await call(settings, 'DELETE', path, { pit_id: own });
  return own.length;
}
