import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../errors.ts';
import { EngineLimit } from '../model/engine-errors.ts';
import { tellingLimits } from './engine-limits.ts';

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

  it('an answer, and what is no limit of the engine, stays as it is', async () => {
    assert.equal(await tellingLimits('sol*', async () => 7), 7);
    const fault = new TypeError('a fault of ours');
    await assert.rejects(
      tellingLimits('sol*', () => Promise.reject(fault)),
      fault,
    );
  });
});
