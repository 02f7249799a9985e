// Breakdowns over HTTP: what they answer, how rows go on, and what they refuse.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, post, START_OF_2008 } from '../helpers.ts';
import { Api } from './asking.ts';

const DAY = 86_400;
const at = (day: number) => START_OF_2008 + day * DAY;
const LONG = 'the panels on the roof of the old barn were cleaned again';

const POSTS = [post({ id: 'p1', title: 'solar roof', created: at(0), community: 'energy' })];
const OF_CATS = { created: at(0), community: 'cats', post: 'p1' };
const COMMENTS = [
  comment({ ...OF_CATS, id: '1', body: 'solar https://a.example/', sentiment: 0.44 }),
  comment({ ...OF_CATS, id: '2', body: 'solar bad', sentiment: -0.54, score: -2 }),
  comment({ id: '3', body: `wind ${LONG}`, created: at(1), community: 'energy', post: 'p2' }),
  comment({ id: '4', body: `solar, ${LONG}`, created: at(40), community: 'energy', post: 'p2' }),
  comment({ id: '5', body: `Solar ${LONG}!`, created: at(41), community: 'dogs' }),
];

describe('breakdowns', () => {
  const api = new Api(POSTS, COMMENTS);

  const get = (path: string) => api.get(`breakdown/${path}`);
  const answerOf = (path: string) => api.answer(`breakdown/${path}`);

  it('begin with type, kind, query and index; rows have shares and mean sentiment', async () => {
    const answer = await answerOf('comments?query=solar');
    assert.deepEqual(Object.keys(answer).slice(0, 5), ['type', 'kind', 'query', 'index', 'field']);
    assert.deepEqual(answer, {
      ...{ type: 'breakdown', kind: 'comments', query: 'solar' },
      index: (await api.service.engine.fingerprints()).comment,
      ...{ field: 'subreddit', of_query: '', total_count: 4, of: 5, distinct: 3, rest: 0, next: null },
      rows: [
        { name: 'cats', count: 2, of: 2, share: 1, mean_sentiment: -0.05, rated: 2 },
        { name: 'dogs', count: 1, of: 1, share: 1, mean_sentiment: null, rated: 0 },
        { name: 'energy', count: 1, of: 2, share: 0.5, mean_sentiment: null, rated: 0 },
      ],
    });
  });

  it('rows go on behind `next`, and what is in none of the rows given is `rest`', async () => {
    const first = await answerOf('comments?query=solar&limit=2&normalise=none');
    assert.deepEqual([first.rows.length, first.rest, first.next, first.distinct], [2, 1, 2, 3]);
    assert.deepEqual(Object.keys(first.rows[0]), ['name', 'count', 'mean_sentiment', 'rated']);
    const more = await answerOf(`comments?query=solar&limit=2&normalise=none&after=${first.next}`);
    assert.deepEqual([more.rows.length, more.rows[0].name], [1, 'energy']);
    assert.deepEqual([more.rest, more.next], [3, null]);
    assert.deepEqual((await answerOf('comments?query=solar&after=99')).rows, []);
    const { headers } = await get('comments?query=solar&limit=2&format=csv&under=');
    const [, link] = /<[^>]*(\/api[^>]*)>; rel="next"/.exec(String(headers.link))!;
    const expected =
      '/api/v1/breakdown/comments?query=solar&field=subreddit&step=none&limit=2&normalise=scope&format=csv&after=2';
    assert.equal(link, expected);
  });

  it('by time, each bucket that is not empty has its share', async () => {
    const { step, rows } = await answerOf('comments?query=solar&step=month&field=subreddit&limit=1');
    assert.equal(step, 'month');
    assert.deepEqual(rows[0].buckets, [{ start: at(0), count: 2, of: 2, share: 1 }]);
    const { rows: years } = await answerOf('comments?query=solar&step=year&field=score');
    const filled = years.filter(({ count }: { count: number }) => count > 0);
    assert.equal(filled.length, 2);
    assert.deepEqual(filled[0].buckets, [{ start: at(0), count: 1, of: 1, share: 1 }]);
    assert.deepEqual(filled[1].buckets, [{ start: at(0), count: 3, of: 4, share: 0.75 }]);
  });

  it('scales are whole; domains have no rest', async () => {
    const sentiment = await answerOf('comments?query=solar&field=sentiment&limit=1&normalise=none');
    const counts = sentiment.rows.map((row: Record<string, unknown>) => `${row.name}: ${row.count}`);
    assert.equal(counts.join(), 'negative: 1,neutral: 0,positive: 1,unrated: 2');
    assert.deepEqual([sentiment.distinct, sentiment.rest, sentiment.next], [3, 0, null]);
    assert.equal((await answerOf('posts?query=&field=weekday_hour')).rows.length, 168);
    const domains = await answerOf('comments?query=solar&field=domain');
    assert.deepEqual([domains.rest, domains.rows.length, domains.distinct], [null, 1, 1]);
  });

  it('copies are told with an example, times and communities', async () => {
    const { rows, distinct, rest } = await answerOf('comments?query=solar&field=copies');
    assert.deepEqual([distinct, rest], [1, 2]);
    assert.deepEqual(rows, [
      {
        ...{ name: `solar ${LONG}`, count: 2, of: 2, share: 1, mean_sentiment: null, rated: 0 },
        ...{ id: '4', first: at(40), last: at(41), communities: 2 },
      },
    ]);
  });

  it('are of comments under posts that match', async () => {
    const answer = await answerOf('comments?query=&under=roof');
    assert.deepEqual([answer.under, answer.total_count, answer.of, answer.rows.length], ['roof', 2, 2, 1]);
  });

  it('a table has a row a row, with `step` a row for each bucket', async () => {
    const copies = `solar ${LONG},2,,0,4,${at(40)},${at(41)},2`;
    for (const [asked, head, row] of [
      ['limit=1', 'name,count,of,share,mean_sentiment,rated', 'cats,2,2,1,-0.05,2'],
      ['limit=1&step=year&normalise=none', 'name,start,count', `cats,${at(0)},2`],
      ['field=copies&normalise=none', 'name,count,mean_sentiment,rated,id,first,last,communities', copies],
    ])
      assert.equal((await get(`comments?format=csv&query=solar&${asked}`)).body, `${head}\n${row}\n`);
  });

  const refused: readonly (readonly [path: string, code: string, words: RegExp])[] = [
    ['comments', 'missing_query', /query/],
    ['comments?query=&query=', 'repeated_parameter', /query/],
    ['comments?query=a+before:2010-01-01', 'open_window', /after:2009-12-31.*after:1970-01-01/],
    ['comments?query=&field=author', 'bad_value', /`field`: expected `subreddit`/],
    ['posts?query=&field=sentiment', 'bad_value', /`field`/],
    ['comments?query=&step=hour', 'bad_value', /`step`/],
    ['comments?query=&field=copies&step=day', 'bad_value', /`step`: expected none with `field=copies`/],
    ['comments?query=&limit=0', 'bad_limit', /1 to 10000/],
    ['comments?query=&limit=10001', 'bad_limit', /1 to 10000/],
    ['comments?query=&after=x', 'bad_cursor', /`next`/],
    ['comments?query=&field=score&after=1', 'bad_cursor', /all rows at once/],
    ['comments?query=&normalise=half', 'bad_value', /`normalise`/],
    ['comments?query=&format=xml', 'bad_format', /`format`/],
    ['posts?query=&under=a', 'unknown_parameter', /under/],
  ];
  for (const [path, code, words] of refused) {
    it(`\`${path}\` is a ${code}`, async () => {
      assert.match((await api.refused(`breakdown/${path}`, 400, code)).detail, words);
    });
  }
});
