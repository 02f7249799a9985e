// Arrivals where the cluster could mislead: indices of before they were counted, views of half a batch, a batch that is
// begun again, and more arrivals than one search counts.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { writeAll } from '../../src/engines/opensearch/cluster/bulk.ts';
import { OpenSearchClient, type OpenSearchSettings } from '../../src/engines/opensearch/cluster/client.ts';
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
import { ManifestStore } from '../../src/engines/opensearch/state/manifest.ts';
import { Batch } from '../../src/engines/opensearch/writing/batch.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { LastArrival, SearchEngine } from '../../src/model/engine.ts';
import type { StoredComment } from '../../src/model/record.ts';
import { EVERYTHING, firstPage, idsOf, RULES } from '../engine-suite.ts';
import { comment } from '../helpers.ts';
import { inPlace, open } from './place.ts';
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
      const { control, comment: index } = indexNames(settings);
      const manifest = new ManifestStore(client, control, KIND);
      const records = [solar('b', { body: 'again', retrieved: 2 }), solar('c')];
      const writing = manifest.writing(async ({ began }) => {
        const target = { client, index, rules: RULES, before: async () => undefined };
        await new Batch(records).write({ ...target, visible: began.generation });
        throw new Error('broken off');
      });
      await assert.rejects(writing, /broken off/);
      await refreshIndex(client, index);
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
      for (const index of ['control', KIND] as const) await makeIndex(client, settings, index);
      const generations = Array.from({ length: 2_100 }, (_, i) => i + 1);
      const documents = generations.flatMap((generation) =>
        Array.from({ length: 1 + (generation % 2) }, (_, i) => {
          const cameIn = [LONG_AGO + generation, arrivalOf(generation)] as const;
          return [solar(`${generation}x${i}`, { created: 1_000 }), cameIn] as const;
        }),
      );
      await show(client, settings, generations.length, documents);
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

/** Documents as they are written, in a generation that is shown. */
async function show(
  client: OpenSearchClient,
  settings: OpenSearchSettings,
  generation: number,
  documents: readonly (readonly [record: StoredComment, arrived: CameIn])[],
): Promise<void> {
  const { control, comment: index } = indexNames(settings);
  const operations = documents.map(([record, arrived]) => ({
    ...({ kind: 'create', id: record.id } as const),
    document: () => documentOf(record, { arrived, batch: 'b', generation }),
  }));
  await writeAll(client, index, operations, async () => undefined);
  await refreshIndex(client, index);
  const shown = { generation, sum: unknownSum() };
  await new ManifestStore(client, control, KIND).change((manifest) => ({ ...manifest, ...shown }));
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
