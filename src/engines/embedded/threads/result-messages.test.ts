import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, post } from '../../../../test/helpers.ts';
import type { Answer, OneAnswer } from '../../../model/engine.ts';
import type { Answering } from './answering-calls.ts';
import { resultOf, sentOf } from './result-messages.ts';

/** What comes of it behind the way to another thread. */
function sent<M extends keyof Answering>(
  method: M,
  result: ReturnType<Answering[M]>,
): ReturnType<Answering[M]> {
  return resultOf(method, structuredClone(sentOf(method, result)));
}

const PAGE = {
  records: [comment({ id: 'a' }), comment({ id: 'b' })],
  next: { second: 3, given: 'all' },
  hasMore: true,
  isShort: false,
} as const;
const EVIDENCE = new Map([
  ['energy', { id: 'abc', judgedPosts: 12, adultPosts: 3 }],
  ['solar', { id: '', judgedPosts: 0, adultPosts: 0 }],
]);

const CELL = { start: 0, count: 1, of: 4 };

describe('what a thread found, on its way to the one that asked', () => {
  const answers: readonly [name: string, answer: OneAnswer][] = [
    ['a count', { total: 3 }],
    ['a page with evidence', { total: 3, page: PAGE, evidence: EVIDENCE, arrived: [1, null] }],
    ['an empty page', { total: 0, page: { ...PAGE, records: [], next: null }, evidence: new Map() }],
    [
      'a page that is printed',
      {
        total: 1,
        page: { ...PAGE, records: [] },
        printed: {
          bytes: Uint8Array.of(1, 2),
          places: Uint32Array.of(7),
          of: Uint32Array.of(0),
          communities: [{ id: '', name: 'energy', nsfw: true }],
        },
      },
    ],
    ['a page of posts', { total: 1, page: { ...PAGE, records: [post({ id: 'p' })] } }],
    [
      'a page of a thread',
      {
        total: 3,
        page: PAGE,
        thread: {
          listed: 3,
          start: 1,
          places: [
            { depth: null, level: 0 },
            { depth: 2, level: 2 },
          ],
        },
      },
    ],
    [
      'words of samples',
      {
        total: 3,
        words: { sample: { records: 3, tokens: 9 }, words: [{ word: 'wind', count: 2, of: 0 }] },
      },
    ],
    [
      'breakdowns and a timeline',
      {
        total: 3,
        breakdowns: [
          { field: 'community', rows: [{ name: 'a', count: 2 }], distinct: 7 },
          { field: 'domain', rows: [] },
        ],
        timeline: {
          step: 'day',
          buckets: [
            { start: 0, count: 2 },
            { start: 86_400, count: 1 },
          ],
        },
      },
    ],
    [
      'rows over time',
      {
        total: 3,
        breakdowns: [
          {
            field: 'community',
            rows: [
              {
                name: 'a',
                count: 3,
                of: 9,
                sum: -2,
                rated: 3,
                by: [CELL, { ...CELL, start: 86_400, of: 2 ** 40 }],
              },
              { name: 'b', count: 0, of: 7, sum: 0, rated: 0, by: [] },
              { name: 'c', count: 1, of: 7, sum: 0, rated: 0, by: [CELL] },
            ],
          },
          { field: 'domain', rows: [{ name: 'a', count: 3, by: [{ start: -86_400, count: 3 }] }] },
          { field: 'score', rows: [{ name: 'a', count: 3, by: [CELL, { start: 86_400, count: 2 }] }] },
        ],
      },
    ],
    [
      'rows and buckets with more than a count',
      {
        total: 3,
        ofTotal: 4,
        breakdowns: [
          {
            field: 'community',
            rows: [
              { name: 'a', count: 2, of: 3, sum: 5, rated: 1 },
              { name: 'b', count: 1, by: [{ start: 0, count: 1 }] },
            ],
          },
          {
            field: 'domain',
            rows: [
              { name: 'a', count: 2 },
              { name: 'b', count: 1, of: 0 },
            ],
          },
        ],
        timeline: {
          step: 'day',
          buckets: [
            { start: 0, count: 2, of: 3, sum: 1 },
            { start: 86_400, count: 1, fingerprint: 'x' },
          ],
        },
      },
    ],
  ];

  for (const [name, one] of answers) {
    it(`${name} is the same behind it`, () => {
      const answer: Answer = { ...one, arrival: 5 };
      assert.deepEqual(sent('ask', answer), answer);
      assert.deepEqual(sent('askAll', { answers: [one, one], arrival: 5 }), {
        answers: [one, one],
        arrival: 5,
      });
    });
  }

  it('the buckets of rows over time go as numbers: objects would hold the thread that asked', () => {
    const rows = Array.from({ length: 3 }, (_, i) => ({ name: `${i}`, count: 1, by: [CELL] }));
    const message = sentOf('ask', { total: 3, arrival: 5, breakdowns: [{ field: 'community', rows }] });
    const { breakdowns } = message as { breakdowns: { rows: { cells: Float64Array } }[] };
    assert.deepEqual([...breakdowns[0]!.rows.cells], [0, 1, 4, 0, 1, 4, 0, 1, 4]);
  });

  it('records by their names, batches of a scan and plain values are the same behind it', () => {
    const named = { records: PAGE.records, evidence: EVIDENCE, arrived: [null, 2] };
    assert.deepEqual(sent('records', named), named);
    assert.deepEqual(sent('records', { records: [] }), { records: [] });
    assert.deepEqual(sent('nextBatch', PAGE.records), PAGE.records);
    assert.equal(sent('nextBatch', null), null);
    assert.equal(sent('present', 3), 3);
  });
});
