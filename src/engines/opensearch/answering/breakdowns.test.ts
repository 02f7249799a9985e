import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type BreakdownRequest, beginsWith } from '../../../model/engine.ts';
import type { Dsl } from '../cluster/search.ts';
import { breakdownFrom, frequentNames, includePattern, type NamesFound, provenRows } from './breakdowns.ts';

type Counts = ReadonlyMap<string, number>;

interface Asked {
  readonly size: number;
  readonly shard_size: number;
  readonly include?: string;
}

interface AskedPage {
  readonly composite: { readonly after?: { readonly name: string } };
}

const NAMES = ['a', 'b', 'ab', 'B', 'Ba', 'k1', 'K1', '\u212a1', '😀', '\ue000', 'abc', 'x', 'xy'];

/** What OpenSearch answers where each shard has these counts: the most frequent of each, joined. */
function found(shards: readonly Counts[], { size, shard_size, include }: Asked): NamesFound {
  const isIn = (name: string) => include === undefined || new RegExp(`^(?:${include})$`, 'u').test(name);
  const order = (a: readonly [string, number], b: readonly [string, number]) =>
    b[1] - a[1] || Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0]));
  const all = shards.map((counts) => [...counts].filter(([name]) => isIn(name)).sort(order));
  const given = all.map((rows) => rows.slice(0, shard_size));
  const errors = given.map((rows) => (rows.length < shard_size ? 0 : rows.at(-1)![1]));
  const error = errors.reduce((sum, one) => sum + one, 0);
  const sums = new Map<string, { count: number; error: number }>();
  for (const [shard, rows] of given.entries()) {
    for (const [name, count] of rows) {
      const known = sums.get(name) ?? { count: 0, error };
      sums.set(name, { count: known.count + count, error: known.error - errors[shard]! });
    }
  }
  const joined = [...sums].sort((a, b) => order([a[0], a[1].count], [b[0], b[1].count])).slice(0, size);
  const records = all.flat().reduce((sum, [, count]) => sum + count, 0);
  return {
    // Of a single shard OpenSearch tells none.
    doc_count_error_upper_bound: shards.length === 1 ? 0 : error,
    sum_other_doc_count: records - joined.reduce((sum, [, { count }]) => sum + count, 0),
    buckets: joined.map(([key, { count, error: mayLack }]) => ({
      ...{ key, doc_count: count, doc_count_error_upper_bound: mayLack },
    })),
  };
}

/** What it answers to a page of all names, of which it has four at the most. */
function pageOf(shards: readonly Counts[], after: string | undefined) {
  const bytes = (name: string) => Buffer.from(name);
  const sums = expected(shards, { field: 'domain', size: Infinity }).rows;
  const behind = sums.filter(
    ({ name }) => after === undefined || Buffer.compare(bytes(name), bytes(after)) > 0,
  );
  const rows = behind.sort((a, b) => Buffer.compare(bytes(a.name), bytes(b.name))).slice(0, 4);
  const buckets = rows.map(({ name, count }) => ({ key: { name }, doc_count: count }));
  return { buckets, ...(rows.length > 0 && { after_key: buckets.at(-1)!.key }) };
}

function expected(shards: readonly Counts[], { skip = 0, size, prefix = '' }: BreakdownRequest) {
  const sums = new Map<string, number>();
  for (const [name, count] of shards.flatMap((counts) => [...counts])) {
    if (beginsWith(name, prefix)) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  const rows = [...sums].map(([name, count]) => ({ name, count }));
  rows.sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  return { rows: rows.slice(skip, skip + size), distinct: rows.length };
}

function parametersOf(aggregation: Dsl): Asked {
  return (aggregation as { readonly terms: Asked }).terms;
}

const names = fc.constantFrom(...NAMES);
const shardArbitrary = fc
  .array(fc.tuple(names, fc.integer({ min: 1, max: 6 })), { maxLength: 13 })
  .map((rows): Counts => new Map(rows));

describe('breakdowns', () => {
  it('rows are proven only where they are right, whatever each shard left out', () => {
    const asked = fc.record({ size: fc.integer({ min: 0, max: 5 }), skip: fc.integer({ min: 0, max: 3 }) });
    let proofs = 0;
    fc.assert(
      fc.property(
        fc.array(shardArbitrary, { minLength: 1, maxLength: 4 }),
        asked,
        fc.integer({ min: 1, max: 14 }),
        fc.integer({ min: 1, max: 14 }),
        (shards, { size, skip }, most, ofShard) => {
          const request = { field: 'community', size, skip } as const;
          const proven = provenRows(found(shards, { size: most, shard_size: ofShard }), request);
          if (proven === null) return;
          proofs++;
          assert.deepEqual(proven.rows.slice(skip, skip + size), expected(shards, request).rows);
        },
      ),
      { numRuns: 2_000 },
    );
    assert.ok(proofs > 200, `${proofs} proofs`);
  });

  it('are right whether they are proven or not, with all that can be asked of them', async () => {
    const request = fc.record({
      ...{ field: fc.constant('domain' as const), size: fc.integer({ min: 0, max: 5 }) },
      ...{ skip: fc.integer({ min: 0, max: 3 }), prefix: fc.constantFrom('', 'a', 'b', 'k', '😀') },
      distinct: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(shardArbitrary, { minLength: 1, maxLength: 4 }),
        request,
        fc.integer({ min: 1, max: 14 }),
        async (shards, asked, most) => {
          const frequent = frequentNames(asked);
          const first =
            frequent && found(shards, { ...parametersOf(frequent), size: most, shard_size: most });
          const search = async <Found>(aggregation: Dsl) => {
            const { after } = (aggregation as unknown as AskedPage).composite;
            return pageOf(shards, after?.name) as Found;
          };
          const { rows, distinct } = await breakdownFrom(first, asked, search);
          const right = expected(shards, asked);
          assert.deepEqual(rows, right.rows);
          assert.equal(distinct, asked.distinct ? right.distinct : undefined);
        },
      ),
      { numRuns: 500 },
    );
  });

  const patterns: readonly (readonly [prefix: string, pattern: string | null])[] = [
    ['a', '[aA].*'],
    ['k9', '[kK\u212a]9.*'],
    ['self.', '[sS][eE][lL][fF]\\..*'],
    ['t:1', '[tT]\\:1.*'],
    ['"[x]*', '\\"\\[[xX]\\]\\*.*'],
    ['é', null],
    // Longer than OpenSearch takes.
    ['a'.repeat(250), null],
    ['k'.repeat(200), null],
  ];
  for (const [prefix, pattern] of patterns) {
    it(`names that begin with ${prefix.slice(0, 9)}`, () => assert.equal(includePattern(prefix), pattern));
  }
});
