// The list of results: the titles of comments, its links and what they are called, titles alone, the tabs as heading.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, linkPost } from '../helpers.ts';
import { decode, eachIn, entriesOf, hrefs, readable, siteOfTests } from './site.ts';

const LONG = `${'Some words in front. '.repeat(30)}The solar roof stands here. ${'And some behind. '.repeat(30)}`;

const costs = { domain: 'a.example', title: 'What a solar roof costs' };
const POSTS = [
  linkPost({ id: 'p1', community: 'energy', created: 50, ...costs }),
  linkPost({ id: 'p2', community: 'solar', domain: 'b.example', title: 'Solar <b>panels</b>', created: 40 }),
  linkPost({ id: 'p3', community: 'solar', domain: 'a.example', title: 'Solar again', created: 30 }),
];
const COMMENTS = [
  comment({ id: 'c1', community: 'energy', post: 'p1', created: 90, body: LONG }),
  comment({ id: 'c2', community: 'energy', post: 'p1', created: 80, body: 'Two lines,\na solar roof' }),
  comment({
    ...{ id: 'c3', community: 'solar', post: 'gone', created: 70, body: 'Solar, and the post is not here' },
    permalink: '/r/solar/comments/gone/my_new_roof/c3/',
  }),
  comment({ id: 'c4', community: 'solar', created: 60, body: 'Solar, of nobody knows what' }),
];

const { get } = siteOfTests(POSTS, COMMENTS);

const entries = async (url: string) => entriesOf(await get(url));

/** The links of the grey row and its menu, as words and addresses. */
function row(entry: string): (readonly [words: string, address: string])[] {
  return linksOf(/<p class="links">(.*)/s.exec(entry)![1]!);
}

function linksOf(markup: string): (readonly [words: string, address: string])[] {
  return [...markup.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/g)].map(
    ([, href, words]) => [readable(words!), decode(href!)] as const,
  );
}

describe('a comment stood in the list without a word on what it is about', () => {
  it('has the title of its thread: from the index, from its permalink, or none', async () => {
    const list = await entries('/search?query=solar&kind=comments');
    const titles = list.map((entry) => row(entry)[0]);
    assert.deepEqual(titles, [
      ['What a solar roof costs', '/thread/p1?query=solar&around=c1#comment-c1'],
      ['the same thread', '/thread/p1?query=solar&around=c2#comment-c2'],
      ['My new roof', '/thread/gone?query=solar&around=c3#comment-c3'],
      ['This comment', '/record/comments/c4?query=solar'],
    ]);
  });

  it('no word is marked there: the words of the query are not searched for in it', async () => {
    for (const entry of await entries('/search?query=solar&kind=comments')) {
      assert.doesNotMatch(/<p class="links">.*?<\/p>/s.exec(entry)![0], /<mark>/);
      assert.match(entry, /<mark>/);
    }
  });
});

describe('the row of links', () => {
  it('reads on, leads to the thread and out, narrows and leaves out', async () => {
    const [first, second] = await entries('/search?query=solar&kind=comments');
    assert.deepEqual(row(first!), [
      ['What a solar roof costs', '/thread/p1?query=solar&around=c1#comment-c1'],
      ['Read all 215 words', '/record/comments/c1?query=solar'],
      ['Permalink', 'https://www.reddit.com/r/energy/comments/_/_/c1/'],
      ['Exclude /r/energy', '/search?query=solar+-%2Fr%2Fenergy&kind=comments'],
    ]);
    assert.deepEqual(row(second!)[2], ['Only this comment', '/record/comments/c2?query=solar']);
    assert.ok(hrefs(first!).includes('/search?query=solar+%2Fr%2Fenergy&kind=comments'));
  });

  const kept = [
    ['a search within one community', 'solar /r/solar', []],
    ['nothing would be left', '"solar again"', ['/r/solar']],
    ['one of two that were asked for', '/r/solar /r/energy', ['/r/energy', 'Exclude /r/energy']],
    ['everything', '', ['/r/energy', 'Exclude /r/energy']],
  ] as const;
  for (const [what, query, expected] of kept) {
    it(`never leads to the same list or to an empty one: ${what}`, async () => {
      const [first] = await entries(`/search?query=${encodeURIComponent(query)}`);
      const edits = linksOf(first!).filter(([words]) => /^(?:Exclude )?\/r\//.test(words));
      const named = edits.map(([words]) => words);
      assert.deepEqual(named, expected);
      for (const [, address] of edits) {
        assert.notEqual(new URL(address, 'http://here').searchParams.get('query'), query);
        assert.ok((await entries(address)).length > 0, address);
      }
    });
  }

  it('each link is named by its record: no two of one name that lead to two places', async () => {
    for (const url of ['/search?query=solar', '/search?query=solar&kind=comments']) {
      const body = await get(url);
      const words = (id: string) =>
        readable(new RegExp(`id="${id}"[^>]*>(.*?)</(?:h3|a|span)>`, 's').exec(body)![1]!);
      const places = new Map<string, Set<string>>();
      for (const entry of await entries(url)) {
        for (const [, attributes, shown] of entry.matchAll(/<a ([^>]*)>(.*?)<\/a>/gs)) {
          const named = /aria-labelledby="([^"]*)"/.exec(attributes!)?.[1]?.split(' ').map(words).join(' ');
          const name = named ?? readable(shown!);
          assert.ok(name.startsWith(readable(shown!)), name);
          places.set(name, (places.get(name) ?? new Set()).add(/href="([^"]*)"/.exec(attributes!)![1]!));
        }
      }
      assert.ok(places.size > 10);
      for (const [name, found] of places) assert.equal(found.size, 1, name);
    }
  });
});

describe('titles alone', () => {
  it('is another state of the page, with an address that its links keep', async () => {
    const texts = await get('/search?query=solar&kind=comments');
    const address = '/search?query=solar&kind=comments&show=titles';
    assert.ok(hrefs(texts).includes(address));
    const titles = await get(address);
    assert.match(titles, />With text</);
    assert.match(titles, /<input type="hidden" name="show" value="titles">/);
    for (const link of [
      '/search?query=solar&show=titles',
      '/search?query=solar&order_by=top&kind=comments&show=titles',
      '/search?query=solar&kind=comments',
    ])
      assert.ok(hrefs(titles).includes(link), link);
  });

  it('has the line of each record and its links out, without its text', async () => {
    const list = await entries('/search?query=solar&kind=comments&show=titles');
    assert.equal(list.length, 4);
    for (const entry of list) {
      assert.doesNotMatch(entry, /class="text|<mark>/);
      assert.match(readable(entry), /\d{4}-\d\d-\d\d, \d\d:\d\d:\d\d .* score/);
      assert.ok(row(entry).some(([words]) => words === 'Permalink'));
    }
  });
});

describe('the query, and how much there is, were told two and three times', () => {
  it('the tabs are the heading: each number stands there once', async () => {
    const body = await get('/search?query=solar');
    const head = /<div class="bars">[\s\S]*?<\/nav>/.exec(body)![0];
    assert.deepEqual(eachIn(head, /<li>(.*?)<\/li>/gs), ['3 posts', '4 comments']);
    assert.match(head, /aria-current="page"[^>]*><h1 id="total">3 posts<\/h1><\/a>/);
    const main = body.slice(body.indexOf('<main'), body.indexOf('</ol>'));
    assert.equal(readable(main).split('4 comments').length, 2);
    assert.equal(body.match(/<h1/g)!.length, 1);
  });

  it('one item has no chip, and two have', async () => {
    assert.doesNotMatch(await get('/search?query=solar'), /class="chip/);
    assert.equal((await get('/search?query=solar+roof')).match(/class="chip"/g)!.length, 2);
    const implied = await get('/search?query=before%3A1970-01-02');
    assert.doesNotMatch(implied, /class="chip/);
    const understood = /Understood as before:1970-01-02 ?after:1970-01-01 .*Search all time before that/;
    assert.match(readable(implied), understood);
  });

  it('taking a chip away never leads to an empty query', async () => {
    for (const query of ['solar roof', '/r/a /r/b', 'solar before:2020-01-01', '-a -b']) {
      const body = await get(`/search?query=${encodeURIComponent(query)}`);
      const chips = /<nav class="chips"[\s\S]*?<\/nav>/.exec(body)![0];
      for (const href of hrefs(chips)) assert.notEqual(href, '/search?query=');
    }
  });
});

describe('the skip link', () => {
  it('of a search leads to its results, wherever there are any or none', async () => {
    for (const query of ['solar', 'nothinghere', 'solar&kind=comments&show=titles']) {
      const body = await get(`/search?query=${query}`);
      const [, href] = /<body>\s*<a class="skip" href="#([^"]+)">Skip to results<\/a>/.exec(body)!;
      assert.match(body, new RegExp(`<section [^>]*id="${href}" tabindex="-1" aria-labelledby="total"`));
    }
  });

  it('and others of a search lead to what else is on the page, each to something that is there', async () => {
    for (const [url, expected] of [
      ['/search?query=solar', ['results', 'timeline', 'breakdowns', 'download']],
      ['/search?query=nothinghere', ['results']],
      ['/', ['main']],
    ] as const) {
      const body = await get(url);
      const parts = eachIn(body, /<a class="skip" href="#([^"]+)">/g);
      assert.deepEqual(parts, expected);
      for (const id of parts) assert.equal(body.split(` id="${id}"`).length, 2, `${url}: #${id}`);
    }
  });
});
