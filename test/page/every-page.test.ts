// Every page of searching in each of its states: no violation of axe-core, one left edge, columns that can be read,
// nothing to scroll sideways. The pages of accounts have theirs in test/account-pages/browser.test.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { linkPost } from '../helpers.ts';
import { browserOfTests, DESK, LOOKS, NO_BROWSER, sidewaysWidths, violationsOf } from './browser.ts';
import { COMMENTS, PI_DAY, POSTS } from './corpus.ts';
import { inBrowser, SIGNED_IN, siteOfTests } from './site.ts';

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

/** Every page of searching and its states; what is clicked before it is looked at, by selector. */
const PAGES: readonly (readonly [path: string, clicks?: readonly string[], who?: 'signed in'])[] = [
  ['/'],
  [
    '/search?query=solar',
    [
      ...['.panel > summary:has-text("as a table")', '.panel > summary:has-text("Copy as")'],
      ...['.inner > summary:text("Python")', '.doings button'],
    ],
  ],
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

/** Of a page: the left edge of the brand, that of the first text, and widths of paragraphs of several lines. */
const PLACES = `(() => {
  const range = document.createRange();
  const boxOf = (node) => (range.selectNodeContents(node), range.getBoundingClientRect());
  const shown = (element) => element.checkVisibility() && !element.closest('.unseen, svg, [hidden]');
  const elements = [...document.querySelectorAll('main *')].filter(shown);
  const texts = elements.flatMap((element) =>
    [...element.childNodes].filter((node) => node.nodeType === 3 && node.data.trim() !== '').map(boxOf));
  const paragraphs = elements.filter((element) => element.matches('p') && boxOf(element).height > 30);
  return {
    edge: document.querySelector('.brand').getBoundingClientRect().left,
    text: Math.min(...texts.map(({ left }) => left)),
    widest: Math.max(0, ...paragraphs.map((element) => boxOf(element).width)),
    isProblem: document.querySelector('main .problem') !== null,
  };
})()`;

/** Text that begins at another edge than the brand, or runs wider than 46 rem. */
async function misplaced(page: Page): Promise<string[]> {
  const { edge, text, widest, isProblem }: Places = await page.evaluate(PLACES);
  const wrong: string[] = [];
  // What is wrong stands in a box, whose edge is that one.
  if (text - edge < -1 || text - edge > (isProblem ? 25 : 1)) wrong.push(`text at ${text}, not ${edge}`);
  if (widest > 46 * 16 + 1) wrong.push(`${widest} wide`);
  return wrong;
}

interface Places {
  readonly edge: number;
  readonly text: number;
  readonly widest: number;
  readonly isProblem: boolean;
}

describe('every page', { skip: NO_BROWSER }, () => {
  const { at, signIn } = siteOfTests([...POSTS, ...NAMED], COMMENTS, { archive: { isSample: () => true } });
  const open = browserOfTests();

  for (const who of [undefined, 'signed in'] as const) {
    const pages = PAGES.filter(([, , reader]) => reader === who);
    it(`${who ?? 'visitor'}, ${pages.length} pages: text at one edge, nothing sideways, no violation in ${LOOKS.length} looks`, async () => {
      const { page } = await open({
        reducedMotion: 'reduce',
        ...(who === undefined ? {} : { storageState: inBrowser(SIGNED_IN) }),
      });
      const found: string[] = [];
      for (const [path, clicks = []] of pages) {
        await page.setViewportSize({ ...DESK, width: 1440 });
        await page.goto(at(path));
        const wrong = await misplaced(page);
        for (const selector of clicks) await page.locator(selector).first().click();
        wrong.push(...(await sidewaysWidths(page)), ...(await violationsOf(page)));
        found.push(...wrong.map((one) => `${path}: ${one}`));
      }
      assert.deepEqual(found, []);
    });
  }

  it('the header is one row at 768 pixels, with Saved in it', async () => {
    const headers = signIn(`${'long'.repeat(12)}@example.org`);
    const { page } = await open({ viewport: { width: 768, height: 900 }, storageState: inBrowser(headers) });
    await page.goto(at('/search?query=solar'));
    const tops: number[] = await page.evaluate(
      `[...document.querySelectorAll('.top a')].map((link) => link.getBoundingClientRect()).map(({ top, right }) =>
        right > innerWidth ? -1 : Math.round(top))`,
    );
    assert.equal(new Set(tops).size, 1, tops.join());
    assert.ok(tops[0]! >= 0);
    await page.click('.top >> text=Saved');
    assert.match(page.url(), /return=%2Faccount%2Fsaved|\/account\/saved/);
  });
});
