// A browser for the tests, where the machine has one.

import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const PROGRAM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/** Why tests that need a browser are skipped; false where there is one. */
export const NO_CHROMIUM: string | false =
  PROGRAM === undefined ? 'no Chromium on this machine (apt-get install chromium)' : false;

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: PROGRAM!, args: FLAGS });
}

/** A window of its own with its own cookies, and what went wrong in it: errors, refusals, requests to other hosts. */
export interface Window extends AsyncDisposable {
  readonly page: Page;
  readonly faults: string[];
}

export async function openWindow(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Window> {
  const context = await browser.newContext({ baseURL: address, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    // A refused form is an answer of ours that the browser also tells on its console.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${address}/`)) faults.push(`request to ${request.url()}`);
  });
  return { page, faults, [Symbol.asyncDispose]: () => context.close() };
}
