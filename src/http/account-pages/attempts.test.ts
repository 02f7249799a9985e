import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { PasswordAttempts } from './attempts.ts';

const hex = (number: number) => number.toString(16);

describe('attempts at passwords', () => {
  it('one that could not be looked at counts for nothing', async () => {
    const attempts = new PasswordAttempts(() => 0);
    const busy = () => Promise.reject(new ServiceError('busy', 'busy'));
    for (let i = 0; i < 50; i++) await assert.rejects(attempts.run('a', 'net', busy), { code: 'busy' });
    assert.deepEqual(await attempts.run('a', 'net', async () => 7), { kind: 'right', value: 7 });
  });

  describe('of 10,000 guesses within a moment', () => {
    const rows: readonly (readonly [
      rule: string,
      email: (i: number) => string,
      network: (i: number) => string,
      most: number,
    ])[] = [
      ['at one account from one network, 5', () => 'ann', () => '192.0.2.1', 5],
      ['at as many accounts from one network, 20', (i) => `a${i}`, () => '192.0.2.1', 20],
      [
        'at one account from 500 networks, 5 from each',
        () => 'ann',
        (i) => `192.0.${i % 500 < 250 ? 2 : 3}.${i % 250}`,
        2500,
      ],
      [
        'from the /64s of one /56, four times 20',
        (i) => `a${i}`,
        (i) => `2001:db8:1:${hex(0x100 + (i % 256))}::/64`,
        80,
      ],
      ['from the /64s of one /48, sixteen times 20', (i) => `a${i}`, (i) => `2001:db8:1:${hex(i)}::/64`, 320],
    ];
    for (const [rule, email, network, most] of rows) {
      it(`${rule}, are looked at, and the owner elsewhere gets in`, async () => {
        const attempts = new PasswordAttempts(() => 0);
        let looked = 0;
        const wrong = async () => {
          looked++;
          return null;
        };
        for (let i = 0; i < 10_000; i++) await attempts.run(email(i), network(i), wrong);
        assert.equal(looked, most);
        assert.deepEqual(attempts.figures(), { refused: 10_000 - most, withoutRoom: 0 });
        for (const elsewhere of ['198.51.100.1', '2001:db8:2:1::/64'])
          assert.equal((await attempts.run('ann', elsewhere, async () => 7)).kind, 'right');
      });
    }
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

  it('one that throws takes the wait back that it began, and only that', async () => {
    let now = 0;
    const attempts = new PasswordAttempts(() => now);
    const wrong = async () => null;
    const busy = () => Promise.reject(new ServiceError('busy', 'busy'));
    for (let i = 0; i < 4; i++) await attempts.run('a', 'net', wrong);
    await assert.rejects(attempts.run('a', 'net', busy), { code: 'busy' });
    assert.deepEqual(await attempts.run('a', 'net', wrong), { kind: 'wrong', waitMs: 60_000 });
    now = 60_000;
    await assert.rejects(attempts.run('a', 'net', busy), { code: 'busy' });
    assert.deepEqual(await attempts.run('a', 'net', wrong), { kind: 'wrong', waitMs: 120_000 });
  });

  it('many accounts and networks had the first ones forgotten: their waits still hold', async () => {
    const attempts = new PasswordAttempts(() => 0);
    const wrong = async () => null;
    for (let i = 0; i < 5; i++) await attempts.run('first', 'net', wrong);
    for (let i = 0; i < 11_000; i++) await attempts.run(`a${i}`, `net ${i}`, wrong);
    assert.deepEqual(await attempts.run('first', 'net', wrong), { kind: 'too many', waitMs: 60_000 });
  });
});
