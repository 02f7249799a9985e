import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, turnsWhile } from '../../../test/helpers.ts';
import { type CommunityKnowledge, withKnowledge } from '../../model/community.ts';
import { csvLines } from '../../search/asking.ts';
import { type CommentRecord, presentRecords, printRecords } from '../../search/presenter.ts';
import type { Envelope } from '../../search/search-service.ts';
import { inPieces, jsonPieces, PIECE_BYTES, printedPieces } from './representation.ts';

function envelopeOf(bodies: readonly string[]): Envelope {
  const record = (body: string, i: number): CommentRecord => ({
    ...{ type: 'comment', id: `c${i}`, subreddit: { id: '', name: 'cats', nsfw: false }, created_utc: i },
    ...{ permalink: `https://www.reddit.com/c${i}`, body, sentiment: null, score: 0 },
  });
  const data = bodies.map(record);
  return { type: 'comment', total_count: bodies.length, data, query: '"data":[]', sort_key: [] };
}

const HOSTILE = ['"data":[] "subreddit":{"id":"" \u0001 日本 😀 \ud800', '\\"subreddit":{'];

/** Bodies of records, and in how many pieces they go: as records, and as text with their communities. */
const BODIES: readonly (readonly [
  rule: string,
  bodies: readonly string[],
  pieces: number,
  printed: number,
])[] = [
  ['no record', [], 1, 1],
  ['two', HOSTILE, 1, 1],
  ['a few small ones', ['a', 'b', 'c'], 1, 1],
  ['large ones', Array.from({ length: 5 }, () => 'é'.repeat(PIECE_BYTES)), 6, 11],
  ['a large one among small ones', ['a', '\u0001'.repeat(PIECE_BYTES), 'b', 'c'], 2, 7],
  ['many', Array.from({ length: 1_000 }, () => 'x'.repeat(1_000)), 5, 5],
];

describe('an answer in pieces', () => {
  for (const [rule, bodies, count] of BODIES) {
    it(`${rule}: the bytes of JSON.stringify, in ${count}`, async () => {
      const envelope = envelopeOf(bodies);
      const pieces = await jsonPieces(envelope);
      assert.equal(Buffer.concat(pieces).toString(), JSON.stringify(envelope));
      assert.equal(pieces.length, count);
    });
  }

  it('many at once make one piece each time around the loop, all together', async () => {
    const large = envelopeOf(Array.from({ length: 10 }, () => 'x'.repeat(PIECE_BYTES)));
    const turns = await turnsWhile(() => Promise.all(Array.from({ length: 5 }, () => jsonPieces(large))));
    assert.ok(turns >= 45, `${turns} turns`);
  });

  it('others get their turn in between', async () => {
    const large = envelopeOf(Array.from({ length: 10 }, () => 'x'.repeat(PIECE_BYTES)));
    const turns = await turnsWhile(() => jsonPieces(large));
    assert.ok(turns >= 9, `${turns} turns`);
  });
});

describe('a value in pieces', () => {
  const list = Array.from({ length: 5_000 }, (_, i) => ({ start: i, text: 'x'.repeat(100), none: null }));
  const rows: readonly (readonly [rule: string, value: object, pieces: number])[] = [
    ['no list', { type: 'a', index: { fingerprint: 'é', records: 7 }, left: undefined }, 1],
    ['an empty list', { data: [] }, 1],
    ['a long list', { type: 'a', data: list }, 3],
    ['lists two levels down were one piece', { kinds: { posts: list, comments: list }, none: null }, 5],
    ['and three', { kinds: { posts: { days: list, of: { cells: [[1], []] } } } }, 3],
    ['in the rows of a list', { data: [{ by: { day: list } }, { by: { day: list } }] }, 5],
    ['nothing in a list', { data: [undefined, ...list, undefined] }, 3],
  ];
  for (const [rule, value, count] of rows) {
    it(`${rule}: the bytes of JSON.stringify, in ${count}`, async () => {
      const pieces = await jsonPieces(value);
      assert.equal(Buffer.concat(pieces).toString(), JSON.stringify(value));
      assert.equal(pieces.length, count);
    });
  }
});

const BASE = 'https://example.org';

describe('records that came as text, with their communities', () => {
  for (const [rule, bodies, , count] of BODIES) {
    it(`${rule}: the bytes of JSON.stringify, in ${count}`, async () => {
      const records = bodies.map((body, i) =>
        comment({
          id: `c${i}`,
          body,
          community: `sub${i % 3}`,
          communityId: i % 2 === 0 ? '' : `id${i % 4}`,
        }),
      );
      const envelope: Envelope = {
        ...{ type: 'comment', total_count: bodies.length, data: [], query: '"data":[]', sort_key: [[7]] },
      };
      const shown = { id: 'shown', judgedPosts: 10, adultPosts: 10 };
      const evidence = new Map([['sub1', shown]]);
      const said: CommunityKnowledge = { operator: null, record: null, dump: true, id: 'é' };
      for (const knowledge of [new Map(), new Map([['sub2', said]])]) {
        const printed = printRecords({ records, evidence }, { fields: null, permalinkBase: BASE });
        const known = printed.communities.map((one) =>
          knowledge.has(one.name) ? withKnowledge(one, knowledge.get(one.name)) : null,
        );
        const pieces = await printedPieces(envelope, { ...printed, known });
        const surroundings = { evidence, knowledge, permalinkBase: BASE };
        const expected = JSON.stringify({ ...envelope, data: presentRecords(records, surroundings) });
        assert.equal(Buffer.concat(pieces).toString(), expected);
        assert.equal(pieces.length, count);
        assert.ok(pieces.every(({ length }) => length < 2 * PIECE_BYTES));
      }
    });
  }

  it('others get their turn in between', async () => {
    const records = Array.from({ length: 10 }, () => comment({ id: 'c', body: 'x'.repeat(PIECE_BYTES) }));
    const printed = printRecords({ records }, { fields: ['body', 'subreddit'], permalinkBase: BASE });
    const envelope: Envelope = { type: 'comment', total_count: 0, data: [], query: '', sort_key: [] };
    const turns = await turnsWhile(() => printedPieces(envelope, { ...printed, known: [null] }));
    assert.ok(turns >= 9, `${turns} turns`);
  });
});

it('a long table of CSV is made in pieces, not all at once', async () => {
  const columns = ['name', 'count', 'share'];
  const rows = Array.from({ length: 50_000 }, (_, i) => [`a "name", ${i}`, i, i % 7 === 0 ? null : 0.5]);
  const pieces = await inPieces(csvLines({ columns, rows }, 'csv'));
  const text = [...csvLines({ columns, rows })].join('');
  assert.equal(pieces.length, Math.ceil(text.length / PIECE_BYTES));
  assert.equal(Buffer.concat(pieces).toString(), text);
});
