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
  const [message] = sentOf(method, result);
  return resultOf(method, structuredClone(message)) as ReturnType<Answering[M]>;
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

const [FIRST, SECOND] = [0, 86_400];
const CELL = { start: FIRST, count: 1, of: 4 };

/** Rows, buckets and places with and without what may be absent. */
const PLACES = [
  { depth: null, level: 0 },
  { depth: 2, level: 2 },
];
const PRINTED = {
  ...{ bytes: Uint8Array.of(1, 2), places: Uint32Array.of(7), of: Uint32Array.of(0) },
  communities: [{ id: '', name: 'energy', nsfw: true }],
};
const WORDS = { sample: { records: 3, tokens: 9 }, words: [{ word: 'wind', count: 2, of: 0 }] };
const BUCKETS = [
  { start: FIRST, count: 2, of: 3, sum: 1 },
  { start: SECOND, count: 1, fingerprint: 'x' },
];
const BY_TIME = [
  {
    ...{ name: 'a', count: 3, of: 9, sum: -2, rated: 3 },
    by: [CELL, { ...CELL, start: SECOND, of: 2 ** 40 }],
  },
  { name: 'b', count: 0, of: 7, sum: 0, rated: 0, by: [] },
  { name: 'c', count: 1, of: 7, sum: 0, rated: 0, by: [CELL] },
];
const WITH_SUMS = [
  { name: 'a', count: 2, of: 3, sum: 5, rated: 1 },
  { name: 'b', count: 1, by: [{ start: FIRST, count: 1 }] },
];
const WITH_SHARE = [
  { name: 'a', count: 2 },
  { name: 'b', count: 1, of: 0 },
];

describe('what a thread found, on its way to the one that asked', () => {
  const row = { name: 'a', count: 3 };
  const answers: Readonly<Record<string, Omit<OneAnswer, 'total'>>> = {
    'a count': {},
    'a page with evidence': { page: PAGE, evidence: EVIDENCE, arrived: [1, null] },
    'an empty page': { page: { ...PAGE, records: [], next: null }, evidence: new Map() },
    'a page that is printed': { page: { ...PAGE, records: [] }, printed: PRINTED },
    'a page of posts': { page: { ...PAGE, records: [post({ id: 'p' })] } },
    'a page of a thread': { page: PAGE, thread: { listed: 3, start: 1, places: PLACES } },
    'words of samples': { words: WORDS },
    'breakdowns and a timeline': {
      breakdowns: [
        { field: 'community', rows: [row], distinct: 7 },
        { field: 'domain', rows: [] },
      ],
      timeline: { step: 'day', buckets: [FIRST, SECOND].map((start) => ({ start, count: 2 })) },
    },
    'rows over time': {
      breakdowns: [
        { field: 'community', rows: BY_TIME },
        { field: 'domain', rows: [{ ...row, by: [{ start: -SECOND, count: 3 }] }] },
        { field: 'score', rows: [{ ...row, by: [CELL, { start: SECOND, count: 2 }] }] },
      ],
    },
    'rows and buckets with more than a count': {
      ofTotal: 4,
      breakdowns: [
        { field: 'community', rows: WITH_SUMS },
        { field: 'domain', rows: WITH_SHARE },
      ],
      timeline: { step: 'day', buckets: BUCKETS },
    },
  };

  for (const [name, found] of Object.entries(answers)) {
    it(`${name} is the same behind it`, () => {
      const one: OneAnswer = { total: 3, ...found };
      const answer: Answer = { ...one, arrival: 5 };
      assert.deepEqual(sent('ask', answer), answer);
      const all = { answers: [one, one], arrival: 5 };
      assert.deepEqual(sent('askAll', all), all);
    });
  }

  it('the buckets of rows over time go as numbers: objects would hold the thread that asked', () => {
    const rows = Array.from({ length: 3 }, (_, i) => ({ name: `${i}`, count: 1, by: [CELL] }));
    const [message] = sentOf('ask', { total: 3, arrival: 5, breakdowns: [{ field: 'community', rows }] });
    const { cells } = message as { cells: { numbers: Float64Array }[] };
    assert.deepEqual([...cells[0]!.numbers], [0, 1, 4, 0, 1, 4, 0, 1, 4]);
  });

  it('records by their names, batches of a scan and plain values are the same behind it', () => {
    const named = { records: PAGE.records, evidence: EVIDENCE, arrived: [null, 2] };
    assert.deepEqual(sent('records', named), named);
    assert.deepEqual(sent('records', { records: [] }), { records: [] });
    assert.deepEqual(sent('nextBatch', PAGE.records), PAGE.records);
    assert.equal(sent('nextBatch', null), null);
    assert.equal(sent('communityCount', 3), 3);
  });
});
