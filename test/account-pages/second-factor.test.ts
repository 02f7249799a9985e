// The second factor through its pages: turned on, asked for, refused, recovered from, and turned off.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { MAX_FAILED_OF_ACCOUNT } from '../../src/features/account/known-browsers.ts';
import {
  HALF_SESSION_AGE,
  MAX_WRONG_CODES,
  OFFER_AGE_MS,
  RECOVERY_CODES,
  STEP_SECONDS,
  stepAt,
  totpCode,
} from '../../src/features/account/second-factors.ts';
import { ofTests } from '../of-tests.ts';
import { eachIn } from '../page/site.ts';
import { type Browser, fieldsOf, mainOf, openSite, PASSWORD, secondFactorOf, totpSecretOf } from './site.ts';

const PAGE = '/account/second-factor';
const CODE = '/sign-in/code';
const SESSION = 'colloquy_session';

const site = ofTests(await openSite());
const credentials = credentialsOf(site.accounts);
let accounts = 0;

function newEmail(): string {
  return `ann${++accounts}@example.net`;
}

/** A new account with a second factor, a step after its first code. */
async function withFactor() {
  const email = newEmail();
  const id = (await credentials.register(email, PASSWORD))!;
  const factor = secondFactorOf(site, id);
  site.clock.seconds += STEP_SECONDS;
  return { email, id, factor };
}

/** A browser with the page that asks for a code. */
async function halfway(email: string, browser = site.browser()): Promise<Browser> {
  const answer = await browser.signIn(email);
  assert.deepEqual([answer.statusCode, answer.headers.location], [303, CODE]);
  return browser;
}

function enter(browser: Browser, code: string): Promise<LightMyRequestResponse> {
  return browser.submit(CODE, CODE, { code });
}

function goneTo({ statusCode, headers }: LightMyRequestResponse): unknown {
  return statusCode === 303 ? headers.location : statusCode;
}

function secretIn(body: string): string {
  return /<code class="secret">([^<]*)</.exec(body)![1]!.replaceAll(' ', '');
}

const codesIn = (body: string) => eachIn(body, /<li><code>([^<]*)<\/code>/g);

describe('turning a second factor on', () => {
  it('takes a right code and the password, and shows recovery codes once', async () => {
    const email = newEmail();
    const browser = site.browser();
    await browser.register(email);
    const { body } = await browser.get(PAGE);
    const text = secretIn(body);
    const address = email.replace('@', '%40');
    assert.ok(body.includes(`otpauth://totp/Colloquy:${address}?secret=${text}&amp;issuer=Colloquy"`));
    assert.match(body, new RegExp(`<code class="secret">${text.replace(/(.{4})(?=.)/g, '$1 ')}</code>`));
    assert.match(body, /<svg class="qr"/);
    const secret = totpSecretOf(text);
    const code = totpCode(secret, stepAt(site.clock.seconds));
    const send = (fields: Record<string, string>) => browser.submit(PAGE, PAGE, fields);
    for (const [wrong, password, words] of [
      ['000000', PASSWORD, /Code is not correct/],
      [totpCode(secret, stepAt(site.clock.seconds) - 2), PASSWORD, /Code is not correct/],
      [code, 'not the password', /Password is not correct/],
    ] as const) {
      const answer = await send({ code: wrong, password });
      assert.equal(answer.statusCode, 400);
      assert.match(mainOf(answer.body), words);
      assert.equal(secretIn(answer.body), text);
    }
    assert.equal(credentials.secondFactors.of(site.accounts.idOf(email)!), null);
    const shown = await send({ code: ` ${code.slice(0, 3)} ${code.slice(3)}`, password: PASSWORD });
    const codes = codesIn(shown.body);
    assert.equal(new Set(codes).size, RECOVERY_CODES);
    for (const one of codes) assert.match(one, /^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/);
    assert.equal(goneTo(await send({ do: 'on', code, password: PASSWORD })), PAGE);
    const on = (await browser.get(PAGE)).body;
    assert.match(on, /Recovery codes left<\/dt><dd>10</);
    for (const one of [text, ...codes]) assert.ok(!on.includes(one));
  });

  it('was of whatever secret the form brought: it is of the one that this session was shown, within an hour', async () => {
    const email = newEmail();
    const browser = site.browser();
    await browser.register(email);
    const own = secretIn((await browser.get(PAGE)).body);
    assert.equal(secretIn((await browser.get(PAGE)).body), own);
    const elsewhere = site.browser();
    await elsewhere.signIn(email);
    assert.notEqual(secretIn((await elsewhere.get(PAGE)).body), own);
    const send = (text: string, fields: Record<string, string> = {}) => {
      const code = totpCode(totpSecretOf(text), stepAt(site.clock.seconds));
      return browser.submit(PAGE, PAGE, { code, password: PASSWORD, ...fields });
    };
    const chosen = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    assert.match((await send(chosen, { secret: chosen })).body, /Code is not correct/);
    const fields = fieldsOf((await browser.get(PAGE)).body, PAGE);
    site.clock.seconds += OFFER_AGE_MS / 1000;
    const code = totpCode(totpSecretOf(own), stepAt(site.clock.seconds));
    const late = await browser.post(PAGE, { ...fields, code, password: PASSWORD });
    assert.match(mainOf(late.body), /has expired. Use this new one/);
    assert.notEqual(secretIn(late.body), own);
    assert.equal(credentials.secondFactors.of(site.accounts.idOf(email)!), null);
  });

  it('stores no recovery code in the clear, and gives none away in the account’s file', async () => {
    const { email, factor } = await withFactor();
    const browser = await halfway(email);
    assert.equal(goneTo(await enter(browser, factor.code())), '/account/keys');
    const file = JSON.parse((await browser.get('/account/export')).body);
    const since = site.clock.seconds - STEP_SECONDS;
    assert.deepEqual(file.second_factor, { since, recovery_codes: RECOVERY_CODES });
    const stored = ['accounts.db', 'accounts.db-wal'].map((name) =>
      readFileSync(join(site.folder, name), 'latin1'),
    );
    for (const code of factor.recoveryCodes)
      assert.ok(!stored.some((text) => text.includes(code) || text.includes(code.replaceAll('-', ''))));
  });
});

describe('signing in with a second factor', () => {
  it('begins no session before the code, and goes where it was to go after it', async () => {
    const { email, id, factor } = await withFactor();
    const browser = site.browser();
    const fields = { email, password: PASSWORD };
    const half = await browser.submit('/sign-in?return=%2Faccount%2Fsessions', '/sign-in', fields);
    assert.equal(half.headers.location, CODE);
    assert.equal(browser.cookies.has(SESSION), false);
    assert.equal(site.accounts.sessions.list(id).length, 0);
    assert.ok(![...browser.cookies.keys()].some((name) => name.startsWith('colloquy_browser_')));
    const cookie = [half.headers['set-cookie']].flat().find((one) => one?.startsWith('colloquy_half='))!;
    assert.match(cookie, /^colloquy_half=[\w-]{43}; Path=\/; Max-Age=300; HttpOnly; SameSite=Lax$/);
    assert.match(String((await browser.get('/account')).headers.location), /^\/sign-in\?/);
    assert.equal((await browser.get(CODE)).headers['cache-control'], 'no-store');
    assert.equal(goneTo(await enter(browser, factor.code())), '/account/sessions');
    assert.equal((await browser.get('/account')).statusCode, 200);
    assert.equal(browser.cookies.has('colloquy_half'), false);
    assert.ok([...browser.cookies.keys()].some((name) => name.startsWith('colloquy_browser_')));
  });

  it('the same code sent at once by two browsers signs one in', async () => {
    const { email, factor } = await withFactor();
    const browsers = [await halfway(email), await halfway(email)];
    const answers = await Promise.all(browsers.map((browser) => enter(browser, factor.code())));
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [303, 400]);
  });

  it('the code must come within five minutes, from the same browser', async () => {
    const { email, id, factor } = await withFactor();
    const late = await halfway(email);
    const fields = fieldsOf((await late.get(CODE)).body, CODE);
    site.clock.seconds += HALF_SESSION_AGE - 1;
    assert.equal((await late.get(CODE)).statusCode, 200);
    site.clock.seconds += 1;
    assert.match(String(goneTo(await late.get(CODE))), /^\/sign-in\?/);
    assert.match(String(goneTo(await late.post(CODE, { ...fields, code: factor.code() }))), /^\/sign-in\?/);
    assert.match((await late.get('/sign-in')).body, /You ran out of time to enter a code/);
    await halfway(email);
    assert.match(String(goneTo(await site.browser().get(CODE))), /^\/sign-in\?/);
    assert.equal(site.accounts.sessions.list(id).length, 0);
  });

  it('a new password, and a second factor that was turned off meanwhile, end what the old password began', async () => {
    const { email, factor } = await withFactor();
    const one = await halfway(email);
    const { token } = credentials.resetAccount(email)!;
    await credentials.setPasswordByLink(token, PASSWORD);
    assert.match(String(goneTo(await enter(one, factor.code()))), /^\/sign-in\?/);
    const two = await halfway(email);
    assert.equal(credentials.turnOffSecondFactor(email), true);
    assert.match(String(goneTo(await enter(two, factor.code()))), /^\/sign-in\?/);
    assert.equal(goneTo(await site.browser().signIn(email)), '/account/keys');
  });

  it('a one-time link sets the password, and asks for the code', async () => {
    const { email, factor } = await withFactor();
    const { token } = credentials.resetAccount(email)!;
    const path = `/account/link/${token}`;
    const browser = site.browser();
    assert.equal(goneTo(await browser.submit(path, path, { password: 'another long one' })), CODE);
    assert.equal(browser.cookies.has(SESSION), false);
    assert.equal(goneTo(await enter(browser, factor.code())), '/account/keys');
  });
});

describe('wrong codes', () => {
  it('after five the password is asked for again, and the account waits', async () => {
    const { email, factor } = await withFactor();
    const browser = await halfway(email);
    for (let i = 1; i < MAX_WRONG_CODES; i++) assert.equal((await enter(browser, '000000')).statusCode, 400);
    assert.match(String(goneTo(await enter(browser, '000000'))), /^\/sign-in\?/);
    assert.match(String(goneTo(await browser.get(CODE))), /^\/sign-in\?/);
    // Elsewhere too: whoever has the password would begin again from ever other networks.
    const elsewhere = await enter(await halfway(email), factor.code());
    assert.deepEqual([elsewhere.statusCode, elsewhere.headers['retry-after']], [429, '60']);
    site.clock.seconds += 60;
    assert.equal(goneTo(await enter(await halfway(email), factor.code())), '/account/keys');
  });

  it('guessing does not lock out a browser that has signed in before', async () => {
    const { email, factor } = await withFactor();
    const known = await halfway(email);
    await enter(known, factor.code());
    await known.submit('/account', '/sign-out');
    site.clock.seconds += STEP_SECONDS;
    const guesser = await halfway(email);
    for (let i = 0; i < MAX_WRONG_CODES; i++) await guesser.submit(CODE, CODE, { code: '000000' });
    assert.equal((await enter(await halfway(email), factor.code())).statusCode, 429);
    assert.equal(goneTo(await enter(await halfway(email, known), factor.code())), '/account/keys');
  });

  it('patience does not help: from the thirtieth on each one costs a wait', async () => {
    const { email, factor } = await withFactor();
    for (let round = 0; round < MAX_FAILED_OF_ACCOUNT / MAX_WRONG_CODES; round++) {
      const guesser = await halfway(email);
      for (let i = 1; i <= MAX_WRONG_CODES; i++) {
        const { statusCode } = await guesser.submit(CODE, CODE, { code: '000000' });
        assert.equal(statusCode, i < MAX_WRONG_CODES ? 400 : 303, `${round} ${i}`);
      }
      // Long enough for the limit of a quarter of an hour to forget it.
      site.clock.seconds += 16 * 60;
    }
    const statuses: number[] = [];
    for (let i = 0; i < 2; i++) statuses.push((await enter(await halfway(email), '000000')).statusCode);
    assert.deepEqual(statuses, [400, 429]);
    assert.equal((await enter(await halfway(email), factor.code())).statusCode, 429);
  });
});

describe('recovery codes', () => {
  it('each signs in once, in any case, with or without dashes', async () => {
    const { email, id, factor } = await withFactor();
    const [first = '', second = '', third = ''] = factor.recoveryCodes;
    for (const code of [first, second.toLowerCase(), third.replaceAll('-', ' ')]) {
      const browser = await halfway(email);
      assert.equal(goneTo(await enter(browser, code)), '/account/keys');
      assert.match((await browser.get('/account/keys')).body, /You signed in with a recovery code/);
      assert.equal((await enter(await halfway(email), code)).statusCode, 400);
    }
    assert.equal(credentials.secondFactors.of(id)?.recoveryCodes, RECOVERY_CODES - 3);
  });

  it('those of another account are none', async () => {
    const { email } = await withFactor();
    const { factor: ben } = await withFactor();
    assert.equal((await enter(await halfway(email), ben.recoveryCodes[0]!)).statusCode, 400);
    assert.equal((await enter(await halfway(email), ben.code())).statusCode, 400);
  });
});

describe('changing a second factor', () => {
  it('takes the password and a code; without both nothing changes', async () => {
    const { email, id, factor } = await withFactor();
    const browser = await halfway(email);
    await enter(browser, factor.code());
    const send = (fields: Record<string, string>) => browser.submit(PAGE, PAGE, fields);
    site.clock.seconds += STEP_SECONDS;
    const before = credentials.secondFactors.of(id);
    for (const wish of ['off', 'codes']) {
      const refused: readonly Record<string, string>[] = [
        { do: wish, password: PASSWORD, code: '000000' },
        { do: wish, password: PASSWORD },
        { do: wish, password: 'not the password', code: factor.code() },
      ];
      for (const fields of refused) assert.equal((await send(fields)).statusCode, 400);
    }
    assert.equal((await send({ do: 'x', password: PASSWORD, code: factor.code() })).statusCode, 400);
    assert.deepEqual(credentials.secondFactors.of(id), before);

    const codes = codesIn((await send({ do: 'codes', password: PASSWORD, code: factor.code() })).body);
    assert.equal(codes.length, RECOVERY_CODES);
    const stranger = await halfway(email);
    assert.equal((await enter(stranger, factor.recoveryCodes[0]!)).statusCode, 400);
    assert.equal(goneTo(await enter(stranger, codes[0]!)), '/account/keys');

    assert.equal(goneTo(await send({ do: 'off', password: PASSWORD, code: codes[1]! })), PAGE);
    assert.equal(credentials.secondFactors.of(id), null);
    assert.equal(goneTo(await site.browser().signIn(email)), '/account/keys');
  });

  it('a new password leaves it on', async () => {
    const { email, factor } = await withFactor();
    const browser = await halfway(email);
    await enter(browser, factor.code());
    const change = { current: PASSWORD, next: 'another long one' };
    assert.equal(goneTo(await browser.submit('/account', '/account', change)), '/account');
    assert.equal(goneTo(await site.browser().signIn(email, 'another long one')), CODE);
  });

  it('goes with the account, recovery codes too', async () => {
    const { email, id, factor } = await withFactor();
    credentials.removeAccount(email);
    assert.equal(credentials.secondFactors.of(id), null);
    assert.equal(credentials.secondFactors.take(id, factor.recoveryCodes[0]!), null);
    const stored = readFileSync(join(site.folder, 'accounts.db'));
    assert.equal(stored.includes(factor.secret), false);
  });
});
