import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Fastify, { type FastifyRequest } from 'fastify';
import type { Logger } from '../log.ts';
import { type Visitor, Visitors } from './visitor.ts';

const PROXIES = ['10.0.0.0/8', '192.0.2.200', 'fd00::/8'];

/** What a server reads of a request that comes from this address. */
async function visitorOf(
  remoteAddress: string,
  headers: Record<string, string> = {},
  publicUrl: string | null = null,
): Promise<Visitor> {
  const visitors = new Visitors({ publicUrl, trustedProxies: PROXIES });
  const server = Fastify({ trustProxy: (address) => visitors.trusts(address) });
  let found: Visitor | undefined;
  server.get('/', async (request) => {
    found = visitors.of(request);
    assert.equal(visitors.of(request), found, 'read once');
    return '';
  });
  await server.inject({ url: '/', remoteAddress, headers: { host: 'inner:8080', ...headers } });
  return found!;
}

it('a caller who hung up meanwhile has no address, and that is no fault', () => {
  const visitors = new Visitors({ publicUrl: null, trustedProxies: PROXIES });
  const request = {
    raw: { headers: {}, socket: {} },
    protocol: 'http',
    host: 'inner:8080',
    headers: { host: 'inner:8080' },
    socket: {},
  };
  const { address, ownAddress } = visitors.of(request as unknown as FastifyRequest);
  assert.deepEqual([address, ownAddress], ['', 'http://inner:8080']);
  assert.equal(visitors.trusts(undefined), false);
});

describe('headers of a proxy that is not trusted', () => {
  it('are told once for each sort of peer, without its address', () => {
    const told: { readonly header: string; readonly peer: string }[] = [];
    const log = { warn: (what: (typeof told)[number]) => told.push(what) } as unknown as Logger;
    const visitors = new Visitors({ publicUrl: null, trustedProxies: PROXIES }, log);
    const read = (remoteAddress: string, header: string) => {
      const headers = { host: 'inner:8080', [header]: 'x' };
      const socket = { remoteAddress };
      const request = {
        raw: { headers, socket },
        protocol: 'http',
        host: 'inner:8080',
        headers,
        socket,
      };
      visitors.of(request as unknown as FastifyRequest);
    };
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) read(address, 'x-forwarded-for');
    for (const address of ['192.168.7.7', '172.20.0.2', 'fe80::1']) read(address, 'x-forwarded-proto');
    for (const address of ['198.51.100.4', '2001:db8::4']) read(address, 'forwarded');
    read('10.1.1.1', 'x-forwarded-for');
    read('198.51.100.4', 'accept');
    assert.deepEqual(told, [
      { header: 'x-forwarded-for', peer: 'this machine' },
      { header: 'x-forwarded-proto', peer: 'a private network' },
      { header: 'forwarded', peer: 'elsewhere' },
    ]);
  });
});

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
    it(rule, async () => {
      const headers = forwarded === null ? {} : { 'x-forwarded-for': forwarded };
      assert.equal((await visitorOf(from, headers)).address, address);
    });
  }
});

describe('the address of this server, and TLS', () => {
  const forwarded = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'search.example.org',
    'x-forwarded-for': '198.51.100.1',
  };
  const rows: readonly (readonly [
    rule: string,
    from: string,
    headers: Record<string, string>,
    publicUrl: string | null,
    ownAddress: string,
    isTls: boolean,
  ])[] = [
    ['the host that the request names', '192.0.2.7', {}, null, 'http://inner:8080', false],
    ['a trusted proxy', '10.1.2.3', forwarded, null, 'https://search.example.org', true],
    ['a stranger is not believed', '192.0.2.7', forwarded, null, 'http://inner:8080', false],
    [
      'a proxy that keeps the host and tells the scheme',
      '10.1.2.3',
      { host: 'search.example.org', 'x-forwarded-proto': 'HTTPS' },
      null,
      'https://search.example.org',
      true,
    ],
    [
      'of several words the nearest proxy’s counts',
      '10.1.2.3',
      { 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'evil.example, search.example.org' },
      null,
      'http://search.example.org',
      false,
    ],
    [
      'a host that is none is passed over',
      '10.1.2.3',
      { 'x-forwarded-host': 'a/b"><script>' },
      null,
      'http://inner:8080',
      false,
    ],
    ['another scheme is none', '10.1.2.3', { 'x-forwarded-proto': 'ftp' }, null, 'http://inner:8080', false],
    ['the setting wins', '10.1.2.3', forwarded, 'http://public.example', 'http://public.example', true],
    ['the setting says TLS', '192.0.2.7', {}, 'https://public.example', 'https://public.example', true],
  ];
  for (const [rule, from, headers, publicUrl, ownAddress, isTls] of rows) {
    it(rule, async () => {
      const visitor = await visitorOf(from, headers, publicUrl);
      assert.deepEqual([visitor.ownAddress, visitor.isTls], [ownAddress, isTls]);
    });
  }
});
