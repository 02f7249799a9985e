// A scan or an export whose view the cluster loses on the way: all of it, of one view, or an error.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { EngineUnavailable } from '../../src/model/engine-errors.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { exported } from '../engine-export.ts';
import { EVERYTHING, RULES } from '../engine-suite.ts';
import { comment } from '../helpers.ts';
import { lineShaper } from '../line-shaper.ts';
import { deleteIndices, freshSettings } from './harness.ts';
import { onCluster } from './test-cluster.ts';

/** More than several batches. */
const COUNT = 3_500;
const RECORDS = Array.from({ length: COUNT }, (_, i) =>
  comment({ id: i.toString(36), created: 1_000 + i, community: 'energy', communityId: 'e' }),
);
const later = packRecords([comment({ id: 'later', created: 5 })]);

interface Place {
  readonly engine: SearchEngine;
  /** Takes every view of these indices from under whoever uses it. */
  loseViews(): Promise<number>;
}

await onCluster('a lost view', (nodes) => {
  async function withPlace(test: (place: Place) => Promise<void>): Promise<void> {
    const settings = freshSettings(nodes);
    try {
      await using engine = await openOpenSearchEngine(settings, { rules: RULES });
      await engine.index('comment', packRecords(RECORDS));
      await test({ engine, loseViews: () => loseViews(nodes[0]!, settings.prefix) });
    } finally {
      await deleteIndices(settings);
    }
  }

  describe('an export', () => {
    for (const communities of [[], ['energy']]) {
      it(`${communities.length} communities asked for at the end: goes on where nothing has changed`, () =>
        withPlace(async ({ engine, loseViews: lose }) => {
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
      withPlace(async ({ engine, loseViews: lose }) => {
        let given = 0;
        const exporting = exported(engine, { kind: 'comment' }, async (block) => {
          given = block.records;
          assert.equal(block.report, undefined, 'no part is given for the whole');
          await engine.index('comment', later);
          await lose();
        });
        await assert.rejects(exporting, EngineUnavailable);
        assert.ok(given > 0 && given < COUNT, `${given}`);
        assert.equal((await exported(engine, { kind: 'comment' })).last.records, COUNT + 1);
      }));
  });

  describe('a scan', () => {
    it('goes on where nothing has changed', () =>
      withPlace(async ({ engine, loseViews: lose }) => {
        const ids: string[] = [];
        for await (const batch of engine.scan('comment', EVERYTHING, 'oldest')) {
          ids.push(...batch.map(({ id }) => id));
          assert.ok((await lose()) > 0);
        }
        assert.deepEqual(
          ids,
          RECORDS.map(({ id }) => id),
        );
      }));

    it('throws an EngineUnavailable where the index has changed since', () =>
      withPlace(async ({ engine, loseViews: lose }) => {
        let given = 0;
        const scan = async () => {
          for await (const batch of engine.scan('comment', EVERYTHING, 'oldest')) {
            given += batch.length;
            await engine.index('comment', later);
            await lose();
          }
        };
        await assert.rejects(scan, EngineUnavailable);
        assert.ok(given > 0 && given < COUNT, `${given}`);
      }));
  });
});

/** Returns how many there were. */
async function loseViews(node: string, prefix: string): Promise<number> {
  const address = new URL('/_search/point_in_time/_all', node);
  const { pits = [] } = (await (await fetch(address)).json()) as { pits?: { pit_id: string }[] };
  // Ids name their indices, in base64.
  const own = pits.map(({ pit_id }) => pit_id).filter((id) => Buffer.from(id, 'base64url').includes(prefix));
  if (own.length === 0) return 0;
  const answer = await fetch(new URL('/_search/point_in_time', node), {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ pit_id: own }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return own.length;
}
