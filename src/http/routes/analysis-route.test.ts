import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvText } from '../../analysis/asking.ts';
import { PIECE_BYTES } from '../answers/json-pieces.ts';
import { CSV_TYPE } from '../answers/representation.ts';
import { inTable, wholeAnswer } from './analysis-route.ts';

describe('an analysis as CSV', () => {
  it('that is long is made in pieces, not all at once', async () => {
    const columns = ['name', 'count', 'share'];
    const rows = Array.from({ length: 50_000 }, (_, i) => [`a "name", ${i}`, i, i % 7 === 0 ? null : 0.5]);
    const answer = { type: 'breakdown', kind: 'posts', query: 'sun', index: null } as const;
    const { body, type } = await wholeAnswer({ answer, ...inTable('csv', () => ({ columns, rows })) });
    assert.equal(type, CSV_TYPE);
    assert.ok(Array.isArray(body));
    const text = csvText({ columns, rows });
    assert.equal(body.length, Math.ceil(text.length / PIECE_BYTES));
    assert.equal(Buffer.concat(body).toString(), text);
  });
});
