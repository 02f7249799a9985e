// The list of results, third edition: each test is named after the row of the design that it holds.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, linkPost, post } from '../helpers.ts';
import { browserOfTests, NO_BROWSER, PHONE } from './browser.ts';
import { COMMENTS, POSTS } from './corpus.ts';
import {
  decode,
  eachIn,
  entriesOf,
  hrefs,
  inBrowser,
  readable,
  rowsOf,
  SIGNED_IN,
  siteOfTests,
  sum,
} from './site.ts';

const LETTERS = 'An endless title that goes on and on '.repeat(11).slice(0, 400);

const posts = [
  linkPost({ id: 'q1', community: 'energy', domain: 'a.example', title: 'Quartz roofs', created: 50 }),
  post({ id: 'q2', community: 'energy', title: LETTERS, created: 40 }),
];
const comments = [
  comment({ id: 'k1', post: 'q1', community: 'energy', body: 'Quartz it is', created: 60 }),
  comment({ id: 'k2', post: 'q1', parent: 'k1', community: 'energy', body: 'Indeed', created: 70 }),
];

describe('A: what was not true, or broken', () => {
  const { inject, get, read } = siteOfTests([...POSTS, ...posts], [...COMMENTS, ...comments]);

  const back = (body: string) =>
    decode(/<p class="back"><a href="([^"]*)">Back to the search</.exec(body)![1]!);

  for (const kind of ['posts', 'comments']) {
    it(`A4: the way back from records and threads carries order, page and view, among ${kind}`, async () => {
      const first = await get(`/search?query=&order_by=top&kind=${kind}`);
      const second = decode(/rel="next" href="([^"]*)"/.exec(first)![1]!);
      const list = await get(`${second}&show=titles`);
      const here = second.replace(/(&trail=)/, '&show=titles$1');
      const out = hrefs(list).filter((href) => /^\/(?:thread|record)\//.test(href));
      assert.ok(out.length >= 25);
      for (const href of out.slice(0, 6)) assert.equal(back(await get(href)), here, href);
      // And on from there: to a comment of the thread, and to the next match.
      const thread = await get(out.find((href) => href.startsWith('/thread/'))!);
      const inside = hrefs(thread).filter((href) => /^\/(?:thread|record)\//.test(href));
      assert.ok(inside.length > 0);
      for (const href of inside) assert.equal(back(await get(href)), here, href);
    });
  }

  it('A4: a list that is none leads back to the first page', async () => {
    for (const list of ['order_by%3Dbest', '%25zz'])
      assert.equal(back(await get(`/record/posts/q1?query=quartz&list=${list}`)), '/search?query=quartz');
  });

  it('B3: above a comment stands what it answers, and the way to its thread', async () => {
    const body = await get('/record/comments/k2?query=indeed');
    const above = body.slice(0, body.indexOf('<article class="read">'));
    assert.match(readable(above), /Read the thread of 2 comments In reply to .* 1 score Quartz it is/);
    assert.ok(hrefs(above).includes('/record/comments/k1?query=indeed'));
    assert.ok(hrefs(above).includes('/thread/q1?query=indeed&around=k2#comment-k2'));
    const top = await get('/record/comments/k1');
    assert.doesNotMatch(top, /What it replies to/);
    assert.match(readable(top), /Read the thread of 2 comments Comment on Quartz roofs/);
  });

  it('A6: a pasted permalink of a comment, and an id, show the one record that is found', async () => {
    for (const query of ['https://www.reddit.com/r/energy/comments/q1/quartz/k1/', 'id:k1', 'id:t1_k1']) {
      const { statusCode, headers } = await inject(`/search?query=${encodeURIComponent(query)}`);
      assert.equal(statusCode, 303, query);
      assert.match(String(headers.location), /&kind=comments$/);
      assert.match(await get(String(headers.location)), /<h1 id="total">1 comment<\/h1>/);
    }
    assert.match(await get('/search?query=id%3Aq1'), /<h1 id="total">1 post<\/h1>/);
    assert.match(await get('/search?query=id%3Anowhere'), /<h1 id="total">0 posts<\/h1>/);
  });

  it('A6: /u/name and author: say that authors are not stored', async () => {
    const asWord = await read('/search?query=%2Fu%2Fsomebody+roof');
    assert.match(asWord, /Authors are not stored here: “\/u\/somebody”/);
    assert.doesNotMatch(await read('/search?query=%22%2Fu%2Fsomebody%22'), /Authors are not stored/);
  });
});

describe('A: in Chromium', { skip: NO_BROWSER }, () => {
  const { at } = siteOfTests([...POSTS, ...posts], [...COMMENTS, ...comments]);
  const open = browserOfTests();

  it('A5: Enter and o open our own page; the origin is a link there', async () => {
    const { page, requests } = await open({ storageState: inBrowser(SIGNED_IN) });
    for (const [query, keys, there] of [
      ['rooftop', ['j', 'j', 'j', 'Enter'], /\/thread\/p02\?query=rooftop$/],
      ['quartz&kind=comments', ['j', 'o'], /\/(?:thread|record)\//],
    ] as const) {
      await page.goto(at(`/search?query=${query}`));
      for (const key of keys) await page.keyboard.press(key);
      await page.waitForURL(there);
      assert.ok((await page.locator('main a.permalink').count()) >= 1);
    }
    assert.ok(requests.every((url) => url.startsWith(at('/'))));
  });

  it('A7: a bar that was clicked has no ring that is stretched with the drawing', async () => {
    const { page } = await open({ storageState: inBrowser(SIGNED_IN) });
    await page.goto(at('/search?query=solar'));
    await page.evaluate(`addEventListener('click', (event) => event.preventDefault())`);
    await page.locator('.times .timeline a').first().click();
    await page.keyboard.press('Shift');
    const ring = await page.evaluate(`(() => {
      const bar = document.activeElement;
      return [bar.matches('.timeline a'), getComputedStyle(bar).outlineStyle];
    })()`);
    assert.deepEqual(ring, [true, 'none']);
  });

  it('A8: a title of 400 letters takes three lines of a phone', async () => {
    const { page } = await open({ viewport: PHONE, storageState: inBrowser(SIGNED_IN) });
    await page.goto(at('/search?query=endless'));
    const [height, line]: number[] = await page.evaluate(`(() => {
      const title = document.querySelector('.results .title');
      return [title.getBoundingClientRect().height, Number.parseFloat(getComputedStyle(title).lineHeight)];
    })()`);
    assert.ok(height! <= 3 * line! + 4, `${height} pixels, ${line} a line`);
  });
});

describe('C: the list', () => {
  const sparse = Array.from({ length: 3 }, (_, i) =>
    post({ id: `s${i}`, community: `lone${i}`, title: 'Sparse', created: i * 40_000_000 }),
  );
  const lined = Array.from({ length: 24 }, (_, i) =>
    post({ id: `l${i}`, community: 'energy', title: 'Lined', created: i * 70_000_000 }),
  );
  const { get } = siteOfTests([...POSTS, ...posts, ...sparse, ...lined], [...COMMENTS, ...comments]);
  const entries = async (url: string) => entriesOf(await get(url));

  it('C4: a comment is metadata, its text, its thread; that of neighbours is named once', async () => {
    const list = await entries('/search?query=post%3Ap00&kind=comments');
    for (const [at, entry] of list.entries()) {
      const parts = /<h3 class="meta">.*<div class="text">.*(<p class="links">.*)/s;
      const told = readable(parts.exec(entry)![1]!);
      const named = at === 0 ? 'in Rooftop solar panel, report 0 ' : 'in the same thread ';
      assert.ok(told.startsWith(named), told);
    }
    assert.ok(list.length > 3);
  });

  it('C5: five links a result at the most; the title is the thread, the community the filter', async () => {
    for (const kind of ['posts', 'comments']) {
      for (const entry of await entries(`/search?query=&kind=${kind}`)) {
        const [shown, menu] = entry.split('<div popover');
        const links = shown!.match(/<(?:a|button|summary)\b(?![^>]*tabindex="-1")/g)!;
        assert.ok(links.length <= 5, readable(entry));
        assert.match(menu!, />Exclude <bdi>\/r\//);
      }
    }
    const [first] = await entries('/search?query=rooftop');
    const [title, community] = hrefs(first!);
    assert.equal(title, '/thread/p00?query=rooftop');
    assert.equal(community, '/search?query=rooftop+%2Fr%2Fsolar');
  });

  it('C6: one bar: tabs with counts, then what can be done with the list', async () => {
    const bar = /<div class="bars">[\s\S]*?<\/div>/.exec(await get('/search?query=solar'))![0];
    const words = eachIn(bar, /<(?:a|button)\b[^>]*>(.*?)<\/(?:a|button)>/gs);
    assert.deepEqual(words, ['60 posts', '25 comments', 'Newest', 'Titles only', 'Download', 'Save', 'More']);
    const menu = /id="more" class="menu">(.*?)<\/div>/s.exec(await get('/search?query=solar'))![1]!;
    assert.deepEqual(eachIn(menu, />([^<]+)<\/a>/g), ['Compare', 'Cite', 'Copy as', 'Pictures']);
  });

  it('C7: comments only of posts that match: in the list, as a chip, in examples, downloads and on all ways on', async () => {
    const url = '/search?query=&kind=comments&under=score%3A400';
    const body = await get(url);
    assert.match(body, /<h1 id="total">10 comments<\/h1>/);
    assert.match(/<details class="under">.*?<\/details>/s.exec(body)![0], / name="under" value="score:400"/);
    const chip = /<nav class="chips"[\s\S]*?<\/nav>/.exec(body)![0];
    assert.match(readable(chip), /on posts that match score:400/);
    assert.ok(hrefs(chip).includes('/search?query=&kind=comments'));
    assert.match(body, /\/api\/v1\/search\/comments\?query=&amp;under=score%3A400/);
    assert.match(body, /\/api\/v1\/timeline\/comments\?query=&amp;under=score%3A400/);
    const form = /<form action="\/download"[\s\S]*?<\/form>/.exec(body)![0];
    assert.match(form, /All <b>10 comments<\/b>.*<input type="hidden" name="under" value="score:400">/s);
    const others = hrefs(body).filter((href) => /^\/search\?(?!.*under=score%3A400)/.test(href));
    assert.deepEqual(new Set(others), new Set(['/search?query=&kind=comments']));
    assert.match(await get('/search?query=&under=score%3A400'), />10 comments<\/a>/);
    const rows = rowsOf(body, /<h2 id="by-subreddit">/);
    assert.equal(sum(rows.map((row) => Number(row[1]))), 10);
  });

  it('C7, A4: saved searches, feeds, pictures and all rows take it, and rows know the way back', async () => {
    const here = '/search?query=&order_by=top&kind=comments&under=score%3A400&limit=50';
    const links = hrefs(await get(here));
    const to = (path: string) => links.find((href) => href.startsWith(path))!;
    assert.match(to('/account/saved/new?'), /&order_by=top&kind=comments&under=score%3A400$/);
    assert.match(to('/pictures?'), /&kind=comments&under=score%3A400$/);
    assert.match(readable(await get(to('/pictures?'))), /Pictures of 10 comments/);
    const rows = links.find((href) =>
      /^\/breakdown\?query=&field=subreddit&kind=comments&under=score%3A400&/.test(href),
    )!;
    const all = await get(rows);
    assert.match(readable(all), /on posts that match score:400.*10 comments by subreddit/s);
    assert.ok(hrefs(all).includes(here));
    assert.equal(sum(eachIn(all, /<td>(\d+)<\/td><td class="part">/g).map(Number)), 10);
    assert.match(all, /\/api\/v1\/breakdown\/comments\?query=&amp;under=score%3A400&amp;/);
    assert.ok(hrefs(all).includes(rows.replace('&under=score%3A400', '')), 'its chip');
  });

  it('C7: what is wrong with it is told, and kept', async () => {
    const body = await get('/search?query=solar&kind=comments&under=%22open', SIGNED_IN, 400);
    assert.match(readable(body), /In the search for posts \(under\): A quotation mark is not closed/);
    assert.match(body, /<details class="under" open>.* name="under" value="&quot;open"/s);
  });

  it('C8: no domain repeats a community', async () => {
    for (const entry of await entries('/search?query=%2Fr%2Fenergy'))
      assert.doesNotMatch(entry, /self\.energy/);
  });

  it('C8: no line below twenty matches, none of domains, and no tint where every row has one match', async () => {
    const few = await get('/search?query=sparse');
    assert.equal(rowsOf(few, /<h2 id="by-subreddit">/).length, 3);
    assert.doesNotMatch(few, /class="(?:sparkline|tint)"/);
    const many = await get('/search?query=solar');
    assert.match(many, /class="tint"/);
    assert.doesNotMatch(/<h2 id="by-domain">[\s\S]*?<\/table>/.exec(many)![0], /sparkline/);
  });

  it('C8: from six steps of time and twenty matches on, a line, as among all rows', async () => {
    const busiest = (markup: string) => eachIn(markup, /class="sparkline"[^>]*><title>([^<]+)</g);
    const lines = busiest(await get('/search?query=lined'));
    assert.equal(lines.length, 1);
    assert.deepEqual(lines, busiest(await get('/breakdown?query=lined&field=subreddit')));
  });
});

describe('C: in Chromium', { skip: NO_BROWSER }, () => {
  const { at } = siteOfTests();
  const open = browserOfTests();

  it('C4: comments are 16 pixels, 24 a line', async () => {
    const { page } = await open({ storageState: inBrowser(SIGNED_IN) });
    await page.goto(at('/search?query=&kind=comments'));
    const sizes = await page.evaluate(`(() => {
      const { fontSize, lineHeight } = getComputedStyle(document.querySelector('.results .text'));
      return [fontSize, lineHeight, getComputedStyle(document.querySelector('.results .links')).fontSize];
    })()`);
    assert.deepEqual(sizes, ['16px', '24px', '13px']);
  });

  it('C5: at most 230 stops of the keyboard', async () => {
    const { page } = await open({ storageState: inBrowser(SIGNED_IN) });
    for (const path of ['/search?query=solar', '/search?query=&kind=comments']) {
      await page.goto(at(path));
      const stops =
        await page.evaluate(`[...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')]
        .filter((element) => element.tabIndex >= 0 && element.type !== 'hidden' && element.checkVisibility()).length`);
      assert.ok((stops as number) <= 230, `${stops} stops: ${path}`);
    }
  });

  it('C6: on a phone the first result begins within 300 pixels', async () => {
    const { page } = await open({ viewport: PHONE, storageState: inBrowser(SIGNED_IN) });
    const narrowed = 'query=panel+-rain+%2Fr%2Fenergy+after%3A2001-01-01&kind=comments&under=score%3A1';
    for (const path of ['/search?query=solar', `/search?${narrowed}`]) {
      await page.goto(at(path));
      const place = `document.querySelector('.results article').getBoundingClientRect().top`;
      const top: number = await page.evaluate(place);
      assert.ok(top <= 300, `${top} pixels: ${path}`);
    }
  });

  it('D10: a line above every chart says what a bar means, and follows pointer and keys', async () => {
    const { page } = await open({ storageState: inBrowser(SIGNED_IN) });
    const search = '/search?query=solar&timeline=share';
    const pictures = '/pictures?query=panel&kind=comments';
    for (const path of ['/search?query=solar', search, '/', '/coverage', pictures]) {
      await page.goto(at(path));
      const told: readonly (readonly [shown: string, words: string])[] = await page.evaluate(`
        [...document.querySelectorAll('svg.timeline, svg.heat[tabindex]')].flatMap((chart) => {
          const line = chart.closest('figure, .times').querySelector('.value');
          const places = [...chart.querySelectorAll(':has(> title)')];
          const words = (place) => (places.at(place) ?? places[0]).querySelector('title').textContent;
          const shown = (event) => (event(), line.textContent);
          return [
            [shown(() => [...places.at(-1).querySelectorAll('.hit, title')].at(-1)
              .dispatchEvent(new PointerEvent('pointermove', { bubbles: true }))), words(-1)],
            [shown(() => (chart.focus(), document.activeElement)
              .dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' }))), words(-2)],
          ];
        })`);
      assert.ok(told.length > 0, path);
      for (const [shown, words] of told) assert.equal(shown, words, path);
    }
    await page.goto(at(search));
    assert.match(await page.locator('.times .hint').innerText(), /Hatched: fewer than 30 (post|comment)s\.$/);
    assert.ok((await page.locator('.times .hatch').count()) > 0);
  });

  it('C6: menus open without script, below their buttons, and their links lead on', async () => {
    const { page } = await open({ javaScriptEnabled: false, storageState: inBrowser(SIGNED_IN) });
    await page.goto(at('/search?query=solar'));
    await page.click('.spans button');
    await page.click('.menu >> text=As a table');
    assert.ok(await page.locator('#timeline-rows').isVisible());
    await page.click('.doings >> text=Download');
    assert.ok(await page.locator('.download select').first().isVisible());
    await page.locator('.links button').first().click();
    await page.click('.menu:popover-open a:has-text("Exclude /r/solar")');
    assert.equal(await page.locator('#total').textContent(), '40 posts');
  });
});
