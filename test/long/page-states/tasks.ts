// Twelve things that people do with the pages, on the invented sample, for whoever is signed in.

import assert from 'node:assert/strict';
import type { Reader } from './reader.ts';

export interface Task {
  readonly name: string;
  /** Where it begins. */
  readonly start: string;
  /** Throws where the reader does not get there. */
  readonly perform: (reader: Reader) => Promise<void>;
}

const RESULTS = '/search?query=battery';

export const TASKS: readonly Task[] = [
  {
    name: 'Search a word',
    start: '/',
    async perform(reader) {
      await reader.fill(/^Search posts and comments/, 'battery');
      await reader.press(/^Search$/);
      assert.match(reader.address(), /^\/search\?query=battery/);
      assert.equal(await total(reader), '7 posts');
    },
  },
  {
    name: 'Narrow to a community',
    start: RESULTS,
    async perform(reader) {
      await reader.follow(/^Only \/r\/solarpower/);
      assert.equal(await total(reader), '5 posts');
    },
  },
  {
    name: 'Exclude a community',
    start: RESULTS,
    async perform(reader) {
      await reader.follow(/^Not \/r\/solarpower/);
      assert.equal(await total(reader), '2 posts');
    },
  },
  {
    name: 'Set dates',
    start: RESULTS,
    async perform(reader) {
      await reader.follow(/^Last year/);
      assert.match(reader.address(), /query=battery\+after%3A\d{4}-/);
      assert.match(await total(reader), /^[0-6] posts?$/);
    },
  },
  {
    name: 'Switch to comments',
    start: RESULTS,
    async perform(reader) {
      await reader.follow(/^14 comments/);
      assert.match(reader.address(), /in=comments/);
      assert.equal(await total(reader), '14 comments');
    },
  },
  {
    name: 'Read a whole text',
    start: '/search?query=starter',
    async perform(reader) {
      await reader.follow(/^Read all \d+ words/);
      assert.match(reader.address(), /^\/record\/posts\/\w+\?q=starter$/);
      assert.match(await reader.markup(), /<article class="read">/);
    },
  },
  {
    name: 'Open a thread',
    start: RESULTS,
    async perform(reader) {
      await reader.follow(/^Thread/);
      assert.match(reader.address(), /^\/thread\/\w+\?q=battery$/);
    },
  },
  {
    name: 'Download the results',
    start: RESULTS,
    async perform(reader) {
      const lines = (await reader.download(/^Download$/, /^Download/)).trim().split('\n');
      assert.equal(lines.length, 7);
      for (const line of lines) assert.equal(typeof JSON.parse(line), 'object');
    },
  },
  {
    name: 'Compare with another search',
    start: RESULTS,
    async perform(reader) {
      await reader.follow(/^Compare$/);
      await reader.fill(/^Search B$/, 'inverter');
      await reader.press(/^Compare$/);
      assert.match(reader.address(), /^\/compare\?.*q=battery&q=inverter/);
      assert.match(await reader.markup(), /<h1 id="totals"[^>]*>A to B, posts</);
    },
  },
  {
    name: 'Save the search',
    start: RESULTS,
    async perform(reader) {
      await reader.follow(/^Save$/);
      await reader.press(/^Save$/);
      assert.equal(reader.address(), '/account/saved');
      assert.match(await reader.markup(), /battery/);
    },
  },
  {
    name: 'Cite the results',
    start: RESULTS,
    async perform(reader) {
      await reader.follow(/^Cite$/);
      await reader.press(/^Make the citation$/);
      assert.match(reader.address(), /^\/cite\/clq-c-\w{16}$/);
      assert.match(await reader.markup(), /class="apart">The same</);
    },
  },
  {
    name: 'Change the colours',
    start: RESULTS,
    async perform(reader) {
      await reader.press(/^Dark$/);
      assert.equal(reader.address(), RESULTS);
      assert.match(await reader.markup(), /<html[^>]* data-theme="dark"/);
    },
  },
];

/** How many there are of the kind that is shown: the heading. */
async function total(reader: Reader): Promise<string> {
  return /<h1 id="total">([^<]*)</.exec(await reader.markup())?.[1] ?? 'no total';
}
