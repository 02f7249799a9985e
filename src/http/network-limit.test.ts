import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type NetworkLimit, networkBuckets, networkWindow } from './network-limit.ts';
import { addressGroup } from './networks.ts';

/** How many of so many uses are allowed, each from another address. */
function allowed(limit: NetworkLimit, uses: number, address: (i: number) => string): number {
  let count = 0;
  for (let i = 0; i < uses; i++) if (limit.take(addressGroup(address(i))) === 0) count++;
  return count;
}

const hex = (number: number) => number.toString(16);

const LIMITS: readonly (readonly [kind: string, limit: () => NetworkLimit])[] = [
  ['a bucket of 10', () => networkBuckets({ burst: 10, msOfToken: 6000 }, () => 0)],
  ['10 in a window', () => networkWindow(10, 60_000, () => 0)],
];

for (const [kind, limitOf] of LIMITS) {
  describe(`${kind}: addresses in turn`, () => {
    const rows: readonly (readonly [rule: string, address: (i: number) => string, most: number])[] = [
      ['of one /64 have the limit of one', (i) => `2001:db8:1:2::${hex(i)}`, 10],
      [
        'of one /56, each in a /64 of its own, have four times',
        (i) => `2001:db8:1:12${hex(256 + (i % 256)).slice(1)}::1`,
        40,
      ],
      ['of one /48 have sixteen times', (i) => `2001:db8:1:${hex(i)}::1`, 160],
      ['of one IPv4 address have the limit of one', () => '192.0.2.1', 10],
    ];
    for (const [rule, address, most] of rows)
      it(rule, () => assert.equal(allowed(limitOf(), 5000, address), most));

    it('a neighbour in another /56 is served, and one in another /48', () => {
      const limit = limitOf();
      allowed(limit, 100, (i) => `2001:db8:1:${hex(0x1200 + i)}::1`);
      assert.ok(limit.take(addressGroup('2001:db8:1:12ff::1')) > 0);
      assert.equal(limit.take(addressGroup('2001:db8:1:1300::1')), 0);
      allowed(limit, 1000, (i) => `2001:db8:1:${hex(i)}::1`);
      assert.ok(limit.take(addressGroup('2001:db8:1:ffff::1')) > 0);
      assert.equal(limit.take(addressGroup('2001:db8:2::1')), 0);
      assert.equal(limit.take('192.0.2.1'), 0);
    });

    it('what is refused uses up nothing of a wider network', () => {
      const limit = limitOf();
      allowed(limit, 1000, () => '2001:db8:1:2::1');
      assert.equal(
        allowed(limit, 1000, (i) => `2001:db8:1:${hex(3 + (i % 60))}::1`),
        30,
      );
    });

    it('tells how many were refused', () => {
      const limit = limitOf();
      allowed(limit, 100, () => '192.0.2.1');
      assert.deepEqual(limit.figures(), { refused: 90, withoutRoom: 0 });
    });

    it('what is given back counts nowhere', () => {
      const limit = limitOf();
      for (let i = 0; i < 1000; i++) {
        const network = addressGroup(`2001:db8:1:${hex(i)}::1`);
        assert.equal(limit.take(network), 0);
        limit.giveBack(network);
      }
      assert.equal(
        allowed(limit, 1000, (i) => `2001:db8:1:${hex(i)}::1`),
        160,
      );
    });
  });
}
