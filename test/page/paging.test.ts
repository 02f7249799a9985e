// Further pages of a list and of a breakdown: where they stand, and the way back.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_TRAIL } from '../../src/http/addresses.ts';
import type { StoredPost } from '../../src/model/record.ts';
import { linkPost } from '../helpers.ts';
import { decode, eachIn, hrefs, readable, SIGNED_IN, siteOfTests } from './site.ts';

const START = 1_600_000_000;

/** 260 posts, up to 13 of one second and score, some beyond the bounds within which scores are told apart. */
const POSTS = Array.from({ length: 260 }, (_, i): StoredPost => {
  const group = Math.floor(i / 13);
  return linkPost({
    id: `q${i.toString(36)}`,
    community: `place${i}`,
    domain: 'a.example',
    created: START + (i % 3 === 0 ? group : i),
    score: [2_000_000, 1_000_000, 40, 40, 0, -5, -1_000_000, -3_000_000][group % 8]!,
    title: `Wind ${i}`,
  });
});

const { get } = siteOfTests(POSTS, []);

interface PageShown {
  readonly url: string;
  readonly titles: readonly string[];
  readonly range: string;
  readonly previous: string | null;
  readonly next: string | null;
  readonly body: string;
}

async function open(url: string): Promise<PageShown> {
  const body = await get(url);
  const link = (rel: string) => {
    const found = new RegExp(`<a [^>]*rel="${rel}" href="([^"]+)"`).exec(body);
    return found === null ? null : decode(found[1]!);
  };
  const range = /<nav class="paging"[^>]*>\s*<p>(.*?)<\/p>/.exec(body);
  return {
    url,
    titles: eachIn(body, /<h3 class="title"[^>]*>(.*?)<\/h3>/g),
    range: range === null ? '' : readable(range[1]!),
    previous: link('prev'),
    next: link('next'),
    body,
  };
}

async function walk(url: string): Promise<PageShown[]> {
  const pages = [await open(url)];
  while (pages.at(-1)!.next !== null) pages.push(await open(pages.at(-1)!.next!));
  return pages;
}

describe('page 2 said "25 more of 609", without its place and without Previous', () => {
  for (const order of ['newest', 'oldest', 'top']) {
    it(`${order}: each page says its place, and Previous leads to the page before`, async () => {
      const first = order === 'newest' ? '/search?query=wind' : `/search?query=wind&order_by=${order}`;
      const pages = await walk(first);
      assert.ok(pages.length >= 8);
      let shown = 0;
      for (const [at, page] of pages.entries()) {
        assert.equal(page.range, `Results ${shown + 1}–${shown + page.titles.length} of 260`);
        shown += page.titles.length;
        assert.equal(page.previous, pages[at - 1]?.url ?? null);
        const [toFirst = null] = /<a [^>]*>First page<\/a>/.exec(page.body) ?? [];
        assert.deepEqual(toFirst && hrefs(toFirst), at < 2 ? null : [first]);
        assert.equal(page.body.includes('End of the list'), at === pages.length - 1);
      }
      assert.equal(shown, 260);
      assert.equal(new Set(pages.flatMap(({ titles }) => titles)).size, 260);
    });
  }

  it('the place is counted, not carried in the address: without the trail it is the same', async () => {
    const third = (await walk('/search?query=wind'))[2]!;
    const bare = await open(third.url.replace(/&trail=.*/, ''));
    assert.equal(bare.range, third.range);
    assert.deepEqual(bare.titles, third.titles);
    assert.equal(bare.previous, null);
    assert.match(bare.body, />First page</);
    const canonical = /<link rel="canonical" href="([^"]*)"/;
    assert.equal(canonical.exec(third.body)![1], canonical.exec(bare.body)![1]);
  });

  it('a page that begins anywhere says its place too, and the next one knows the way back', async () => {
    const page = await open(`/search?query=wind&order_by=oldest&after=${(START + 6) * 1000}`);
    const count = POSTS.filter(({ created }) => created <= START + 6).length;
    assert.equal(page.range, `Results ${count + 1}–${count + 25} of 260`);
    assert.equal((await open(page.next!)).previous, page.url);
  });

  it('the trail does not grow for ever', async () => {
    const { next } = await open('/search?query=wind');
    const trail = Array.from({ length: MAX_TRAIL }, (_, i) => i + 1).join('.');
    const page = await open(`${next!.replace(/&trail=.*/, '')}&trail=${trail}`);
    const cursors = new URL(page.next!, 'http://here').searchParams.get('trail')!.split('.');
    assert.equal(cursors.length, MAX_TRAIL);
    assert.equal(cursors[0], '2');
  });
});

describe('"Show all" was one page of a thousand rows, and the rest was nowhere', () => {
  it('a hundred rows on a page, each row once, with the way on and back', async () => {
    const pages: string[] = [];
    const rows: string[] = [];
    for (let url: string | null = '/breakdown?query=&field=subreddit'; url !== null; ) {
      const { body, previous, next } = await open(url);
      assert.equal(previous, pages.at(-1) ?? null);
      const names = eachIn(body, /<th scope="row">(?:<svg.*?<\/svg>)?<a [^>]*><bdi>(.*?)<\/bdi>/g);
      assert.ok(names.length <= 100);
      const range = `Rows ${rows.length + 1}–${rows.length + names.length} of 260`;
      assert.ok(readable(body).includes(range), range);
      rows.push(...names);
      pages.push(url);
      url = next;
    }
    assert.equal(pages.length, 3);
    assert.equal(new Set(rows).size, 260);
  });

  it('a page behind the last says so', async () => {
    const { body } = await open('/breakdown?query=&field=subreddit&page=9');
    assert.match(readable(body), /260 subreddits .*There are no rows on this page. First page/);
  });

  it('a page that is none is 400', async () => {
    for (const page of ['0', '-1', 'x', '1.5', '99999999'])
      await get(`/breakdown?query=&field=subreddit&page=${page}`, SIGNED_IN, 400);
  });
});
