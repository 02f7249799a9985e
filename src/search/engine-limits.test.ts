import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../errors.ts';
import { EngineLimit } from '../model/engine-errors.ts';
import { tellingLimits, tellingLimitsOf } from './asking.ts';

const broad = new EngineLimit({
  limit: 'prefix_tokens',
  word: { kind: 'prefix', prefix: 'so', typed: 'so' },
});

describe('a prefix that is too broad', () => {
  const rows: readonly (readonly [text: string, offset: number | null])[] = [
    ['so*', 0],
    ['sun score:5 !!! -a|SO* so*', 16],
    ['/r/so "so*" sol* sun|so*', 17],
    ['sol*', null],
  ];
  for (const [text, offset] of rows) {
    it(`${text}: ${offset === null ? 'has no place in another text' : `is at ${offset}`}`, async () => {
      await assert.rejects(
        tellingLimits(text, () => Promise.reject(broad)),
        (error) => {
          assert.ok(error instanceof ServiceError);
          assert.equal(error.code, 'prefix_too_broad');
          assert.equal(error.position?.offset ?? null, offset);
          return true;
        },
      );
    });
  }

  it('of several queries it is in the first that has it', async () => {
    for (const [query, position] of [
      [['sun', 'rain so*'], { query: 1, offset: 5, length: 3 }],
      [['rain so*'], { offset: 5, length: 3 }],
    ] as const) {
      await assert.rejects(
        tellingLimitsOf({ query }, () => Promise.reject(broad)),
        { code: 'prefix_too_broad', position },
      );
    }
  });

  it('of what a query is held against it is there, unless the query has it too', async () => {
    const refusals = [
      [
        { query: ['sun'], against: 'so*' },
        { parameter: 'against', offset: 0, length: 3 },
      ],
      [
        { query: ['so*'], against: 'rain so*' },
        { offset: 0, length: 3 },
      ],
    ] as const;
    for (const [texts, position] of refusals) {
      const asking = tellingLimitsOf(texts, () => Promise.reject(broad));
      await assert.rejects(asking, { code: 'prefix_too_broad', position });
    }
  });

  it('other limits have codes of their own', async () => {
    for (const [reached, code] of [
      [{ limit: 'timeline_buckets', step: 'week' }, 'too_many_buckets'],
      [{ limit: 'not_here', what: 'sums of sentiment' }, 'not_on_this_engine'],
      [{ limit: 'posts_under', posts: 100_001 }, 'too_many_posts'],
      [{ limit: 'breakdown_cells' }, 'too_many_cells'],
      [{ limit: 'coverage_cells' }, 'too_many_cells'],
      [{ limit: 'sample_groups' }, 'sample_too_large'],
      [{ limit: 'sample_bytes', maxBytes: 9 }, 'sample_too_large'],
      [{ limit: 'named_bytes', maxBytes: 9 }, 'records_too_large'],
      [{ limit: 'copied_records', records: 2_000_001 }, 'too_many_matches'],
    ] as const) {
      await assert.rejects(
        tellingLimits('', () => Promise.reject(new EngineLimit(reached))),
        { code },
      );
    }
  });

  it('an answer, and what is no limit of the engine, stays as it is', async () => {
    assert.equal(await tellingLimits('sol*', async () => 7), 7);
    const fault = new TypeError('a fault of ours');
    await assert.rejects(
      tellingLimits('sol*', () => Promise.reject(fault)),
      fault,
    );
  });
});
