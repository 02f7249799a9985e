import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { AllowedHosts, isFromOurPage } from './caller.ts';

const PUBLIC = { publicUrl: 'https://search.example.org:8443' };

describe('hosts that are answered', () => {
  const answered = `search.example.org search.example.org:8443 SEARCH.example.org search.example.org. inner:8080
    localhost localhost:8080 127.0.0.1:8080 192.0.2.7 [::1]:8080 [2001:db8::1]`;
  const refused = `evil.example search.example.org.evil.example evil-search.example.org example.org 1.2.3 [::1
    127.0.0.1.evil.example localhost.evil.example search.example.org@evil.example`;
  const hosts = new AllowedHosts({ ...PUBLIC, allowedHosts: ['inner'] });
  for (const host of ['', ...answered.split(/\s+/)])
    it(`${host === '' ? 'none' : host} is`, () => hosts.check(host));
  for (const host of refused.split(/\s+/)) {
    it(`${host} is not`, () => assert.throws(() => hosts.check(host), { code: 'misdirected_request' }));
  }

  it('are those of the public address without a setting, and any without one', () => {
    assert.throws(() => new AllowedHosts(PUBLIC).check('inner'), { status: 421 });
    new AllowedHosts({ publicUrl: null }).check('evil.example');
    new AllowedHosts({ ...PUBLIC, allowedHosts: ['*'] }).check('evil.example');
    assert.throws(() => new AllowedHosts({ publicUrl: null, allowedHosts: ['inner'] }).check('evil.example'));
  });
});

const request = (headers: Record<string, string>) => ({ headers }) as unknown as FastifyRequest;

/** What forms from elsewhere bring is in test/account-pages/csrf.test.ts. */
describe('isFromOurPage', () => {
  const here = 'http://here.example:8080';
  const rows = [
    ['the public address', { origin: 'https://public.example' }, 'https://public.example/search', true],
    ['the host where the public address is another', { origin: here }, 'https://public.example', false],
    ['our page by the browser’s word', { 'sec-fetch-site': 'same-origin', origin: here }, here, true],
  ] as const;
  for (const [rule, headers, ownAddress, expected] of rows) {
    it(rule, () => assert.equal(isFromOurPage(request(headers), ownAddress), expected));
  }
});
