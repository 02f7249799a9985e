// Pages of large records: 300 records of 1 MiB on one page were a 500 after twelve seconds. They end early, and say so.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { MAX_PAGE_BYTES, ORDERS, type Order } from '../../src/model/pages.ts';
import { MAX_TEXT_BYTES, type StoredComment } from '../../src/model/record.ts';
import { comment } from '../helpers.ts';
import { NEW_YEAR } from './corpus.ts';
import { openService, type Service } from './service.ts';

const LARGE = 'x'.repeat(MAX_TEXT_BYTES);

interface Walked {
  readonly ids: readonly string[];
  /** Records and bytes of each page, and whether it said that it is short. */
  readonly pages: readonly { readonly records: number; readonly bytes: number; readonly isShort: boolean }[];
}

async function walk(server: FastifyInstance, { keys }: Service, order: Order): Promise<Walked> {
  const ids: string[] = [];
  const pages: Walked['pages'][number][] = [];
  let url: string | undefined = `/api/v1/search/comments?query=&limit=1000&order_by=${order}`;
  while (url !== undefined) {
    const answer: LightMyRequestResponse = await server.inject({
      url,
      headers: { authorization: `Bearer ${keys.good}` },
    });
    assert.equal(answer.statusCode, 200, answer.body.slice(0, 300));
    const { data } = answer.json();
    ids.push(...data.map(({ id }: { id: string }) => id));
    const isShort = answer.headers['colloquy-page'] === 'short';
    pages.push({ records: data.length, bytes: answer.rawPayload.length, isShort });
    url = /^<([^>]*)>/.exec(String(answer.headers.link ?? ''))?.[1];
  }
  return { ids, pages };
}

async function withServer(
  comments: readonly StoredComment[],
  test: (server: FastifyInstance, service: Service) => Promise<void>,
): Promise<void> {
  await using service = await openService([], comments);
  await test(await service.build(), service);
}

describe('a page of large records', () => {
  const records = (created: (i: number) => number, score: (i: number) => number) =>
    Array.from({ length: 30 }, (_, i) =>
      comment({ id: `large${100 + i}`, body: LARGE, created: created(i), score: score(i) }),
    );
  const corpora: readonly (readonly [rule: string, comments: readonly StoredComment[]])[] = [
    [
      'of one second, each with a score of its own',
      records(
        () => NEW_YEAR,
        (i) => i,
      ),
    ],
    [
      'of many seconds and one score',
      records(
        (i) => NEW_YEAR + i,
        () => 1,
      ),
    ],
  ];
  for (const [rule, comments] of corpora) {
    it(`${rule}: a walk gives every record once, on pages of at most 8 MiB that say so`, () =>
      withServer(comments, async (server, service) => {
        for (const order of ORDERS) {
          const { ids, pages } = await walk(server, service, order);
          assert.equal(new Set(ids).size, comments.length, order);
          assert.equal(ids.length, comments.length, order);
          for (const [i, { records: count, bytes, isShort }] of pages.entries()) {
            assert.ok(bytes <= MAX_PAGE_BYTES, `${order}: ${bytes} bytes`);
            assert.equal(isShort, i < pages.length - 1, order);
            assert.equal(count, i < pages.length - 1 ? 7 : 2, order);
          }
        }
      }));
  }

  it('a tie of `top` that may not be split comes whole, and the pages beside it are short', () => {
    const tie = records(
      () => NEW_YEAR,
      () => 5,
    ).slice(0, 12);
    const others = [9, 1].map((score) => comment({ id: `other${score}`, score, body: LARGE }));
    return withServer([...tie, ...others], async (server, service) => {
      const { ids, pages } = await walk(server, service, 'top');
      assert.equal(new Set(ids).size, 14);
      assert.deepEqual(
        pages.map(({ records: count, isShort }) => [count, isShort]),
        [
          [1, true],
          [12, true],
          [1, false],
        ],
      );
    });
  });

  it('characters that JSON writes as six bytes count as six', () => {
    const escaped = Array.from({ length: 4 }, (_, i) =>
      comment({ id: `escaped${i}`, created: NEW_YEAR + i, body: '\u0001'.repeat(600_000) }),
    );
    return withServer(escaped, async (server, service) => {
      const { pages } = await walk(server, service, 'newest');
      assert.deepEqual(
        pages.map(({ records: count }) => count),
        [2, 2],
      );
      assert.ok(pages.every(({ bytes }) => bytes <= MAX_PAGE_BYTES));
    });
  });

  it('a page that is not short does not say so', () =>
    withServer([comment({ id: 'a' }), comment({ id: 'b' })], async (server, service) => {
      const url = '/api/v1/search/comments?query=&limit=1';
      const headers = { authorization: `Bearer ${service.keys.good}` };
      assert.equal((await server.inject({ url, headers })).headers['colloquy-page'], undefined);
    }));
});
