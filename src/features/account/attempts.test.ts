import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stopClock } from '../../../test/clock.ts';
import { ServiceError } from '../../errors.ts';
import { Failures, PasswordAttempts } from './attempts.ts';

const clock = stopClock();

const wrong = async () => null;
const busy = () => Promise.reject(new ServiceError('busy', 'busy'));
const hex = (number: number) => number.toString(16);

describe('attempts at passwords', () => {
  it('one that could not be looked at counts for nothing', async () => {
    const attempts = new PasswordAttempts();
    for (let i = 0; i < 50; i++) await assert.rejects(attempts.run('a', 'net', busy), { code: 'busy' });
    assert.deepEqual(await attempts.run('a', 'net', async () => 7), { kind: 'right', value: 7 });
  });

  describe('of 10,000 guesses within a moment', () => {
    type Of = (i: number) => string;
    const ann: Of = () => 'ann';
    const any: Of = (i) => `a${i}`;
    const rows: readonly (readonly [rule: string, email: Of, network: Of, most: number])[] = [
      ['at one account from one network, 5', ann, () => '192.0.2.1', 5],
      ['at as many accounts from one network, 20', any, () => '192.0.2.1', 20],
      ['at one account from 500 networks, 5 from each', ann, (i) => `10.0.${i % 2}.${(i >> 1) % 250}`, 2500],
      ['from the /64s of one /56, four times 20', any, (i) => `2001:db8:1:${hex(256 + (i % 256))}::/64`, 80],
      ['from the /64s of one /48, sixteen times 20', any, (i) => `2001:db8:1:${hex(i)}::/64`, 320],
    ];
    for (const [rule, email, network, most] of rows) {
      it(`${rule}, are looked at, and the owner elsewhere gets in`, async () => {
        const attempts = new PasswordAttempts();
        let looked = 0;
        const look = async () => {
          looked++;
          return null;
        };
        for (let i = 0; i < 10_000; i++) await attempts.run(email(i), network(i), look);
        assert.equal(looked, most);
        for (const elsewhere of ['198.51.100.1', '2001:db8:2:1::/64'])
          assert.equal((await attempts.run('ann', elsewhere, async () => 7)).kind, 'right');
      });
    }
  });

  it('one that throws takes the wait back that it began, and only that', async () => {
    clock.ms = 0;
    const attempts = new PasswordAttempts();
    for (let i = 0; i < 4; i++) await attempts.run('a', 'net', wrong);
    await assert.rejects(attempts.run('a', 'net', busy), { code: 'busy' });
    assert.deepEqual(await attempts.run('a', 'net', wrong), { kind: 'wrong', waitMs: 60_000 });
    clock.ms = 60_000;
    await assert.rejects(attempts.run('a', 'net', busy), { code: 'busy' });
    assert.deepEqual(await attempts.run('a', 'net', wrong), { kind: 'wrong', waitMs: 120_000 });
  });

  it('many accounts and networks had the first ones forgotten: their waits still hold', async () => {
    const attempts = new PasswordAttempts();
    for (let i = 0; i < 5; i++) await attempts.run('first', 'net', wrong);
    for (let i = 0; i < 11_000; i++) await attempts.run(`a${i}`, `net ${i}`, wrong);
    assert.deepEqual(await attempts.run('first', 'net', wrong), { kind: 'too many', waitMs: 60_000 });
  });
});

const RULES = { max: 2, windowMs: 1000, firstWaitMs: 100 };

describe('failures by name', () => {
  it('so many begin a wait, which doubles up to the window', () => {
    clock.ms = 0;
    const failures = new Failures(RULES, 64);
    failures.count('ann');
    assert.equal(failures.waitMs('ann'), 0);
    for (const wait of [100, 200, 400, 800, 1000, 1000]) {
      failures.count('ann');
      assert.equal(failures.waitMs('ann'), wait);
      clock.ms += wait;
      assert.equal(failures.waitMs('ann'), 0);
    }
  });

  it('a window after the last wait all is forgotten', () => {
    clock.ms = 0;
    const failures = new Failures(RULES, 64);
    for (let i = 0; i < 2; i++) failures.count('ann');
    clock.ms = 100 + 999;
    failures.count('ann');
    assert.equal(failures.waitMs('ann'), 200);
    clock.ms += 200 + 1000;
    failures.count('ann');
    assert.equal(failures.waitMs('ann'), 0);
  });

  it('without room, nobody waits for the failures of others, and nobody’s are forgotten', () => {
    const failures = new Failures(RULES, 32);
    const names = Array.from({ length: 32 }, (_, i) => `name ${i}`);
    for (const name of names) for (let i = 0; i < 2; i++) failures.count(name);
    for (let i = 0; i < 1000; i++) failures.count('stranger');
    assert.equal(failures.waitMs('stranger'), 0);
    failures.takeBack('stranger');
    failures.forget('stranger');
    for (const name of names) assert.equal(failures.waitMs(name), 100);
    failures.forget('name 0');
    for (let i = 0; i < 2; i++) failures.count('stranger');
    assert.equal(failures.waitMs('stranger'), 100);
  });
});
