import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Fastify, { type FastifyRequest } from 'fastify';
import type { Logger } from '../../log.ts';
import { type Visitor, Visitors } from './caller.ts';

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

/** Of a connection that is there no more, or of this peer. */
function requestOf(socket: object, more: object = {}): FastifyRequest {
  const headers = { host: 'inner:8080', ...more };
  const request = { raw: { headers, socket }, protocol: 'http', host: 'inner:8080', headers, socket };
  return request as unknown as FastifyRequest;
}

it('a caller who hung up meanwhile has no address, and that is no fault', () => {
  const visitors = new Visitors({ publicUrl: null, trustedProxies: PROXIES });
  const { address, ownAddress } = visitors.of(requestOf({}));
  assert.deepEqual([address, ownAddress], ['', 'http://inner:8080']);
  assert.equal(visitors.trusts(undefined), false);
});

describe('headers of a proxy that is not trusted', () => {
  it('are told once for each sort of peer, without its address', () => {
    const told: { readonly header: string; readonly peer: string }[] = [];
    const log = { warn: (what: (typeof told)[number]) => told.push(what) } as unknown as Logger;
    const visitors = new Visitors({ publicUrl: null, trustedProxies: PROXIES }, log);
    const read = (remoteAddress: string, header: string) =>
      visitors.of(requestOf({ remoteAddress }, { [header]: 'x' }));
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
  const FRONT = '203.0.113.9, 198.51.100.1';
  const cases: readonly (readonly [rule: string, from: string, forwarded: string | null, address: string])[] =
    [
      ['an IPv4 address is its own', '192.0.2.7', null, '192.0.2.7'],
      ['IPv4 in IPv6 form is the same caller', '::ffff:192.0.2.7', null, '192.0.2.7'],
      ['a stranger is not believed', '192.0.2.7', '198.51.100.1', '192.0.2.7'],
      ['a trusted proxy is', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
      ['a trusted proxy named by its address', '192.0.2.200', '198.51.100.1', '198.51.100.1'],
      ['a trusted proxy in IPv6 form', '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
      ['what the caller put in front is not believed', '10.1.2.3', FRONT, '198.51.100.1'],
      ['a chain of trusted proxies is walked', 'fd00::1', `${FRONT}, 10.9.9.9`, '198.51.100.1'],
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
  const kept = { host: 'search.example.org', 'x-forwarded-proto': 'HTTPS' };
  const words = {
    'x-forwarded-proto': 'https, http',
    'x-forwarded-host': 'evil.example, search.example.org',
  };
  const [inner, named] = ['http://inner:8080', 'https://search.example.org'];
  const rows: readonly (readonly [rule: string, from: string, Record<string, string>, ownAddress: string])[] =
    [
      ['the host that the request names', '192.0.2.7', {}, inner],
      ['a trusted proxy', '10.1.2.3', forwarded, named],
      ['a stranger is not believed', '192.0.2.7', forwarded, inner],
      ['a proxy that keeps the host and tells the scheme', '10.1.2.3', kept, named],
      ['of several words the nearest proxy’s counts', '10.1.2.3', words, 'http://search.example.org'],
      ['a host that is none is passed over', '10.1.2.3', { 'x-forwarded-host': 'a/b"><script>' }, inner],
      ['another scheme is none', '10.1.2.3', { 'x-forwarded-proto': 'ftp' }, inner],
    ];
  for (const [rule, from, headers, ownAddress] of rows) {
    it(rule, async () => {
      const visitor = await visitorOf(from, headers);
      const isTls = ownAddress.startsWith('https:');
      assert.deepEqual([visitor.ownAddress, visitor.isTls], [ownAddress, isTls]);
    });
  }

  it('the setting wins, and says TLS', async () => {
    for (const [publicUrl, from, headers] of [
      ['http://public.example', '10.1.2.3', forwarded],
      ['https://public.example', '192.0.2.7', {}],
    ] as const) {
      const { ownAddress, isTls } = await visitorOf(from, headers, publicUrl);
      assert.deepEqual([ownAddress, isTls], [publicUrl, true]);
    }
  });
});
