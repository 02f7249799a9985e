import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failures } from './failures.ts';

const RULES = { max: 2, windowMs: 1000, firstWaitMs: 100 };

describe('failures by name', () => {
  it('so many begin a wait, which doubles up to the window', () => {
    let now = 0;
    const failures = new Failures(RULES, 64, () => now);
    failures.count('ann');
    assert.equal(failures.waitMs('ann'), 0);
    for (const wait of [100, 200, 400, 800, 1000, 1000]) {
      failures.count('ann');
      assert.equal(failures.waitMs('ann'), wait);
      now += wait;
      assert.equal(failures.waitMs('ann'), 0);
    }
  });

  it('a window after the last wait all is forgotten', () => {
    let now = 0;
    const failures = new Failures(RULES, 64, () => now);
    for (let i = 0; i < 2; i++) failures.count('ann');
    now = 100 + 999;
    failures.count('ann');
    assert.equal(failures.waitMs('ann'), 200);
    now += 200 + 1000;
    failures.count('ann');
    assert.equal(failures.waitMs('ann'), 0);
  });

  it('without room, nobody waits for the failures of others, and nobody’s are forgotten', () => {
    const failures = new Failures(RULES, 32, () => 0);
    const names = Array.from({ length: 32 }, (_, i) => `name ${i}`);
    for (const name of names) for (let i = 0; i < 2; i++) failures.count(name);
    for (let i = 0; i < 1000; i++) failures.count('stranger');
    assert.equal(failures.waitMs('stranger'), 0);
    failures.takeBack('stranger');
    failures.forget('stranger');
    for (const name of names) assert.equal(failures.waitMs(name), 100);
    assert.equal(failures.withoutRoom, 1000);
    failures.forget('name 0');
    for (let i = 0; i < 2; i++) failures.count('stranger');
    assert.equal(failures.waitMs('stranger'), 100);
  });
});
