import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError, StorageError, UsageError } from '../../../errors.ts';
import { EngineLimit } from '../../../model/engine-errors.ts';
import { SegmentDamage } from '../format/segment-file.ts';
import { packError, unpackError } from './thread.ts';

describe('an error of a thread', () => {
  const errors = [
    new ServiceError('busy', 'later', { retryAfter: 3 }),
    new ServiceError('query_timeout', 'late'),
    new UsageError('a newer format'),
    new StorageError('a cut file'),
    new SegmentDamage('a changed byte'),
    new EngineLimit({ limit: 'prefix_tokens', word: { kind: 'prefix', prefix: 'so', typed: 'so' } }),
    Object.assign(new Error('disk full'), { code: 'ENOSPC' }),
  ];
  for (const error of errors) {
    it(`${error.constructor.name} (${error.message}) arrives as what it was`, () => {
      const arrived = unpackError(structuredClone(packError(error)));
      assert.equal(arrived.constructor, error.constructor);
      const told = (one: object) => {
        const { name, message, code, retryAfter, reached } = one as Record<string, unknown>;
        return { name, message, code, retryAfter, reached };
      };
      assert.deepEqual(told(arrived), told(error));
    });
  }

  it('what is no Error arrives as one with its words', () => {
    assert.equal(unpackError(structuredClone(packError('out of order'))).message, 'out of order');
  });
});
