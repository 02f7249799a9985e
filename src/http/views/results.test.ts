import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textLimit } from './results.ts';

const texts = (...lengths: number[]) => lengths.map((length) => 'x'.repeat(length));

describe('textLimit: 330 characters a record, short texts leave more to long ones', () => {
  const rows = [
    ['no text', texts(), Infinity],
    ['all are short', texts(10, 330, 330), Infinity],
    ['all are long', texts(5000, 5000, 5000), 330],
    ['one is long', texts(0, 100, 5000), 890],
    ['one long text alone', texts(5000), 330],
    ['long in the middle', texts(5000, 0, 5000, 0), 660],
  ] as const;
  for (const [rule, given, limit] of rows) it(rule, () => assert.equal(textLimit(given), limit));
});
