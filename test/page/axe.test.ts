// axe-core over every page of searching and its states, light in three widths and dark in one: no violation. The pages
// of accounts have theirs in test/account-pages/.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { linkPost } from '../helpers.ts';
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
import { COMMENTS, PI_DAY, POSTS } from './corpus.ts';
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

/** With names so short and so long that the line of links below a title breaks anywhere on a phone. */
const NAMED = ['a', 'coachella', 'indieheads', 'listentothis_and_more'].flatMap((community, i) =>
  ['npr.org', 't.co', 'news.example.org', ''].map((domain, j) =>
    linkPost({
      id: `n${i}${j}`,
      community,
      domain,
      created: PI_DAY - 600 * 86_400 - i,
      score: 10 ** (i + j),
      title: 'First listen',
      url: `https://${domain === '' ? 'example.org' : domain}/${j}`,
    }),
  ),
);

/** What is opened before the scan, by selector. */
const PAGES: readonly (readonly [path: string, clicks?: readonly string[], who?: 'signed in'])[] = [
  ['/'],
  ['/search?query=solar', ['.panel > summary:has-text("as a table")', '.inner > summary:text("Python")']],
  ['/search?query=solar&kind=comments&order_by=top'],
  ['/search?query=first+listen&timeline=share', ['.download > summary'], 'signed in'],
  ['/search?query=rooftop&after=1677000000000&trail=0.1677900000000', [], 'signed in'],
  ['/search?query=rated+before%3A2023-06-01+after%3A2020-01-01', [], 'signed in'],
  ['/search?query=panel&kind=comments&show=titles', [], 'signed in'],
  ['/coverage?subreddit=solarpower', ['.inner > summary']],
  ['/record/posts/p01?query=panel'],
  ['/record/posts/a0', ['.adult summary']],
  ['/record/comments/c00?query=panel'],
  ['/record/posts/nope'],
  ['/thread/p00?query=panel'],
  ['/thread/p00?query=panel&around=c42', [], 'signed in'],
  ['/search?query=%2Fr%2Fgrownups', ['.adult summary'], 'signed in'],
  ['/search?query=%2Fr%2Fgrownups&adult=shown', [], 'signed in'],
  ['/search?query=solar+OR+panel+before%3A2023-01-01'],
  ['/search?query=rooftop+zzz'],
  ['/search?query=rooftop&kind=comments'],
  ['/search?query=after%3A2023-02-30'],
  ['/search?query=solar&after=5'],
  ['/breakdown?query=&field=domain'],
  ['/breakdown?query=&field=domain&page=9'],
  ['/breakdown?query=&field=subreddit&prefix=s'],
  ['/breakdown?query=&field=subreddit&prefix=zzz'],
  ['/pictures?query=panel&kind=comments', ['.picture summary']],
  ['/pictures?query=panel+%2Fr%2Fsolar', ['.picture summary']],
  ['/pictures?query=zzz'],
  ['/compare?kind=comments&query=panel&query=solar&query=roof&query=number', ['.inner > summary']],
  ['/compare?query=panel'],
  ['/compare?query=panel&query=after%3A2023-02-30'],
  ['/docs'],
  ['/docs/query-language'],
  ['/docs/errors'],
  ['/docs/limits'],
  ['/docs/search?query=export'],
  ['/docs/reference'],
  ['/docs/reference/timeline-comments', ['.answer > summary:has-text("401")', '.fields summary']],
  ['/docs/reference/search-posts', ['.run summary', '.run button'], 'signed in'],
  ['/about', ['[data-shortcuts]']],
  ['/privacy'],
  ['/settings?return=%2Fabout'],
  ['/settings?saved=1'],
  ['/status'],
  ['/nope'],
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
