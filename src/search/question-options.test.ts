import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../errors.ts';
import { withinBudget } from './question-options.ts';

const never = () => new Promise<never>(() => undefined);

describe('a time budget', () => {
  it('is over for what never ends: a cluster that hangs holds nobody', async () => {
    await assert.rejects(
      withinBudget(1, never),
      (error) => error instanceof ServiceError && error.code === 'query_timeout' && error.retryAfter === 1,
    );
  });

  it('passes on what is found or thrown in time, or at any time where there is no limit', async () => {
    assert.equal(await withinBudget(60_000, async () => 7), 7);
    assert.equal(await withinBudget(Infinity, async () => 8), 8);
    await assert.rejects(
      withinBudget(60_000, async () => assert.fail('broken')),
      /broken/,
    );
  });
});
