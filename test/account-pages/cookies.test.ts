// Cookies and headers of the account pages: over plain HTTP on one's own machine, over TLS, behind a proxy. And no
// secret in what is kept.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { ofTests } from '../of-tests.ts';
import { type BrowserOptions, openSite, PASSWORD, type TestSite } from './site.ts';

const TLS = 'https://search.example.org';
const HTTP = 'http://search.example.org';

const site = ofTests(await openSite({ trustedProxies: ['10.0.0.0/8'] }));
const overTls = ofTests(await openSite({ publicUrl: TLS }));
const overHttp = ofTests(await openSite({ publicUrl: HTTP }));

describe('the session cookie', () => {
  const headers = { 'x-forwarded-proto': 'https' };
  const behind = { address: '10.1.1.1', headers, origin: 'https://localhost:80' };
  const cases: readonly (readonly [string, TestSite, BrowserOptions, 'plain' | 'secure'])[] = [
    ['plain HTTP', site, {}, 'plain'],
    ['a public address with https', overTls, { origin: TLS }, 'secure'],
    ['a public address with http', overHttp, { origin: HTTP }, 'plain'],
    ['a trusted proxy that says https', site, behind, 'secure'],
    ['a stranger that says https', site, { address: '192.0.2.1', headers }, 'plain'],
  ];
  for (const [i, [rule, at, browserOptions, expected]] of cases.entries()) {
    it(`${rule}: ${expected}`, async () => {
      const browser = at.browser(browserOptions);
      const answer = await browser.register(`ann${i}@example.net`);
      assert.equal(answer.statusCode, 303);
      const session = [answer.headers['set-cookie']].flat().find((cookie) => cookie?.includes('session='))!;
      const name = expected === 'secure' ? '__Host-colloquy_session' : 'colloquy_session';
      const end = expected === 'secure' ? '; Secure' : '';
      assert.match(
        session,
        new RegExp(`^${name}=[\\w-]{43}; Path=/; Max-Age=15552000; HttpOnly; SameSite=Lax${end}$`),
      );
      assert.equal((await browser.get('/account')).statusCode, 200);
    });
  }

  it('the cookies of settings and of notices had no prefix over TLS: every cookie has it, and is read', async () => {
    const browser = overTls.browser({ origin: TLS });
    const answers = [
      await browser.register('ann@example.net'),
      await browser.post('/theme', { theme: 'dark' }),
      await browser.submit('/account/sessions', '/sign-out'),
    ];
    const set = answers.flatMap(({ headers }) => [headers['set-cookie'] ?? []].flat());
    const names = new Set(set.map((cookie) => cookie.split('=', 1)[0]!.replace(/\d+$/, '')));
    const kinds = ['browser_', 'notice', 'session', 'settings', 'visitor'];
    const expected = kinds.map((name) => `__Host-colloquy_${name}`);
    assert.deepEqual([...names].sort(), expected);
    assert.ok(set.every((cookie) => cookie.endsWith('; HttpOnly; SameSite=Lax; Secure')));
    const { body } = await browser.get('/sign-in');
    assert.match(body, /data-theme="dark"/);
    assert.match(body, /class="flash"/);
  });

  it('signing out and deleting an account left pages in the cache of the browser: it is told to clear it', async () => {
    const browser = site.browser();
    await browser.register('ann@example.net');
    const out = await browser.submit('/account', '/sign-out');
    assert.equal(out.headers['clear-site-data'], '"cache"');
    assert.equal((await browser.signIn('ann@example.net')).headers['clear-site-data'], undefined);
    const gone = await browser.submit('/account/delete', '/account/delete', { password: PASSWORD });
    assert.equal(gone.statusCode, 303);
    assert.equal(gone.headers['clear-site-data'], '"cache"');
  });

  it('over TLS a cookie without the prefix counts for nothing', async () => {
    const id = (await credentialsOf(overTls.accounts).register('eve@example.net', PASSWORD))!;
    const browser = overTls.browser();
    browser.cookies.set('colloquy_session', overTls.accounts.sessions.start(id, ''));
    assert.equal((await browser.get('/account')).statusCode, 303);
  });
});

it('the files of accounts hold no password, key, session, form token or link', async () => {
  const browser = site.browser();
  await browser.register('ben@example.net', 'PASSWORD-IN-CLEAR');
  const created = await browser.makeKey({ name: 'notebook' });
  const secrets = [
    'PASSWORD-IN-CLEAR',
    created.key,
    /name="token" value="([\w-]{43})"/.exec(created.body)![1]!,
    browser.cookies.get('colloquy_session')!,
    browser.cookies.get('colloquy_visitor')!,
    credentialsOf(site.accounts).resetAccount('ben@example.net')!.token,
  ];
  const files = readdirSync(site.folder).filter((name) => name.startsWith('accounts.db'));
  const content = files.map((name) => readFileSync(join(site.folder, name), 'latin1')).join();
  assert.ok(content.includes('ben@example.net'));
  for (const secret of secrets) assert.equal(content.includes(secret), false);
});
