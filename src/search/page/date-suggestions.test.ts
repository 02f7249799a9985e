import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dateSuggestions } from './date-suggestions.ts';

const at = (day: string) => Date.parse(`${day}T00:00:00Z`) / 1000;

describe('dates to complete with', () => {
  const archive = { first: at('2022-05-06'), last: at('2024-11-30') };
  const rows = [
    ['after:', ['after:2024-01-01', 'after:2023-01-01', 'after:2022-01-01', 'after:1970-01-01']],
    ['before:', ['before:2025-01-01', 'before:2024-01-01', 'before:2023-01-01']],
    ['AFTER:2023', ['after:2023-01-01', 'after:2023-02-01', 'after:2023-03-01']],
    ['before:2024-1', ['before:2024-10-01', 'before:2024-11-01', 'before:2024-12-01']],
    ['after:19', ['after:1970-01-01']],
    ['after:2023-01-01', []],
    ['after:2031', []],
    ['after:last', []],
    ['score:', []],
  ] as const;
  for (const [item, expected] of rows) {
    it(`are those of the archive, not of today: ${item}`, () => {
      const found = dateSuggestions(item, archive, expected.length || 8);
      assert.deepEqual(
        found.map(({ text }) => text),
        expected,
      );
    });
  }

  it('say what they mean', () => {
    const hints = (item: string) => dateSuggestions(item, archive, 2).map(({ hint }) => hint);
    assert.deepEqual(hints('after:'), ['from 2024 on', 'from 2023 on']);
    assert.deepEqual(hints('before:'), ['to the end of 2024', 'to the end of 2023']);
    assert.deepEqual(hints('before:2024-02'), ['to the end of January']);
  });
});
