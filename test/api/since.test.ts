// `since` and the header `Colloquy-Arrival` over the whole way.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { packRecords } from '../../src/packing/packed-records.ts';
import { comment } from '../helpers.ts';
import { openService, type Service } from './service.ts';

const OLD = Array.from({ length: 5 }, (_, i) => comment({ id: `a${i}`, body: 'solar', created: 1_000 + i }));
const NEW = Array.from({ length: 7 }, (_, i) => comment({ id: `b${i}`, body: 'solar', created: 2_000 + i }));
const PATHS = [
  ...['search', 'counts', 'timeline', 'sample', 'export'].map(
    (name) => `/api/v1/${name}/comments?query=solar`,
  ),
];

describe('since', () => {
  let service: Service;
  let server: FastifyInstance;
  let arrival: string;

  const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    server.inject({ url, headers: { authorization: `Bearer ${service.keys.good}`, ...headers } });
  const arrivalOf = async (url: string) => String((await get(url)).headers['colloquy-arrival']);

  before(async () => {
    service = await openService([], OLD);
    server = await service.build();
    arrival = await arrivalOf(PATHS[0]!);
    await service.engine.index('comment', packRecords(NEW));
  });
  after(() => service[Symbol.asyncDispose]());

  it('each answer tells how far it goes, and with since counts what came in behind that', async () => {
    assert.match(arrival, /^\d+$/);
    const now = await arrivalOf(PATHS[0]!);
    assert.ok(Number(now) > Number(arrival));
    const totals = new Map<string, (body: string, matches: unknown) => unknown>([
      ['search', (body) => JSON.parse(body).total_count],
      ['counts', (body) => JSON.parse(body).counts[0].total_count],
      ['timeline', (body) => JSON.parse(body).series[0].total_count],
      ['sample', (body) => JSON.parse(body).total_count],
      ['export', (_, matches) => Number(matches)],
    ]);
    for (const path of PATHS) {
      const read = totals.get(path.split('/')[3]!)!;
      for (const [since, expected] of [
        ['0', 12],
        [arrival, 7],
        [now, 0],
      ]) {
        const answer = await get(`${path}&since=${since}`);
        assert.equal(answer.statusCode, 200, answer.body);
        assert.equal(answer.headers['colloquy-arrival'], now, path);
        assert.equal(read(answer.body, answer.headers['colloquy-matches']), expected, `${path} ${since}`);
      }
    }
  });

  it('shares are of what came in then too', async () => {
    const { counts } = (await get(`/api/v1/counts/comments?query=solar&since=${arrival}`)).json();
    assert.deepEqual([counts[0].total_count, counts[0].of, counts[0].share], [7, 7, 1]);
  });

  it('the next page has the same since: each match comes once', async () => {
    const ids: string[] = [];
    let url: string | undefined = `${PATHS[0]}&since=${arrival}&limit=2&order_by=oldest`;
    while (url !== undefined) {
      const answer = await get(url);
      ids.push(...answer.json().data.map(({ id }: { id: string }) => id));
      url = /^<([^>]*)>; rel="next"$/.exec(String(answer.headers.link))?.[1];
      if (url !== undefined) assert.match(url, new RegExp(`[?&]since=${arrival}(&|$)`));
    }
    assert.deepEqual(
      ids,
      NEW.map(({ id }) => id),
    );
  });

  it('a 304 tells how far the answer goes', async () => {
    const url = `${PATHS[0]}&since=${arrival}`;
    const { headers } = await get(url);
    const again = await get(url, { 'if-none-match': String(headers.etag) });
    assert.deepEqual(
      [again.statusCode, again.headers['colloquy-arrival']],
      [304, headers['colloquy-arrival']],
    );
  });

  it('an export with since has no ETag: what comes in again as it was changes no fingerprint', async () => {
    const export_ = PATHS[4]!;
    assert.ok((await get(export_)).headers.etag);
    assert.equal((await get(`${export_}&since=${arrival}`)).headers.etag, undefined);
    assert.ok((await get(`${export_}&since=0`)).headers.etag);
  });

  it('a bad since is bad_value', async () => {
    for (const path of PATHS) {
      for (const bad of ['-1', 'x', '1.5', '', '1000000000', '+1']) {
        const answer = await get(`${path}&since=${encodeURIComponent(bad)}`);
        const { code, detail } = answer.json();
        assert.deepEqual([answer.statusCode, code], [400, 'bad_value'], `${path} ${bad}`);
        assert.match(detail, /`since`: expected a whole number from 0 to 999999999, found/);
      }
    }
  });

  it('arrived: is no operator', async () => {
    assert.equal((await get('/api/v1/search/comments?query=arrived:5')).json().code, 'reserved_operator');
  });
});
