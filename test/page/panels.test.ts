// The panels beside the results: where their links lead, and when they are left out.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { percent } from '../../src/http/views/format.ts';
import { comment, post } from '../helpers.ts';
import {
  cellsOf,
  decode,
  hrefs,
  openSite,
  readable,
  rowsOf,
  SIGNED_IN,
  siteOfTests,
  sum,
  totalOn,
} from './site.ts';

const { inject, get } = siteOfTests();

/** Addresses of the "not" of a panel, by the name of the row; null where a row has none. */
function exclusions(body: string, panel: 'by-domain' | 'by-subreddit'): Record<string, string | null> {
  const table = new RegExp(`<h2 id="${panel}">[\\s\\S]*?</table>`).exec(body)?.[0] ?? '';
  const rows = [...table.matchAll(/<tr><th scope="row">(.*?)<\/th><td class="not">(.*?)<\/td>/g)];
  return Object.fromEntries(
    rows.map(([, name, cell]) => {
      const link = /href="([^"]+)"/.exec(cell!);
      return [readable(name!), link === null ? null : decode(link[1]!)];
    }),
  );
}

it('A1: a community behind the first hundred of its kind had an upper bound, "≤ 2"', async () => {
  const names = Array.from({ length: 130 }, (_, i) => `c${String(i).padStart(3, '0')}`);
  const comments = names.flatMap((community, at) =>
    Array.from({ length: at === 120 ? 1 : 2 }, (_, i) =>
      comment({ id: `${at}x${i}`, community, body: 'solar' }),
    ),
  );
  const posts = ['c120', 'c125', 'quiet'].map((community, i) =>
    post({ id: `p${i}`, community, title: 'solar' }),
  );
  await using many = await openSite(posts, comments);
  const server = await many.build();
  for (const kind of ['posts', 'comments']) {
    const { body } = await server.inject({ url: `/search?query=solar&kind=${kind}`, headers: SIGNED_IN });
    assert.doesNotMatch(readable(body), /≤/);
    const rows = rowsOf(body, /<h2 id="by-subreddit">/);
    for (const [name, posts, comments] of [
      ['c120', '1', '1'],
      ['c125', '1', '2'],
      ['quiet', '1', '0'],
      ['c000', '0', '2'],
    ] as const) {
      const [, own, , other] = rows.find(([shown]) => shown === `/r/${name}`)!;
      assert.deepEqual([own, other], kind === 'posts' ? [posts, comments] : [comments, posts], name);
    }
  }
});

describe('the "not" of a row', () => {
  it('of a community switched the list that was being read', async () => {
    const posts = exclusions(await get('/search?query=solar&order_by=top'), 'by-subreddit');
    assert.equal(posts['/r/energy'], '/search?query=solar+-%2Fr%2Fenergy&order_by=top');
    const comments = exclusions(await get('/search?query=solar&kind=comments'), 'by-subreddit');
    assert.equal(comments['/r/energy'], '/search?query=solar+-%2Fr%2Fenergy&kind=comments');
  });

  it('of a row that holds every match is not there', async () => {
    const body = await get('/search?query=%22For+adults%22');
    assert.deepEqual(exclusions(body, 'by-subreddit'), { '/r/grownups': null });
    assert.deepEqual(exclusions(body, 'by-domain'), {});
    assert.doesNotMatch(await get('/breakdown?query=%22For+adults%22&field=subreddit'), /class="exclude"/);
  });

  const searches = [
    '/search?query=solar',
    '/search?query=solar&kind=comments',
    '/search?query=&kind=comments',
    '/search?query=site%3Anews.example.org',
    '/search?query=solar+%2Fr%2Fsolar&kind=comments',
    '/search?query=rooftop+%2Fr%2Fenergy+%2Fr%2Fsolar+site%3Avideo.example.com',
  ];
  it('never leads to a list without a result', async () => {
    let followed = 0;
    for (const url of searches) {
      const body = await get(url);
      for (const panel of ['by-domain', 'by-subreddit'] as const) {
        for (const target of Object.values(exclusions(body, panel))) {
          if (target === null) continue;
          followed++;
          assert.ok(totalOn(await get(target)) > 0, `${url} → ${target}`);
        }
      }
    }
    assert.ok(followed > 10);
  });
});

describe('the timeline had no way back out', () => {
  const ways = (body: string) => {
    const panel = /<h2 id="timeline"[^>]*>[\s\S]*?<\/section>/.exec(body)![0];
    const links = panel.matchAll(/<a href="([^"]+)"[^>]*>(Wider range|All time)<\/a>/g);
    return Object.fromEntries([...links].map(([, href, words]) => [words, decode(href!)]));
  };

  it('a bucket leads on to what holds it, and to all time', async () => {
    const week = await get('/search?query=solar+after%3A2023-03-06+before%3A2023-03-13&order_by=top');
    assert.deepEqual(ways(week), {
      'Wider range': '/search?query=solar+after%3A2023-03-01+before%3A2023-04-01&order_by=top',
      'All time': '/search?query=solar&order_by=top',
    });
    const year = await get('/search?query=solar+after%3A2023-01-01');
    assert.deepEqual(ways(year), { 'All time': '/search?query=solar' });
    assert.deepEqual(ways(await get('/search?query=solar')), {}, 'without dates there is nothing to lift');
  });
});

it('a breakdown leads to all of its rows, however few they are', async () => {
  const body = await get('/search?query=solar+%2Fr%2Fenergy&kind=comments');
  const panel = decode(/<h2 id="by-subreddit">[\s\S]*?<\/details>/.exec(body)![0]);
  for (const query of [
    'query=solar+%2Fr%2Fenergy&field=subreddit&kind=comments',
    'query=solar+%2Fr%2Fenergy&field=subreddit',
  ]) {
    assert.ok(panel.includes(`href="/breakdown?${query}"`), query);
  }
  const domains = await get('/search?query=solar');
  assert.match(domains, /href="\/breakdown\?query=solar&amp;field=domain"[^>]*>All 3 domains</);
});

describe('the timeline as shares', () => {
  const table = (body: string) => rowsOf(body, /id="timeline-rows"/);
  const url = '/search?query=solar+%2Fr%2Fenergy';

  it('is another state of the page, with an address that its links keep', async () => {
    assert.match(await get(url), /<a href="\/search\?query=solar[^"]*&#?\w*;?timeline=share">Share<\/a>/);
    const shares = await get(`${url}&timeline=share`);
    assert.ok(shares.includes(`<a href="${url}">Count</a>`));
    assert.match(readable(shares), /Share of all posts in the \w+ that match \/r\/energy\./);
    assert.match(shares, /<input type="hidden" name="timeline" value="share">/);
    for (const [, href] of shares.matchAll(/<a href="([^"]+)" tabindex="-1"><title>/g)) {
      assert.match(decode(href!), /&timeline=share$/);
    }
  });

  it('tells counts, what they are of, and shares; the file has the same', async () => {
    const shares = table(await get(`${url}&timeline=share`));
    const counts = table(await get(url));
    assert.ok(shares.length > 3);
    assert.deepEqual(
      shares.map((row) => row.slice(0, 2)),
      counts.map((row) => row.slice(0, 2)),
    );
    const whole = await get('/search?query=%2Fr%2Fenergy');
    const ofTotal = sum(shares.map((row) => Number(row[2])));
    assert.ok(ofTotal > 0 && ofTotal <= totalOn(whole));
    for (const [name, found, of, share] of shares) {
      assert.equal(share, of === '0' ? '' : percent(Number(found) / Number(of)), String(name));
    }
    const body = await get(url);
    const answer = await inject({ url: hrefs(body).find((href) => href.startsWith('/api/v1/timeline/'))! });
    assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8; header=present');
    const [head, ...rows] = cellsOf(answer.body);
    assert.deepEqual(head, ['start', 'count', 'of', 'share']);
    // The page draws both kinds over the same times: at its ends there may be nothing of one.
    const inside = (all: readonly (readonly (string | undefined)[])[]) => all.filter(([, of]) => of !== '0');
    assert.deepEqual(
      inside(rows.map(([, found, of]) => [found, of])),
      inside(shares.map(([, found, of]) => [found, of])),
    );
  });
});

it('a page of nothing: empty panels stood on empty pages', async () => {
  assert.doesNotMatch(await get('/search?query=zzz'), /id="by-|id="timeline"|Nothing to count/);
  const other = await get('/search?query=rooftop&kind=comments');
  assert.match(other, /id="by-subreddit"/);
  assert.match(other, /id="by-posts"/);
  assert.doesNotMatch(other, /id="by-comments"|id="by-domain"|"#?timeline"|id="timeline-rows"/);
});
