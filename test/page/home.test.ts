// The start page: what the archive contains, as a picture and a table, its communities, and examples; each link leads
// to what it says.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, linkPost, post } from '../helpers.ts';
import { hostileTexts } from './hostile.ts';
import { checkMarkup } from './markup.ts';
import { decode, eachIn, hrefs, openSite, readable, siteOfTests } from './site.ts';

/** The page over these records alone. */
async function pageOf(url: string, ...records: Parameters<typeof openSite>) {
  await using site = await openSite(...records);
  return await (await site.build()).inject(url);
}

/** Every form of a query, with an example. */
const formsIn = (body: string) => /<dl class="forms">[\s\S]*?<\/dl>/.exec(body)![0];

const readableTotal = (body: string) => readable(/<h1 id="total">(.*?)<\/h1>/.exec(body)![1]!);

describe('the start page', () => {
  const { inject } = siteOfTests();

  it('years: bars and table have the same numbers, and each leads to as many', async () => {
    const { body } = await inject('/');
    const table = /<table class="data figures">[\s\S]*?<\/table>/.exec(body)![0];
    const cells = [...table.matchAll(/<a href="([^"]+)" aria-label="([^"]+) in (\d+)">/g)];
    const told = cells.map(([, , words, year]) => `${year}: ${words}`);
    assert.deepEqual([...told].sort(), eachIn(body, /<title>(\d{4}: [1-9][^<]*)<\/title>/g).sort());
    assert.ok(told.length >= 3);
    for (const [, href, words] of cells) {
      assert.equal(readableTotal((await inject(decode(href!))).body), words);
    }
  });

  it('communities: with their numbers of both kinds, the largest first, linked', async () => {
    const list = /<ol class="largest"[\s\S]*?<\/ol>/.exec((await inject('/')).body)![0];
    assert.deepEqual(list.split('<li>').slice(1).map(readable), [
      '/r/energy 40 posts, 40 comments',
      '/r/solar 20 posts, 10 comments',
      '/r/grownups NSFW 10 posts',
    ]);
    const found = await Promise.all(hrefs(list).map(async (href) => (await inject(href)).body));
    assert.deepEqual(found.map(readableTotal), ['40 posts', '20 posts', '10 posts']);
  });

  it('every form has a row, and every example in it finds something', async () => {
    const { body } = await inject('/');
    const list = formsIn(body);
    assert.equal(list.match(/<dt>/g)!.length, 14);
    const examples = [...hrefs(list), ...hrefs(/<p class="try">.*?<\/p>/s.exec(body)![0])];
    assert.ok(examples.length > 12);
    for (const href of examples) {
      assert.doesNotMatch(readableTotal((await inject(href)).body), /^0 /, href);
    }
  });

  it('comments alone: one chart, and the box searches them', async () => {
    const comments = ['a', 'b', 'c'].map((id) => comment({ id, body: 'Kettles boil water' }));
    const { body } = await pageOf('/', [], comments);
    assert.equal(body.match(/<figure>/g)!.length, 1);
    assert.match(body, /value="comments" checked/);
    for (const href of hrefs(formsIn(body))) assert.match(href, /&kind=comments$/);
  });

  it('an empty archive: no picture, no list, and how to write a search all the same', async () => {
    const { body } = await pageOf('/', [], []);
    const holds = /<section aria-labelledby="holds">[\s\S]*?<\/section>/.exec(body)![0];
    assert.equal(readable(holds), 'In this archive Nothing yet.');
    assert.doesNotMatch(body, /<figure|<ol class="largest"|class="try"/);
    assert.equal(body.match(/<dt>/g)!.length, 14);
    assert.doesNotMatch(formsIn(body), /<a /);
    const nothing = await pageOf('/search?query=zzz', [], []);
    assert.deepEqual(hrefs(formsIn(nothing.body)), [], 'nor does a list of nothing link to an example');
  });

  it('hostile names of communities and words: text alone, in their lines', async () => {
    const texts = hostileTexts(150).map((text) => text.toWellFormed());
    for (let from = 0; from < texts.length; from += 15) {
      const posts = texts.slice(from, from + 15).flatMap((text, i) =>
        Array.from({ length: 2 + (i % 3) }, (_, j) =>
          linkPost({
            ...{ id: `h${i}x${j}`, community: text.slice(0, 60), title: text, url: 'https://a.example/' },
            domain: text.slice(0, 60),
          }),
        ),
      );
      const { statusCode, body } = await pageOf('/', [...posts, post({ id: 'plain' })], []);
      assert.equal(statusCode, 200);
      checkMarkup(body);
      const [list = '', ...others] = body.match(/<ol class="largest"[\s\S]*?<\/ol>/g)!;
      assert.deepEqual(others, []);
      assert.equal(list.match(/<li>/g)!.length, list.match(/<\/li>/g)!.length);
    }
  });
});
