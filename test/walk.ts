// A walk over every page, as a caller does it: with the cursor of each answer, until a page is empty or all is there.

import assert from 'node:assert/strict';
import type { SearchEngine } from '../src/model/engine.ts';
import { ORDERS, type Order } from '../src/model/pages.ts';
import { SearchService } from '../src/search/search-service.ts';
import { comment, START_OF_2008 } from './helpers.ts';

/** All of one second and one score: nothing but the id tells them apart. */
export const TIED_RECORDS = Array.from({ length: 5_000 }, (_, i) =>
  comment({ id: (46_656 + i * 7).toString(36), created: START_OF_2008, score: 3, body: `tied ${i % 10}` }),
);

const SETTINGS = {
  impliedWindow: '1d',
  permalinkBase: 'https://example.org',
  queryTimeoutMs: 60_000,
} as const;

export function serviceOf(engine: SearchEngine): SearchService {
  return new SearchService(engine, { knowledgeOf: () => new Map() }, SETTINGS);
}

/**
 * Walks TIED_RECORDS in each order with each limit. Fails where a record is lost or given twice, where the order or
 * a total is wrong. Returns how many pages it took.
 */
export async function walkTied(search: SearchService, limits: readonly number[]): Promise<number> {
  let pages = 0;
  for (const order of ORDERS) {
    const expected = TIED_RECORDS.map((record) => record.id);
    if (order !== 'oldest') expected.reverse();
    for (const limit of limits) {
      const walked = await walk(search, order, limit);
      pages += walked.pages;
      assert.deepEqual(walked.ids, expected, `${order}, limit ${limit}`);
    }
  }
  return pages;
}

async function walk(
  search: SearchService,
  order: Order,
  limit: number,
): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  let after: string | null = null;
  for (let pages = 1; ; pages++) {
    const { envelope } = await search.search({ kind: 'comment', query: 'tied', order, limit, after });
    assert.equal(envelope.total_count, TIED_RECORDS.length);
    ids.push(...envelope.data.map((record) => String(record.id)));
    const cursor = envelope.sort_key[0]?.[0];
    if (cursor === undefined) return { ids, pages };
    after = String(cursor);
  }
}
