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

/** Each of the steps; the page that is left is looked at by the last function. */
interface Task {
  readonly name: string;
  readonly steps: readonly ((page: Page) => Promise<unknown>)[];
  readonly reached: (page: Page) => Promise<void>;
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
const text = (page: Page) => page.locator('main').innerText();

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
    reached: async (page) => {
      assert.match(await text(page), /panel and roof in comments[\s\S]*50%/);
    },
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
    reached: async () => {},
  },
  {
    name: 'the communities that link to a site',
    steps: [search('site:news.example.org')],
    reached: async (page) => {
      assert.match(await page.locator('.breakdown.both').innerText(), /\/r\/(solar|energy)/);
    },
  },
  {
    name: 'the thread around a comment',
    steps: [search('"comment 41"', 'comments'), click('.results article a[href^="/thread/"]')],
    reached: async (page) => {
      assert.match(page.url(), /\/thread\/p00.*c41/);
    },
  },
  {
    name: 'to be told of new matches',
    steps: [search('panel'), click('.doings a:text-is("Save")'), click('button:text-is("Save with a feed")')],
    reached: async (page) => {
      assert.match(await page.locator('#feed-atom').inputValue(), /\/feed\/\w{32}\.atom$/);
    },
  },
  {
    name: 'to cite a search',
    steps: [search('panel'), more, click('a:text-is("Cite")'), click('main form [type=submit]')],
    reached: async (page) => {
      assert.match(page.url(), /\/cite\/\w+/);
    },
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
    reached: async (page) => {
      assert.match(await page.locator('.created pre').innerText(), /^curl -H "Authorization: Bearer clq_/);
    },
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
    reached: async (page) => {
      assert.equal(await page.locator('#total').innerText(), '5 comments');
    },
  },
  {
    name: 'to leave out two communities',
    steps: [search(''), click('.breakdown.both .exclude'), click('.breakdown.both .exclude')],
    reached: async (page) => {
      assert.match(await page.inputValue('#query'), /^-\/r\/\w+,? -\/r\/\w+$/);
    },
  },
  {
    name: 'back where I was',
    steps: [
      search('panel'),
      click('a[rel=next]'),
      click('.results article .title a'),
      click('a:text-is("Back to the search")'),
    ],
    reached: async (page) => {
      assert.match(page.url(), /\/search\?query=panel&.*after=/);
    },
  },
];

describe('ten tasks', { skip: NO_BROWSER }, async () => {
  const [port = 0] = await freePorts(1);
  const service = ofTests(await openService(POSTS, COMMENTS));
  const address = `http://localhost:${port}`;
  const server = await service.build({ publicUrl: address });
  await server.listen({ host: '127.0.0.1', port });
  const open = browserOfTests();

  for (const javaScriptEnabled of [true, false]) {
    it(`each takes at most ${MOST_STEPS} steps, ${javaScriptEnabled ? 'with' : 'without'} script`, async () => {
      const { page } = await open({ javaScriptEnabled, baseURL: address, acceptDownloads: true });
      await page.goto('/register');
      await page.fill('#email', `ann-${javaScriptEnabled}@example.net`);
      await page.fill('#password', PASSWORD);
      await page.click('button:has-text("Create account")');
      const failed: string[] = [];
      for (const { name, steps, reached } of TASKS) {
        assert.ok(steps.length <= MOST_STEPS, `${name}: ${steps.length} steps`);
        try {
          for (const step of steps) await step(page);
          await reached(page);
        } catch (error) {
          failed.push(`${name}: at ${page.url()}: ${(error as Error).message.slice(0, 300)}`);
        }
      }
      assert.deepEqual(failed, []);
    });
  }
});
