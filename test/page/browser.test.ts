// The page in Chromium: the same steps with and without script, the keyboard, narrow screens, what is loaded.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { comment, post } from '../helpers.ts';
import { browserOfTests, DESK, NO_BROWSER, PHONE } from './browser.ts';
import { COMMENTS, POSTS } from './corpus.ts';
import { hostileTexts } from './hostile.ts';
import { entriesOf, inBrowser, SIGNED_IN, siteOfTests } from './site.ts';

const TEXTS = hostileTexts(100);
const hostile = TEXTS.map((text, i) =>
  post({
    ...{ id: `h${i}`, community: 'hostile', created: 1_500_000_000 - i, title: text },
    selftext: i === 0 ? TEXTS.join('\n') : text,
  }),
);
const answers = TEXTS.map((body, i) =>
  comment({ id: `k${i}`, post: 'h0', body, created: 1_500_000_000 + i }),
);

describe('in Chromium', { skip: NO_BROWSER }, () => {
  const { at } = siteOfTests([...POSTS, ...hostile], [...COMMENTS, ...answers]);
  const open = browserOfTests();

  for (const javaScriptEnabled of [true, false]) {
    describe(javaScriptEnabled ? 'with script' : 'without script', () => {
      const start = () => open({ javaScriptEnabled });

      it('search, comments, sort, narrow, exclude, take away, bar of the timeline', async () => {
        const { page, errors } = await start();
        const total = () => page.locator('#total').textContent();
        await page.goto(at('/'));
        await page.fill('#query', 'solar');
        await page.click('button:has-text("Search")');
        assert.equal(await total(), '60 posts');
        await page.click('.tabs >> text=Comments');
        assert.equal(await total(), '25 comments');
        await page.click('button:has-text("Newest")');
        await page.click('.orders >> text=top');
        assert.match(page.url(), /order_by=top&kind=comments$/);
        await page.click('.tabs >> text=Posts');
        await page.click('details:has(#by-subreddit) th a:has-text("/r/energy")');
        assert.equal(await total(), '40 posts');
        await page.click('.chip:has-text("/r/energy")');
        assert.equal(await total(), '60 posts');
        await page.click('details:has(#by-domain) tr:has-text("news.example.org") .exclude');
        assert.equal(await total(), '40 posts');
        assert.equal(await page.inputValue('#query'), 'solar -site:news.example.org');
        await page.locator('.timeline a').last().click();
        assert.match(
          await page.inputValue('#query'),
          /^solar -site:news\.example\.org after:\d{4}-.* before:\d{4}-/,
        );
        await page.goBack();
        assert.equal(await total(), '40 posts');
        assert.deepEqual(errors, []);
      });

      it('theme: chosen by a button, kept, and back on the same page', async () => {
        const { page } = await start();
        await page.goto(at('/search?query=rooftop'));
        await page.click('button:has-text("Dark")');
        assert.equal(page.url(), at('/search?query=rooftop'));
        assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
        const back = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
        if (javaScriptEnabled) assert.equal(await back(), 'rgb(17, 20, 23)');
        await page.click('button:has-text("Auto")');
        assert.equal(await page.getAttribute('html', 'data-theme'), null);
      });

      it('a fault keeps the query, has the focus, and is mended by one click', async () => {
        const { page } = await start();
        await page.goto(at('/search?query=rooftop+after%3A2023-02-30'));
        assert.equal(await page.inputValue('#query'), 'rooftop after:2023-02-30');
        assert.equal(await page.locator('.problem:focus').count(), 1);
        await page.click('.problem .button');
        assert.equal(await page.locator('#total').textContent(), '15 posts');
      });

      it('long texts have a page, adult ones unfold', async () => {
        const { page } = await start();
        await page.goto(at('/search?query=panel'));
        await page.click('text=Read all 149 words');
        assert.match((await page.locator('.read .text').textContent())!, /92 % of its rated output\.$/);
        await page.goto(at('/search?query=%2Fr%2Fgrownups'));
        assert.equal(await page.locator('text=For adults alone').first().isVisible(), false);
        await page.locator('summary:has-text("adult community")').first().click();
        assert.equal(await page.locator('text=For adults alone').first().isVisible(), true);
      });
    });
  }

  it('every link, button, field and fold is reached by Tab alone, in the order of the page', async () => {
    const { page } = await open({ storageState: inBrowser(SIGNED_IN) });
    for (const path of ['/search?query=rooftop', '/compare?query=solar&query=wind', '/thread/p00']) {
      await page.goto(at(path));
      const expected: number = await page.evaluate(`(() => {
        const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')];
        const shown = all.filter((one) => one.checkVisibility({ contentVisibilityAuto: true }) &&
          one.tabIndex >= 0 && one.type !== 'hidden' && (one.type !== 'radio' || one.checked));
        shown.forEach((one, place) => one.dataset.place = place);
        return shown.length;
      })()`);
      assert.ok(expected > 20, path);
      for (let place = 0; place < expected; place++) {
        await page.keyboard.press('Tab');
        const found = await page.evaluate(
          'document.activeElement.dataset.place ?? document.activeElement.outerHTML',
        );
        assert.equal(found, `${place}`, path);
      }
    }
  });

  it('keys: box, lists, help; off while typing, and where they are turned off', async () => {
    const { page } = await open();
    await page.goto(at('/search?query=rooftop'));
    const focused = () => page.evaluate('document.activeElement?.id');
    await page.keyboard.press('/');
    assert.equal(await focused(), 'query');
    await page.keyboard.type('2 j');
    assert.match(await page.inputValue('#query'), /2 j$/);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    assert.notEqual(await focused(), 'query');
    await page.keyboard.press('?');
    assert.equal(await page.locator('dialog[open] h2').textContent(), 'Keyboard');
    await page.click('text=Turn these keys off');
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    assert.notEqual(await focused(), 'query');
    await page.keyboard.press('?');
    assert.equal(await page.locator('dialog[open]').count(), 0);
    await page.click('text=Shortcuts');
    await page.click('text=Turn these keys off');
    await page.click('dialog button');
    await page.keyboard.press('2');
    await page.waitForURL(/kind=comments/);
  });

  it('completion: syntax, communities of the index, by keyboard and pointer', async () => {
    const { page, errors } = await open();
    await page.goto(at('/'));
    const options = () => page.locator('#options li b').allTextContents();
    await page.focus('#query');
    await page.keyboard.type('panel aft');
    assert.deepEqual(await options(), ['after:']);
    assert.equal(await page.getAttribute('#query', 'aria-expanded'), 'true');
    await page.keyboard.press('ArrowDown');
    assert.equal(await page.getAttribute('#query', 'aria-activedescendant'), 'option-0');
    await page.keyboard.press('Enter');
    assert.equal(await page.inputValue('#query'), 'panel after:');
    await page.waitForSelector('#options li:has-text("after:2023-01-01")');
    assert.equal((await options()).at(0), 'after:2023-01-01');
    assert.equal((await options()).at(-1), 'after:1970-01-01');
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('#options').isVisible(), false);
    await page.fill('#query', '');
    await page.keyboard.type('-/r/en');
    await page.waitForSelector('#options li:has-text("-/r/energy")');
    await page.click('#options li:has-text("-/r/energy")');
    assert.equal(await page.inputValue('#query'), '-/r/energy ');
    await page.keyboard.press('Enter');
    // The address is the short one.
    await page.waitForURL(at('/search?query=-%2Fr%2Fenergy+'));
    assert.deepEqual(errors, []);
  });

  it('examples are copied', async () => {
    const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(at('/search?query=solar'));
    await page.click('button:has-text("More")');
    await page.click('text=Copy as');
    await page.locator('[data-copy][aria-label*="curl"]').first().click();
    await page.waitForSelector('[data-copy]:text-is("Copied")');
    const copied: string = await page.evaluate('navigator.clipboard.readText()');
    const expected =
      /^curl 'http[^']*search\/posts\?query=solar' [\s\S]*"Authorization: Bearer \$COLLOQUY_KEY"/;
    assert.match(copied, expected);
  });

  it('back and forth keeps the place in the list', async () => {
    const { page } = await open({ storageState: inBrowser(SIGNED_IN) });
    await page.goto(at('/search?query=rooftop'));
    const place = async () => (await page.evaluate('scrollY')) as number;
    await page.locator('text=Next 25').scrollIntoViewIfNeeded();
    const left = await place();
    assert.ok(left > 500);
    await page.click('text=Next 25');
    await page.waitForURL(/after=/);
    await page.goBack();
    for (let tries = 0; tries < 50 && Math.abs((await place()) - left) > 50; tries++) {
      await page.waitForTimeout(50);
    }
    assert.ok(Math.abs((await place()) - left) <= 50);
    assert.equal(await page.locator('.results article').count(), 25);
  });

  it('hostile texts, in a list, on a page and in a thread: none runs, leaves its entry or asks for anything', async () => {
    const { page, requests, errors } = await open({ storageState: inBrowser(SIGNED_IN) });
    page.on('dialog', (dialog) => errors.push(`dialog: ${dialog.message()}`));
    for (const path of [
      '/search?query=%2Fr%2Fhostile&limit=100',
      '/record/posts/h0?query=script',
      '/thread/h0?query=alert',
      '/record/comments/k1',
    ]) {
      await page.goto(at(path));
      for (const summary of await page.locator('article summary').all()) await summary.click();
      const outside = await page.evaluate(`[
        document.documentElement.scrollWidth > document.documentElement.clientWidth,
        document.querySelectorAll('main :is(img, iframe, script, base, style, meta)').length,
      ]`);
      assert.deepEqual([outside, page.url()], [[false, 0], at(path)]);
    }
    assert.deepEqual(errors, []);
    assert.ok(requests.every((url) => url.startsWith(at('/'))));
  });

  it('targets are at least 24 pixels high, the main ones 44 on a phone', async () => {
    const { page } = await open({ viewport: PHONE });
    await page.goto(at('/search?query=solar'));
    const primary = await page.locator('.box .primary').boundingBox();
    assert.ok(primary!.height >= 44);
    const low = await page.evaluate(`
      [...document.querySelectorAll('.tabs a, .doings *, .spans *, .chip, .exclude, .top a, .bottom a, .bottom button')]
        .map((element) => ({ text: element.textContent, height: element.getBoundingClientRect().height }))
        .filter(({ height }) => height > 0 && height < 24)`);
    assert.deepEqual(low, []);
  });

  it('loads a stylesheet, a script and an icon at the most, all of them from here; nothing shifts', async () => {
    for (const viewport of [DESK, PHONE]) {
      const { page, requests } = await open({ storageState: inBrowser(SIGNED_IN), viewport });
      await page.addInitScript(`
        window.shifted = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) window.shifted += entry.value;
        }).observe({ type: 'layout-shift', buffered: true });`);
      await using slow = await slowly(at(''), async (isFirst) => {
        if (isFirst) await page.waitForSelector('header', { timeout: 0 });
        await twoFrames(page);
      });
      // On a busy machine the limit is that of the test.
      await page.goto(`${slow.base}/search?query=solar`, { waitUntil: 'networkidle', timeout: 0 });
      await twoFrames(page);
      assert.ok(requests.every((url) => url.startsWith(slow.base)));
      const names = requests.map((url) => url.slice(slow.base.length).replace(/-[0-9a-f]{12}\./, '.'));
      // The icon is for the tab alone, where there are tabs: the header has its own.
      const icon = names.includes('/assets/icon.svg') ? ['/assets/icon.svg'] : [];
      const expected = [...icon, '/assets/page.js', '/assets/style.css', '/search?query=solar'];
      assert.deepEqual(names.sort(), expected);
      assert.ok(((await page.evaluate('window.shifted')) as number) <= 0.01);
    }
  });

  it('sizes, gzipped: stylesheet 10,100 bytes, script 6,000, a page of 25 results 15,000', async () => {
    const body = await (await fetch(at('/search?query=solar'), { headers: SIGNED_IN })).text();
    assert.equal(entriesOf(body).length, 25);
    const sizes: number[] = [gzipSync(body, { level: 9 }).length];
    for (const asset of [/href="([^"]+\.css)"/, /src="([^"]+\.js)"/]) {
      const text = await (await fetch(at(asset.exec(body)![1]!))).text();
      sizes.push(gzipSync(text, { level: 9 }).length);
    }
    for (const [i, most] of [15_000, 10_100, 6_000].entries()) assert.ok(sizes[i]! <= most, `${sizes}`);
  });
});

/**
 * A server that passes on what a site answers, as over a slow line: pages in pieces of 4 KiB, and scripts, each when
 * what came before has been painted.
 */
async function slowly(site: string, painted: (isFirst: boolean) => Promise<void>) {
  const server = createServer(async ({ url, headers: { cookie = '' } }, response) => {
    const answer = await fetch(site + url, { headers: { cookie } });
    const type = answer.headers.get('content-type')!;
    const bytes = Buffer.from(await answer.arrayBuffer());
    response.setHeader('content-type', type);
    if (type.startsWith('text/javascript')) await painted(false);
    const piece = type.startsWith('text/html') ? 4_096 : bytes.length;
    for (let from = 0; from < bytes.length; from += piece) {
      if (from > 0) await painted(from === piece);
      response.write(bytes.subarray(from, from + piece));
    }
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/** Until what there is has been painted. */
async function twoFrames(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}
