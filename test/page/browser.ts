// Chromium for the tests of the page: where it is, and pages that remember what they loaded.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/** The reason to skip; false where there is a browser. */
export const NO_BROWSER: string | false =
  EXECUTABLE === undefined ? 'no Chromium on this machine (Debian: apt-get install chromium)' : false;

const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE!, args: FLAGS });
}

export const DESK = { width: 1350, height: 940 };
export const TABLET = { width: 768, height: 1024 };
export const PHONE = { width: 390, height: 844 };

/** What went wrong in a page, and what it asked for. */
export interface Watched {
  readonly page: Page;
  /** Addresses of all requests, in their order. */
  readonly requests: string[];
  /** Errors of scripts and of the content policy. */
  readonly errors: string[];
}

/** A page in a context of its own; both end with the browser. */
export async function open(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: DESK, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const requests: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    // A page with status 400 is no fault of the page.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) errors.push(message.text());
  });
  return { page, requests, errors };
}

/** Opens pages in one browser of all tests of the suite that asks for it. */
export function browserOfTests(): (options?: BrowserContextOptions) => Promise<Watched> {
  let browser: Browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());
  return (options) => open(browser, options);
}

/** Of 320 to 1,440 pixels in steps of 40, the widths at which the page is wider than its window. */
export async function sidewaysWidths(page: Page): Promise<number[]> {
  const wide: number[] = [];
  for (let width = 320; width <= 1440; width += 40) {
    await page.setViewportSize({ width, height: 900 });
    if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) wide.push(width);
  }
  return wide;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Of the rules of axe-core. */
export const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** What a theme can change: it sets nothing but colours. */
export const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];

/** Rule and element of each. `rules`: tags or names of rules. Of what passes, elements are not described. */
export async function violations(page: Page, rules: readonly string[]): Promise<string[]> {
  // The policy of our pages forbids foreign scripts: axe comes by the debugger, not as an element.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  return page.evaluate(`
    axe.run({ runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 150))))`);
}
