import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressGroup } from './networks.ts';

describe('what shares one limit', () => {
  const cases = [
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001::6', '2001:db8:1:0::/64'],
    ['2001::2:0:0:0:1', '2001:0:0:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
  ] as const;
  for (const [address, group] of cases)
    it(`${address}: ${group}`, () => assert.equal(addressGroup(address), group));
});
