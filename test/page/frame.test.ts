// The frame of pages: one left edge, columns that can be read, a header in one row, nothing to scroll sideways.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browserOfTests, NO_BROWSER, sidewaysWidths } from './browser.ts';
import { COMMENTS, POSTS } from './corpus.ts';
import { NAMED, PAGES } from './pages.ts';
import { SIGNED_IN, siteOfTests } from './site.ts';

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
    widths: paragraphs.map((element) => boxOf(element).width),
    isProblem: document.querySelector('main .problem') !== null,
  };
})()`;

describe('the frame', { skip: NO_BROWSER }, () => {
  const { at } = siteOfTests([...POSTS, ...NAMED], COMMENTS, { isSample: () => true });
  const open = browserOfTests();

  it('text begins at one edge on every page, in columns of at most 46 rem', async () => {
    const { page } = await open({ viewport: { width: 1440, height: 900 }, extraHTTPHeaders: SIGNED_IN });
    const wrong: string[] = [];
    for (const [path] of PAGES) {
      await page.goto(at(path));
      const {
        edge,
        text,
        widths,
        isProblem,
      }: { edge: number; text: number; widths: number[]; isProblem: boolean } = await page.evaluate(PLACES);
      // What is wrong stands in a box, whose edge is that one.
      if (text - edge < -1 || text - edge > (isProblem ? 25 : 1))
        wrong.push(`${path}: text at ${text}, not ${edge}`);
      if (Math.max(0, ...widths) > 46 * 16 + 1) wrong.push(`${path}: ${Math.max(...widths)} wide`);
    }
    assert.deepEqual(wrong, []);
  });

  it('the header is one row at 768 pixels, with Saved in it', async () => {
    const headers = { 'x-signed-in': `${'long'.repeat(12)}@example.org` };
    const { page } = await open({ viewport: { width: 768, height: 900 }, extraHTTPHeaders: headers });
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

  it('nothing scrolls sideways from 320 to 1,440 pixels', async () => {
    const { page } = await open({ extraHTTPHeaders: SIGNED_IN });
    const wide: string[] = [];
    for (const [path, clicks = []] of PAGES) {
      await page.goto(at(path));
      for (const selector of clicks) await page.locator(selector).first().click();
      wide.push(...(await sidewaysWidths(page)).map((width) => `${path}: ${width}`));
    }
    assert.deepEqual(wide, []);
  });
});
