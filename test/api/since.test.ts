// `since` and the header `Colloquy-Arrival` over the whole way.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { comment } from '../helpers.ts';
import { Api, idsOf, nextOf } from './asking.ts';

const OLD = Array.from({ length: 5 }, (_, i) => comment({ id: `a${i}`, body: 'solar', created: 1_000 + i }));
const NEW = Array.from({ length: 7 }, (_, i) => comment({ id: `b${i}`, body: 'solar', created: 2_000 + i }));
const SEARCH = 'search/comments?query=solar';
const PATHS = [
  SEARCH,
  ...['counts', 'timeline', 'sample', 'export'].map((name) => `${name}/comments?query=solar`),
];

describe('since', () => {
  const api = new Api([], OLD);
  let arrival: string;
  const arrivalNow = async () => String((await api.get(SEARCH)).headers['colloquy-arrival']);

  before(async () => {
    arrival = await arrivalNow();
    await api.service.engine.index('comment', packRecords(NEW));
  });

  it('each answer tells how far it goes, and with since counts what came in behind that', async () => {
    assert.match(arrival, /^\d+$/);
    const now = await arrivalNow();
    assert.ok(Number(now) > Number(arrival));
    for (const path of PATHS) {
      for (const [since, expected] of [
        ['0', 12],
        [arrival, 7],
        [now, 0],
      ]) {
        const { statusCode, headers, body } = await api.get(`${path}&since=${since}`);
        assert.equal(statusCode, 200, body);
        assert.equal(headers['colloquy-arrival'], now, path);
        const told = headers['colloquy-matches'] ?? /"total_count":(\d+)/.exec(body)![1];
        assert.equal(Number(told), expected, `${path} ${since}`);
      }
    }
  });

  it('shares are of what came in then too', async () => {
    const { rows } = await api.answer(`counts/comments?query=solar&since=${arrival}`);
    assert.deepEqual([rows[0].total_count, rows[0].of, rows[0].share], [7, 7, 1]);
  });

  it('the next page has the same since: each match comes once', async () => {
    const ids: string[] = [];
    for await (const answer of api.pages(`${SEARCH}&since=${arrival}&limit=2&order_by=oldest`)) {
      ids.push(...idsOf(answer.json().data));
      const next = nextOf(answer);
      if (next !== null) assert.match(next, new RegExp(`[?&]since=${arrival}(&|$)`));
    }
    assert.deepEqual(ids, idsOf(NEW));
  });

  it('a 304 tells how far the answer goes', async () => {
    const path = `${SEARCH}&since=${arrival}`;
    const { headers } = await api.get(path);
    const again = await api.get(path, { 'if-none-match': String(headers.etag) });
    const told = [again.statusCode, again.headers['colloquy-arrival']];
    assert.deepEqual(told, [304, headers['colloquy-arrival']]);
  });

  it('an export with since has no ETag: what comes in again as it was changes no fingerprint', async () => {
    const tagOf = async (more: string) => (await api.get(`export/comments?query=solar${more}`)).headers.etag;
    assert.ok(await tagOf(''));
    assert.equal(await tagOf(`&since=${arrival}`), undefined);
    assert.ok(await tagOf('&since=0'));
  });

  it('a bad since is bad_value', async () => {
    for (const path of PATHS) {
      for (const bad of ['-1', 'x', '1.5', '', '1000000000', '+1']) {
        const { detail } = await api.refused(`${path}&since=${encodeURIComponent(bad)}`, 400, 'bad_value');
        assert.match(detail, /`since`: expected a whole number from 0 to 999999999, found/);
      }
    }
  });
});
