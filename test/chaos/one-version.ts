// Is an answer from one version of the index? A corpus that tells: batches of one shape, each written as a whole, of
// which every second one replaces the one before in part; and what must agree inside of an answer and of a walk.

import assert from 'node:assert/strict';
import type { Answer, SearchEngine } from '../../src/model/engine.ts';
import type { Order, PageRequest, TimePosition } from '../../src/model/pages.ts';
import type { Query } from '../../src/model/query.ts';
import type { StoredComment, StoredRecord } from '../../src/model/record.ts';
import { comment } from '../helpers.ts';
import { comparator } from '../reference/order.ts';

const COMMUNITIES = ['energy', 'solar', 'wind', 'grid'];
/** Each community and each remainder has as many of them. */
export const BATCH_RECORDS = 240;
const WORDS = ['solar', 'panel', 'roof'];

/** Every odd batch writes the records of the one before anew, with other scores, and adds none. */
export function versionedBatch(number: number): StoredComment[] {
  const of = number - (number % 2);
  return Array.from({ length: BATCH_RECORDS }, (_, i) =>
    comment({
      id: (of * BATCH_RECORDS + i).toString(36),
      // Spread over all of time, so that pages are walked through what comes in; many share a second.
      created: 1_600_000_000 + ((i * 7_919 + of) % 500) * 3_600,
      community: COMMUNITIES[i % COMMUNITIES.length]!,
      score: number % 2 === 0 ? 1 : 1 + (i % 5),
      retrieved: number + 1,
      body: `${WORDS[i % WORDS.length]} everything number${of}`,
    }),
  );
}

const EVERYTHING: Query = {
  items: [
    { kind: 'words', words: [{ kind: 'term', token: 'everything', typed: 'everything' }], negated: false },
  ],
};
const ALL = 100_000;

/** Asks for everything at once, and holds the parts of the answer against each other. Returns how many matched. */
export async function checkAnswer(engine: SearchEngine, order: Order): Promise<number> {
  await engine.refresh();
  const answer = await engine.ask({
    kind: 'comment',
    query: EVERYTHING,
    page: { order, limit: ALL, after: null },
    breakdowns: [{ field: 'community', size: 100 }],
    timeline: {},
  });
  const records = answer.page!.records;
  checkParts(answer);
  assert.equal(records.length, answer.total, 'the page holds all that is counted');
  checkOrder(records, order);
  const editions = new Map<string, Set<number>>();
  for (const { retrieved, ...record } of records) {
    const batch = (record as StoredComment).body.split(' ').at(-1)!;
    editions.set(batch, (editions.get(batch) ?? new Set()).add(retrieved));
  }
  for (const [batch, seen] of editions) assert.equal(seen.size, 1, `${batch} is there in one edition`);
  return answer.total;
}

/** Walks all pages while records come in; each page may be of another version, but nothing is given twice or lost. */
export async function checkWalk(
  engine: SearchEngine,
  order: 'newest' | 'oldest',
  limit: number,
): Promise<number> {
  await engine.refresh();
  const known = await idsOf(engine);
  const walked: StoredRecord[] = [];
  const cursorSeconds = new Set<number>();
  let page: PageRequest = { order, limit, after: null };
  for (let total = 0; ; ) {
    await engine.refresh();
    const answer = await engine.ask({
      kind: 'comment',
      query: EVERYTHING,
      page,
      breakdowns: [{ field: 'community', size: 100 }],
      timeline: {},
    });
    checkParts(answer);
    assert.ok(answer.total >= total, 'nothing is taken out meanwhile');
    total = answer.total;
    const { records, next } = answer.page!;
    walked.push(...records);
    if (next === null) break;
    const after = next as TimePosition;
    cursorSeconds.add(after.second);
    page = { order, limit, after };
  }
  // Only in the second of a cursor may what comes in shift what is given.
  const steady = walked.filter(({ created }) => !cursorSeconds.has(created));
  checkOrder(steady, order);
  const ids = new Set(walked.map(({ id }) => id));
  const lost = [...known].filter(([id, created]) => !ids.has(id) && !cursorSeconds.has(created));
  assert.deepEqual(lost, [], 'what was there at the beginning is given');
  return walked.length;
}

async function idsOf(engine: SearchEngine): Promise<Map<string, number>> {
  const page: PageRequest = { order: 'newest', limit: ALL, after: null };
  const { page: found } = await engine.ask({ kind: 'comment', query: EVERYTHING, page });
  return new Map(found!.records.map(({ id, created }) => [id, created]));
}

/** Count, breakdown and timeline are of whole batches, and of the same. */
function checkParts({ total, breakdowns, timeline }: Answer): void {
  assert.equal(total % BATCH_RECORDS, 0, `${total} are whole batches`);
  const { rows } = breakdowns![0]!;
  for (const { name, count } of rows) assert.equal(count, total / COMMUNITIES.length, `share of ${name}`);
  assert.equal(rows.length, total === 0 ? 0 : COMMUNITIES.length);
  const inBuckets = timeline!.buckets.reduce((sum, { count }) => sum + count, 0);
  assert.equal(inBuckets, total, 'the timeline adds up to the count');
}

/** Strictly: nothing twice. */
function checkOrder(records: readonly StoredRecord[], order: Order): void {
  const compare = comparator(order);
  for (let i = 1; i < records.length; i++) {
    assert.ok(compare(records[i - 1]!, records[i]!) < 0, `${records[i - 1]!.id} before ${records[i]!.id}`);
  }
}
