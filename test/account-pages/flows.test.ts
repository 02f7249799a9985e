// What people do with an account, page by page, in a browser without script.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { ofTests } from '../of-tests.ts';
import { type Browser, contentOf, type Fields, fieldsOf, mainOf, openSite, PASSWORD } from './site.ts';

const DAY = 86_400;

/** 43 characters in which an unknown token differs from all others. */
const UNKNOWN = 'A'.repeat(43);

describe('an account on the page', async () => {
  const site = ofTests(await openSite());

  /** Signed in, without the limits of registering. */
  async function somebody(email: string): Promise<Browser> {
    await credentialsOf(site.accounts).register(email, PASSWORD);
    const browser = site.browser();
    assert.equal((await browser.signIn(email)).statusCode, 303);
    return browser;
  }

  it('registering makes the account, signs in, and leads to My API', async () => {
    const browser = site.browser();
    const answer = await browser.register('Dora@Example.net');
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, '/account/keys']);
    const page = await browser.follow(answer);
    assert.match(page.body, /role="status">Your account is ready/);
    assert.match(page.body, /<h1>My API<\/h1>/);
    assert.match(page.body, /class="who">dora@example\.net</);
    assert.doesNotMatch((await browser.get('/account/keys')).body, /Your account is ready/);
  });

  it('registering never touches an account that exists', async () => {
    await credentialsOf(site.accounts).register('taken@example.net', 'a password of long ago');
    credentialsOf(site.accounts).createAccount('linked@example.net');
    const before = contentOf(site);
    for (const email of ['taken@example.net', ' TAKEN@example.net ', 'linked@example.net']) {
      const browser = site.browser();
      const answer = await browser.register(email);
      assert.equal(answer.statusCode, 400);
      assert.match(answer.body, /This address already has an account/);
      assert.equal(browser.cookies.has('colloquy_session'), false);
    }
    assert.equal(contentOf(site), before);
  });

  const of = (password: string, email = 'x@example.net') => ({ email, password });
  const badForms: readonly (readonly [page: string, fields: Fields, field: string, words: RegExp])[] = [
    ['/register', of(PASSWORD, ''), 'email', /Enter your email address/],
    ['/register', of(PASSWORD, 'dora'), 'email', /Enter an email address, for example/],
    ['/register', of('1234567'), 'password', /Password must be 8 characters or more/],
    ['/register', of('1'.repeat(201)), 'password', /Password must be 200 characters or fewer/],
    ['/register', of('Passw0rd'), 'password', /This password is easy to guess/],
    [
      '/register',
      of('some.body99', 'some.body@a.example'),
      'password',
      /more than your address or this site’s name/,
    ],
    ['/account', { current: PASSWORD, next: 'iloveyou' }, 'next', /This password is easy to guess/],
    ['/account', { current: PASSWORD, next: 'short' }, 'next', /Password must be 8 characters or more/],
    ['/account', { current: 'wrong', next: 'a long password' }, 'current', /Current password is not correct/],
    ['/account/keys', { name: ' ' }, 'name', /Give the key a name/],
    ['/account/keys', { name: 'x'.repeat(101) }, 'name', /Name must be 100 characters or fewer/],
    ['/account/keys', { name: 'a\u202eb' }, 'name', /Name must contain visible characters only/],
    ['/account/keys', { name: 'x', expires: '31' }, 'expires', /Choose how long the key is valid/],
    ['/account/delete', { password: 'wrong' }, 'password', /Password is not correct/],
  ];
  for (const [page, fields, field, words] of badForms) {
    it(`${page} with ${JSON.stringify(fields).slice(0, 60)}: says what is wrong, keeps what was written, changes nothing`, async () => {
      const browser =
        page === '/register' ? site.browser() : await somebody(`bad${Math.random()}@example.net`);
      const before = contentOf(site);
      const answer = await browser.submit(page, page, fields);
      assert.equal(answer.statusCode, 400);
      assert.match(answer.body, /<title>Error: /);
      assert.match(answer.body, new RegExp(`<a href="#${field}">`));
      assert.match(mainOf(answer.body), words);
      if (fields.email) assert.match(answer.body, new RegExp(`value="${fields.email}"`));
      assert.doesNotMatch(answer.body, /value="(?:1234567|short|wrong)"/);
      assert.equal(contentOf(site), before);
    });
  }

  it('signing in leads back to where one came from, and to no other site', async () => {
    await credentialsOf(site.accounts).register('eli@example.net', PASSWORD);
    const cases = [
      ['/search?query=cats&kind=comments', '/search?query=cats&kind=comments'],
      ['/', '/'],
      ['', '/account/keys'],
      ['//evil.example/', '/account/keys'],
    ] as const;
    for (const [wanted, to] of cases) {
      const browser = site.browser();
      const page = `/sign-in?return=${encodeURIComponent(wanted)}`;
      const answer = await browser.submit(page, '/sign-in', of(PASSWORD, 'eli@example.net'));
      assert.deepEqual([answer.statusCode, answer.headers.location], [303, to], wanted);
      const again = await browser.get(page);
      assert.deepEqual([again.statusCode, again.headers.location], [303, to], `${wanted}, signed in`);
    }
  });

  it('a private page asks to sign in, and comes back to it', async () => {
    await credentialsOf(site.accounts).register('gus@example.net', PASSWORD);
    const browser = site.browser();
    const asked = await browser.get('/account/sessions');
    assert.equal(asked.headers.location, '/sign-in?return=%2Faccount%2Fsessions');
    const page = await browser.follow(asked);
    assert.match(page.body, /role="status">Please sign in/);
    const fields = fieldsOf(page.body, '/sign-in');
    const answer = await browser.post('/sign-in', { ...fields, ...of(PASSWORD, 'gus@example.net') });
    assert.equal(answer.headers.location, '/account/sessions');
  });

  it('each sign-in has a session of its own; the one before it in this browser ends', async () => {
    const browser = await somebody('hal@example.net');
    const first = browser.cookies.get('colloquy_session')!;
    const visitor = site.browser();
    const fields = fieldsOf((await visitor.get('/sign-in')).body, '/sign-in');
    for (const [name, value] of visitor.cookies) browser.cookies.set(name, value);
    await browser.post('/sign-in', { ...fields, ...of(PASSWORD, 'hal@example.net') });
    const second = browser.cookies.get('colloquy_session')!;
    assert.notEqual(second, first);
    assert.equal(site.accounts.sessions.check(first), null);
    assert.notEqual(site.accounts.sessions.check(second), null);
  });

  it('a session that somebody else chose is never taken over', async () => {
    await credentialsOf(site.accounts).register('ida@example.net', PASSWORD);
    const browser = site.browser();
    browser.cookies.set('colloquy_session', UNKNOWN);
    await browser.signIn('ida@example.net');
    assert.notEqual(browser.cookies.get('colloquy_session'), UNKNOWN);
    assert.equal(site.accounts.sessions.check(UNKNOWN), null);
  });

  it('signing out ends the session, not only its cookie', async () => {
    const browser = await somebody('joe@example.net');
    const token = browser.cookies.get('colloquy_session')!;
    const answer = await browser.submit('/account', '/sign-out');
    assert.equal(answer.statusCode, 303);
    assert.equal(browser.cookies.has('colloquy_session'), false);
    assert.equal(site.accounts.sessions.check(token), null);
    assert.match((await browser.follow(answer)).body, /You are signed out/);
  });

  it('another password ends every session, and this browser goes on with a new one', async () => {
    const browser = await somebody('kay@example.net');
    const other = site.browser();
    await other.signIn('kay@example.net');
    const before = browser.cookies.get('colloquy_session')!;
    const change = { current: PASSWORD, next: 'quite another one' };
    const answer = await browser.submit('/account', '/account', change);
    assert.equal(answer.headers.location, '/account');
    assert.equal(site.accounts.sessions.check(before), null);
    assert.match((await browser.follow(answer)).body, /Your password has been changed/);
    assert.equal((await other.get('/account')).statusCode, 303);
    assert.equal((await site.browser().signIn('kay@example.net')).statusCode, 400);
    assert.equal((await site.browser().signIn('kay@example.net', 'quite another one')).statusCode, 303);
  });

  it('a key is shown once, works on the API, is counted, and is refused once revoked', async () => {
    const browser = await somebody('lea@example.net');
    const { body, key } = await browser.makeKey({ name: 'notebook', expires: '30' });
    assert.match(body, /Key “<bdi>notebook<\/bdi>” created/);
    assert.match(body, new RegExp(`Authorization: Bearer ${key}`));
    assert.equal(await site.ask(key), 200);
    assert.equal(await site.ask(key), 200);

    const list = mainOf((await browser.get('/account/keys')).body);
    for (const part of [key.slice(4, 10), key.slice(-6)]) assert.doesNotMatch(list, new RegExp(part));
    const lastUsed = /data-label="Last used"><time datetime="2027-01-15T08:00:00.000Z">2027-01-15, 08:00:00</;
    assert.match(list, lastUsed);
    assert.match(list, /data-label="Expires"><time datetime="2027-02-14">/);
    assert.match(list, /data-label="Requests today" class="number">2</);
    assert.match(list, /Your keys have made 2 requests today/);

    const revoke = /href="(\/account\/keys\/\d+\/revoke)"/.exec(list)![1]!;
    site.clock.seconds += 240;
    assert.match((await browser.get(revoke)).body, /It was last used 4 minutes ago/);
    const answer = await browser.submit(revoke, revoke);
    assert.equal(answer.headers.location, '/account/keys');
    const after = (await browser.follow(answer)).body;
    assert.match(after, /The key has been revoked/);
    assert.match(after, /1 key that is no longer valid/);
    assert.equal(await site.ask(key), 401);
    assert.equal((await browser.get(revoke)).statusCode, 404);
  });

  it('a key ends when the page said it would', async () => {
    const browser = await somebody('max@example.net');
    const { key } = await browser.makeKey({ name: 'short', expires: '30' });
    const start = site.clock.seconds;
    site.clock.seconds = start + 21 * DAY + 1;
    assert.match((await browser.get('/account/keys')).body, /class="soon">in 8 days</);
    site.clock.seconds = start + 30 * DAY - 1;
    assert.equal(await site.ask(key), 200);
    site.clock.seconds = start + 30 * DAY;
    assert.equal(await site.ask(key), 401);
    assert.match((await browser.get('/account/keys')).body, /expired <time datetime="/);
  });

  it('a form that is sent twice makes one key', async () => {
    const browser = await somebody('nan@example.net');
    const fields = fieldsOf((await browser.get('/account/keys')).body, '/account/keys');
    const first = await browser.post('/account/keys', { ...fields, name: 'once' });
    const second = await browser.post('/account/keys', { ...fields, name: 'once' });
    assert.deepEqual([first.statusCode, second.statusCode], [200, 303]);
    const page = (await browser.follow(second)).body;
    assert.match(page, /Only one key has been created/);
    assert.equal(page.match(/<th scope="row">/g)?.length, 1);
  });

  it('the name of a key is text and nothing else', async () => {
    const browser = await somebody('ora@example.net');
    const name = '"><img src=x onerror=alert(1)><script>';
    const created = await browser.makeKey({ name });
    const revoke = /href="(\/account\/keys\/\d+\/revoke)"/.exec(created.body)![1]!;
    for (const { body } of [created, await browser.get('/account/keys'), await browser.get(revoke)]) {
      assert.doesNotMatch(mainOf(body), /<img|<script/);
      assert.match(body, /&lt;img src=x/);
    }
  });

  it('sessions are listed by browser, and end one by one or all but this', async () => {
    const browser = await somebody('pam@example.net');
    const by = (agent: string) => site.browser({ headers: { 'user-agent': agent } });
    const phone = by('Mozilla/5.0 (Android 14; Mobile; rv:130.0) Firefox/130.0');
    const odd = by('<b>curl</b>');
    await phone.signIn('pam@example.net');
    await odd.signIn('pam@example.net');
    const page = mainOf((await browser.get('/account/sessions')).body);
    assert.match(page, /Firefox on Android/);
    assert.match(page, /&lt;b&gt;curl/);
    assert.equal(page.match(/this one/g)?.length, 1);
    const ends = [...page.matchAll(/href="(\/account\/sessions\/\d+\/end)"/g)].map(([, path]) => path!);
    assert.equal(ends.length, 3);
    // The newest is on top.
    const [newest, own] = [ends[0]!, ends[2]!];
    assert.match(mainOf((await browser.get(newest)).body), /<bdi>&lt;b&gt;curl/);
    const wrong = await browser.submit(newest, newest, { password: 'not the password' });
    assert.equal(wrong.statusCode, 400);
    assert.match(wrong.body, /Password is not correct/);
    assert.equal((await odd.get('/account')).statusCode, 200, 'nothing ends without the password');
    const ended = await browser.submit(newest, newest, { password: PASSWORD });
    assert.match((await browser.follow(ended)).body, /The session has ended/);
    assert.equal((await odd.get('/account')).statusCode, 303);
    assert.equal((await phone.get('/account')).statusCode, 200);
    const others = '/account/sessions/end-others';
    assert.match(mainOf((await browser.get(others)).body), /1 session in other browsers/);
    assert.equal((await browser.submit(others, others, { password: '' })).statusCode, 400);
    assert.equal((await phone.get('/account')).statusCode, 200);
    await browser.submit(others, others, { password: PASSWORD });
    assert.equal((await phone.get('/account')).statusCode, 303);
    assert.equal((await browser.get('/account')).statusCode, 200);
    assert.equal((await browser.submit(own, own, { password: PASSWORD })).headers.location, '/sign-in');
    assert.equal((await browser.get('/account')).statusCode, 303);
  });

  it('the export holds what is kept, and no secret', async () => {
    const browser = await somebody('quin@example.net');
    const { key } = await browser.makeKey({ name: 'notebook', expires: 'never' });
    const answer = await browser.get('/account/export');
    assert.equal(answer.headers['content-disposition'], 'attachment; filename="colloquy-account.json"');
    assert.equal(answer.headers['cache-control'], 'no-store');
    const file = answer.json();
    assert.deepEqual(Object.keys(file), ['email', 'created', 'second_factor', 'keys', 'sessions', 'saved']);
    assert.equal(file.email, 'quin@example.net');
    assert.deepEqual([file.keys[0].name, file.keys[0].expires], ['notebook', null]);
    assert.equal(file.sessions.length, 1);
    for (const secret of [key, browser.cookies.get('colloquy_session')!, PASSWORD, 'argon2']) {
      assert.equal(answer.body.includes(secret), false);
    }
  });

  it('deleting takes everything along, and asks for the password', async () => {
    const browser = await somebody('rex@example.net');
    const { key } = await browser.makeKey({ name: 'notebook' });
    const answer = await browser.submit('/account/delete', '/account/delete', { password: PASSWORD });
    assert.equal(answer.headers.location, '/sign-in');
    assert.equal(browser.cookies.has('colloquy_session'), false);
    assert.match((await browser.follow(answer)).body, /Your account has been deleted/);
    assert.equal(await site.ask(key), 401);
    assert.doesNotMatch(contentOf(site), /rex@example\.net/);
    assert.equal((await site.browser().signIn('rex@example.net')).statusCode, 400);
    assert.equal((await site.browser().register('rex@example.net')).statusCode, 303);
  });

  it('a one-time link sets a password once, signs in, and ends all sessions', async () => {
    const before = await somebody('sue@example.net');
    const { token } = credentialsOf(site.accounts).resetAccount('sue@example.net')!;
    const path = `/account/link/${token}`;
    const browser = site.browser();
    assert.match((await browser.get(path)).body, /<bdi>sue@example\.net<\/bdi>/);
    assert.equal((await browser.submit(path, path, { password: 'short' })).statusCode, 400);
    const common = await browser.submit(path, path, { password: 'iloveyou' });
    assert.match(common.body, /This password is easy to guess/);
    const answer = await browser.submit(path, path, { password: 'a password by link' });
    assert.equal(answer.headers.location, '/account/keys');
    assert.equal((await browser.follow(answer)).statusCode, 200);
    assert.equal((await before.get('/account')).statusCode, 303);
    const again = await browser.get(path);
    assert.equal(again.statusCode, 404);
    assert.match(again.body, /This link no longer works/);
    assert.equal((await site.browser().signIn('sue@example.net', 'a password by link')).statusCode, 303);
  });

  const broken: readonly (readonly [rule: string, payload: string, status: number])[] = [
    ['a form of 16 KiB is read', `email=${'x'.repeat(16_384 - 6)}`, 403],
    ['a larger one is not', `email=${'x'.repeat(16_384)}`, 413],
    ['a broken escape is told', 'email=%zz', 400],
    ['bytes that are no UTF-8 are told', 'email=%ff', 400],
    ['no form at all lacks its token', '', 403],
  ];
  for (const [rule, payload, status] of broken) {
    it(`${rule}: ${status}, as a page`, async () => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await site.server.inject({ method: 'POST', url: '/sign-in', headers, payload });
      assert.equal(answer.statusCode, status);
      assert.match(String(answer.headers['content-type']), /^text\/html/);
      assert.equal(answer.headers['cache-control'], 'no-store');
    });
  }
});

it('closed registration shows no form, takes none, and is not linked', async () => {
  await using site = await openSite({ registration: 'closed' });
  const page = await site.browser().get('/register');
  assert.equal(page.statusCode, 403);
  assert.match(page.body, /Registration is closed/);
  const browser = site.browser();
  const signIn = await browser.get('/sign-in');
  assert.doesNotMatch(signIn.body, /href="\/register/);
  const fields = fieldsOf(signIn.body, '/sign-in');
  const answer = await browser.post('/register', { ...fields, email: 'a@example.net', password: PASSWORD });
  assert.equal(answer.statusCode, 403);
  assert.deepEqual(credentialsOf(site.accounts).listAccounts(), []);
});
