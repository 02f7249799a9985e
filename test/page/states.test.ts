// The states of the page beside a list of results: nothing found, faults, limits, errors; and the other pages.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SessionStore } from '../../src/accounts/secrets.ts';
import { PROBLEMS } from '../../src/errors.ts';
import { decode, eachIn, hrefs, readable, SIGNED_IN, siteOfTests, totalOn } from './site.ts';

const { get, inject, build, logged } = siteOfTests();

const search = (query: string, rest = '') => `/search?query=${encodeURIComponent(query)}${rest}`;

/** As a page links to the search. */
const addressOf = (query: string | null) => query && search(query).replaceAll('%20', '+');

it('the time that the page tells is what the visitor waited for, not the engine\u2019s part alone', async (t) => {
  let clock = 1000;
  t.mock.method(SessionStore.prototype, 'check', () => {
    clock += 60;
    return null;
  });
  t.mock.method(performance, 'now', () => clock);
  const { body } = await inject({ url: search('rooftop'), headers: SIGNED_IN });
  assert.equal(/<p class="took">([\d.]+) s/.exec(body)![1], '0.060');
});

describe('nothing found', () => {
  const rows = [
    ['the other kind', 'rooftop', '&kind=comments', ['in posts: 60 posts']],
    ['one item too many', 'rooftop zzz', '', ['without zzz: 60 posts']],
    ['what narrows goes first', 'rooftop score:9999 zzz', '', ['only rooftop: 60 posts']],
    [
      'the implied window',
      'rooftop before:2023-06-01',
      '',
      ['without after:2023-05-31: 60 posts', 'without before:2023-06-01: 60 posts'],
    ],
    ['an exclusion', 'rooftop -solar', '', ['without -solar: 60 posts', 'without rooftop: 10 posts']],
    ['nothing helps', 'zzz', '', []],
  ] as const;
  for (const [what, query, rest, expected] of rows) {
    it(`${what}: only repairs that find something, with their counts`, async () => {
      const { body } = await inject(search(query, rest));
      const list = /<ul class="repairs">[\s\S]*?<\/ul>/.exec(body)?.[0] ?? '';
      assert.deepEqual(eachIn(list, /<li>(.*?)<\/li>/g), expected);
      const totals = await Promise.all(hrefs(list).map(async (href) => totalOn(await get(href, {}))));
      const told = expected.map((words) => Number(/: (\d+) posts$/.exec(words)![1]));
      assert.deepEqual(totals, told);
    });
  }
});

describe('OR, AND, NOT and names of other services', () => {
  const rows = [
    ['solar OR wind', 'solar|wind'],
    ['"solar OR wind"', null],
    ['sub:energy solar', '/r/energy solar'],
    ['10:30', null],
  ] as const;
  for (const [query, offered] of rows) {
    it(`${query}: ${offered ?? 'nothing'} is offered`, async () => {
      const hint = /<p class="hintline">.*?<a href="([^"]+)"/s.exec(await get(search(query), {}));
      assert.equal(hint === null ? null : decode(hint[1]!), addressOf(offered));
    });
  }
});

describe('faults of the query, told as gov.uk writes errors: what is wrong, then what to do', () => {
  /** `item`: the part at fault; absent: all of the query. */
  const rows: readonly (readonly [query: string, mended: string | null, words: RegExp, item?: string])[] = [
    [
      'after:2023-02-30 solar',
      'after:2023-02-28 solar',
      /30 February 2023 does not exist\./,
      'after:2023-02-30',
    ],
    ['"solar panel', '"solar panel"', /A quotation mark is not closed\./],
    ['solar site:', 'solar', /is not a domain/, 'site:'],
    ['score:high', null, /Scores are whole numbers\./],
    ['solar before:yesterday', 'solar', /before:yesterday is not a date/, 'before:yesterday'],
    ['solar score:1k', 'solar score:1000', /Scores are whole numbers\./, 'score:1k'],
    ['author:ann', null, /Authors are not stored here, so author: finds nothing\./],
    ['flair:art', null, /flair: is not a search field here\./],
    ['a*', 'a', /a\* is too short\. Write at least two letters/],
    ['&', null, /no word to look for/],
    ['-score:5', 'score:<5', /cannot have a minus sign\. Write the opposite limit/],
    ['--solar', '-solar', /two minus signs in a row/],
    ['site:..', null, /is not a domain/],
    ['post:$', null, /is not a post\. Paste its address/],
    ['id:$', null, /is not a record\. Paste its address/],
    ['/r/', null, /is not a community name/],
  ];
  for (const [query, mended, words, item = query] of rows) {
    it(`${query}: kept, its place marked, ${mended ?? 'nothing'} offered`, async () => {
      const { statusCode, body, headers } = await inject(search(query));
      assert.equal(statusCode, 400);
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(decode(/<input id="query"[^>]* value="([^"]*)"/.exec(body)![1]!), query);
      assert.match(body, /aria-invalid="true"/);
      const caret = /<p class="caret".*?<mark>(.*?)<\/mark>/s.exec(body)![1]!;
      assert.equal(decode(caret), item);
      assert.match(body, /role="alert" tabindex="-1" autofocus/);
      assert.equal(/Change it in the box above/.test(body), mended === null);
      const offer = /<p>Use <a class="button" href="([^"]+)"/.exec(body);
      assert.equal(offer === null ? null : decode(offer[1]!), addressOf(mended));
      const told = readable(/<section class="problem"[\s\S]*?<\/section>/.exec(body)![0]);
      assert.match(told, words);
      if (mended !== null) assert.ok(told.includes(`Use ${mended} instead`), told);
      assert.doesNotMatch(told, /expected|found/i);
    });
  }

  it('over a limit: the limit and the number', async () => {
    const many = Array.from({ length: 65 }, (_, i) => `w${i}`).join(' ');
    const { body } = await inject(search(many));
    assert.match(readable(body), /too many parts \(65; the limit is 64\)\. Remove some\./);
  });
});

describe('other errors', () => {
  const rows = [
    ['a cursor of another order', search('a', '&order_by=top&after=5'), 400, /not valid.*First page/],
    ['a cursor that is none', search('a', '&after=x'), 400, /not valid.*First page/],
    [
      'an order that is none',
      search('a', '&order_by=best'),
      400,
      /order_by not understood.*order_by should be newest, oldest or top, not best/,
    ],
    ['a view that is none', search('a', '&show=all'), 400, /show should be texts or titles/],
    ['a timeline that is none', search('a', '&timeline=part'), 400, /timeline should be count or share/],
    ['a broken escape', '/search?query=%zz', 400, /query should be UTF-8 in percent-encoding/],
    [
      'a breakdown of nothing',
      '/breakdown?query=a',
      400,
      /field should be subreddit or domain.*Search above, or go to the start page/,
    ],
    ['a page that is not there', '/nope', 404, /Page not found/],
    ['a method that is not there', '/search', 405, /Method not allowed.*go to the start page/],
  ] as const;
  for (const [what, url, status, words] of rows) {
    it(`${what}: a page with the search box`, async () => {
      const method = status === 405 ? 'POST' : 'GET';
      const { statusCode, body, headers } = await inject({ url, method, headers: SIGNED_IN });
      assert.equal(statusCode, status);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.match(readable(body), words);
      assert.match(body, /<input id="query"/);
      if (status === 405) assert.equal(headers.allow, 'GET, HEAD');
    });
  }

  it('under /api/ errors stay problem documents', async () => {
    for (const url of ['/api/v1/search/posts?query=a', '/api/v1/nope', '/api']) {
      assert.equal((await inject(url)).headers['content-type'], 'application/problem+json', url);
    }
  });

  it('too slow: stopped, nothing partial, with ways to narrow', async () => {
    const slow = await build({ searchSettings: { queryTimeoutMs: 0 } });
    const { statusCode, body, headers } = await slow.inject(search('panel'));
    assert.equal(statusCode, 503);
    assert.ok(Number(headers['retry-after']) > 0);
    assert.match(logged(), /"code":"query_timeout"/);
    assert.match(readable(body), /took too long.*Incomplete results are never shown.*panel score:10/);
    assert.doesNotMatch(body, /<article>/);
  });

  it('a fault of ours: 500 with a number, and nothing of the fault', async (t) => {
    t.mock.method(SessionStore.prototype, 'check', () => {
      throw new Error('secret detail');
    });
    const { statusCode, body, headers } = await inject({ url: '/about', headers: SIGNED_IN });
    assert.equal(statusCode, 500);
    assert.doesNotMatch(body, /secret detail|\.ts:/);
    assert.match(body, /<a href="\/about">Try again<\/a>/);
    assert.ok(body.includes(String(headers['x-request-id'])));
    assert.match(logged(), /secret detail/);
  });

  const ofModule = { message: 'Cannot read a: too many open files.' };
  const lacks = [
    ['a full disk', { code: 'ENOSPC' }, /server’s disk is full/],
    ['a full disk, as SQLite says it', { code: 'ERR_SQLITE_ERROR', errcode: 13 }, /server’s disk is full/],
    ['no descriptor left', { code: 'EMFILE' }, /cannot read its data/],
    ['no descriptor left for a module', ofModule, /cannot read its data/],
  ] as const;
  for (const [what, fields, words] of lacks) {
    it(`${what}: 503 in words of its own, and a line of the log that says why`, async (t) => {
      t.mock.method(SessionStore.prototype, 'check', () => {
        throw Object.assign(new Error(`the cause: ${what}`), fields);
      });
      const { statusCode, body, headers } = await inject({ url: '/about', headers: SIGNED_IN });
      assert.equal(statusCode, 503);
      assert.equal(headers['retry-after'], '30');
      assert.match(readable(body), words);
      const lines = logged()
        .split('\n')
        .filter((line) => line.includes(String(headers['x-request-id'])));
      assert.deepEqual([lines.length, JSON.parse(lines[0]!).code], [1, 'storage_unavailable']);
      assert.ok(JSON.parse(lines[0]!).cause.stack);
    });
  }
});

describe('other pages', () => {
  const rows = [
    [
      '/',
      /Search every post and comment.*In this archive 70 posts, 50 comments, 2021-10-30 to 2023-03-14 UTC/,
    ],
    ['/search', /Search every post and comment/],
    ['/docs', /Quick start.*Parameters.*Fetching everything.*Every match, in three languages/],
    ['/docs/query-language', /before: on its own searches one day/],
    ['/docs/errors', /nothing_to_search/],
    ['/docs/limits', /2,048 characters/],
    ['/about', /Removal requests.*who has given no contact address/],
    ['/privacy', /colloquy_settings.*it is not logged|it is not logged.*colloquy_settings/],
    ['/status', /Searching works.*Records7050/],
  ] as const;
  for (const [url, words] of rows) {
    it(url, async () => {
      const { statusCode, body, headers } = await inject(url);
      assert.equal(statusCode, 200);
      assert.match(readable(body), words);
      assert.match(body, /<html lang="en">/);
      assert.equal(body.match(/<h1[ >]/g)?.length, 1);
      const again = await inject({ url, headers: { 'if-none-match': String(headers.etag) } });
      assert.equal(again.statusCode, 304);
    });
  }

  it('their links lead somewhere, their anchors stand there', async () => {
    const later = /^\/(?:sign-in|register|account)/;
    for (const [from] of rows) {
      const { body } = await inject(from);
      for (const href of new Set(hrefs(body).filter((link) => /^[/#]/.test(link) && !later.test(link)))) {
        const [path, anchor] = (href.startsWith('#') ? from + href : href).split('#');
        const target = await inject(path!);
        assert.ok(target.statusCode < 404, `${from} → ${href}: ${target.statusCode}`);
        if (anchor !== undefined) assert.ok(target.body.includes(`id="${anchor}"`), `${from} → ${href}`);
      }
    }
  });

  it('the contact is shown where the operator names one', async () => {
    const other = await build({ config: { contact: 'ops@example.org' } });
    const { body } = await other.inject('/about');
    assert.match(body, /href="mailto:ops@example\.org"/);
  });

  it('robots are kept from searches and programs, and from nothing else', async () => {
    const paths = eachIn(await get('/robots.txt'), /^Disallow: (.*)$/gm);
    const isKept = (address: string) => paths.some((path) => address.startsWith(path));
    const asking = 'search breakdown compare pictures record/posts/1 thread/1 feed/1 api/';
    for (const path of asking.split(' ')) assert.ok(isKept(`/${path}`), path);
    for (const path of ['', 'about', 'docs', 'datasets', 'sign-in']) assert.ok(!isKept(`/${path}`), path);
  });

  it('an error of the API is explained where its type points to', async () => {
    const body = await get('/docs/errors');
    for (const code of Object.keys(PROBLEMS)) assert.ok(body.includes(`<tr id="${code}">`), code);
  });

  it('the sample is told on every page', async () => {
    const sample = await build({ archive: { isSample: () => true } });
    for (const [url] of rows) assert.match((await sample.inject(url)).body, /These records are invented/);
    assert.doesNotMatch((await inject('/')).body, /These records are invented/);
  });

  it('browsers get a description of the search', async () => {
    const { body, headers } = await inject({ url: '/opensearch.xml', headers: { host: 'search.example' } });
    assert.equal(headers['content-type'], 'application/opensearchdescription+xml; charset=utf-8');
    assert.match(body, /template="http:\/\/search\.example\/search\?query=\{searchTerms\}"/);
  });

  it('suggestions: names of the index alone', async () => {
    const answer = await inject('/suggest?item=-%2Fr%2Fe');
    assert.deepEqual(answer.json(), [{ text: '-/r/energy', hint: '80 records' }]);
    // A browser asks again each time, since a name may have been removed.
    assert.equal(answer.headers['cache-control'], 'private, no-cache');
    assert.deepEqual((await inject('/suggest?item=')).json(), []);
  });
});

describe('nobody hears of a search', () => {
  it('pages load from here alone, and the policy says so', async () => {
    const { body, headers } = await inject({ url: search('panel'), headers: SIGNED_IN });
    const policy = String(headers['content-security-policy']);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    for (const rule of ["default-src 'none'", "style-src 'self'", "script-src 'self'", "form-action 'self'"])
      assert.ok(policy.includes(rule), rule);
    for (const rule of ["frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'"])
      assert.ok(policy.includes(rule), rule);
    const loaded = eachIn(body, /<(?:script|img|link|iframe)[^>]*(?:src|href)="([^"]+)"/g);
    for (const url of loaded) assert.match(url, /^\/|^http:\/\/localhost:80\//);
    assert.doesNotMatch(body, /<script(?![^>]*src=)|<style|\sstyle=/);
  });

  it('what is loaded keeps for ever under a name of its content', async () => {
    const { body } = await inject('/');
    const rows = [
      [/<script type="module" src="([^"]+)"/, /^\/assets\/page-[0-9a-f]{12}\.js$/, 'text/javascript'],
      [/<link rel="stylesheet" href="([^"]+)"/, /^\/assets\/style-[0-9a-f]{12}\.css$/, 'text/css'],
      [/<link rel="icon" href="([^"]+)"/, /^\/assets\/icon-[0-9a-f]{12}\.svg$/, 'image/svg+xml'],
    ] as const;
    for (const [tag, name, type] of rows) {
      const path = tag.exec(body)![1]!;
      assert.match(path, name);
      const { statusCode, headers } = await inject(path);
      assert.equal(statusCode, 200);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers['content-type'], `${type}; charset=utf-8`);
    }
  });

  it('every page has the one stylesheet, errors too, before anything of it is drawn', async () => {
    const sheets = new Set<string>();
    for (const url of ['/', search('panel'), search('"a'), '/docs', '/docs/reference', '/status', '/nope']) {
      const { body } = await inject(url);
      const links = [...body.matchAll(/<link rel="stylesheet"[^>]*>/g)];
      assert.equal(links.length, 1, url);
      assert.ok(links[0]!.index < body.indexOf('</head>'), url);
      sheets.add(links[0]![0]);
    }
    assert.equal(sheets.size, 1);
  });

  it('a page of a chosen theme is of its colours before the stylesheet has come', async () => {
    for (const [theme, scheme] of [
      ['light', 'light'],
      ['dark', 'dark'],
      ['other', 'light dark'],
    ] as const) {
      const body = await get('/', { cookie: `colloquy_settings=theme:${theme}` });
      assert.ok(body.includes(`<meta name="color-scheme" content="${scheme}">`), theme);
    }
  });
});
