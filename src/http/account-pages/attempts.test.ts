import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { PasswordAttempts, seconds, WindowLimit } from './attempts.ts';

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

  it('many names do not fill the memory, and the latest are known', () => {
    const limit = new WindowLimit(1, 1000, () => 0);
    for (let i = 0; i < 30_000; i++) limit.take(`name ${i}`);
    assert.equal(limit.take('name 29999'), 1000);
    assert.equal(limit.take('name 0'), 0);
  });
});

describe('attempts at passwords', () => {
  it('one that could not be looked at counts for nothing', async () => {
    const attempts = new PasswordAttempts(() => 0);
    const busy = () => Promise.reject(new ServiceError('busy', 'busy'));
    for (let i = 0; i < 50; i++) await assert.rejects(attempts.run('a', 'net', busy), { code: 'busy' });
    assert.deepEqual(await attempts.run('a', 'net', async () => 7), { kind: 'right', value: 7 });
  });

  it('what is refused is not looked at', async () => {
    const attempts = new PasswordAttempts(() => 0);
    let looked = 0;
    for (let i = 0; i < 50; i++) {
      await attempts.run('a', 'net', async () => {
        looked++;
        return null;
      });
    }
    assert.equal(looked, 5);
  });

  it('many accounts and networks do not fill the memory', async () => {
    const attempts = new PasswordAttempts(() => 0);
    const wrong = async () => null;
    for (let i = 0; i < 5; i++) await attempts.run('first', 'net', wrong);
    for (let i = 0; i < 11_000; i++) await attempts.run(`a${i}`, `net ${i}`, wrong);
    assert.equal((await attempts.run('first', 'net', wrong)).kind, 'wrong');
  });
});

describe('seconds to wait', () => {
  for (const [ms, expected] of [
    [0, 1],
    [1, 1],
    [1000, 1],
    [1001, 2],
  ] as const) {
    it(`${ms} ms: ${expected}`, () => assert.equal(seconds(ms), expected));
  }
});
