// What the search page shows (contract 8.7, 8.9 and 8.11), held against what the server sends.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eachIn, entriesOf, hrefs, readable, siteOfTests } from './site.ts';

const { api, inject, get } = siteOfTests();

/** The result lines as a person reads them, without what follows the line itself. */
async function lines(url: string): Promise<string[]> {
  return entriesOf(await get(url)).map(readable);
}

it('search box takes the syntax of the endpoints', async () => {
  const body = await get('/search?query=panel+-7+%2Fr%2Fenergy+site%3Anews.example.org+score%3A370');
  const query = 'panel%2C-7%2C%2Fr%2Fenergy%2Csite%3Anews.example.org%2Cscore%3A370';
  const { total_count: total } = await api(`search/posts?limit=0&query=${query}`);
  assert.ok(total > 0);
  assert.match(body, new RegExp(`<h1 id="total">${total} posts</h1>`));
});

describe('sort selector', () => {
  const rows = [
    ['newest', '/search?query=panel', 'report 0'],
    ['oldest', '/search?query=panel&order_by=oldest', 'report 59'],
    ['top', '/search?query=panel&order_by=top', 'report 0'],
  ] as const;
  for (const [order, url, first] of rows) {
    it(`${order}: one of three choices, and the one that is marked`, async () => {
      const body = await get(url);
      const choices = /<nav class="orders"[\s\S]*?<\/nav>/.exec(body)![0];
      assert.deepEqual(eachIn(choices, /<li>(.*?)<\/li>/g), ['newest', 'oldest', 'top']);
      assert.match(choices, new RegExp(`aria-current="true">${order}<`));
      assert.match((await lines(url))[0]!, new RegExp(`^Rooftop solar panel, ${first}\\b`));
    });
  }
});

describe('result lines', () => {
  it('posts: title, score, community, date and time', async () => {
    const [line] = await lines('/search?query=panel');
    const time = '2023-03-14, 12:07:33 \\d+ \\w+ ago';
    assert.match(
      line!,
      new RegExp(`^Rooftop solar panel, report 0 /r/solar ${time} 400 score news\\.example\\.org `),
    );
  });

  it('comments: community, date and time, score, sentiment with sign and two decimals', async () => {
    const list = await lines('/search?query=&kind=comments');
    const rows = [
      [0, '/r/solar 2023-03-14, 12:07:33 AGE 17 score +0.43 positive '],
      [1, '/r/energy 2023-03-14, 11:07:33 AGE 16 score -0.12 negative '],
      [2, '/r/energy 2023-03-14, 10:07:33 AGE 15 score +0.00 neutral '],
      [3, '/r/energy 2023-03-14, 09:07:33 AGE 14 score +0.00 neutral '],
      [20, '/r/solar 2023-03-13, 16:07:33 AGE -3 score +0.43 positive '],
    ] as const;
    for (const [at, expected] of rows) {
      const line = list[at]!.replace(/\d+ (?:year|month|day)s? ago/, 'AGE');
      assert.ok(line.startsWith(expected), line);
    }
  });

  it('the rating is left out where there is none', async () => {
    assert.match((await lines('/search?query=&kind=comments'))[4]!, /13 score The panel number 4 /);
  });
});

describe('breakdowns', () => {
  /** Of each panel its heads and rows, without what excludes a row, and without its line over time. */
  const panels = async (url: string) => {
    const body = await get(url);
    return Object.fromEntries(
      [...body.matchAll(/<h2 id="(by-\w+)">(.*?)<\/h2>[\s\S]*?<\/details>/g)].map(([panel, id, title]) => {
        const lines = panel
          .replace(/<t([dh])\b[^>]*class="(?:not|trend)">.*?<\/t\1>/g, '')
          .replaceAll(/<\/t[hd]>/g, ' ');
        const [head, ...rows] = lines.split('<tr>').slice(1);
        return [id, [title, readable(head!), ...rows.map((row) => readable(row.split('</tr>')[0]!))]];
      }),
    );
  };

  it('by source domain, by subreddit for comments, by subreddit for posts', async () => {
    assert.deepEqual(await panels('/search?query=solar'), {
      'by-domain': [
        ...['By source domain', 'Domain Exclude Count Share of all matches'],
        ...['news.example.org 20 33.3%', 'video.example.com 20 33.3%'],
      ],
      'by-subreddit': [
        ...['By subreddit', 'Subreddit Exclude Posts Share Comments'],
        ...['/r/energy 40 66.7% 20', '/r/solar 20 33.3% 5'],
      ],
    });
  });

  it('of comments, the domains are those they link to', async () => {
    const { 'by-domain': domains } = await panels('/search?query=&kind=comments');
    assert.deepEqual(domains!.slice(2), ['news.example.org 25 50.0%']);
  });

  it('all rows have their shares, and a link to all of them as CSV, for visitors too', async () => {
    const body = await get('/breakdown?query=carried&field=subreddit');
    assert.match(body, /<bdi>\/r\/energy<\/bdi>.*?<td>20<\/td><td class="part">100%<\/td><td>50\.0%<\/td>/);
    assert.match(readable(body), /“Of its posts” is the share of all posts of that subreddit\. CSV/);
    const [url] = hrefs(body).filter((href) => href.startsWith('/api/v1/breakdown/'));
    const { body: csv, headers } = await inject({ url: url! });
    assert.match(String(headers['content-type']), /^text\/csv/);
    assert.equal(headers['content-disposition'], 'attachment; filename="breakdown-posts.csv"');
    assert.equal(csv, '\ufeffname,count,of,share,mean_sentiment,rated\r\nenergy,20,40,0.5,,0\r\n');
    const oneDay = await get('/breakdown?query=panel+before:2023-03-01&field=domain');
    assert.match(readable(oneDay), /of that domain that match before:2023-03-01,after:2023-02-28/);
    const [file] = hrefs(oneDay).filter((href) => href.startsWith('/api/v1/breakdown/'));
    assert.equal((await get(file!)).split('\n').length, 3);
  });
});
