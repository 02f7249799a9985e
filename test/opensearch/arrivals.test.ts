// Arrivals where the cluster could mislead: indices of before they were counted, views of half a batch, a batch that is
// begun again, and more arrivals than one search counts.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { writeAll } from '../../src/engines/opensearch/cluster/bulk.ts';
import { OpenSearchClient } from '../../src/engines/opensearch/cluster/client.ts';
import {
  arrivalOf,
  type CameIn,
  documentOf,
  type RecordSource,
} from '../../src/engines/opensearch/cluster/documents.ts';
import { multiGet } from '../../src/engines/opensearch/cluster/documents-walk.ts';
import { indexNames, makeIndex } from '../../src/engines/opensearch/cluster/indices.ts';
import { refreshIndex } from '../../src/engines/opensearch/cluster/refreshing.ts';
import { unknownSum } from '../../src/engines/opensearch/cluster/search.ts';
import { Batch } from '../../src/engines/opensearch/writing/batch.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { LastArrival, SearchEngine } from '../../src/model/engine.ts';
import type { StoredComment } from '../../src/model/record.ts';
import { EVERYTHING, firstPage, idsOf, RULES } from '../engine-suite.ts';
import { comment } from '../helpers.ts';
import { breakOff, inPlace, manifestIn, open } from './place.ts';
import { onCluster } from './test-cluster.ts';

const LONG_AGO = 1_600_000_000;
const KIND = 'comment';

await onCluster('OpenSearch: arrivals', (nodes) => {
  it('what a view shows of a batch that broke off is new once the batch is shown, not before', () =>
    inPlace(nodes, async (settings) => {
      await using client = new OpenSearchClient(settings);
      await using engine = await open(settings);
      await engine.index(KIND, packRecords([solar('a'), solar('b')]));
      const told = await arrivalIn(engine);
      const records = [solar('b', { body: 'again', retrieved: 2 }), solar('c')];
      await breakOff(client, settings, records);
      await refreshIndex(client, indexNames(settings).comment);
      await using fresh = await open(settings);
      assert.deepEqual(await idsSince(fresh, 0), ['a', 'b', 'c'], 'it sees the part');
      assert.equal(await arrivalIn(fresh), told);
      assert.deepEqual(await idsSince(fresh, told), []);
      assert.deepEqual(await idsSince(fresh, 1), ['a']);
      assert.deepEqual(await newsIn(fresh), ['a']);
      await engine.index(KIND, packRecords([...records, solar('d')]));
      await fresh.refresh();
      assert.deepEqual(await idsSince(fresh, told), ['b', 'c', 'd']);
    }));

  it('a batch that is begun again behind what another writer showed comes in behind that', () =>
    inPlace(nodes, async (settings) => {
      await using client = new OpenSearchClient(settings);
      const { comment: index } = indexNames(settings);
      await makeIndex(client, settings, KIND);
      const batch = new Batch([solar('a'), solar('b')], [LONG_AGO, null]);
      const target = { client, index, rules: RULES, before: async () => undefined };
      const cameIn = async (): Promise<CameIn[]> => {
        const found = await multiGet<RecordSource>(client, index, ['a', 'b']);
        return ['a', 'b'].map((id) => found.get(id)!.source.a);
      };
      await batch.write({ ...target, visible: 4 });
      assert.deepEqual(await cameIn(), [[LONG_AGO, arrivalOf(5)], null]);
      await batch.write({ ...target, visible: 7 });
      assert.deepEqual(await cameIn(), [[LONG_AGO, arrivalOf(8)], null]);
      const report = { added: 2, replaced: 0, unchanged: 0, removed: 0 };
      assert.deepEqual(batch.report({ rules: RULES }), report);
    }));

  it('what was old is counted by arrival, of however many arrivals', () =>
    inPlace(nodes, async (settings) => {
      await using client = new OpenSearchClient(settings);
      for (const role of ['control', KIND] as const) await makeIndex(client, settings, role);
      const generations = Array.from({ length: 2_100 }, (_, i) => i + 1);
      const index = indexNames(settings)[KIND];
      const shown = { generation: generations.length, sum: unknownSum() };
      const operations = generations.flatMap((generation) =>
        Array.from({ length: 1 + (generation % 2) }, (_, i) => {
          const record = solar(`${generation}x${i}`, { created: 1_000 });
          const arrived = [LONG_AGO + generation, arrivalOf(generation)] as const;
          const written = { arrived, batch: 'b', generation: shown.generation };
          return { kind: 'create', id: record.id, document: () => documentOf(record, written) } as const;
        }),
      );
      await writeAll(client, index, operations, async () => undefined);
      await refreshIndex(client, index);
      await manifestIn(client, settings).change((manifest) => ({ ...manifest, ...shown }));
      await using engine = await open(settings);
      const news = { limit: 5, maxAge: 86_400 };
      const answer = await engine.ask({ kind: KIND, query: EVERYTHING, news });
      assert.deepEqual([answer.news!.records, answer.news!.hasMore], [[], false]);
      assert.deepEqual(
        answer.news!.older.map(({ arrival, count }) => [arrival, count]),
        generations.toReversed().map((generation) => [arrivalOf(generation), 1 + (generation % 2)]),
      );
    }));
});

function solar(id: string, fields: Partial<StoredComment> = {}): StoredComment {
  return comment({ id, body: 'solar', created: LONG_AGO - 1_000, retrieved: 1, ...fields });
}

async function arrivalIn(engine: SearchEngine): Promise<LastArrival> {
  return (await engine.ask({ kind: KIND, query: EVERYTHING })).arrival;
}

/** In order. */
async function idsSince(engine: SearchEngine, since: number): Promise<string[]> {
  const page = firstPage('oldest', 99);
  return idsOf(await engine.ask({ kind: KIND, query: EVERYTHING, since, page })).sort();
}

async function newsIn(engine: SearchEngine): Promise<string[]> {
  const { news } = await engine.ask({
    ...{ kind: KIND, query: EVERYTHING },
    news: { limit: 9, maxAge: null },
  });
  return news!.records.map(({ record }) => record.id);
}
