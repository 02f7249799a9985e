// axe-core over every page of searching and its states, light in three widths and dark in one: no violation. The pages
// of accounts have theirs in test/account-pages/.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  browserOfTests,
  DESK,
  NO_BROWSER,
  PHONE,
  RULES_OF_COLOUR,
  TABLET,
  TAGS,
  violations,
} from './browser.ts';
import { COMMENTS, POSTS } from './corpus.ts';
import { NAMED, PAGES } from './pages.ts';
import { SIGNED_IN, siteOfTests } from './site.ts';

/** What a width can change beside that, on nearly every page. */
const RULES_OF_PLACE = ['target-size', 'scrollable-region-focusable', ...RULES_OF_COLOUR];

interface Look {
  readonly viewport: typeof DESK;
  readonly colorScheme: 'light' | 'dark';
  /** Tags or names of rules. */
  readonly rules: readonly string[];
}

/** COLLOQUY_TEST_AXE=all: every rule in three widths of both themes. No colour belongs to a width. */
const LOOKS: readonly Look[] =
  process.env.COLLOQUY_TEST_AXE === 'all'
    ? (['light', 'dark'] as const).flatMap((colorScheme) =>
        [DESK, TABLET, PHONE].map((viewport) => ({ viewport, colorScheme, rules: TAGS })),
      )
    : [
        { viewport: DESK, colorScheme: 'light', rules: TAGS },
        { viewport: TABLET, colorScheme: 'light', rules: RULES_OF_PLACE },
        { viewport: PHONE, colorScheme: 'light', rules: RULES_OF_PLACE },
        { viewport: DESK, colorScheme: 'dark', rules: RULES_OF_COLOUR },
      ];

describe('axe-core', { skip: NO_BROWSER }, () => {
  const { at } = siteOfTests([...POSTS, ...NAMED], COMMENTS, { isSample: () => true });
  const open = browserOfTests();

  for (const who of [undefined, 'signed in'] as const) {
    const pages = PAGES.filter(([, , reader]) => reader === who);
    it(`${who ?? 'visitor'}: no violation in ${pages.length * LOOKS.length} scans of ${pages.length} pages`, async () => {
      const { page } = await open({
        reducedMotion: 'reduce',
        ...(who === undefined ? {} : { extraHTTPHeaders: SIGNED_IN }),
      });
      const found: string[] = [];
      for (const [path, clicks = []] of pages) {
        await page.goto(at(path));
        for (const selector of clicks) await page.locator(selector).first().click();
        for (const { viewport, colorScheme, rules } of LOOKS) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme });
          for (const violation of await violations(page, rules)) {
            found.push(`${path} ${viewport.width} ${colorScheme} ${violation}`);
          }
        }
      }
      assert.deepEqual(found, []);
    });
  }
});
