import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { addressGroup, clientAddress, proxyList } from './client-address.ts';

const proxies = proxyList(['10.0.0.0/8', '192.0.2.200', 'fd00::/8']);

/** What the functions look at of a request. */
function request(remoteAddress: string, forwarded: string | null): FastifyRequest {
  const headers = forwarded === null ? {} : { 'x-forwarded-for': forwarded };
  return { socket: { remoteAddress }, headers } as unknown as FastifyRequest;
}

describe('the address of a request', () => {
  const cases: readonly (readonly [rule: string, from: string, forwarded: string | null, address: string])[] =
    [
      ['an IPv4 address is its own', '192.0.2.7', null, '192.0.2.7'],
      ['IPv4 in IPv6 form is the same caller', '::ffff:192.0.2.7', null, '192.0.2.7'],
      ['a stranger is not believed', '192.0.2.7', '198.51.100.1', '192.0.2.7'],
      ['a trusted proxy is', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
      ['a trusted proxy named by its address', '192.0.2.200', '198.51.100.1', '198.51.100.1'],
      ['a trusted proxy in IPv6 form', '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
      [
        'what the caller put in front is not believed',
        '10.1.2.3',
        '203.0.113.9, 198.51.100.1',
        '198.51.100.1',
      ],
      [
        'a chain of trusted proxies is walked',
        'fd00::1',
        '203.0.113.9, 198.51.100.1, 10.9.9.9',
        '198.51.100.1',
      ],
      ['a caller inside the trusted network is the first of them', '10.1.2.3', '10.0.0.5', '10.0.0.5'],
      ['a port is no part of it', '10.1.2.3', '198.51.100.1:4711', '198.51.100.1'],
      ['brackets are no part of it', '10.1.2.3', '[2001:db8::1]:4711', '2001:db8::1'],
      ['no address: the proxy itself', '10.1.2.3', 'unknown', '10.1.2.3'],
      ['nothing said: the proxy itself', '10.1.2.3', null, '10.1.2.3'],
    ];
  for (const [rule, from, forwarded, address] of cases) {
    it(rule, () => assert.equal(clientAddress(request(from, forwarded), proxies), address));
  }
});

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
