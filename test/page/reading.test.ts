// The pages for reading: a record, a thread. Long texts can be read whole, and nothing that is stored is unreachable.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { StoredComment } from '../../src/model/record.ts';
import { comment, post, START_OF_2008 } from '../helpers.ts';
import { browserOfTests, NO_BROWSER } from './browser.ts';
import { eachIn, hrefs, inBrowser, readable, SIGNED_IN, shownText, siteOfTests } from './site.ts';

/** Words that can be told apart, so that a missing or doubled stretch is seen. */
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');

const LONG = [
  `${'Line of the manual.\n'.repeat(900)}zebra & <b>\n${numbered(3000)}`,
  `${numbered(100_000)} zebra`,
  `${'太陽光発電の屋根。'.repeat(5000)}終わり zebra`,
  `${'x'.repeat(9000)} zebra ${'é'.repeat(5000)}`,
  `a\r\nb\r\n${'soft\u00adware &amp;amp; zero\u200bwidth '.repeat(2000)}zebra`,
];

const adult = Array.from({ length: 10 }, (_, i) =>
  post({ id: `a${i}`, community: 'grownups', adult: true, title: 'Rules', selftext: 'For adults alone' }),
);

const POSTS = [
  ...LONG.map((selftext, i) => post({ id: `long${i}`, title: `Long ${i}`, selftext, score: i })),
  post({ id: 'busy', title: 'A busy solar thread', selftext: 'The post itself' }),
  post({ id: 'deep', title: 'A deep thread' }),
  ...adult,
];

const inBusy = (id: string, fields: Partial<StoredComment> = {}) =>
  comment({ id, post: 'busy', permalink: `/r/energy/comments/busy/_/${id}/`, ...fields });

/** 1,200 comments: two in each second. */
const BUSY = Array.from({ length: 1200 }, (_, i) =>
  inBusy(`b${String(i).padStart(4, '0')}`, {
    created: START_OF_2008 + 60 + Math.floor(i / 2),
    body: `solar answer ${i}`,
    parent: 'busy',
  }),
);

/** A page of comments as long as those of real threads, in branches of five, each below the one before. */
const FULL = Array.from({ length: 500 }, (_, i) =>
  comment({
    ...{ id: `f${i}`, post: 'full', parent: i % 5 === 0 ? 'full' : `f${i - 1}` },
    ...{ created: START_OF_2008 + 97 * i, body: wordsOf(i) },
  }),
);

function wordsOf(i: number): string {
  const words = Array.from({ length: 32 }, (_, j) => ((i * 7919 + j * j * 104_729) % 60_000).toString(36));
  return words.join(' ');
}

let seconds = 0;
const inDeep = (id: string, parent: string, body: string) =>
  comment({ id, post: 'deep', parent, body, created: START_OF_2008 + seconds++ });

const COMMENTS = [
  ...BUSY,
  ...Array.from({ length: 12 }, (_, i) => inDeep(`d${i}`, i === 0 ? 'deep' : `d${i - 1}`, `answer ${i}`)),
  inDeep('e1', 'd0', 'a second answer'),
  { ...inDeep('e0', 'deep', 'an answer that is liked'), score: 50 },
  inDeep('lost', 'notHere', 'an answer to a lost one'),
  inDeep('below', 'lost', 'an answer below it'),
  ...FULL,
  comment({ id: 'root', post: 'wide', parent: 'wide' }),
  ...Array.from({ length: 501 }, (_, i) =>
    comment({ id: `w${i}`, post: 'wide', parent: 'root', created: START_OF_2008 + i }),
  ),
  comment({ id: 'orphan', post: 'gone', body: 'an answer to a post that is not here' }),
  comment({ id: 'alone', body: 'a comment that does not say its post' }),
  comment({ id: 'hot', community: 'grownups', post: 'a0', body: 'For adults alone, too' }),
  comment({ id: 'longc', post: 'long0', body: `${numbered(30_000)} zebra` }),
];

const { get, read, at } = siteOfTests(POSTS, COMMENTS);

/** Of the comments on a page. */
const idsOf = (body: string) => eachIn(body, /<article id="comment-(\w+)"/g);
const shownForm = (stored: string) => stored.replaceAll('&amp;amp;', '&').replace(/\r\n?/g, '\n');

describe('long texts could be read whole nowhere on the site', () => {
  for (const [i, text] of LONG.entries()) {
    it(`the page of a record holds all ${text.length} characters, marked to the end`, async () => {
      const body = await get(`/record/posts/long${i}?query=zebra`, {});
      assert.equal(shownText(body), shownForm(text));
      assert.equal(body.split('<mark>zebra</mark>').length, 2);
    });
  }

  it('a text of more than three lines is not cut inside a fold: its entry leads to its page', async () => {
    const body = await get('/search?query=zebra');
    assert.doesNotMatch(body, /Show all|Show more|The rest is at/);
    const links = eachIn(body, /<a href="(\/record\/posts\/long[^"]*)"[^>]*>Read all/g);
    assert.equal(links.length, LONG.length);
    for (const link of links) await get(link);
    assert.match(readable(body), /Read all 6,60\d words/);
  });

  it('the excerpt of a long text stands around the match, however far', async () => {
    const body = await get('/search?query=zebra');
    const entry = body.split('<article>').find((part) => part.includes('終わり'))!;
    assert.match(entry, /終わり <mark>zebra<\/mark>/);
    assert.match(readable(entry), /Read all .* characters/);
  });

  it('a long comment in a thread is an excerpt that leads to the whole', async () => {
    const body = await get('/thread/long0?query=zebra');
    assert.ok(hrefs(body).includes('/record/comments/longc?query=zebra&list=kind%3Dposts'));
    assert.equal(shownText(await get('/record/comments/longc?query=zebra')), COMMENTS.at(-1)!.body);
  });
});

describe('the page of a record', () => {
  it('is whole for visitors, and says what a result line says', async () => {
    const body = await get('/record/comments/b0007?query=solar', {});
    const words = /Comment on A busy solar thread \/r\/energy 2008-01-01, 00:01:03 .* 1 score solar answer 7/;
    assert.match(readable(body), words);
    assert.ok(hrefs(body).includes('/thread/busy?query=solar&around=b0007#comment-b0007'));
    assert.ok(hrefs(body).includes('/search?query=solar&kind=comments'));
    assert.ok(hrefs(body).includes('https://www.reddit.com/r/energy/comments/busy/_/b0007/'));
  });

  it('marks nothing where q is no query, and takes an id with its prefix', async () => {
    assert.doesNotMatch(await get('/record/comments/t1_b0007?query=after%3Aboo'), /<mark>/);
  });

  it('a record of an adult community carries its marker, its text is folded', async () => {
    for (const url of ['/record/posts/a0', '/record/comments/hot', '/thread/a0']) {
      const body = await get(url);
      assert.match(body, />NSFW<\/abbr>/, url);
      const outside = body.replace(/<details class="text adult">[\s\S]*?(?:<\/details>){1,2}\n/g, '');
      assert.ok(body.includes('For adults alone') && !outside.includes('For adults alone'), url);
    }
  });

  it('how many comments there are, and the way to them: below a post, above a comment', async () => {
    assert.match(await read('/record/posts/busy'), /Permalink 1,200 comments .* Read all 1,200 comments/);
    const ofComment = await read('/record/comments/b0007');
    assert.match(ofComment, /Read the thread of 1,200 comments Comment on A busy solar thread/);
  });

  it('the page of a post led to its comments, and showed none: the first ten of its thread stand below it', async () => {
    const first = idsOf(await get('/thread/busy')).slice(0, 10);
    assert.deepEqual(idsOf(await get('/record/posts/busy?query=burst')), first);
    assert.deepEqual(idsOf(await get('/record/posts/busy', {})), first, 'for visitors too');
    assert.deepEqual(idsOf(await get('/record/comments/b0007')), []);
  });

  it('a comment that does not say its post has no thread', async () => {
    assert.ok(!hrefs(await get('/record/comments/alone')).some((href) => href.startsWith('/thread/')));
  });

  it('one that is not here is a 404 with a way on, of either kind', async () => {
    for (const path of [
      'record/posts/b0007',
      'record/comments/busy',
      'record/posts/%3Cb%3E',
      'thread/nope',
    ]) {
      const body = await get(`/${path}`, SIGNED_IN, 404);
      assert.match(readable(body), /is not in the archive/);
      assert.ok(hrefs(body).includes('/'));
    }
  });
});

describe('the page of a thread', () => {
  const follow = (body: string, rel: string) =>
    new RegExp(`rel="${rel}" href="([^"]+)"`).exec(body)?.[1]?.replaceAll('&amp;', '&');

  it('has the post on top, then every comment once, each below what it answers, 500 a page', async () => {
    const seen: string[] = [];
    let url: string | undefined = '/thread/busy?query=solar';
    let pages = 0;
    let last = '';
    while (url !== undefined) {
      const body: string = await get(url);
      if (pages === 0)
        assert.match(readable(body), /The post itself.*1,200 comments .* 1–500 of 1,200, replies below/);
      seen.push(...idsOf(body));
      url = follow(body, 'next');
      last = body;
      pages++;
    }
    const all = BUSY.map(({ id }) => id);
    assert.deepEqual(seen, all);
    assert.equal(pages, 3);
    assert.match(readable(last), /1,001–1,200 of 1,200, replies below/);
    const back = await get(follow(last, 'prev')!);
    const second = BUSY.slice(500, 1000).map(({ id }) => id);
    assert.deepEqual(idsOf(back), second);
  });

  it('around: opens the page with the comment', async () => {
    for (const [id, first] of [
      ['b0003', 'b0000'],
      ['b0700', 'b0500'],
      ['b1199', 'b1000'],
    ] as const) {
      const body = await get(`/thread/busy?around=${id}`);
      const ids = idsOf(body);
      assert.ok(ids.includes(id), id);
      assert.equal(ids[0], first);
      assert.equal(body.split('class="sought"').length, 2);
      assert.match(body, new RegExp(`id="comment-${id}" class="sought"`));
    }
  });

  it('each result line leads to its thread', async () => {
    const body = await get('/search?query=answer+700&kind=comments');
    assert.ok(hrefs(body).includes('/thread/busy?query=answer+700&around=b0700#comment-b0700'));
  });

  it('without the post its comments are shown, and that it is missing', async () => {
    const words = /The post itself is not in the archive.*1 comment.*an answer to a post/;
    assert.match(await read('/thread/gone'), words);
  });

  it('visitors get the first ten comments and the prompt, and no cursor', async () => {
    const body = await get('/thread/busy?around=b0700', {});
    const first = BUSY.slice(0, 10).map(({ id }) => id);
    assert.deepEqual(idsOf(body), first);
    assert.match(readable(body), /is further down.*Showing the first 10 of 1,200 comments\. Sign in/);
    assert.ok(hrefs(body).includes('/record/comments/b0700'));
    await get('/thread/busy?after=500', {}, 403);
  });

  it('a cursor that is none is a 400, one behind the end says so', async () => {
    await get('/thread/busy?after=x', SIGNED_IN, 400);
    const body = await get('/thread/busy?after=1199145700000');
    assert.match(readable(body), /There are no more comments/);
    assert.equal(follow(body, 'prev'), '/thread/busy?after=700');
  });

  it('a link to the post, or to a comment of it, names the thread too', async () => {
    for (const link of ['https://www.reddit.com/r/energy/comments/busy/', '/r/energy/comments/busy/_/b0001/'])
      assert.match(await read(`/thread/${encodeURIComponent(link)}`), /A busy solar thread/, link);
  });

  it('answers stand in a branch below what they answer, which folds; a line says how deep they are', async () => {
    const body = await get('/thread/deep');
    const chain = Array.from({ length: 12 }, (_, i) => `d${i}`);
    assert.deepEqual(idsOf(body), [...chain, 'e1', 'e0', 'lost', 'below']);
    const branch =
      /<li><article id="comment-d0".*<\/article><details open><summary>12 replies<\/summary><ol><li>/s;
    assert.match(body, branch);
    const words = readable(body);
    assert.match(words, /9 levels down answer 9 .* 11 levels down answer 11 /);
    assert.doesNotMatch(words, /8 levels down/);
    assert.match(words, /In reply to a comment that is missing here an answer to a lost one/);
    assert.ok(hrefs(body).includes('/record/comments/below'));
  });

  it('a long chain folds by itself, but where the comment that is sought stands in it', async () => {
    const folded = /<details><summary>9 more replies<\/summary>/;
    assert.match(await get('/thread/deep'), folded);
    const around = await get('/thread/deep?around=d11');
    assert.doesNotMatch(around, folded);
    assert.match(readable(around), /Comment 12 of 16/);
  });

  it('the bar steps through the matches of the search that led here, and searches in the thread', async () => {
    const first = await get('/thread/deep?query=answer');
    assert.match(readable(first), /16 matches ›/);
    assert.ok(hrefs(first).includes('/thread/deep?query=answer&around=d0&list=kind%3Dposts#comment-d0'));
    assert.ok(hrefs(first).includes('/search?query=answer%2C+post%3Adeep&kind=comments'));
    const second = await get('/thread/deep?query=answer&around=d1');
    assert.match(readable(second), /‹ match 2 of 16 ›/);
    assert.ok(hrefs(second).includes('/thread/deep?query=answer&around=d2#comment-d2'));
    assert.doesNotMatch(readable(await get('/thread/deep?query=nowhere')), /match/);
  });

  it('a thread on one page can have the highest scores first', async () => {
    assert.deepEqual(idsOf(await get('/thread/deep?order_by=top')).slice(0, 3), ['e0', 'd0', 'd1']);
    assert.ok(!hrefs(await get('/thread/busy')).includes('/thread/busy?order_by=top'));
  });

  it('a comment whose parent is on another page links to that page', async () => {
    const first = await get('/thread/wide?query=solar');
    assert.ok(idsOf(first).includes('root'));
    const body = await get('/thread/wide?query=solar&after=500');
    assert.ok(hrefs(body).includes('/thread/wide?query=solar&around=root&list=kind%3Dposts#comment-root'));
  });
});

describe('B2: a page of 500 comments', { skip: NO_BROWSER }, () => {
  const open = browserOfTests();

  it('has at most 60 kB gzipped, 600 links and 45,000 pixels', async () => {
    const body = await get('/thread/full');
    assert.equal(body.split('<article id="comment-').length - 1, 500);
    const bytes = gzipSync(body, { level: 9 }).length;
    assert.ok(bytes <= 60_000, `${bytes} bytes`);
    assert.ok(hrefs(body).length <= 600, `${hrefs(body).length} links`);
    const { page } = await open({ storageState: inBrowser(SIGNED_IN) });
    await page.goto(at('/thread/full'));
    const height = await page.evaluate('document.documentElement.scrollHeight');
    assert.ok((height as number) <= 45_000, `${height} pixels`);
  });
});
