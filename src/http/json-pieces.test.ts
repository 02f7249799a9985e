import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CommentRecord } from '../search/presenter.ts';
import type { Envelope } from '../search/search-service.ts';
import { jsonPieces, PIECE_BYTES } from './json-pieces.ts';

function envelopeOf(bodies: readonly string[]): Envelope {
  const record = (body: string, i: number): CommentRecord => ({
    type: 'comment',
    id: `c${i}`,
    subreddit: { id: '', name: 'cats', nsfw: false },
    created_utc: i,
    permalink: `https://www.reddit.com/c${i}`,
    body,
    sentiment: null,
    score: 0,
  });
  return {
    type: 'comment',
    total_count: bodies.length,
    data: bodies.map(record),
    query: '"data":[]',
    sort_key: [],
  };
}

describe('an answer in pieces', () => {
  const rows: readonly (readonly [rule: string, bodies: readonly string[], pieces: number])[] = [
    ['no record', [], 1],
    ['one', ['"data":[] \u0001 日本 😀'], 1],
    ['a few small ones', ['a', 'b', 'c'], 1],
    ['large ones', Array.from({ length: 5 }, () => 'é'.repeat(PIECE_BYTES)), 6],
    ['a large one among small ones', ['a', '\u0001'.repeat(PIECE_BYTES), 'b', 'c'], 2],
    ['many', Array.from({ length: 1_000 }, () => 'x'.repeat(1_000)), 5],
  ];
  for (const [rule, bodies, count] of rows) {
    it(`${rule}: the bytes of JSON.stringify, in ${count}`, async () => {
      const envelope = envelopeOf(bodies);
      const pieces = await jsonPieces(envelope);
      assert.equal(Buffer.concat(pieces).toString(), JSON.stringify(envelope));
      assert.equal(pieces.length, count);
    });
  }

  it('many at once make one piece each time around the loop, all together', async () => {
    const large = envelopeOf(Array.from({ length: 10 }, () => 'x'.repeat(PIECE_BYTES)));
    let rounds = 0;
    let isRunning = true;
    const count = () => {
      rounds++;
      if (isRunning) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 5 }, () => jsonPieces(large)));
    isRunning = false;
    assert.ok(rounds >= 45, `${rounds} rounds`);
  });

  it('others get their turn in between', async () => {
    let turns = 0;
    const count = () => {
      turns++;
      if (isRunning) setImmediate(count);
    };
    let isRunning = true;
    setImmediate(count);
    await jsonPieces(envelopeOf(Array.from({ length: 10 }, () => 'x'.repeat(PIECE_BYTES))));
    isRunning = false;
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
