import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../../test/helpers.ts';
import { ThreadPool } from './thread-pool.ts';

const damaged = new Error('expected a segment, found none');

describe('ThreadPool', () => {
  for (const workers of [0, 1]) {
    it(`a view whose fingerprint throws at once is given back, with ${workers} workers`, async () => {
      using folder = temporaryFolder();
      const unhandled: unknown[] = [];
      const note = (reason: unknown) => unhandled.push(reason);
      process.on('unhandledRejection', note);
      const kept = new Set<object>();
      const { promise: given, resolve: onGiven } = Promise.withResolvers<void>();
      const pool = new ThreadPool(
        { folder: folder.path, rules: { keepOriginals: false } },
        workers,
        (kind) => ({
          damage: null,
          expectWhole: () => {},
          pin: () => {
            const pin = {
              data: { kind, version: 1, segments: [] },
              [Symbol.dispose]: () => {
                kept.delete(pin);
                if (kept.size === 0) onGiven();
              },
            };
            kept.add(pin);
            return pin as never;
          },
          fingerprintOf: () => {
            throw damaged;
          },
        }),
      );
      try {
        // The thread was shown no view, so its answer fails too.
        await assert.rejects(pool.askAll([{ kind: 'comment', query: { items: [] } }], {}));
        await assert.rejects(pool.records({ kind: 'comment', ids: ['1'] }));
        await given;
        await pool[Symbol.asyncDispose]();
        await new Promise((resolve) => setImmediate(resolve));
        assert.deepEqual([kept.size, unhandled], [0, []]);
      } finally {
        process.off('unhandledRejection', note);
      }
    });
  }
});
