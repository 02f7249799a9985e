// Pages of large records: 300 records of 1 MiB on one page were a 500 after twelve seconds. They end early, and say so.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_PAGE_BYTES, ORDERS, type Order } from '../../src/model/pages.ts';
import { MAX_TEXT_BYTES } from '../../src/model/record.ts';
import { comment } from '../helpers.ts';
import { Api, idsOf } from './asking.ts';
import { NEW_YEAR } from './corpus.ts';

const LARGE = 'x'.repeat(MAX_TEXT_BYTES);

interface Walked {
  readonly ids: readonly string[];
  /** Records and bytes of each page, and whether it said that it is short. */
  readonly pages: readonly { readonly records: number; readonly bytes: number; readonly isShort: boolean }[];
}

async function walk(api: Api, order: Order): Promise<Walked> {
  const ids: string[] = [];
  const pages: Walked['pages'][number][] = [];
  for await (const answer of api.pages(`search/comments?query=&limit=1000&order_by=${order}`)) {
    const { data } = answer.json();
    ids.push(...idsOf(data));
    const isShort = answer.headers['colloquy-page'] === 'short';
    pages.push({ records: data.length, bytes: answer.rawPayload.length, isShort });
  }
  return { ids, pages };
}

describe('a page of large records', () => {
  const records = (created: (i: number) => number, score: (i: number) => number) =>
    Array.from({ length: 30 }, (_, i) =>
      comment({ id: `large${100 + i}`, body: LARGE, created: created(i), score: score(i) }),
    );
  describe('of one second, each with a score of its own', () => {
    const comments = records(
      () => NEW_YEAR,
      (i) => i,
    );
    const api = new Api([], comments);
    it('a walk gives every record once, on pages of at most 8 MiB that say so', async () => {
      for (const order of ORDERS) {
        const { ids, pages } = await walk(api, order);
        assert.deepEqual(ids.toSorted(), idsOf(comments), order);
        for (const [i, { records: count, bytes, isShort }] of pages.entries()) {
          const isLast = i === pages.length - 1;
          assert.ok(bytes <= MAX_PAGE_BYTES, `${order}: ${bytes} bytes`);
          assert.deepEqual([isShort, count], isLast ? [false, 2] : [true, 7], order);
        }
      }
    });
  });

  describe('beside a tie', () => {
    const tie = records(
      () => NEW_YEAR,
      () => 5,
    ).slice(0, 12);
    const others = [9, 1].map((score) => comment({ id: `other${score}`, score, body: LARGE }));
    const api = new Api([], [...tie, ...others]);
    it('a tie of `top` that may not be split comes whole, and the pages beside it are short', async () => {
      const { ids, pages } = await walk(api, 'top');
      assert.equal(new Set(ids).size, 14);
      const told = pages.map(({ records: count, isShort }) => `${count} ${isShort}`);
      assert.deepEqual(told, ['1 true', '12 true', '1 false']);
    });
  });

  describe('of control characters', () => {
    const escaped = Array.from({ length: 4 }, (_, i) =>
      comment({ id: `escaped${i}`, created: NEW_YEAR + i, body: '\u0001'.repeat(600_000) }),
    );
    const api = new Api([], escaped);
    it('characters that JSON writes as six bytes count as six', async () => {
      const { pages } = await walk(api, 'newest');
      const counts = pages.map(({ records: count }) => count);
      assert.deepEqual(counts, [2, 2]);
      assert.ok(pages.every(({ bytes }) => bytes <= MAX_PAGE_BYTES));
    });

    it('a page that is not short does not say so', async () => {
      const { headers } = await api.get('search/comments?query=&limit=1');
      assert.equal(headers['colloquy-page'], undefined);
    });
  });
});
