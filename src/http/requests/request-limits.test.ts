import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stopClock } from '../../../test/clock.ts';
import type { ServiceError } from '../../errors.ts';
import { addressGroup, callerName, isLoopback } from './caller.ts';
import {
  type NetworkLimit,
  networkBuckets,
  networkWindow,
  RateLimiter,
  requestsPerMinute,
} from './limits.ts';

const clock = stopClock();

/** How many of so many uses are allowed, each from another address. */
function allowed(limit: NetworkLimit, uses: number, address: (i: number) => string): number {
  let count = 0;
  for (let i = 0; i < uses; i++) if (limit.take(addressGroup(address(i))) === 0) count++;
  return count;
}

const hex = (number: number) => number.toString(16);
/** In a /64 of its own of one /48. */
const inNet = (number: number) => `2001:db8:1:${hex(number)}::1`;

const LIMITS: readonly (readonly [kind: string, limit: () => NetworkLimit])[] = [
  ['a bucket of 10', () => networkBuckets({ burst: 10, msOfToken: 6000 })],
  ['10 in a window', () => networkWindow(10, 60_000)],
];

for (const [kind, limitOf] of LIMITS) {
  describe(`${kind}: addresses in turn`, () => {
    const rows: readonly (readonly [rule: string, address: (i: number) => string, most: number])[] = [
      ['of one /64 have the limit of one', (i) => `2001:db8:1:2::${hex(i)}`, 10],
      ['of one /56, each in a /64 of its own, have four times', (i) => inNet(0x1200 + (i % 256)), 40],
      ['of one /48 have sixteen times', inNet, 160],
      ['of one IPv4 address have the limit of one', () => '192.0.2.1', 10],
    ];
    for (const [rule, address, most] of rows)
      it(rule, () => assert.equal(allowed(limitOf(), 5000, address), most));

    it('a neighbour in another /56 is served, and one in another /48', () => {
      const limit = limitOf();
      allowed(limit, 100, (i) => inNet(0x1200 + i));
      assert.ok(limit.take(addressGroup('2001:db8:1:12ff::1')) > 0);
      assert.equal(limit.take(addressGroup('2001:db8:1:1300::1')), 0);
      allowed(limit, 1000, inNet);
      assert.ok(limit.take(addressGroup('2001:db8:1:ffff::1')) > 0);
      assert.equal(limit.take(addressGroup('2001:db8:2::1')), 0);
      assert.equal(limit.take('192.0.2.1'), 0);
    });

    it('what is refused uses up nothing of a wider network', () => {
      const limit = limitOf();
      allowed(limit, 1000, () => '2001:db8:1:2::1');
      const others = allowed(limit, 1000, (i) => inNet(3 + (i % 60)));
      assert.equal(others, 30);
    });

    it('what is given back counts nowhere', () => {
      const limit = limitOf();
      for (let i = 0; i < 1000; i++) {
        const network = addressGroup(inNet(i));
        assert.equal(limit.take(network), 0);
        limit.giveBack(network);
      }
      assert.equal(allowed(limit, 1000, inNet), 160);
    });
  });
}

const ANN = callerName({ accountId: 1 });
const BOB = callerName({ accountId: 2 });

describe('rate limit', () => {
  const limits: readonly [setting: number | null, host: string, perMinute: number][] = [
    [null, '127.0.0.1', 0],
    [null, '0.0.0.0', 600],
    [null, 'example.org', 600],
    [60, '127.0.0.1', 60],
    [0, '0.0.0.0', 0],
  ];
  for (const [setting, host, perMinute] of limits) {
    it(`set to ${setting} on ${host}: ${perMinute} a minute`, () =>
      assert.equal(requestsPerMinute(setting, host), perMinute));
  }

  for (const host of ['127.0.0.1', '127.9.9.9', '::1', '[::1]', 'localhost'])
    it(`${host} is loopback`, () => assert.equal(isLoopback(host), true));
  for (const host of ['0.0.0.0', '::', '127.example.org', '192.168.0.1'])
    it(`${host} is not loopback`, () => assert.equal(isLoopback(host), false));

  it('600 a minute: a burst of 100, then one each 100 ms', () => {
    clock.ms = 0;
    const limiter = new RateLimiter(600);
    const burst = Array.from({ length: 100 }, () => limiter.take(ANN).allowed);
    assert.ok(burst.every(Boolean));
    assert.equal(limiter.take(ANN).allowed, false);
    clock.ms += 99;
    assert.equal(limiter.take(ANN).allowed, false);
    clock.ms += 1;
    assert.equal(limiter.take(ANN).allowed, true);
    assert.equal(limiter.take(ANN).allowed, false);
  });

  it('keys have buckets of their own', () => {
    const limiter = new RateLimiter(1);
    assert.equal(limiter.take(ANN).allowed, true);
    assert.equal(limiter.take(ANN).allowed, false);
    assert.equal(limiter.take(BOB).allowed, true);
  });

  it('the headers tell the quota, what is left, and the seconds until it is whole', () => {
    const limiter = new RateLimiter(600);
    assert.deepEqual(limiter.take(ANN), {
      allowed: true,
      headers: {
        'RateLimit-Policy': '"burst";q=100;w=10, "minute";q=600;w=60',
        RateLimit: '"burst";r=99;t=1',
      },
      waitMs: 0,
    });
    for (let i = 0; i < 99; i++) limiter.take(ANN);
    assert.deepEqual(limiter.take(ANN).headers.RateLimit, '"burst";r=0;t=10');
  });

  it('the policy hid the burst: who asks more than the bucket holds is refused well below the quota of a minute', () => {
    const policies: readonly (readonly [perMinute: number, policy: string])[] = [
      [1, '"burst";q=1;w=60, "minute";q=1;w=60'],
      [7, '"burst";q=1;w=9, "minute";q=7;w=60'],
      [60, '"burst";q=10;w=10, "minute";q=60;w=60'],
    ];
    for (const [perMinute, policy] of policies) {
      const limiter = new RateLimiter(perMinute);
      const told = limiter.take(ANN).headers['RateLimit-Policy'];
      assert.equal(told, policy);
      let taken = 1;
      while (limiter.take(ANN).allowed) taken++;
      assert.equal(taken, Number(/^"burst";q=(\d+)/.exec(told)![1]));
    }
  });

  it('who is refused and waits as told is allowed', () => {
    for (const perMinute of [1, 7, 60, 600, 1_000_000]) {
      clock.ms = 0;
      const limiter = new RateLimiter(perMinute);
      while (limiter.take(ANN).allowed);
      assert.throws(
        () => limiter.expect(ANN),
        ({ retryAfter }: ServiceError) => {
          clock.ms += retryAfter! * 1000;
          return true;
        },
      );
      assert.equal(limiter.take(ANN).allowed, true, `${perMinute} a minute`);
    }
  });
});
