import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { postArbitrary } from '../../../../test/generators/records.ts';
import { comment } from '../../../../test/helpers.ts';
import { pageOf as expectedPage } from '../../../../test/reference/answer.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import { comparator, ORDERS, type Order, type PageRequest, rankingScore } from '../../../model/pages.ts';
import type { StoredRecord } from '../../../model/record.ts';
import { OpenSearchClient } from '../cluster/client.ts';
import { Deadline } from '../cluster/deadline.ts';
import { idKey } from '../cluster/documents.ts';
import { Steps } from '../cluster/hit-walk.ts';
import { type Hit, Searcher, type SortValue } from '../cluster/search.ts';
import { hitsOf, pageOf, searchAfter } from './pages.ts';
import { MAX_MATCHES, sampleIds } from './sample.ts';

function sortValues(order: Order, { created, score, id }: StoredRecord): SortValue[] {
  return [...(order === 'top' ? [rankingScore(score)] : []), created, idKey(id)];
}

/** Whether `values` come behind `after` in the order, as OpenSearch compares them. */
function isBehind(order: Order, values: readonly SortValue[], after: readonly SortValue[]): boolean {
  const i = values.findIndex((value, at) => value !== after[at]);
  return i >= 0 && (order === 'oldest' ? values[i]! > after[i]! : values[i]! < after[i]!);
}

/** The hits of a search, and how many of them were taken. */
function hitsBehind(records: readonly StoredRecord[], { order, after }: PageRequest) {
  const start = searchAfter(order, after);
  const hits = [...records].sort(comparator(order)).flatMap((r): Hit[] => {
    const sort = sortValues(order, r);
    const isAhead = start === undefined || isBehind(order, sort, start);
    return isAhead ? [{ _id: r.id, sort, _source: { r, a: 1, b: '', g: 1 } }] : [];
  });
  const taken = { count: 0 };
  async function* walk() {
    for (const hit of hits) {
      taken.count++;
      yield hit;
    }
  }
  return { hits: walk(), taken };
}

describe('pages', () => {
  const position = fc.record({
    second: fc.constantFrom(0, 1_199_145_599, 1_199_145_600, 1_199_145_601, 1_200_000_000),
    given: fc.oneof(fc.constant('all' as const), fc.integer({ min: 1, max: 12 })),
    score: fc.constantFrom(-1_000_000, -1, 0, 1, 5, 1_000_000),
  });
  const asked = fc
    .record({
      order: fc.constantFrom(...ORDERS),
      limit: fc.integer({ min: 0, max: 12 }),
      maxBytes: fc.constantFrom(undefined, 0, 2_000, 6_000),
      place: fc.option(position),
    })
    .map(({ order, limit, maxBytes, place }): PageRequest => {
      const size = { limit, ...(maxBytes !== undefined && { maxBytes }) };
      if (place === null) return { order, after: null, ...size };
      const { second, given, score } = place;
      return order === 'top'
        ? { order, after: { score, second }, ...size }
        : { order, after: { second, given }, ...size };
    });

  it('are those of the reference engine, whatever the ties, the limit and the budget', async () => {
    const records = fc.uniqueArray(postArbitrary(), { maxLength: 40, selector: ({ id }) => id });
    await fc.assert(
      fc.asyncProperty(records, asked, async (all, request) => {
        const { hits, taken } = hitsBehind(all, request);
        const { page, arrived } = await pageOf(hits, request);
        assert.deepEqual(page, expectedPage(all, request));
        assert.equal(arrived.length, page.records.length);
        // No more than the first search brings, but where a tie goes on.
        const isTie = page.records.length > request.limit;
        assert.ok(isTie || request.order === 'top' || taken.count <= hitsOf(request));
      }),
      { numRuns: 1_000 },
    );
  });

  it('of a second with more than 999 records', async () => {
    const records = Array.from({ length: 1_500 }, (_, i) => comment({ id: String(i + 1), body: 'x' }));
    const [{ created }] = records as [StoredRecord];
    const all = [...records, comment({ id: 'other', created: 5 })];
    for (const limit of [1, 501, 502, 998, 999, 1_000]) {
      for (const given of ['all', 1, 998, 999] as const) {
        for (const order of ['newest', 'oldest'] as const) {
          const request = { order, limit, after: { second: created, given } };
          const { page } = await pageOf(hitsBehind(all, request).hits, request);
          assert.deepEqual(page, expectedPage(all, request));
        }
      }
    }
  });
});

it('steps bring some 16 MiB, one record at the least, 10,000 at the most', () => {
  const hitsOfLength = (length: number): Hit[] =>
    Array.from({ length: 10 }, () => {
      const r = comment({ id: '1', body: 'x'.repeat(length) });
      return { _id: '1', sort: [], _source: { r, a: 1, b: '', g: 1 } };
    });
  for (const [length, least, most] of [
    [0, 10_000, 10_000],
    [10_000, 1_400, 1_700],
    [1_048_576, 15, 16],
    [20_000_000, 1, 1],
  ] as const) {
    const steps = new Steps();
    steps.add(hitsOfLength(length));
    assert.ok(steps.most() >= least && steps.most() <= most, `${length}: ${steps.most()}`);
  }
});

it('a sample of more matches than are looked at is what this engine cannot do, and none of them is looked at', async () => {
  // Nothing is sent: nobody listens there.
  const nodes = ['http://127.0.0.1:1'];
  const settings = { nodes, prefix: 'x', signIn: null, shards: 1, replicas: 0 };
  await using client = new OpenSearchClient(settings);
  const searcher = new Searcher(client, new Deadline());
  const matching = { searcher, pit: '', query: {}, total: MAX_MATCHES + 1 };
  await assert.rejects(sampleIds(matching, { size: 1, seed: '1' }), (error) => {
    assert.ok(error instanceof EngineLimit);
    assert.deepEqual(error.reached, { limit: 'not_here', what: 'samples of more than 50,000 matches' });
    return true;
  });
});
