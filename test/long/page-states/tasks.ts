// Eleven things that people do with the pages, on the invented sample, for whoever is signed in.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';

/** Somebody who uses the pages in one way alone: elements are found by their roles and names. */
export class Reader {
  readonly page: Page;
  /** Acts on an element in that way; how many steps that took. */
  readonly act: (page: Page, target: Locator, text?: string, name?: RegExp) => Promise<number>;
  steps = 0;

  constructor(page: Page, act: Reader['act']) {
    this.page = page;
    this.act = act;
  }

  /** Follows the first link of this name. */
  async follow(name: RegExp): Promise<void> {
    await this.#lead(name, this.page.getByRole('link', { name }));
  }

  async fill(label: RegExp, text: string): Promise<void> {
    this.steps += await this.act(this.page, this.page.getByLabel(label).first(), text, label);
  }

  async press(name: RegExp): Promise<void> {
    await this.#lead(name, this.page.getByRole('button', { name }));
  }

  /** Unfolds the part of this name, presses the button there that leads to a file, and gives its text. */
  async download(name: RegExp): Promise<string> {
    const fold = this.page.locator('summary', { hasText: name }).first();
    this.steps += await this.act(this.page, fold, undefined, name);
    const begun = this.page.waitForEvent('download');
    const button = this.page.getByRole('button', { name }).first();
    this.steps += await this.act(this.page, button, undefined, name);
    return readFileSync(await (await begun).path(), 'utf8');
  }

  address(): string {
    const { pathname, search } = new URL(this.page.url());
    return pathname + search;
  }

  /** How many there are of the kind that is shown: the heading. */
  async total(): Promise<string> {
    return (await this.page.textContent('h1#total'))!;
  }

  async #lead(name: RegExp, target: Locator): Promise<void> {
    // A skip link leads to a part of the same page.
    const left = this.page.waitForEvent('framenavigated', (frame) => !frame.url().includes('#'));
    const [steps] = await Promise.all([this.act(this.page, target.first(), undefined, name), left]);
    this.steps += steps;
    await this.page.waitForLoadState();
  }
}

const RESULTS = '/search?query=battery';

/** Where each begins; it throws where the reader does not get there. */
export const TASKS: readonly (readonly [
  name: string,
  start: string,
  perform: (reader: Reader) => Promise<void>,
])[] = [
  [
    'Search a word',
    '/',
    async (reader) => {
      await reader.fill(/^Search posts and comments/, 'battery');
      await reader.press(/^Search$/);
      assert.match(reader.address(), /^\/search\?query=battery/);
      assert.equal(await reader.total(), '7 posts');
    },
  ],
  [
    'Narrow to a community',
    RESULTS,
    async (reader) => {
      await reader.follow(/^Only \/r\/solarpower/);
      assert.equal(await reader.total(), '5 posts');
    },
  ],
  [
    'Exclude a community',
    RESULTS,
    async (reader) => {
      await reader.follow(/^Not \/r\/solarpower/);
      assert.equal(await reader.total(), '2 posts');
    },
  ],
  [
    'Set dates',
    RESULTS,
    async (reader) => {
      await reader.follow(/^Last year/);
      assert.match(reader.address(), /query=battery\+after%3A\d{4}-/);
      assert.match(await reader.total(), /^[0-6] posts?$/);
    },
  ],
  [
    'Switch to comments',
    RESULTS,
    async (reader) => {
      await reader.follow(/^16 comments/);
      assert.match(reader.address(), /kind=comments/);
      assert.equal(await reader.total(), '16 comments');
    },
  ],
  [
    'Read a whole text',
    '/search?query=starter',
    async (reader) => {
      await reader.follow(/^Read all \d+ words/);
      assert.match(reader.address(), /^\/record\/posts\/\w+\?query=starter$/);
      assert.match(await reader.page.content(), /<article class="read">/);
    },
  ],
  [
    'Open a thread',
    RESULTS,
    async (reader) => {
      await reader.follow(/^Thread/);
      assert.match(reader.address(), /^\/thread\/\w+\?query=battery$/);
    },
  ],
  [
    'Download the results',
    RESULTS,
    async (reader) => {
      const lines = (await reader.download(/^Download/)).trim().split('\n');
      assert.equal(lines.length, 7);
      for (const line of lines) assert.equal(typeof JSON.parse(line), 'object');
    },
  ],
  [
    'Compare with another search',
    RESULTS,
    async (reader) => {
      await reader.follow(/^Compare$/);
      await reader.fill(/^Search B$/, 'inverter');
      await reader.press(/^Compare$/);
      assert.match(reader.address(), /^\/compare\?.*query=battery&query=inverter/);
      assert.match(await reader.page.content(), /<h1 id="totals"[^>]*>A to B, posts</);
    },
  ],
  [
    'Save the search',
    RESULTS,
    async (reader) => {
      await reader.follow(/^Save$/);
      await reader.press(/^Save$/);
      assert.equal(reader.address(), '/account/saved');
      assert.match(await reader.page.content(), /battery/);
    },
  ],
  [
    'Change the colours',
    RESULTS,
    async (reader) => {
      await reader.press(/^Dark$/);
      assert.equal(reader.address(), RESULTS);
      assert.match(await reader.page.content(), /<html[^>]* data-theme="dark"/);
    },
  ],
];
