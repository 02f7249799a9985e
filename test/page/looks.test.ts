// How pages look where it was wrong: on paper, in narrow tables, in examples.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { browserOfTests, DESK, NO_BROWSER, PHONE, TABLET } from './browser.ts';
import { inBrowser, SIGNED_IN, siteOfTests } from './site.ts';

const WIDTHS = [DESK, TABLET, PHONE, { width: 320, height: 640 }];

describe('looks', { skip: NO_BROWSER }, () => {
  const { at } = siteOfTests();
  const open = browserOfTests();

  /** Lines of text that an element has, by its height. */
  const lines = (page: Page, selector: string): Promise<number[]> =>
    page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    })`);

  it('heads of the timeline’s table broke as "Co/un/t"', async () => {
    const { page } = await open();
    for (const viewport of WIDTHS) {
      await page.setViewportSize(viewport);
      await page.goto(at('/search?query=rooftop+after%3A2023-02-20'));
      await page.click('.times button[popovertarget="dates"]');
      await page.click('#dates a:text("As a table")');
      const heads = await lines(page, '#timeline-rows thead th');
      assert.deepEqual(heads, [1, 1, 1], `${viewport.width}`);
    }
  });

  it('the address of an example was behind the edge', async () => {
    const { page } = await open();
    for (const viewport of WIDTHS) {
      await page.setViewportSize(viewport);
      await page.goto(at(`/search?query=${'rooftop+solar+'.repeat(12)}`));
      const hidden: number = await page.evaluate(`[...document.querySelectorAll('.example pre')]
        .filter((element) => element.checkVisibility() && element.scrollWidth > element.clientWidth).length`);
      assert.equal(hidden, 0, `${viewport.width}`);
      const first = await page.locator('.example pre[aria-label*="curl"]').first().textContent();
      assert.match(first!, /^curl 'http:\/\/127\.0\.0\.1/);
    }
  });

  it('a result took more than 156 pixels of a wide window, and texts more than three lines', async () => {
    const { page } = await open({ storageState: inBrowser(SIGNED_IN) });
    for (const list of ['', '&kind=comments']) {
      await page.goto(at(`/search?query=panel${list}`));
      const height: number = await page.evaluate(`document.querySelector('.results').offsetHeight`);
      assert.ok(height <= 3_900, `${height}`);
      const most = Math.max(...(await lines(page, '.results .text p')));
      assert.ok(most >= 1 && most <= 3, `${most}`);
    }
    // In a narrow one, what is cut has as many lines; the link to the whole stands below.
    await page.setViewportSize(PHONE);
    const heights: number[] = await page.evaluate(
      `[...document.querySelectorAll('.results .excerpt')].map(({ offsetHeight }) => offsetHeight)`,
    );
    assert.ok(heights.every((height) => height <= 64));
  });

  it('a printed page was without its query, and with each address twice', async () => {
    const { page } = await open({ storageState: inBrowser(SIGNED_IN), colorScheme: 'dark' });
    await page.goto(at('/search?query=rooftop+%2Fr%2Fenergy&order_by=top'));
    assert.equal(await page.locator('.paper').isVisible(), false);
    await page.emulateMedia({ media: 'print' });
    const paper = page.locator('.paper');
    const words = 'Search for rooftop /r/energy in posts, highest score first. Results 1–25 of 40.';
    assert.deepEqual([await paper.textContent(), await paper.isVisible()], [words, true]);
    const printed: number[] =
      await page.evaluate(`[...document.querySelectorAll('.results article')].map((result) =>
      [...result.querySelectorAll('a')].filter((link) => getComputedStyle(link, '::after').content.includes('http')).length)`);
    assert.deepEqual(printed, Array(25).fill(1));
    const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    assert.equal(ground, 'rgb(255, 255, 255)');
    for (const shown of ['mark', '.timeline', '.breakdown'])
      assert.equal(await page.locator(shown).first().isVisible(), true, shown);
    // Without its ground, which browsers do not print.
    const mark = `getComputedStyle(document.querySelector('mark')).textDecorationLine`;
    assert.equal(await page.evaluate(mark), 'underline');
    const buttons = await page.locator('button, .button').all();
    for (const button of buttons) assert.equal(await button.isVisible(), false);
    for (const hidden of ['breakdown .not', 'paging', 'search', 'bottom', 'chips', 'download', 'bars'])
      assert.equal(await page.locator(`.${hidden}`).first().isVisible(), false, hidden);
  });

  it('times are told as they are set: in the zone of the browser, as ages, without script in UTC and so named', async () => {
    const told = async (times: string, options = {}) => {
      const { page, errors } = await open({
        timezoneId: 'Asia/Kolkata',
        extraHTTPHeaders: { cookie: `colloquy_settings=times:${times}` },
        ...options,
      });
      await page.goto(at('/search?query=rooftop'));
      const time = page.locator('.results time').first();
      const after = `getComputedStyle(document.querySelector('.results time'), '::after').content`;
      const found = {
        text: await time.textContent(),
        title: await time.getAttribute('title'),
        zone: await page.locator('[data-zone]').textContent(),
        isShown: await time.isVisible(),
        after: String(await page.evaluate(after)),
      };
      assert.deepEqual(errors, []);
      await page.context().close();
      return found;
    };
    const utc = { text: '2023-03-14, 12:07:33', title: null, zone: 'UTC', isShown: true, after: 'none' };
    assert.deepEqual(await told('utc'), utc);
    const there = { text: '2023-03-14, 17:37:33', title: `${utc.text} UTC`, zone: 'Asia/Calcutta' };
    assert.deepEqual(await told('local'), { ...utc, ...there });
    assert.deepEqual(await told('local', { javaScriptEnabled: false }), { ...utc, after: '" UTC"' });
    assert.deepEqual(await told('relative'), { ...utc, isShown: false });
  });

  it('where a visitor’s list goes on, a line fades: on a screen, not on paper or in forced colours', async () => {
    const { page } = await open();
    await page.goto(at('/search?query=rooftop'));
    const fading = page.locator('.fading');
    assert.equal(await fading.isVisible(), true);
    await page.emulateMedia({ forcedColors: 'active' });
    assert.equal(await fading.isVisible(), false);
    await page.emulateMedia({ forcedColors: 'none', media: 'print' });
    assert.equal(await fading.isVisible(), false);
  });
});
