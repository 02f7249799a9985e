import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AllowedHosts } from './allowed-hosts.ts';

const PUBLIC = { publicUrl: 'https://search.example.org:8443' };

describe('hosts that are answered', () => {
  const answered = [
    ...[
      'search.example.org',
      'search.example.org:8443',
      'SEARCH.example.org',
      'search.example.org.',
      'inner:8080',
    ],
    ...['localhost', 'localhost:8080', '127.0.0.1:8080', '192.0.2.7', '[::1]:8080', '[2001:db8::1]', ''],
  ];
  const refused = [
    ...[
      'evil.example',
      'search.example.org.evil.example',
      'evil-search.example.org',
      'example.org',
      'inner.',
    ],
    ...[
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '1.2.3',
      '[::1',
      'search.example.org@evil.example',
    ],
  ];
  const hosts = new AllowedHosts({ ...PUBLIC, allowedHosts: ['inner'] });
  for (const host of answered) it(`${host === '' ? 'none' : host} is`, () => hosts.check(host));
  for (const host of refused.filter((name) => name !== 'inner.')) {
    it(`${host} is not`, () => assert.throws(() => hosts.check(host), { code: 'misdirected_request' }));
  }

  it('are those of the public address without a setting, and any without one', () => {
    assert.throws(() => new AllowedHosts(PUBLIC).check('inner'), { status: 421 });
    new AllowedHosts({ publicUrl: null }).check('evil.example');
    new AllowedHosts({ ...PUBLIC, allowedHosts: ['*'] }).check('evil.example');
    assert.throws(() => new AllowedHosts({ publicUrl: null, allowedHosts: ['inner'] }).check('evil.example'));
  });
});
