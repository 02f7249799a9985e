// What is drawn: the timeline of both kinds, breakdowns, and the pictures of a query, held against the API.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cellsOf, decode, hrefs, readable, rowsOf, SIGNED_IN, siteOfTests, sum, totalOn } from './site.ts';

const { api: apiOf, get, read } = siteOfTests();

interface Row {
  readonly name: string;
  readonly count: number;
  readonly of: number;
}

/** An answer of the API: of a timeline or a breakdown. */
interface ApiAnswer {
  readonly total_count: number;
  readonly rows: readonly Row[];
  readonly series: readonly { readonly buckets: readonly Row[] }[];
}

const api = (path: string): Promise<ApiAnswer> => apiOf(path);

describe('the timeline', () => {
  it('has posts and comments over the same buckets: those of each add up to its total, on both lists', async () => {
    const [posts, comments] = await Promise.all([
      get('/search?query=solar'),
      get('/search?query=solar&kind=comments'),
    ]);
    const rows = rowsOf(posts, /id="timeline-rows"/);
    assert.deepEqual(rowsOf(comments, /id="timeline-rows"/), rows);
    const sums = [1, 2].map((at) => sum(rows.map((row) => Number(row[at]))));
    assert.deepEqual(sums, [totalOn(posts), totalOn(comments)]);
    assert.ok(rows.length > 1 && rows.length <= 60);
    assert.match(posts, /<b>Posts<\/b> <span>\d+<\/span><\/p><p><b>Comments<\/b> <span>\d+</);
    assert.match(comments, /<b>Comments<\/b> <span>\d+<\/span><\/p><p><b>Posts<\/b> <span>\d+</);
  });

  it('is narrowed by each bar, and none leads to an empty list', async () => {
    const body = await get('/search?query=solar+after%3A2023-01-01');
    const links = [...body.matchAll(/<a href="([^"]+)" tabindex="-1"><title>[^:]+: ([\d,]+) post/g)];
    assert.ok(links.length > 2);
    for (const [, href, found] of links)
      assert.equal(totalOn(await get(decode(href!))), Number(found), href!);
  });

  it('offers the last years of the archive where it has more, and says which range is shown', async () => {
    const body = await get('/search?query=solar&order_by=top');
    const presets = / id="dates"[^>]*>([\s\S]*?)<\/div>/.exec(body)?.[1] ?? '';
    assert.match(presets, /<b title="Any date">All time<\/b>/);
    const [lastYear] = hrefs(presets);
    assert.match(lastYear!, /^\/search\?query=solar\+after%3A20\d\d-\d\d-\d\d&order_by=top$/);
    const shown = /<b title="The last year of the archive, from 20\d\d-\d\d-\d\d">Last year<\/b>/;
    assert.match(await get(lastYear!), shown);
  });

  it('stands above the results on the screen; in the source it and its table stand behind them', async () => {
    const body = await get('/search?query=solar');
    const parts = ['id="results"', '<article>', 'id="timeline"', 'id="timeline-rows"'];
    const places = parts.map((part) => body.indexOf(part));
    const inTurn = places.toSorted((a, b) => a - b);
    assert.deepEqual(places, inTurn);
    assert.ok(places[0]! > 0);
  });
});

describe('a breakdown', () => {
  it('has the communities of posts and of comments in one table, whose names lead to their lists', async () => {
    const body = await get('/search?query=solar');
    const both = /<table class="breakdown both" aria-labelledby="by-subreddit">[\s\S]*?<\/table>/;
    const row = /<th scope="row">(?:<svg.*?<\/svg>)?<a href="([^"]+)">.*?<td>([\d,]+)<\/td>/g;
    const links = [...both.exec(body)![0].matchAll(row)];
    assert.equal(links.length, 2);
    for (const [, href, found] of links)
      assert.equal(totalOn(await get(decode(href!))), Number(found), href!);
  });

  it('of all rows is filtered by how names begin, in any case, as a page and as CSV', async () => {
    const body = await get('/breakdown?query=&field=subreddit&prefix=SO');
    assert.match(readable(body), /1 subreddit beginning with SO/);
    const shown = rowsOf(body, /class="breakdown all"/).map(([name]) => name);
    assert.deepEqual(shown, ['/r/solar']);
    assert.match(body, /<input id="prefix" name="prefix" value="SO"/);
    const file = hrefs(body).find((href) => href.startsWith('/api/v1/breakdown/'))!;
    const names = cellsOf(await get(file, {})).map(([name]) => name);
    assert.deepEqual(names, ['name', 'solar']);
    const none = await read('/breakdown?query=&field=subreddit&prefix=zz');
    assert.match(none, /No subreddits beginning with zz\. Show all/);
  });

  it('of all rows draws each over time, up to its own maximum', async () => {
    const body = await get('/breakdown?query=solar&field=subreddit');
    const { rows } = await api('breakdown/posts?query=solar&step=month');
    const lines = [...body.matchAll(/class="sparkline"[^>]*><title>busiest (\w+): ([^,]+), (\d+)</g)];
    assert.equal(lines.length, rows.length);
    for (const [, , , most] of lines) assert.ok(Number(most) > 0);
  });
});

describe('pictures', () => {
  const SEARCH = 'query=panel+%2Fr%2Fenergy';
  const url = `/pictures?${SEARCH}&kind=comments`;
  /** Of the file that a picture of this page links to, by its place. */
  const lines = async (place: number, page = url) => {
    const files = hrefs(await get(page)).filter((link) => link.endsWith('format=csv-excel'));
    return cellsOf(await get(files[place]!));
  };

  it('are linked from the search, and lead back to it', async () => {
    const links = hrefs(await get('/search?query=panel+%2Fr%2Fenergy&kind=comments'));
    const written = '/pictures?query=panel%2C%2Fr%2Fenergy&kind=comments';
    assert.ok(links.includes(written), links.filter((link) => link.startsWith('/pictures')).join());
    assert.ok(hrefs(await get(url)).includes('/search?query=panel+%2Fr%2Fenergy&kind=comments'));
  });

  it('share over time: says what it is of, and has the numbers of the API', async () => {
    const body = await get(url);
    assert.match(readable(body), /The share of all comments that match \/r\/energy, per \w+\. Overall /);
    const { series } = await api(`timeline/comments?${SEARCH}`);
    const cells = rowsOf(body, /aria-labelledby="share"/);
    const told = series[0]!.buckets.map(({ count, of }) => `${count} of ${of}`);
    assert.equal(cells.map(([, found, of]) => `${found} of ${of}`).join(), told.join());
    const file = await lines(0);
    assert.deepEqual([String(file[0]), file.length], ['start,count,of,share', cells.length + 1]);
  });

  it('of a search without words has counts in place of shares', async () => {
    const body = await read('/pictures?query=%2Fr%2Fenergy&kind=comments');
    assert.match(body, /The search has no words, so its share would always be 100%/);
    assert.match(body, /so there is nothing to compare/);
  });

  it('sentiment over time: the rated and the unrated of each bucket add up to all matches', async () => {
    const body = await get(url);
    const { rows, total_count: all } = await api(`breakdown/comments?${SEARCH}&field=sentiment`);
    const cells = rowsOf(body, /aria-labelledby="sentiment"/).map((row) => row.slice(1, 6).map(Number));
    const sums = [0, 1, 2, 3, 4].map((at) => sum(cells.map((row) => row[at]!)));
    const [negative, neutral, positive, unrated] = rows.map(({ count }) => count);
    assert.deepEqual(sums, [negative, neutral, positive, negative! + neutral! + positive!, unrated]);
    assert.equal(sums[3]! + sums[4]!, all);
    assert.match(await get('/pictures?query=panel'), /Only comments are rated\./);
    assert.equal(String((await lines(1))[0]), 'name,start,count');
  });

  it('weekday and hour: 168 hours of the week, which add up to all matches', async () => {
    const body = await get(url);
    const cells = rowsOf(body, /aria-labelledby="hours"/);
    assert.deepEqual([cells.length, cells[0]!.length], [24, 8]);
    const { rows, total_count: all } = await api(`breakdown/comments?${SEARCH}&field=weekday_hour`);
    for (const [i, { name, count }] of rows.entries()) {
      assert.equal(name, `${Math.floor(i / 24) + 1}-${String(i % 24).padStart(2, '0')}`);
      assert.equal(Number(cells[i % 24]![1 + Math.floor(i / 24)]), count, name);
    }
    assert.equal(sum(rows.map(({ count }) => count)), all);
    assert.equal(body.match(/<rect [^>]*fill-opacity="[^"]+"><title>/g)!.length, 168);
    assert.equal((await lines(2)).length, 169);
  });

  it('distinctive words: without those of the search, which the file has', async () => {
    const body = await get('/pictures?query=adults');
    const said = (page: string, list: string) =>
      rowsOf(page, new RegExp(`aria-labelledby="${list}"`)).map(([word]) => word);
    assert.deepEqual(said(body, 'more'), ['alone', 'balcony', 'rules']);
    // Said about as often elsewhere: chance would tell as much.
    assert.deepEqual(said(body, 'less'), []);
    assert.ok(hrefs(body).includes('/search?query=adults+balcony'));
    const [head, first] = await lines(2, '/pictures?query=adults');
    assert.equal(String(head), 'word,z,count,rate,count_against,rate_against');
    assert.equal(first![0], 'adults');
    const numbers = await get('/pictures?query=number&kind=comments');
    assert.deepEqual(said(numbers, 'less'), ['comment', 'roof', 'solar']);
  });

  it('of nothing say so, and of no query is 400', async () => {
    assert.match(await read('/pictures?query=zzz'), /No matches\./);
    for (const wrong of ['/pictures', '/pictures?query=score%3A']) await get(wrong, SIGNED_IN, 400);
  });
});
