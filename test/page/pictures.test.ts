// What is drawn: the timeline of both kinds, breakdowns, and the pictures of a query, held against the API.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decode, hrefs, readable, rowsOf, SIGNED_IN, siteOfTests, totalOn } from './site.ts';

const { inject, get, key } = siteOfTests();

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

async function api(url: string): Promise<ApiAnswer> {
  const headers = { authorization: `Bearer ${key()}` };
  return (await inject({ url: `/api/v1/${url}`, headers })).json();
}

describe('the timeline', () => {
  it('has posts and comments over the same buckets: those of each add up to its total, on both lists', async () => {
    const [posts, comments] = await Promise.all([
      get('/search?query=solar'),
      get('/search?query=solar&kind=comments'),
    ]);
    const rows = rowsOf(posts, /id="timeline-rows"/);
    assert.deepEqual(rowsOf(comments, /id="timeline-rows"/), rows);
    const sum = (at: number) => rows.reduce((all, row) => all + Number(row[at]), 0);
    assert.deepEqual([sum(1), sum(2)], [totalOn(posts), totalOn(comments)]);
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
    assert.match(
      await get(lastYear!),
      /<b title="The last year of the archive, from 20\d\d-\d\d-\d\d">Last year<\/b>/,
    );
  });

  it('stands above the results on the screen; in the source it and its table stand behind them', async () => {
    const body = await get('/search?query=solar');
    const places = ['id="results"', '<article>', 'id="timeline"', 'id="timeline-rows"'].map((part) =>
      body.indexOf(part),
    );
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.ok(places.every((place) => place > 0));
  });
});

describe('a breakdown', () => {
  it('has the communities of posts and of comments in one table, whose names lead to their lists', async () => {
    const body = await get('/search?query=solar');
    const table = /<table class="breakdown both" aria-labelledby="by-subreddit">[\s\S]*?<\/table>/.exec(
      body,
    )![0];
    const links = [
      ...table.matchAll(/<th scope="row">(?:<svg.*?<\/svg>)?<a href="([^"]+)">.*?<td>([\d,]+)<\/td>/g),
    ];
    assert.equal(links.length, 2);
    for (const [, href, found] of links)
      assert.equal(totalOn(await get(decode(href!))), Number(found), href!);
  });

  it('of all rows is filtered by how names begin, in any case, as a page and as CSV', async () => {
    const body = await get('/breakdown?query=&field=subreddit&prefix=SO');
    assert.match(readable(body), /1 subreddit beginning with SO/);
    assert.deepEqual(
      rowsOf(body, /class="breakdown all"/).map(([name]) => name),
      ['/r/solar'],
    );
    assert.match(body, /<input id="prefix" name="prefix" value="SO"/);
    const file = hrefs(body).find((href) => href.startsWith('/api/v1/breakdown/'))!;
    const { body: csv } = await inject({ url: file });
    assert.deepEqual(
      csv
        .trim()
        .split('\r\n')
        .map((line) => line.split(',')[0]),
      ['name', 'solar'],
    );
    assert.match(
      readable(await get('/breakdown?query=&field=subreddit&prefix=zz')),
      /No subreddits beginning with zz\. Show all/,
    );
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
  const url = '/pictures?query=panel+%2Fr%2Fenergy&kind=comments';
  /** Of the file that a picture of this page links to, by its place. */
  const lines = async (place: number, page = url) => {
    const files = hrefs(await get(page)).filter((link) => link.endsWith('format=csv-excel'));
    return (await get(files[place]!)).trim().split('\r\n');
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
    const { series } = await api('timeline/comments?query=panel+%2Fr%2Fenergy');
    const cells = rowsOf(body, /aria-labelledby="share"/);
    assert.deepEqual(
      cells.map(([, found, of]) => [Number(found), Number(of)]),
      series[0]!.buckets.map(({ count, of }) => [count, of]),
    );
    const file = await lines(0);
    assert.deepEqual([file[0], file.length], ['start,count,of,share', cells.length + 1]);
  });

  it('of a search without words has counts in place of shares', async () => {
    const body = readable(await get('/pictures?query=%2Fr%2Fenergy&kind=comments'));
    assert.match(body, /The search has no words, so its share would always be 100%/);
    assert.match(body, /so there is nothing to compare/);
  });

  it('sentiment over time: the rated and the unrated of each bucket add up to all matches', async () => {
    const body = await get(url);
    const { rows, total_count: all } = await api(
      'breakdown/comments?query=panel+%2Fr%2Fenergy&field=sentiment',
    );
    const cells = rowsOf(body, /aria-labelledby="sentiment"/).map((row) => row.slice(1, 6).map(Number));
    const sums = [0, 1, 2, 3, 4].map((at) => cells.reduce((sum, row) => sum + row[at]!, 0));
    const [negative, neutral, positive, unrated] = rows.map(({ count }) => count);
    assert.deepEqual(sums, [negative, neutral, positive, negative! + neutral! + positive!, unrated]);
    assert.equal(sums[3]! + sums[4]!, all);
    assert.match(await get('/pictures?query=panel'), /Only comments are rated\./);
    assert.deepEqual((await lines(1))[0], 'name,start,count');
  });

  it('weekday and hour: 168 hours of the week, which add up to all matches', async () => {
    const body = await get(url);
    const cells = rowsOf(body, /aria-labelledby="hours"/);
    assert.deepEqual([cells.length, cells[0]!.length], [24, 8]);
    const { rows, total_count: all } = await api(
      'breakdown/comments?query=panel+%2Fr%2Fenergy&field=weekday_hour',
    );
    for (const [i, { name, count }] of rows.entries()) {
      assert.equal(name, `${Math.floor(i / 24) + 1}-${String(i % 24).padStart(2, '0')}`);
      assert.equal(Number(cells[i % 24]![1 + Math.floor(i / 24)]), count, name);
    }
    assert.equal(
      rows.reduce((sum, { count }) => sum + count, 0),
      all,
    );
    assert.equal(body.match(/<rect [^>]*fill-opacity="[^"]+"><title>/g)!.length, 168);
    assert.equal((await lines(2)).length, 169);
  });

  it('distinctive words: without those of the search, which the file has', async () => {
    const body = await get('/pictures?query=adults');
    const said = (list: string) =>
      rowsOf(body, new RegExp(`aria-labelledby="${list}"`)).map(([word]) => word);
    assert.deepEqual(said('more'), ['alone', 'balcony', 'rules']);
    // Said about as often elsewhere: chance would tell as much.
    assert.deepEqual(said('less'), []);
    assert.ok(hrefs(body).includes('/search?query=adults+balcony'));
    const [head, first] = await lines(2, '/pictures?query=adults');
    assert.equal(head, 'word,z,count,rate,count_against,rate_against');
    assert.match(first!, /^adults,/);
    const numbers = await get('/pictures?query=number&kind=comments');
    assert.deepEqual(
      rowsOf(numbers, /aria-labelledby="less"/).map(([word]) => word),
      ['comment', 'roof', 'solar'],
    );
  });

  it('of nothing say so, and of no query is 400', async () => {
    assert.match(readable(await get('/pictures?query=zzz')), /No matches\./);
    for (const wrong of ['/pictures', '/pictures?query=score%3A']) {
      assert.equal((await inject({ url: wrong, headers: SIGNED_IN })).statusCode, 400, wrong);
    }
  });
});
