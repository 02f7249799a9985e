// axe-core over every page of searching and its states, in both themes and two widths: no violation.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { DESK, launch, NO_BROWSER, open, PHONE } from './browser.ts';
import { listening, openSite, SIGNED_IN, type TestSite } from './site.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What is opened before the scan, by selector. */
const PAGES: readonly (readonly [path: string, clicks?: readonly string[], who?: 'signed in'])[] = [
  ['/'],
  ['/search?query=solar', ['.inner > summary:text("Show as table")', '.inner > summary:text("Python")']],
  ['/search?query=solar&in=comments&order_by=top'],
  ['/search?query=rated+before%3A2023-06-01+after%3A2020-01-01', ['.long summary'], 'signed in'],
  ['/search?query=%2Fr%2Fgrownups', ['.adult summary'], 'signed in'],
  ['/search?query=solar+OR+panel+before%3A2023-01-01'],
  ['/search?query=rooftop+zzz'],
  ['/search?query=after%3A2023-02-30'],
  ['/search?query=solar&after=5'],
  ['/breakdown?query=&by=domains'],
  ['/docs'],
  ['/docs/query-language'],
  ['/docs/errors'],
  ['/about', ['[data-shortcuts]']],
  ['/privacy'],
  ['/status'],
  ['/nope'],
];

describe('axe-core', { skip: NO_BROWSER }, () => {
  let site: TestSite;
  let base: string;
  let browser: Browser;

  before(async () => {
    site = await openSite();
    base = await listening(await site.build({ isSample: () => true }));
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [width, viewport] of Object.entries({ desk: DESK, phone: PHONE })) {
      it(`${colorScheme}, ${width}: no violation on ${PAGES.length} pages`, async () => {
        const found: string[] = [];
        for (const who of [undefined, 'signed in'] as const) {
          // The policy of our pages forbids foreign scripts: this one is put in by the browser's own hand.
          const { page } = await open(browser, {
            viewport,
            colorScheme,
            bypassCSP: true,
            ...(who === undefined ? {} : { extraHTTPHeaders: SIGNED_IN }),
          });
          for (const [path, clicks = [], whose] of PAGES.filter(([, , reader]) => reader === who)) {
            await page.goto(base + path);
            for (const selector of clicks) await page.locator(selector).first().click();
            await page.addScriptTag({ path: AXE });
            const violations: string[] = await page.evaluate(`
              axe.run({ runOnly: ${JSON.stringify(TAGS)} }).then(({ violations }) =>
                violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 150))))`);
            found.push(...violations.map((violation) => `${path}${whose ?? ''} ${violation}`));
          }
        }
        assert.deepEqual(found, []);
      });
    }
  }
});
