// Timelines and counts over HTTP: what they answer, in which order, and what they refuse.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, post, START_OF_2008 } from '../helpers.ts';
import { Api } from './asking.ts';

const DAY = 86_400;
const at = (day: number) => START_OF_2008 + day * DAY;

const POSTS = [post({ id: 'p1', title: 'solar roof', created: at(0), community: 'energy' })];
const OF_CATS = { created: at(0), community: 'cats', post: 'p1' };
const COMMENTS = [
  comment({ ...OF_CATS, id: '1', body: 'solar is good', sentiment: 0.4404, score: 5 }),
  comment({ ...OF_CATS, id: '2', body: 'solar is bad', sentiment: -0.5423, score: -2 }),
  comment({ id: '3', body: 'wind', score: 1, created: at(1), community: 'energy', post: 'p2' }),
  comment({ id: '4', body: 'solar', score: 1, created: at(2), community: 'energy', post: 'p2' }),
];

describe('timelines and counts', () => {
  const api = new Api(POSTS, COMMENTS);

  const index = async () => (await api.service.engine.fingerprints()).comment;

  it('a timeline begins with type, kind, query and index, and has its buckets with their shares', async () => {
    const answer = await api.answer('timeline/comments?query=solar&step=day');
    assert.deepEqual(Object.keys(answer), ['type', 'kind', 'query', 'index', 'step', 'series']);
    assert.deepEqual(answer, {
      ...{ type: 'timeline', kind: 'comments', query: 'solar', index: await index(), step: 'day' },
      series: [
        {
          ...{ query: 'solar', of_query: '', total_count: 3 },
          buckets: [
            { start: at(0), count: 2, of: 2, share: 1 },
            { start: at(1), count: 0, of: 1, share: 0 },
            { start: at(2), count: 1, of: 1, share: 1 },
          ],
        },
      ],
    });
  });

  it('several series share their buckets, and `query` is null then', async () => {
    const answer = await api.answer('timeline/comments?query=wind&query=solar+/r/energy&step=day');
    assert.equal(answer.query, null);
    const told = answer.series.map((one: Record<string, string>) => `${one.query} of ${one.of_query}`);
    assert.deepEqual(told, ['wind of ', 'solar,/r/energy of /r/energy']);
    const [wind, solar] = answer.series.map(({ buckets }: { buckets: object[] }) => buckets);
    assert.deepEqual(wind, [
      { start: at(1), count: 1, of: 1, share: 1 },
      { start: at(2), count: 0, of: 1, share: 0 },
    ]);
    assert.deepEqual(solar, [
      { start: at(1), count: 0, of: 1, share: 0 },
      { start: at(2), count: 1, of: 1, share: 1 },
    ]);
  });

  it('buckets between bounds are there even where nothing matches; a share of nothing is null', async () => {
    const query = 'nothing+/r/energy+after:2008-01-01+before:2008-01-03';
    const { series } = await api.answer(`timeline/comments?query=${query}`);
    assert.deepEqual(series[0].buckets, [
      { start: at(0), count: 0, of: 0, share: null },
      { start: at(1), count: 0, of: 1, share: 0 },
    ]);
  });

  it('means have their number and what is unrated; of none they are null', async () => {
    const means = async (measure: string) =>
      (await api.answer(`timeline/comments?query=solar&step=day&normalise=none&measure=${measure}`))
        .series[0];
    assert.deepEqual(await means('sentiment'), {
      ...{ query: 'solar', total_count: 3 },
      buckets: [
        { start: at(0), count: 2, mean: -0.0509, n: 2, unrated: 0 },
        { start: at(1), count: 0, mean: null, n: 0, unrated: 0 },
        { start: at(2), count: 1, mean: null, n: 0, unrated: 1 },
      ],
    });
    const [first] = (await means('score')).buckets;
    assert.deepEqual(first, { start: at(0), count: 2, mean: 1.5, n: 2, unrated: 0 });
    assert.deepEqual(Object.keys((await means('count')).buckets[0]), ['start', 'count']);
  });

  it('CSV has a row a bucket, and the columns of each query', async () => {
    const one = await api.get('timeline/comments?query=solar&step=day&format=csv');
    assert.equal(one.headers['content-type'], 'text/csv; charset=utf-8; header=present');
    assert.equal(one.body, `start,count,of,share\n${at(0)},2,2,1\n${at(1)},0,1,0\n${at(2)},1,1,1\n`);
    const excel = await api.get('timeline/comments?query=solar&step=day&format=csv-excel');
    assert.equal(excel.body, `\ufeff${one.body.replaceAll('\n', '\r\n')}`);
    const two = await api.get(
      'timeline/comments?query=solar&query=wind&step=year&normalise=none&measure=score&format=csv',
    );
    const words = `start,count_1,mean_1,n_1,unrated_1,count_2,mean_2,n_2,unrated_2\n${at(0)},3,1.3333,3,0,1,1,1,0\n`;
    assert.equal(two.body, words);
  });

  it('counts are of one view, each with its share', async () => {
    assert.deepEqual(await api.answer('counts/comments?query=solar&query=wind+/r/energy&query='), {
      ...{ type: 'counts', kind: 'comments', query: null, index: await index() },
      rows: [
        { query: 'solar', of_query: '', total_count: 3, of: 4, share: 0.75 },
        { query: 'wind,/r/energy', of_query: '/r/energy', total_count: 1, of: 2, share: 0.5 },
        { query: '', of_query: '', total_count: 4, of: 4, share: 1 },
      ],
    });
    const none = await api.answer('counts/comments?query=solar&normalise=none');
    assert.deepEqual([none.query, none.rows], ['solar', [{ query: 'solar', total_count: 3 }]]);
    const all = await api.answer('counts/comments?query=solar+/r/energy&normalise=all');
    const expected = { query: 'solar,/r/energy', of_query: '', total_count: 1, of: 4, share: 0.25 };
    assert.deepEqual(all.rows[0], expected);
  });

  it('`under` holds for the query and for what shares are of, and is echoed', async () => {
    const { under, rows } = await api.answer('counts/comments?query=solar&under=ROOF');
    assert.deepEqual([under, rows[0].total_count, rows[0].of], ['ROOF', 2, 2]);
    const timeline = await api.answer('timeline/comments?query=solar&under=roof');
    assert.deepEqual([timeline.under, timeline.series[0].total_count], ['roof', 2]);
    await api.refused('counts/posts?query=solar&under=roof', 400, 'unknown_parameter');
  });

  it('50 queries are counted, 8 have timelines; more are refused', async () => {
    const many = (count: number) => Array.from({ length: count }, () => 'query=solar').join('&');
    assert.equal((await api.answer(`counts/posts?${many(50)}`)).rows.length, 50);
    assert.equal((await api.answer(`timeline/posts?${many(8)}`)).series.length, 8);
    for (const path of [`counts/posts?${many(51)}`, `timeline/posts?${many(9)}`])
      await api.refused(path, 400, 'too_many_queries');
  });

  const refusals: readonly (readonly [path: string, code: string, position?: object])[] = [
    ['timeline/posts', 'missing_query'],
    ['timeline/posts?query=x&step=days', 'bad_value'],
    ['timeline/posts?query=x&measure=sentiment', 'bad_value'],
    ['timeline/posts?query=x&normalise=no', 'bad_value'],
    ['timeline/posts?query=x&format=parquet', 'bad_format'],
    ['timeline/posts?query=x&step=day&step=day', 'repeated_parameter'],
    ['timeline/posts?query=after:1970-01-02+before:2100-01-01&step=day', 'too_many_buckets'],
    ['timeline/posts?query=before:2020-01-01', 'open_window', { offset: 0, length: 17 }],
    ['counts/posts?query=x&query=score:y', 'bad_score', { query: 1, offset: 0, length: 7 }],
    [
      'counts/comments?query=x&query=y&under=score:y',
      'bad_score',
      { parameter: 'under', offset: 0, length: 7 },
    ],
  ];
  for (const [path, code, position] of refusals) {
    it(`${path} → ${code}`, async () => {
      const problem = await api.refused(path, 400, code);
      if (position !== undefined) assert.deepEqual(problem.position, position);
    });
  }

  it('too many buckets name the next step that fits', async () => {
    const path = 'timeline/posts?query=after:1970-01-02+before:2100-01-01&step=hour';
    const { detail } = await api.refused(path, 400, 'too_many_buckets');
    assert.match(detail, /take `week`/);
  });

  it('the time budget holds for the whole answer', async () => {
    const slow = await api.slow();
    for (const path of ['timeline/posts?query=x', 'counts/posts?query=x&query=y'])
      await api.refused(path, 503, 'query_timeout', slow);
  });

  it('an answer has a tag, which brings a 304', async () => {
    for (const format of ['json', 'csv'])
      await api.expectUnchanged(`timeline/posts?query=solar&format=${format}`);
  });

  it('what is not searched for is told', async () => {
    const response = await api.get('counts/posts?query=solar%2B%2B&query=%26+wind');
    assert.equal(response.headers['colloquy-dropped'], '%"solar++", %"&"');
  });
});
