// Samples and distinctive words over HTTP: what they answer, and what they refuse.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, jsonLines, post, START_OF_2008 } from '../helpers.ts';
import { Api, idsOf } from './asking.ts';

const POSTS = [post({ id: 'p1', title: 'solar roof' }), post({ id: 'p2', title: 'wind' })];
const COMMENTS = Array.from({ length: 60 }, (_, i) =>
  comment({
    ...{ id: `c${i}`, post: i % 3 === 0 ? 'p1' : 'p2', community: i % 2 === 0 ? 'energy' : 'cats' },
    ...{ created: START_OF_2008 + i * 86_400, score: i },
    body: i % 4 === 0 ? 'solar, a "panel"\non the roof' : 'a cat on the mat',
  }),
);

describe('samples and distinctive words', () => {
  const api = new Api(POSTS, COMMENTS);

  const drawn = async (search: string) => idsOf((await api.answer(`sample/comments?${search}`)).data);
  const wordsOf = (rows: readonly { readonly word: string }[]) => rows.map(({ word }) => word);

  it('a sample begins with type, kind, query and index, and has whole records by rank', async () => {
    const { data, ...answer } = await api.answer('sample/comments?query=solar&limit=4&seed=s');
    const { comment: index } = await api.service.engine.fingerprints();
    assert.deepEqual(Object.keys(answer), ['type', 'kind', 'query', 'index', 'seed', 'total_count']);
    const expected = { type: 'sample', kind: 'comments', query: 'solar', index, seed: 's', total_count: 15 };
    assert.deepEqual(answer, expected);
    assert.equal(data.length, 4);
    const { data: found } = await api.answer('search/comments?query=solar');
    const byId = new Map(found.map((record: { id: string }) => [record.id, record]));
    for (const record of data) assert.deepEqual(record, byId.get(record.id));
    assert.equal((await api.answer('sample/comments?query=')).data.length, 60);
  });

  it('are nested, others for another seed, and of each group; `under` holds', async () => {
    const all = await drawn('query=&limit=60');
    assert.equal(new Set(all).size, 60);
    assert.deepEqual(await drawn('query=&limit=7'), all.slice(0, 7));
    assert.deepEqual(await drawn('query=&limit=7&seed=1'), all.slice(0, 7));
    assert.notDeepEqual(await drawn('query=&limit=7&seed=2'), all.slice(0, 7));
    const per = await api.answer('sample/comments?query=&limit=5&per=subreddit');
    const names = per.data.map((record: { subreddit: { name: string } }) => record.subreddit.name).sort();
    assert.deepEqual(names, [...Array(5).fill('cats'), ...Array(5).fill('energy')]);
    assert.equal(per.per, 'subreddit');
    assert.equal((await drawn('query=&limit=5&per=month')).length, 10);
    const under = await api.answer('sample/comments?query=&under=solar&limit=100');
    assert.deepEqual([under.under, under.total_count, under.data.length], ['solar', 20, 20]);
  });

  it('have the fields chosen', async () => {
    const { data } = await api.answer('sample/comments?query=solar&limit=1&fields=score,post_id,arrived_utc');
    assert.deepEqual(Object.keys(data[0]), ['score', 'post_id', 'arrived_utc']);
    assert.equal(typeof data[0].arrived_utc, 'number');
  });

  it('CSV and NDJSON have the records alone, as an export has them', async () => {
    const { data } = await api.answer('sample/comments?query=solar&limit=3');
    const ndjson = await api.get('sample/comments?query=solar&limit=3&format=ndjson');
    assert.equal(ndjson.headers['content-type'], 'application/x-ndjson');
    assert.deepEqual(jsonLines(ndjson.body), data);
    const csv = await api.get('sample/comments?query=solar&limit=3&format=csv&fields=id,body');
    assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8; header=present');
    const rows = data.map(({ id }: { id: string }) => `${id},"solar, a ""panel""\non the roof"\n`);
    assert.equal(csv.body, `id,body\n${rows.join('')}`);
    const excel = await api.get('sample/comments?query=solar&limit=3&format=csv-excel&fields=id,body');
    const excelRows = rows.map((row: string) => row.replace(/\n$/, '\r\n'));
    assert.equal(excel.body, `\ufeffid,body\r\n${excelRows.join('')}`);
    assert.equal(excel.headers['colloquy-cut-cells'], '0');
    const whole = await api.get('sample/posts?query=none&format=csv');
    assert.match(whole.body, /^type,id,subreddit\.id,[^\n]*\n$/);
  });

  it('an answer has a tag, which brings a 304', async () => {
    await api.expectUnchanged('sample/comments?query=&limit=3');
  });

  it('are refused where a value is none', async () => {
    const codes = [
      ['sample/comments?query=&limit=0', 'bad_limit'],
      ['sample/comments?query=&limit=10001', 'bad_limit'],
      [`sample/comments?query=&seed=${'x'.repeat(65)}`, 'bad_value'],
      ['sample/comments?query=&per=day', 'bad_value'],
      ['sample/comments?query=&format=parquet', 'bad_format'],
      ['sample/comments?query=&fields=title', 'bad_fields'],
      ['sample/comments?query=before:2020-01-01', 'open_window'],
      ['sample/posts?query=&under=x', 'unknown_parameter'],
      ['sample/posts', 'missing_query'],
      ['words/comments?query=solar&limit=9', 'bad_limit'],
      ['words/comments?query=solar&sample=20001', 'bad_value'],
    ] as const;
    for (const [path, code] of codes) await api.refused(path, 400, code);
    await api.answer(`sample/comments?query=&seed=${encodeURIComponent('🌱'.repeat(64))}`);
  });

  it('words are those of two samples, each with its z and its rates', async () => {
    const answer = await api.answer('words/comments?query=solar');
    assert.deepEqual(Object.keys(answer), [
      ...['type', 'kind', 'query', 'index', 'against', 'sampled', 'sampled_against', 'rows', 'rows_against'],
    ]);
    const { sampled, sampled_against, rows, rows_against, against } = answer;
    assert.equal(against, '');
    assert.deepEqual(sampled, { n: 15, of: 15, tokens: 90 });
    assert.deepEqual(sampled_against, { n: 60, of: 60, tokens: 90 + 45 * 5 });
    assert.deepEqual(wordsOf(rows), ['panel', 'roof', 'solar']);
    const { z, ...first } = rows[0];
    // By another implementation, in Python.
    assert.ok(Math.abs(z - 1.92329) < 1e-6, `${z}`);
    assert.deepEqual(first, {
      ...{ word: 'panel', count: 15, rate: 0.166667, count_against: 15, rate_against: 0.047619 },
    });
    assert.deepEqual(wordsOf(rows_against), ['cat', 'mat']);
    const turned = await api.answer('words/comments?query=after:1970-01-01&against=solar');
    assert.deepEqual(wordsOf(turned.rows_against), wordsOf(rows));
    assert.equal(turned.rows_against[0].z, -z);
  });

  it('words of what nothing matches are none, with rates of nothing', async () => {
    const { sampled, rows, rows_against } = await api.answer('words/comments?query=none');
    assert.deepEqual([sampled, rows, rows_against], [{ n: 0, of: 0, tokens: 0 }, [], []]);
  });

  it('a fault in `against` says so, with its place', async () => {
    const fault = await api.refused('words/comments?query=solar&against=score:x', 400, 'bad_score');
    assert.deepEqual(fault.position, { parameter: 'against', offset: 0, length: 7 });
    assert.match(fault.detail, /^parameter `against`: /);
  });
});
