import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WindowLimit } from './window-limit.ts';

describe('a limit in a window', () => {
  it('so many in any window, and the wait until the oldest leaves it', () => {
    let now = 0;
    const limit = new WindowLimit(2, 1000, () => now);
    assert.equal(limit.take('a'), 0);
    now = 400;
    assert.equal(limit.take('a'), 0);
    assert.equal(limit.take('a'), 600);
    assert.equal(limit.take('b'), 0);
    now = 1000;
    assert.equal(limit.take('a'), 0);
    assert.equal(limit.take('a'), 400);
  });

  it('what is given back does not count', () => {
    const limit = new WindowLimit(1, 1000, () => 0);
    limit.take('a');
    limit.giveBack('a');
    assert.equal(limit.take('a'), 0);
    assert.equal(limit.take('a'), 1000);
  });

  it('many names had the first ones forgotten: all of them still count', () => {
    const limit = new WindowLimit(1, 1000, () => 0, 2 ** 15);
    const names = Array.from({ length: 50_000 }, (_, i) => `name ${i}`);
    const refused = names.filter((name) => limit.take(name) > 0).length;
    assert.ok(refused > 0 && refused < 25_000, `${refused} found no room`);
    for (const name of names) assert.equal(limit.take(name), 1000);
  });
});
