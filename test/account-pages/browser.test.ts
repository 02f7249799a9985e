// Accounts and My API in Chromium: without script and with, by keyboard alone, for assistive technology, on small
// screens.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { stepAt, totpCode } from '../../src/features/account/second-factors.ts';
import { ofTests } from '../of-tests.ts';
import { browserOfTests, NO_BROWSER, sidewaysWidths, violationsOf } from '../page/browser.ts';
import { openSite, PASSWORD, totpSecretOf } from './site.ts';

/** Tab and Enter from the page for signing in to the copied key. */
const MAX_KEYS_PRESSED = 14;

describe('accounts in Chromium', { skip: NO_BROWSER }, async () => {
  const open = browserOfTests();

  const site = ofTests(await openSite({ requestsPerMinute: 600 }));
  const address = await site.server.listen({ host: '127.0.0.1', port: 0 });

  /** A window with its own cookies, and what went wrong in it: errors, refusals, requests to other hosts. */
  async function openWindow(options: BrowserContextOptions = {}) {
    const { page, requests, errors } = await open({ baseURL: address, ...options });
    const faults = () => [...errors, ...requests.filter((url) => !url.startsWith(`${address}/`))];
    return { page, faults };
  }

  for (const javaScriptEnabled of [false, true]) {
    it(`${javaScriptEnabled ? 'with' : 'without'} script: register, make a key, use it, revoke it, sign out and in`, async () => {
      const { page, faults } = await openWindow({ javaScriptEnabled });
      const email = `ann${javaScriptEnabled ? 1 : 2}@example.net`;
      await page.goto('/search?query=cats');
      await page.getByRole('link', { name: 'Register' }).first().click();
      await page.getByLabel('Email address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Create account' }).click();
      assert.equal(page.url(), `${address}/search?query=cats`);

      await page.getByRole('link', { name: 'My API' }).first().click();
      await page.getByLabel('Name').fill('notebook');
      await page.getByLabel('Expires').selectOption('90 days');
      await page.getByRole('button', { name: 'Create key' }).click();
      const key = await page.getByRole('textbox', { name: 'Your key' }).inputValue();
      assert.match(key, /^clq_[0-9A-Za-z]{38}$/);
      assert.equal(await site.ask(key), 200);

      await page.getByRole('link', { name: 'I have stored it' }).click();
      assert.equal((await page.content()).includes(key), false);
      await page.getByRole('link', { name: 'Revoke notebook' }).click();
      await page.getByRole('button', { name: 'Revoke the key' }).click();
      await page.getByText('The key has been revoked').waitFor();
      assert.equal(await site.ask(key), 401);

      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('You are signed out').waitFor();
      await page.goto('/account/sessions');
      await page.getByLabel('Email address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      assert.equal(page.url(), `${address}/account/sessions`);
      await page.getByText('Chrome on').first().waitFor();
      assert.deepEqual(faults(), []);
    });
  }

  it(`from signing in to the copied key by keyboard alone: at most ${MAX_KEYS_PRESSED} times Tab or Enter`, async () => {
    await credentialsOf(site.accounts).register('key@example.net', PASSWORD);
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, faults } = await openWindow({ permissions });
    let pressed = 0;
    const press = async (key: 'Tab' | 'Enter') => {
      pressed++;
      await page.keyboard.press(key);
    };
    const tabTo = async (name: string) => {
      while ((await focused(page)) !== name) {
        assert.ok(pressed < MAX_KEYS_PRESSED, `${name} not reached: at ${await focused(page)}`);
        await press('Tab');
      }
    };
    await page.goto('/sign-in');
    await tabTo('email');
    await page.keyboard.type('key@example.net');
    await tabTo('password');
    await page.keyboard.type(PASSWORD);
    await press('Enter');
    await page.getByRole('heading', { name: 'My API' }).waitFor();
    await press('Tab');
    await press('Enter');
    await tabTo('name');
    await page.keyboard.type('by keyboard');
    await press('Enter');
    await page.getByText('Copy it now').waitFor();
    await tabTo('Copy the key');
    await press('Enter');
    await page.getByText('Copied').waitFor();
    const copied: string = await page.evaluate('navigator.clipboard.readText()');
    assert.equal(await site.ask(copied), 200);
    assert.ok(pressed <= MAX_KEYS_PRESSED, `${pressed} times`);
    assert.deepEqual(faults(), []);
  });

  it('a password can be shown, and is a password again when it is sent', async () => {
    const { page, faults } = await openWindow();
    await page.goto('/sign-in');
    const password = page.locator('#password');
    await password.fill('seen');
    await page.getByRole('button', { name: 'Show password' }).click();
    assert.equal(await password.getAttribute('type'), 'text');
    await page.getByRole('button', { name: 'Hide password' }).click();
    assert.equal(await password.getAttribute('type'), 'password');
    assert.deepEqual(faults(), []);
  });

  it('after an error the focus is on its summary, and its link leads to the field', async () => {
    const { page } = await openWindow();
    await page.goto('/register');
    await page.getByLabel('Email address').fill('x@example.net');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Password must be 8 characters or more' }).waitFor();
    assert.match(await page.evaluate('document.activeElement.className'), /problem/);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.equal(await focused(page), 'password');
  });

  it('every page in each of its states: nothing scrolls sideways, no violation of axe; My API with a key that is used did', async () => {
    const { page, faults } = await openWindow({ reducedMotion: 'reduce' });
    const found: string[] = [];
    await eachPage(page, 'states@example.net', async (name) => {
      const wrong = [...(await sidewaysWidths(page)), ...(await violationsOf(page))];
      found.push(...wrong.map((one) => `${name}: ${one}`));
    });
    assert.deepEqual(found, []);
    assert.deepEqual(faults(), []);
  });

  /** Shows each account page in each of its states. */
  async function eachPage(page: Page, email: string, look: (name: string) => Promise<void>): Promise<void> {
    const accountId = (await credentialsOf(site.accounts).register(email, PASSWORD))!;
    const { token } = credentialsOf(site.accounts).resetAccount(email)!;
    const submit = () => page.locator('main .stack [type=submit], main .row [type=submit]').first().click();
    const open = async (path: string) => {
      await page.goto(path);
      await look(path);
    };
    const send = async (fields: Readonly<Record<string, string>>) => {
      for (const [id, value] of Object.entries(fields)) await page.fill(`#${id}`, value);
      await submit();
    };
    await open('/register');
    await page.evaluate('document.querySelector("main form").noValidate = true');
    await send({ email: 'x', password: 'y' });
    await look('/register with faults');
    await open(`/account/link/${token}`);
    await open('/account/link/unknown');
    await open('/sign-in');
    await send({ email, password: 'wrong' });
    await look('/sign-in with faults');
    await send({ password: PASSWORD });
    await look('/account/keys without keys');
    await send({ name: 'W'.repeat(100) });
    await look('/account/keys with a new key');
    assert.equal(await site.ask(await page.getByRole('textbox', { name: 'Your key' }).inputValue()), 200);
    const short = site.accounts.createKeyFor(accountId, { name: 'short', expiresInDays: 3 });
    const past = site.accounts.createKeyFor(accountId, { name: 'past', expiresInDays: null });
    site.accounts.keys.revoke(past.id);
    site.accounts.sessions.start(accountId, 'a browser with a name that nobody knows '.repeat(4));
    await page.goto('/account/keys');
    await page.locator('.past summary').click();
    await look('/account/keys');
    await open('/account/saved');
    await open('/account/saved/new?query=cats');
    await submit();
    await look('/account/saved with one');
    await open(`/account/keys/${short.id}/revoke`);
    await open('/account');
    await open('/account/sessions');
    await open('/account/sessions/end-others');
    await open('/account/delete');
    await open('/account/second-factor');
    await send({ code: '1', password: PASSWORD });
    await look('/account/second-factor with faults');
    const secret = totpSecretOf(await page.locator('code.secret').innerText());
    await send({ code: totpCode(secret, stepAt(site.clock.seconds)), password: PASSWORD });
    await look('/account/second-factor with recovery codes');
    const recovery = await page.locator('.codes code').first().innerText();
    await page.getByRole('link', { name: 'I have stored them' }).click();
    await look('/account/second-factor while it is on');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await send({ email, password: PASSWORD });
    await look('/sign-in/code');
    await send({ code: '1' });
    await look('/sign-in/code with faults');
    await send({ code: recovery });
    await page.getByText('You signed in with a recovery code').waitFor();
  }
});

/** Id of the field, or name of the button, that has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate(
    'document.activeElement.id || document.activeElement.ariaLabel || document.activeElement.textContent.trim()',
  );
}
