import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Pace } from './writer.ts';

it('a batch grows until a commit writes for a second, and four times as long as it shows; at most twofold each time', () => {
  const cases = [
    ['as much as it is', { records: 20_000, writtenMs: 4_000, shownMs: 500 }, 20_000],
    ['more of what is written fast', { records: 20_000, writtenMs: 500, shownMs: 50 }, 40_000],
    ['more where all shards are slow', { records: 40_000, writtenMs: 4_000, shownMs: 1_500 }, 60_000],
    ['the rest of an import tells nothing', { records: 50, writtenMs: 1, shownMs: 1_500 }, 60_000],
    ['no more than there is memory for', { records: 60_000, writtenMs: 1_000, shownMs: 9_000 }, 100_000],
    ['fewer again, with time', { records: 100_000, writtenMs: 20_000, shownMs: 10 }, 20_000],
  ] as const;
  const pace = new Pace();
  for (const [what, cost, expected] of cases) {
    pace.note(cost);
    assert.equal(pace.records, expected, what);
  }
});
