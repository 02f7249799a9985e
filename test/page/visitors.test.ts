// What somebody who is not signed in gets: the first results of each list, cut on the server, whatever is tried.

import assert from 'node:assert/strict';
import { before, describe, it, mock } from 'node:test';
import { post } from '../helpers.ts';
import { POSTS } from './corpus.ts';
import { entriesOf, readable, SIGNED_IN, siteOfTests } from './site.ts';

/** 30 posts of one second and score: a page of `top` never ends inside such a tie. */
const tied = Array.from({ length: 30 }, (_, i) =>
  post({ id: `t${i}`, community: 'ties', created: 1_600_000_000, score: 9, title: 'Tied' }),
);

const { get, inject, build, key } = siteOfTests([...POSTS, ...tied]);

const results = (body: string) => entriesOf(body).length;

describe('a visitor', () => {
  const lists = [
    ['posts', '/search?query=panel', 10],
    ['comments', '/search?query=&kind=comments', 10],
    ['top, in a tie', '/search?query=%2Fr%2Fties&order_by=top', 10],
    ['newest, in a tie', '/search?query=%2Fr%2Fties', 10],
    ['a larger page asked for', '/search?query=panel&limit=100', 10],
    ['an empty cursor', '/search?query=panel&after=', 10],
    ['parameters given twice', '/search?query=panel&limit=25&limit=100&after=&after=1', 10],
    ['fewer than the limit', '/search?query=report+7', 1],
  ] as const;
  for (const [what, url, expected] of lists) {
    it(`${what}: ${expected} results, and the prompt at the end of the list`, async () => {
      const body = await get(url, {});
      assert.equal(results(body), expected);
      assert.equal(body.match(/<div class="prompt">/g)?.length, 1);
      assert.match(body, /href="\/sign-in\?return=[^"]+">Sign in<\/a> or <a href="\/register\?return=/);
      assert.doesNotMatch(body, /rel="next"/);
    });
  }

  it('the words say whether anything is missing', async () => {
    for (const [query, words] of [
      ['panel', 'Showing the first 10 of 60 posts.'],
      ['report+7', 'That is everything: 1 post.'],
    ] as const) {
      const prompt = /<div class="prompt">.*?<\/strong>/s.exec(await get(`/search?query=${query}`, {}))!;
      assert.equal(readable(prompt[0]), words);
    }
  });

  it('an empty list ends with the prompt too, in one line, without a panel and a download', async () => {
    const prompt = /<p class="prompt">([^\n]*)<\/p>/;
    for (const query of ['nothinghere', 'rooftop+zzz']) {
      const body = await get(`/search?query=${query}`, {});
      const [, line = ''] = prompt.exec(body)!;
      assert.match(readable(line), /^Sign in or register to see all results of larger searches/);
      assert.match(line, /href="\/sign-in\?return=[^"]+">Sign in<\/a> or <a href="\/register\?return=/);
      assert.equal(body.split('class="prompt"').length - 1, 1);
      assert.doesNotMatch(body, /class="(?:fading|download)"|class="breakdown"|class="timeline"/);
      assert.doesNotMatch(await get(`/search?query=${query}`), prompt);
    }
    const closed = await build({ registration: 'closed' });
    const { body } = await closed.inject('/search?query=nothinghere');
    assert.match(readable(prompt.exec(body)![1]!), /^Sign in to see all/);
  });

  it('where there is more, a line of nothing fades above the prompt', async () => {
    const faded = async (query: string) =>
      /<div class="fading"[\s\S]*?<\/div>/.exec(await get(`/search?query=${query}`, {}))?.[0];
    assert.equal(readable((await faded('panel'))!), '');
    assert.equal(await faded('report+7'), undefined);
  });

  it('totals, breakdowns and timeline are whole', async () => {
    const mine = await get('/search?query=panel');
    const theirs = await get('/search?query=panel', {});
    const side = (body: string) => /<aside class="side"[\s\S]*<\/aside>/.exec(body)![0];
    assert.equal(side(theirs), side(mine));
    assert.match(theirs, /<h1 id="total">60 posts<\/h1>/);
  });

  const tricks = [
    '/search?query=panel&after=1677931653000',
    '/search?query=panel&after=[[1677931653000]]',
    '/search?query=panel&after=0',
    '/search?query=panel&after=x',
    '/search/?query=panel&after=1677931653000',
    '/search?after=1677931653000&query=panel&kind=comments',
    '/search?query=panel&order_by=top&after=4505386171236352',
    '/search?query=panel&%61fter=1677931653000',
  ];
  for (const url of tricks) {
    it(`gets no further page: ${url}`, async () => {
      const body = await get(url, {}, 403);
      assert.equal(results(body), 0);
      assert.match(body, /Sign in<\/a> or <a/);
      assert.match(body, /value="panel"/);
    });
  }

  it('HEAD has the headers of GET and no body; nobody else may be given the page', async () => {
    const { statusCode, headers, body } = await inject({ method: 'HEAD', url: '/search?query=panel' });
    assert.deepEqual([statusCode, body], [200, '']);
    assert.equal(headers['cache-control'], 'private, no-cache');
    assert.match(String(headers.vary), /\bCookie\b/);
  });

  it('an API key or a cookie that is none signs nobody in', async () => {
    const headers = { authorization: `Bearer ${key()}`, cookie: 'session=1; theme=dark' };
    assert.equal(results(await get('/search?query=panel&limit=50', headers)), 10);
  });

  it('the operator sets the number', async () => {
    const other = await build({ config: { visitorResults: 3 } });
    assert.equal(results((await other.inject('/search?query=panel')).body), 3);
    const more = await build({ config: { visitorResults: 40 } });
    assert.equal(results((await more.inject('/search?query=panel&limit=50')).body), 40);
  });

  it('where nobody may register, the prompt does not offer it', async () => {
    const closed = await build({ registration: 'closed' });
    const { body } = await closed.inject('/search?query=panel');
    assert.doesNotMatch(body, /register/i);
    assert.match(body, />Sign in<\/a> to get more results/);
  });

  it('somebody who is signed in sees no prompt', async () => {
    assert.doesNotMatch(await get('/search?query=panel'), /class="prompt"/);
  });
});

describe('the limit of visitors', () => {
  before(() => mock.restoreAll());

  it('no path that costs no search had a limit of a network: 600 suggestions at once, then 429', async () => {
    const own = await build();
    const ask = async (remoteAddress: string) =>
      (await own.inject({ url: '/suggest?item=', remoteAddress })).statusCode;
    let answered = 0;
    while (answered < 5_000 && (await ask('192.0.2.1')) === 200) answered++;
    // Some 20 more come in each second that this takes.
    assert.ok(answered >= 600 && answered < 5_000, `${answered} answered`);
    assert.equal(await ask('192.0.2.2'), 200);
  });

  it('30 searches at once, then 429 with what to do', async (t) => {
    t.mock.method(performance, 'now', () => 0);
    const one = await build();
    for (let i = 0; i < 30; i++) assert.equal((await one.inject('/search?query=panel')).statusCode, 200);
    const { statusCode, headers, body } = await one.inject('/search?query=panel');
    assert.equal(statusCode, 429);
    assert.equal(headers['retry-after'], '1');
    assert.match(readable(body), /Try again in 1 s/);
    for (const path of ['/breakdown?query=&field=domain', '/record/posts/a1', '/thread/a1']) {
      assert.equal((await one.inject(path)).statusCode, 429, path);
    }
    assert.equal((await one.inject('/about')).statusCode, 200);
    assert.equal((await one.inject({ url: '/search?query=panel', headers: SIGNED_IN })).statusCode, 200);
  });
});
