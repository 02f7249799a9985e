import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressGroup, plainAddress, widerNetworks } from './caller.ts';

describe('what shares one limit', () => {
  const cases = [
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001::6', '2001:db8:1:0::/64'],
    ['2001::2:0:0:0:1', '2001:0:0:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['2001:db8:1:2:3:4:192.0.2.7', '2001:db8:1:2::/64'],
    ['', ''],
  ] as const;
  for (const [address, group] of cases)
    it(`${address}: ${group}`, () => assert.equal(addressGroup(address), group));
});

describe('wider networks', () => {
  const cases = [
    ['2001:db8:1:2345:3:4:5:6', ['2001:db8:1:2300::/56', '2001:db8:1:0::/48']],
    ['2001:db8:1:23ff::', ['2001:db8:1:2300::/56', '2001:db8:1:0::/48']],
    ['2001:db8:1:12::', ['2001:db8:1:0::/56', '2001:db8:1:0::/48']],
    ['2001:db8:2:2345::', ['2001:db8:2:2300::/56', '2001:db8:2:0::/48']],
    ['192.0.2.7', []],
    ['', []],
  ] as const;
  for (const [address, wider] of cases)
    it(`${address}: ${wider.join(', ') || 'none'}`, () =>
      assert.deepEqual(widerNetworks(addressGroup(address)), wider));
});

describe('an IPv4 address in the form of IPv6 was known in one spelling: all others shared one limit', () => {
  const spellings = [
    '192.0.2.7',
    '::ffff:192.0.2.7',
    '::FFFF:c000:207',
    '::ffff:c000:0207',
    '0:0:0:0:0:ffff:192.0.2.7',
    '0:0:0:0:0:FFFF:C000:0207',
    '[::ffff:c000:207]:4711',
    ' ::ffff:192.0.2.7 ',
  ];
  for (const spelling of spellings)
    it(spelling, () => assert.equal(addressGroup(plainAddress(spelling)), '192.0.2.7'));

  for (const other of ['::fffe:c000:207', '1::ffff:c000:207', '::ffff:0:c000:207'])
    it(`${other} is none`, () => assert.equal(plainAddress(other), other));
});
