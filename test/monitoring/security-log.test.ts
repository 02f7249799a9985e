// What is told to whoever guards the server.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SECURITY_EVENTS } from '../../src/accounts/security-log.ts';
import { MAX_FAILED_SIGN_INS } from '../../src/features/account/attempts.ts';
import { STEP_SECONDS, stepAt, totpCode } from '../../src/features/account/second-factors.ts';
import { openSite, PASSWORD, totpSecretOf } from '../account-pages/site.ts';
import { listen } from '../api/listening.ts';
import { openService } from '../api/service.ts';
import { temporaryFolder } from '../helpers.ts';
import { colloquy } from '../processes.ts';

const EMAIL = 'ann@example.org';
const ADDRESS = '198.51.100.23';

describe('the security log', () => {
  it('every event is told with the address: accounts, sessions and keys', async () => {
    const heard = listen();
    await using site = await openSite({ ...heard.deps });
    const browser = site.browser({ address: ADDRESS });
    await browser.register(EMAIL);
    const id = site.accounts.idOf(EMAIL)!;
    await browser.makeKey({ name: 'kettle', expires: 'never' });
    const [key] = site.accounts.keys.list(id);
    await browser.submit(`/account/keys/${key!.id}/revoke`, `/account/keys/${key!.id}/revoke`);
    await browser.submit('/account', '/account', { current: 'a wrong one', next: 'another password' });
    await browser.submit('/account/delete', '/account/delete', { password: 'a wrong one' });
    await browser.submit('/account/delete', '/account/delete', { password: PASSWORD });
    const told = heard.security.map(({ id: request, ...event }) => {
      assert.match(String(request), /^[0-9a-f-]{36}$/);
      return event;
    });
    const address = ADDRESS;
    assert.deepEqual(told, [
      { security: 'signed_in', account: id, address, route: '/register' },
      { security: 'key_made', account: id, key: key!.id, address, route: '/account/keys' },
      { security: 'key_revoked', account: id, key: key!.id, address, route: '/account/keys/:id/revoke' },
      { security: 'sign_in_refused', account: id, address, route: '/account' },
      { security: 'sign_in_refused', account: id, address, route: '/account/delete' },
      { security: 'account_removed', account: id, address, route: '/account/delete' },
    ]);
  });

  it('a second factor: on, refused, recovered from, new codes, off', async () => {
    const heard = listen();
    await using site = await openSite({ ...heard.deps });
    const browser = site.browser({ address: ADDRESS });
    await browser.register(EMAIL);
    const [page, codePage] = ['/account/second-factor', '/sign-in/code'];
    const text = /<code class="secret">([\w ]+)</.exec((await browser.get(page)).body)![1]!;
    const code = () => totpCode(totpSecretOf(text), stepAt(site.clock.seconds));
    const send = (fields: Record<string, string>) =>
      browser.submit(page, page, { password: PASSWORD, ...fields });
    const [recovery] = /(?:[A-Z2-7]{4}-){5}[A-Z2-7]{4}/.exec((await send({ code: code() })).body)!;
    await browser.submit(page, '/sign-out');
    await browser.signIn(EMAIL);
    await browser.submit(codePage, codePage, { code: '000000' });
    await browser.submit(codePage, codePage, { code: recovery });
    await send({ do: 'off', code: '000000' });
    for (const wish of ['codes', 'off']) {
      site.clock.seconds += STEP_SECONDS;
      await send({ do: wish, code: code() });
    }
    assert.deepEqual(
      heard.security.map(({ security, route }) => [security, route]),
      [
        ['signed_in', '/register'],
        ['second_factor_on', page],
        ['second_factor_refused', codePage],
        ['recovery_code_used', codePage],
        ['signed_in', codePage],
        ['second_factor_refused', page],
        ['recovery_codes_made', page],
        ['second_factor_off', page],
      ],
    );
    for (const { account, address } of heard.security) assert.deepEqual([account, address], [1, ADDRESS]);
    const told = JSON.stringify([heard.security, heard.lines]);
    for (const secret of [text, recovery, code()]) assert.ok(!told.includes(secret));
  });

  it('a wrong password is told each time, and the limit behind it', async () => {
    const heard = listen();
    await using site = await openSite({ ...heard.deps });
    const browser = site.browser({ address: ADDRESS });
    for (let i = 0; i <= MAX_FAILED_SIGN_INS; i++) await browser.signIn(EMAIL, 'a wrong one');
    const names = heard.security.map(({ security }) => security);
    assert.deepEqual(names, [...new Array(MAX_FAILED_SIGN_INS).fill('sign_in_refused'), 'limit_hit']);
    assert.ok(heard.security.every(({ address }) => address === ADDRESS));
    assert.doesNotMatch(JSON.stringify([heard.security, heard.lines]), /ann@|wrong one/);
  });

  it('refused keys, limits and forms from elsewhere are told, with the address that a trusted proxy gives', async () => {
    const heard = listen();
    await using service = await openService([], []);
    const limits = { trustedProxies: ['10.0.0.1'], requestsPerMinute: 1 };
    const server = await service.build({ ...heard.deps, ...limits });
    const ask = (key: string | null) => {
      const headers = { 'x-forwarded-for': ADDRESS, ...(key !== null && { authorization: `Bearer ${key}` }) };
      return server.inject({ url: '/api/v1/search/posts?query=a', remoteAddress: '10.0.0.1', headers });
    };
    for (const key of [null, service.keys.expired, 'clq_none', service.keys.good, service.keys.good])
      await ask(key);
    await using site = await openSite({ ...heard.deps });
    await site
      .browser({ address: ADDRESS })
      .post('/sign-in', { email: EMAIL, password: 'x' }, { origin: 'https://evil.example' });
    assert.deepEqual(
      heard.security.map(({ security, address, route }) => [security, address, route]),
      [
        ['key_refused', ADDRESS, '/api/v1/search/posts'],
        ['key_refused', ADDRESS, '/api/v1/search/posts'],
        ['limit_hit', ADDRESS, '/api/v1/search/posts'],
        ['request_refused', ADDRESS, '/sign-in'],
      ],
    );
  });

  it('each request beyond a limit was a line: of a network, the first is, and then one in 10 s with the others', async (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    const heard = listen();
    await using service = await openService([], []);
    const server = await service.build({ ...heard.deps, requestsPerMinute: 1 });
    const headers = { authorization: `Bearer ${service.keys.good}` };
    const ask = (remoteAddress: string) =>
      server.inject({ url: '/api/v1/search/posts?query=a', remoteAddress, headers });
    await ask(ADDRESS);
    for (now of [20_000, 20_001, 29_999]) {
      for (const address of [ADDRESS, '2001:db8::1', `2001:db8::${now % 1000}`]) await ask(address);
    }
    now = 30_000;
    await ask(ADDRESS);
    assert.deepEqual(
      heard.security.map(({ security, address, others }) => [security, address, others]),
      [
        ['limit_hit', ADDRESS, undefined],
        ['limit_hit', '2001:db8::1', undefined],
        ['limit_hit', ADDRESS, 2],
      ],
    );
  });

  it('commands write into the file, and to nothing else', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'security.log');
    const run = (settings: Record<string, string>, ...words: string[]) =>
      colloquy([...words, '--data', join(folder.path, 'data')], '', settings);
    assert.doesNotMatch((await run({}, 'keys', 'create', '--account', EMAIL)).stderr, /security/);
    await run({ COLLOQUY_SECURITY_LOG: file }, 'keys', 'revoke', '1');
    const [line, ...others] = readFileSync(file, 'utf8').trimEnd().split('\n');
    const { time, ...event } = JSON.parse(line!);
    assert.match(time, /^\d{4}-/);
    assert.deepEqual([event, others], [{ security: 'key_revoked', key: 1 }, []]);
  });

  it('a file that cannot be written is refused at the start, with 2', async () => {
    using folder = temporaryFolder();
    const settings = { COLLOQUY_SECURITY_LOG: join(folder.path, 'none', 'a.log') };
    const words = ['serve', '--no-sample', '--port', '0', '--data', join(folder.path, 'data')];
    const { code, stderr } = await colloquy(words, '', settings);
    assert.equal(code, 2);
    assert.match(stderr, /^colloquy: setting `COLLOQUY_SECURITY_LOG`: expected a file [^\n]*ENOENT\)\n$/);
  });

  it('docs/monitoring.md lists every event', () => {
    const page = readFileSync(new URL('../../docs/monitoring.md', import.meta.url), 'utf8');
    const rows = page.matchAll(/^\| `(\w+_\w+)` \| ([^|]*) \|$/gm).map(([, name, words]) => [name, words]);
    assert.deepEqual(Object.fromEntries(rows), SECURITY_EVENTS);
  });
});
