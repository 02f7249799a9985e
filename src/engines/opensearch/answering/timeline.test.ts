import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { comment } from '../../../../test/helpers.ts';
import { timelinesOf } from '../../../../test/reference/answer.ts';
import type { TimelineRequest } from '../../../model/engine.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import { recordMix } from '../../../model/hash.ts';
import { type Conditions, conditionsOf } from '../../../model/query.ts';
import { MAX_TIME, type StoredRecord } from '../../../model/record.ts';
import { TIMELINE_STEPS } from '../../../model/timeline.ts';
import type { OpenSearchClient } from '../cluster/client.ts';
import { Deadline } from '../cluster/deadline.ts';
import { Searcher } from '../cluster/search.ts';
import { type TimesFound, timelineAggs, timelinesFrom } from './timeline.ts';

interface Histogram {
  readonly histogram: { readonly interval: number };
}

interface Bucket {
  readonly key: number;
  readonly doc_count: number;
  readonly sum: { readonly value: number };
  readonly m0: { readonly value: number };
  readonly m1: { readonly value: number };
  readonly m2: { readonly value: number };
  readonly m3: { readonly value: number };
}

/** What OpenSearch answers to these aggregations. */
function aggregated(records: readonly StoredRecord[], aggs: Readonly<Record<string, object>>): TimesFound {
  const times = records.map(({ created }) => created);
  const answers = Object.entries(aggs).map(([name, agg]) => {
    if ('min' in agg) return [name, { value: times.length === 0 ? null : Math.min(...times) }];
    if ('max' in agg) return [name, { value: times.length === 0 ? null : Math.max(...times) }];
    const { interval } = (agg as Histogram).histogram;
    const buckets = new Map<number, Bucket>();
    for (const record of records) {
      const key = Math.floor(record.created / interval) * interval;
      const { low, high } = recordMix(record);
      const of = buckets.get(key);
      const plus = (known: { readonly value: number } | undefined, more: number) => ({
        value: (known?.value ?? 0) + more,
      });
      buckets.set(key, {
        ...{ key, doc_count: (of?.doc_count ?? 0) + 1, sum: plus(of?.sum, record.score) },
        ...{ m0: plus(of?.m0, low & 0xffff), m1: plus(of?.m1, low >>> 16) },
        ...{ m2: plus(of?.m2, high & 0xffff), m3: plus(of?.m3, high >>> 16) },
      });
    }
    return [name, { buckets: [...buckets.values()].sort((a, b) => a.key - b.key) }];
  });
  return Object.fromEntries(answers);
}

interface HoursBody {
  readonly query: {
    readonly bool: { readonly filter: readonly [{ readonly all: readonly StoredRecord[] }, Within] };
  };
  readonly aggs: Record<string, object>;
}

interface Within {
  readonly range: { readonly created: { readonly gte: number; readonly lt: number } };
}

/** Of a client that a search for hours is answered by: the query says which records match. */
function searcherOver(): Searcher {
  const request = async ({ body: { query, aggs } }: { readonly body: HoursBody }) => {
    const [{ all }, { range }] = query.bool.filter;
    const records = all.filter(({ created }) => created >= range.created.gte && created < range.created.lt);
    return {
      status: 200,
      body: {
        ...{ timed_out: false, _shards: { total: 1, successful: 1, failed: 0 }, hits: { hits: [] } },
        aggregations: aggregated(records, aggs),
      },
    };
  };
  return new Searcher({ request } as unknown as OpenSearchClient, new Deadline());
}

async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EngineLimit) return error.reached;
    throw error;
  }
}

it('timelines are those of the reference engine, in every step, within whatever bounds', async () => {
  const time = fc.oneof(
    fc.integer({ min: 1_199_000_000, max: 1_199_300_000 }),
    fc.constantFrom(0, 1, 86_399, 86_400, 951_782_400, 1_230_767_999, 4_102_444_800, MAX_TIME),
  );
  const records = fc
    .array(fc.tuple(time, fc.integer({ min: -50, max: 50 })), { maxLength: 30 })
    .map((all) => all.map(([created, score], i) => comment({ id: `${i}`, created, score })));
  const bound = fc.option(time);
  const request = fc.record<TimelineRequest>(
    {
      step: fc.constantFrom(...TIMELINE_STEPS),
      measure: fc.constantFrom('score', 'fingerprint'),
      keepsBounds: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const series = fc.record({ all: records, after: bound, before: bound, hasOf: fc.boolean() });
  const several = fc.array(series, { minLength: 1, maxLength: 3 });
  const searched = (all: readonly StoredRecord[], asked: TimelineRequest) => ({
    ...{ pit: 'pit', query: { all } },
    result: { aggregations: aggregated(all, timelineAggs(asked) as Record<string, object>) },
  });
  await fc.assert(
    fc.asyncProperty(several, request, async (all, asked) => {
      const timed = all.map(({ all: of, after, before, hasOf }) => {
        const conditions: Conditions = conditionsOf({
          items: [
            ...(after === null ? [] : [{ kind: 'after', time: after } as const]),
            ...(before === null ? [] : [{ kind: 'before', time: before } as const]),
          ],
        });
        const matching = of.filter(({ created }) => created >= conditions.from && created < conditions.to);
        return { conditions, request: asked, matching, of: hasOf ? of : null };
      });
      const parts = timed.map(({ conditions, matching, of }) => ({
        ...{ conditions, request: asked, matches: searched(matching, asked) },
        of: of === null ? undefined : searched(of, { step: asked.step ?? 'day' }),
      }));
      const expected = await outcome(() => timelinesOf(timed));
      assert.deepEqual(await outcome(() => timelinesFrom(parts, searcherOver())), expected);
    }),
    { numRuns: 500 },
  );
});
