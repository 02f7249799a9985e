// Keys of the page that did something else than they should.

import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { browserOfTests, NO_BROWSER } from './browser.ts';
import { inBrowser, SIGNED_IN, siteOfTests } from './site.ts';

describe('keys', { skip: NO_BROWSER }, () => {
  const { at } = siteOfTests();
  const open = browserOfTests();

  let page: Page;
  before(async () => {
    ({ page } = await open({ storageState: inBrowser(SIGNED_IN) }));
  });
  beforeEach(() => page.goto(at('/search?query=rooftop')));
  const focusedResult = (): Promise<number> =>
    page.evaluate(`[...document.querySelectorAll('.results article')].indexOf(document.activeElement)`);

  it('Esc in the search box wiped the query', async () => {
    await page.focus('#query');
    await page.keyboard.type(' panel');
    const written = await page.inputValue('#query');
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
    assert.equal(await page.inputValue('#query'), written);
    assert.notEqual(await page.evaluate('document.activeElement.id'), 'query');
  });

  it('j after scrolling jumped to the first result', async () => {
    const first: number = await page.evaluate(`{
      const results = [...document.querySelectorAll('.results article')];
      scrollTo(0, results[11].getBoundingClientRect().top + scrollY - 50);
      results.findIndex((result) => result.getBoundingClientRect().top >= 0);
    }`);
    assert.equal(first, 11);
    await page.keyboard.press('j');
    assert.equal(await focusedResult(), 11);
    await page.keyboard.press('j');
    assert.equal(await focusedResult(), 12);
    await page.keyboard.press('k');
    assert.equal(await focusedResult(), 11);
  });

  it('j and k go on from where the list is being read, not from a result out of sight', async () => {
    await page.keyboard.press('j');
    assert.equal(await focusedResult(), 0);
    await page.evaluate(`document.querySelectorAll('.results article')[20].scrollIntoView()`);
    await page.keyboard.press('k');
    assert.equal(await focusedResult(), 19);
    await page.evaluate('scrollTo(0, 0)');
    await page.keyboard.press('j');
    assert.equal(await focusedResult(), 0);
  });

  it('p went to the first page instead of the one before', async () => {
    const pages = [page.url()];
    for (let n = 0; n < 2; n++) {
      await page.keyboard.press('n');
      await page.waitForURL((url) => url.href !== pages.at(-1));
      pages.push(page.url());
    }
    for (const expected of [pages[1]!, pages[0]!]) {
      await page.keyboard.press('p');
      await page.waitForURL(expected);
    }
    await page.goto(pages[2]!.replace(/&trail=.*/, ''));
    await page.keyboard.press('p');
    await page.waitForURL(pages[0]!);
  });

  it('the skip link puts the reader into the results', async () => {
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to results');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(`document.activeElement.closest('.list') !== null`), true);
  });

  const parts = [
    ['timeline', '.times'],
    ['breakdowns', '.side'],
    ['download', '.download'],
  ] as const;
  for (const [number, [part, place]] of parts.entries()) {
    it(`the ${part} was behind every link of the results: a skip link leads there`, async () => {
      for (let tabs = 0; tabs < number + 2; tabs++) await page.keyboard.press('Tab');
      assert.equal(await page.evaluate('document.activeElement.textContent'), `Skip to ${part}`);
      await page.keyboard.press('Enter');
      if (part !== 'download') await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(`document.activeElement.closest('${place}') !== null`), true);
    });
  }
});
