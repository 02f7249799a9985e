import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment } from '../../test/helpers.ts';
import type { Community } from '../model/community.ts';
import { presentRecords } from '../search/presenter.ts';
import { printRecords } from '../search/record-printer.ts';
import type { Envelope } from '../search/search-service.ts';
import { PIECE_BYTES } from './json-pieces.ts';
import { printedPieces } from './printed-pieces.ts';

const BASE = 'https://example.org';

describe('records that came as text, with their communities', () => {
  const rows: readonly (readonly [rule: string, bodies: readonly string[], pieces: number])[] = [
    ['no record', [], 1],
    ['two', ['"data":[] "subreddit":"\u007f" \u0001 日本 😀 \ud800', '\u007f'], 1],
    ['a few small ones', ['a', 'b', 'c'], 1],
    ['large ones', Array.from({ length: 5 }, () => 'é'.repeat(PIECE_BYTES)), 4],
    ['a large one among small ones', ['a', '\u0001'.repeat(PIECE_BYTES), 'b', 'c'], 2],
    ['many', Array.from({ length: 1_000 }, () => 'x'.repeat(1_000)), 5],
  ];
  for (const [rule, bodies, count] of rows) {
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
      const nothing = { evidence: new Map(), knowledge: new Map(), permalinkBase: BASE };
      const printed = printRecords(records, undefined, { fields: null, permalinkBase: BASE });
      const communities = printed.communities.map((one): Community => ({ ...one, nsfw: false })).map(inOrder);
      const pieces = await printedPieces(envelope, { ...printed, communities });
      const expected = JSON.stringify({ ...envelope, data: presentRecords(records, nothing) });
      assert.equal(Buffer.concat(pieces).toString(), expected);
      assert.equal(pieces.length, count);
    });
  }

  it('others get their turn in between', async () => {
    let turns = 0;
    let isRunning = true;
    const count = () => {
      turns++;
      if (isRunning) setImmediate(count);
    };
    setImmediate(count);
    const records = Array.from({ length: 10 }, () => comment({ id: 'c', body: 'x'.repeat(PIECE_BYTES) }));
    const printed = printRecords(records, undefined, { fields: ['body', 'subreddit'], permalinkBase: BASE });
    const communities = [{ id: '', name: 'energy', nsfw: false }];
    await printedPieces(
      { type: 'comment', total_count: 0, data: [], query: '', sort_key: [] },
      { ...printed, communities },
    );
    isRunning = false;
    assert.ok(turns >= 9, `${turns} turns`);
  });
});

function inOrder({ id, name, nsfw }: Community): Community {
  return { id, name, nsfw };
}
