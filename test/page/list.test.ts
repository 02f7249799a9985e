// The list of results, third edition: each test is named after the row of the design that it holds.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, linkPost, post } from '../helpers.ts';
import { browserOfTests, NO_BROWSER, PHONE } from './browser.ts';
import { COMMENTS, POSTS } from './corpus.ts';
import { decode, hrefs, inBrowser, openSite, readable, rowsOf, SIGNED_IN, siteOfTests } from './site.ts';

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
  const { inject, get } = siteOfTests([...POSTS, ...posts], [...COMMENTS, ...comments]);

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
    assert.equal(
      back(await get('/record/posts/q1?query=quartz&list=order_by%3Dbest')),
      '/search?query=quartz',
    );
    assert.equal(back(await get('/record/posts/q1?query=quartz&list=%25zz')), '/search?query=quartz');
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
      const body = await get(String(headers.location));
      assert.match(body, /<h1 id="total">1 comment<\/h1>/);
    }
    assert.match(await get('/search?query=id%3Aq1'), /<h1 id="total">1 post<\/h1>/);
    assert.match(await get('/search?query=id%3Anowhere'), /<h1 id="total">0 posts<\/h1>/);
  });

  it('A6: /u/name and author: say that authors are not stored', async () => {
    assert.match(
      readable(await get('/search?query=%2Fu%2Fsomebody+roof')),
      /Authors are not stored here: “\/u\/somebody”/,
    );
    assert.doesNotMatch(readable(await get('/search?query=%22%2Fu%2Fsomebody%22')), /Authors are not stored/);
    const { body } = await inject('/search?query=author%3Asomebody');
    assert.match(readable(body), /authors are not stored/i);
  });

  it('A8: before anything is known of the archive, no example is a link that finds nothing', async () => {
    await using site = await openSite([], []);
    const { body } = await (await site.build()).inject('/search?query=zzz');
    const forms = /<dl class="forms">[\s\S]*?<\/dl>/.exec(body)![0];
    assert.deepEqual(hrefs(forms), []);
  });
});

describe('A: in Chromium', { skip: NO_BROWSER }, () => {
  const { at } = siteOfTests([...POSTS, ...posts], [...COMMENTS, ...comments]);
  const open = browserOfTests();

  it('A5: Enter and o open our own page; the origin is a link there', async () => {
    const { page, requests } = await open({ storageState: inBrowser(SIGNED_IN) });
    for (const [key, kind] of [
      ['Enter', 'posts'],
      ['o', 'comments'],
    ] as const) {
      await page.goto(at(`/search?query=quartz&kind=${kind}`));
      await page.keyboard.press('j');
      await page.keyboard.press(key);
      await page.waitForURL(/\/(?:thread|record)\//);
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
  const { get, inject } = siteOfTests([...POSTS, ...posts, ...sparse, ...lined], [...COMMENTS, ...comments]);
  const entries = async (url: string) =>
    (await get(url))
      .split('<article>')
      .slice(1)
      .map((part) => part.split('</article>')[0]!);

  it('C4: a comment is metadata, its text, its thread; that of neighbours is named once', async () => {
    const list = await entries('/search?query=post%3Ap00&kind=comments');
    for (const [at, entry] of list.entries()) {
      const [meta, text, thread] = ['<h3 class="meta">', '<div class="text">', '<p class="links">'].map(
        (part) => entry.indexOf(part),
      );
      assert.ok(0 < meta! && meta! < text! && text! < thread!);
      const told = readable(entry.slice(thread));
      assert.ok(
        told.startsWith(at === 0 ? 'in Rooftop solar panel, report 0 ' : 'in the same thread '),
        told,
      );
    }
    assert.ok(list.length > 3);
  });

  it('C5: five links a result at the most; the title is the thread, the community the filter', async () => {
    for (const kind of ['posts', 'comments']) {
      for (const entry of await entries(`/search?query=&kind=${kind}`)) {
        const [shown, menu] = entry.split('<div popover');
        assert.ok(
          shown!.match(/<(?:a|button|summary)\b(?![^>]*tabindex="-1")/g)!.length <= 5,
          readable(entry),
        );
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
    const words = [...bar.matchAll(/<(?:a|button)\b[^>]*>(.*?)<\/(?:a|button)>/gs)].map(([, word]) =>
      readable(word!),
    );
    assert.deepEqual(words, ['60 posts', '25 comments', 'Newest', 'Titles only', 'Download', 'Save', 'More']);
    const menu = /id="more" class="menu">(.*?)<\/div>/s.exec(await get('/search?query=solar'))![1]!;
    assert.deepEqual(
      [...menu.matchAll(/>([^<]+)<\/a>/g)].map(([, word]) => word),
      [...['Compare', 'Cite', 'Copy as', 'Pictures']],
    );
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
    const lists = hrefs(body).filter(
      (href) => /^\/search\?/.test(href) && href !== '/search?query=&kind=comments',
    );
    const own = lists.filter((href) => !href.includes('under=score%3A400'));
    assert.deepEqual(own, []);
    assert.match(await get('/search?query=&under=score%3A400'), />10 comments<\/a>/);
    const rows = rowsOf(body, /<h2 id="by-subreddit">/);
    assert.equal(
      rows.reduce((sum, row) => sum + Number(row[1]), 0),
      10,
    );
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
    const counts = [...all.matchAll(/<td>(\d+)<\/td><td class="part">/g)].map(([, found]) => Number(found));
    assert.equal(
      counts.reduce((sum, found) => sum + found),
      10,
    );
    assert.match(all, /\/api\/v1\/breakdown\/comments\?query=&amp;under=score%3A400&amp;/);
    assert.ok(hrefs(all).includes(rows.replace('&under=score%3A400', '')), 'its chip');
  });

  it('C7: what is wrong with it is told, and kept', async () => {
    const { statusCode, body } = await inject({
      url: '/search?query=solar&kind=comments&under=%22open',
      headers: SIGNED_IN,
    });
    assert.equal(statusCode, 400);
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
    const busiest = (markup: string) =>
      [...markup.matchAll(/class="sparkline"[^>]*><title>([^<]+)</g)].map(([, words]) => words!);
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
      const top = await page.evaluate(
        `document.querySelector('.results article').getBoundingClientRect().top`,
      );
      assert.ok((top as number) <= 300, `${top} pixels: ${path}`);
    }
  });

  it('D10: a line above every chart says what a bar means, and follows pointer and keys', async () => {
    const { page } = await open({ storageState: inBrowser(SIGNED_IN) });
    const search = '/search?query=solar&timeline=share';
    for (const path of [
      '/search?query=solar',
      search,
      '/',
      '/coverage',
      '/pictures?query=panel&kind=comments',
    ]) {
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

  it('C7: the second line of the box opens and asks, without script', async () => {
    const { page } = await open({ javaScriptEnabled: false, storageState: inBrowser(SIGNED_IN) });
    await page.goto(at('/search?query=&kind=comments'));
    await page.click('.search summary');
    await page.fill('[name="under"]', 'score:400');
    await page.click('.search .primary');
    assert.equal(await page.locator('#total').textContent(), '10 comments');
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
