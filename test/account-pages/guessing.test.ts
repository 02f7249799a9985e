// Guessing the password of one account from many networks, and flooding sign-ins: what reaches a hash, and that whoever
// has signed in before still gets in.

import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { describe, it } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import {
  BROWSER_AGE,
  KnownBrowsers,
  KnownTurns,
  MAX_FAILED_OF_ACCOUNT,
  MAX_KNOWN_TURNS,
} from '../../src/features/account/known-browsers.ts';
import { hashesAtOnce, hashGate, MAX_WAITING, verifyPassword } from '../../src/features/account/password.ts';
import { Visitors } from '../../src/http/requests/caller.ts';
import { earlier } from '../clock.ts';
import { ofTests } from '../of-tests.ts';
import { type Browser, mainOf, openSite, PASSWORD } from './site.ts';

const ANN = 'ann@example.net';
const BEN = 'ben@example.net';
const WRONG = 'not the password';
const SETTINGS = { publicUrl: null, trustedProxies: [] };

function browserCookie(browser: Browser, accountId: number): [name: string, value: string] {
  const name = `colloquy_browser_${accountId}`;
  return [name, browser.cookies.get(name)!];
}

/** Everything here is about one account, which has been guessed at from ever other networks until its brake held. */
describe('guesses from many networks', async () => {
  /** Have signed in before: the first from the network of a guesser. */
  const statuses: number[] = [];

  const site = ofTests(await openSite());
  const known = site.browser({ address: '198.51.100.1' });
  await known.register(ANN);
  await known.submit('/account', '/sign-out');
  const ofBoth = site.browser();
  await ofBoth.signIn(ANN);
  await ofBoth.submit('/account', '/sign-out');
  await ofBoth.register(BEN);
  await ofBoth.submit('/account', '/sign-out');
  const { token } = credentialsOf(site.accounts).resetAccount(ANN)!;
  const byLink = site.browser();
  await byLink.submit(`/account/link/${token}`, `/account/link/${token}`, { password: PASSWORD });
  await byLink.submit('/account', '/sign-out');
  const admitted = hashGate.figures().admitted;
  for (let i = 0; i < 4; i++) statuses.push(await guess('198.51.100.1', ANN));
  for (let i = 4; i < MAX_FAILED_OF_ACCOUNT + 5; i++) statuses.push(await guess(`203.0.113.${i}`, ANN));
  const hashes = hashGate.figures().admitted - admitted;

  async function guess(address: string, email: string): Promise<number> {
    return (await site.browser({ address }).signIn(email, WRONG)).statusCode;
  }

  /** What a browser with this cookie, and never seen before, gets for the right password. */
  async function rightWith(name: string, value: string): Promise<number> {
    const browser = site.browser();
    browser.cookies.set(name, value);
    return (await browser.signIn(ANN)).statusCode;
  }

  it('reach a hash so often and no more', () => {
    assert.equal(hashes, MAX_FAILED_OF_ACCOUNT);
    assert.deepEqual(new Set(statuses.slice(0, MAX_FAILED_OF_ACCOUNT)), new Set([400]));
    assert.deepEqual(new Set(statuses.slice(MAX_FAILED_OF_ACCOUNT)), new Set([429]));
  });

  it('make a browser that was never seen wait, with the right password too', async () => {
    const answer = await site.browser().signIn(ANN);
    assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [429, '1']);
    assert.match(mainOf(answer.body), /Too many failed attempts. Wait 1 second, then try again/);
  });

  it('a cookie that is forged, or of another account, is none', async () => {
    const [name, value] = browserCookie(known, 1);
    const forged = {
      'another number': `${value.startsWith('x') ? 'y' : 'x'}${value.slice(1)}`,
      'another time': value.replace(/\.(\d+)\./, (_, made) => `.${Number(made) + 1}.`),
      'another signature': value.replace(/.{5}$/, '-----'),
      'no signature': value.replace(/\.[^.]*$/, ''),
      nothing: '',
      'that of another account': browserCookie(ofBoth, 2)[1],
    };
    for (const [rule, text] of Object.entries(forged)) assert.equal(await rightWith(name, text), 429, rule);
    assert.equal(await rightWith(...browserCookie(ofBoth, 2)), 429, 'known to another account');
    assert.equal(await rightWith(name, value), 303);
  });

  it('the owner gets in from a browser that has signed in before, also with another account or by a link', async () => {
    for (const browser of [ofBoth, byLink]) assert.equal((await browser.signIn(ANN)).statusCode, 303);
  });

  it('a known browser is counted by itself: whoever shares its network cannot lock it out', async () => {
    assert.equal(await guess('198.51.100.1', BEN), 400);
    assert.equal((await known.signIn(ANN)).statusCode, 303);
    await known.submit('/account', '/sign-out');
    for (let i = 0; i < 5; i++) assert.equal((await known.signIn(ANN, WRONG)).statusCode, 400);
    assert.equal((await known.signIn(ANN)).statusCode, 429);
  });

  it('the cookie is for the whole site, out of reach of scripts, lasts a year, and goes with the account', async () => {
    const browser = site.browser();
    const answer = await browser.register('cyd@example.net');
    const cookie = [answer.headers['set-cookie']].flat().find((one) => one?.includes('browser_'))!;
    assert.match(
      cookie,
      /^colloquy_browser_3=[\w-]{22}\.\d+\.[\w-]{43}; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/,
    );
    await browser.submit('/account/delete', '/account/delete', { password: PASSWORD });
    const known = [...browser.cookies.keys()].filter((name) => name.includes('browser_'));
    assert.deepEqual(known, []);
  });

  it('an unknown browser gets in once the wait is over; a cookie of a year ago makes none known', async () => {
    const [name, value] = browserCookie(byLink, 1);
    site.clock.seconds += 1;
    assert.equal(await guess('192.0.2.200', ANN), 400);
    assert.equal((await site.browser().signIn(ANN)).statusCode, 429);
    site.clock.seconds += 2;
    assert.equal((await site.browser().signIn(ANN)).statusCode, 303);
    site.clock.seconds += BROWSER_AGE;
    const headers = { cookie: `${name}=${value}` };
    const request = { headers, raw: { headers: {}, socket: {} }, socket: {}, host: '' };
    const browsers = new KnownBrowsers(credentialsOf(site.accounts), new Visitors(SETTINGS));
    const ofIt = () => browsers.of(request as unknown as FastifyRequest);
    assert.equal(ofIt().length, 0);
    assert.equal(earlier(BROWSER_AGE, ofIt).length, 1);
    // Made, as it seems, in two days: by a clock that was fast.
    assert.equal(earlier(BROWSER_AGE + 2 * 86_400, ofIt).length, 0);
  });
});

describe('a full line of passwords', () => {
  it('is told before the form is read, and known browsers still get in', async () => {
    await using site = await openSite();
    await credentialsOf(site.accounts).register(ANN, PASSWORD);
    const known = site.browser();
    await known.signIn(ANN);
    await known.submit('/account', '/sign-out');
    const stranger = site.browser();
    await stranger.get('/sign-in');
    const busy = fillTheLine();
    // A form that cannot be read would be a 400.
    for (const path of ['/sign-in', '/register']) {
      const answer = await stranger.post(path, { email: '%' }, { 'content-type': 'text/plain' });
      assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '5'], path);
      assert.match(answer.body, /The server is busy at the moment<\/h1>\s.*\s<p>Nothing was changed/);
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.match(String(answer.headers['content-security-policy']), /frame-ancestors 'none'/);
      assert.equal(answer.headers['set-cookie'], undefined);
    }
    assert.equal((await known.signIn(ANN)).statusCode, 303);
    await busy;
    assert.equal((await site.browser().signIn(ANN)).statusCode, 303);
  });

  it('going first is a right of each account for so often', () => {
    const turns = new KnownTurns();
    const lanes = Array.from({ length: MAX_KNOWN_TURNS + 1 }, () => turns.laneOf(1));
    assert.deepEqual(new Set(lanes.slice(0, -1)), new Set(['known']));
    assert.equal(lanes.at(-1), 'strangers');
    assert.equal(turns.laneOf(2), 'known');
  });
});

/** As long as a few hundred hashes of sign-ins take. */
async function fillTheLine(): Promise<void> {
  const hash = (passes: number) => `$argon2id$v=19$m=1024,t=${passes},p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA`;
  const atOnce = hashesAtOnce(availableParallelism());
  const long = Array.from({ length: atOnce }, () => verifyPassword('x', hash(600), 'strangers'));
  const short = Array.from({ length: atOnce * MAX_WAITING }, () => verifyPassword('x', hash(1), 'strangers'));
  await Promise.all([...long, ...short]);
}
