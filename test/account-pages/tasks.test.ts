// Ten tasks that people come with, walked in Chromium with and without script: none takes more than five steps. A step
// is a click, or a form that is filled in and sent.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openService } from '../api/service.ts';
import { ofTests } from '../of-tests.ts';
import { browserOfTests, NO_BROWSER } from '../page/browser.ts';
import { COMMENTS, POSTS } from '../page/corpus.ts';
import { freePorts } from '../processes.ts';
import { PASSWORD } from './site.ts';

const MOST_STEPS = 5;

interface Task {
  readonly name: string;
  readonly steps: readonly ((page: Page) => Promise<unknown>)[];
  /** Of the page that is left, and what it is to say. Absent: the last step sees whether it was reached. */
  readonly reached?: readonly [read: (page: Page) => string | Promise<string>, expected: RegExp];
}

const search =
  (query: string, kind = 'posts') =>
  async (page: Page) => {
    await page.goto('/');
    await page.fill('#query', query);
    await page.check(`[name=kind][value=${kind}]`);
    await page.click('button:has-text("Search")');
  };
/** What a list offers besides stands in a menu, where there is one. */
const more = async (page: Page) => {
  const menu = page.locator('.doings [popovertarget=more]');
  if ((await menu.count()) > 0) await menu.click();
};
const click = (selector: string) => (page: Page) => page.locator(selector).first().click();
const textOf = (selector: string) => (page: Page) => page.locator(selector).innerText();
const inputOf = (selector: string) => (page: Page) => page.inputValue(selector);
const address = (page: Page) => page.url();

const TASKS: readonly Task[] = [
  {
    name: 'the share of one against another since a year',
    steps: [
      search('panel', 'comments'),
      more,
      click('a:text-is("Compare")'),
      async (page) => {
        await page.fill('#q-1', 'roof');
        await page.fill('[name=all]', 'after:2019-01-01');
        await page.click('button:text-is("Compare")');
      },
    ],
    reached: [textOf('main'), /panel and roof in comments[\s\S]*50%/],
  },
  {
    name: 'comments as CSV',
    steps: [
      search('panel', 'comments'),
      click('.doings a:text-is("Download"), .download > summary'),
      async (page) => {
        const choice = page.locator('.download [name=format]').first();
        if ((await choice.getAttribute('type')) === 'radio') await page.check('.download [value=csv]');
        else await choice.selectOption('csv');
        const file = page.waitForEvent('download');
        await page.click('.download button[type=submit]');
        assert.match((await file).suggestedFilename(), /^colloquy-comments-panel.*\.csv$/);
      },
    ],
  },
  {
    name: 'the communities that link to a site',
    steps: [search('site:news.example.org')],
    reached: [textOf('.breakdown.both'), /\/r\/(solar|energy)/],
  },
  {
    name: 'the thread around a comment',
    steps: [search('"comment 41"', 'comments'), click('.results article a[href^="/thread/"]')],
    reached: [address, /\/thread\/p00.*c41/],
  },
  {
    name: 'to be told of new matches',
    steps: [search('panel'), click('.doings a:text-is("Save")'), click('button:text-is("Save with a feed")')],
    reached: [inputOf('#feed-atom'), /\/feed\/\w{32}\.atom$/],
  },
  {
    name: 'to cite a search',
    steps: [search('panel'), more, click('a:text-is("Cite")'), click('main form [type=submit]')],
    reached: [address, /\/cite\/\w+/],
  },
  {
    name: 'a key and an example of its use',
    steps: [
      (page) => page.goto('/').then(() => page.click('.top >> text=My API')),
      async (page) => {
        await page.fill('#name', 'notebook');
        await page.click('button:has-text("Create key")');
      },
    ],
    reached: [textOf('.created pre'), /^curl -H "Authorization: Bearer clq_/],
  },
  {
    name: 'comments of posts that match',
    steps: [
      search('solar', 'comments'),
      async (page) => {
        await page.click('.search summary');
        await page.fill('[name=under]', 'report');
        await page.click('.search .primary');
      },
    ],
    reached: [textOf('#total'), /^5 comments$/],
  },
  {
    name: 'to leave out two communities',
    steps: [search(''), click('.breakdown.both .exclude'), click('.breakdown.both .exclude')],
    reached: [inputOf('#query'), /^-\/r\/\w+,? -\/r\/\w+$/],
  },
  {
    name: 'back where I was',
    steps: [
      search('panel'),
      click('a[rel=next]'),
      click('.results article .title a'),
      click('a:text-is("Back to the search")'),
    ],
    reached: [address, /\/search\?query=panel&.*after=/],
  },
];

describe('ten tasks', { skip: NO_BROWSER }, async () => {
  const [port = 0] = await freePorts(1);
  const service = ofTests(await openService(POSTS, COMMENTS));
  const baseURL = `http://localhost:${port}`;
  const server = await service.build({ publicUrl: baseURL });
  await server.listen({ host: '127.0.0.1', port });
  const open = browserOfTests();

  for (const javaScriptEnabled of [true, false]) {
    it(`each takes at most ${MOST_STEPS} steps, ${javaScriptEnabled ? 'with' : 'without'} script`, async () => {
      const { page } = await open({ javaScriptEnabled, baseURL, acceptDownloads: true });
      await page.goto('/register');
      await page.fill('#email', `ann-${javaScriptEnabled}@example.net`);
      await page.fill('#password', PASSWORD);
      await page.click('button:has-text("Create account")');
      const failed: string[] = [];
      for (const { name, steps, reached } of TASKS) {
        assert.ok(steps.length <= MOST_STEPS, `${name}: ${steps.length} steps`);
        try {
          for (const step of steps) await step(page);
          if (reached !== undefined) assert.match(await reached[0](page), reached[1]);
        } catch (error) {
          failed.push(`${name}: at ${page.url()}: ${(error as Error).message.slice(0, 300)}`);
        }
      }
      assert.deepEqual(failed, []);
    });
  }
});
