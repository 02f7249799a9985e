import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordArbitrary } from '../../../test/generators/records.ts';
import { comment, post } from '../../../test/helpers.ts';
import { KINDS, type Lent, type StoredRecord } from '../../model/record.ts';
import { flatRecords, recordsOfFlat } from './flat-records.ts';

describe('records as a list of values', () => {
  it('are the same records in the same order, behind a structured clone too', () => {
    const records = fc.oneof(...KINDS.map((kind) => fc.array(recordArbitrary(kind), { maxLength: 5 })));
    const behind = (given: readonly StoredRecord[]) => recordsOfFlat(structuredClone(flatRecords(given)));
    fc.assert(fc.property(records, (given) => assert.deepEqual(behind(given), given)));
  });

  it('what was lent to them and rated comes along', () => {
    const lent: Lent[] = [{ fact: 'permalink', withdrawn: true, retrieved: 3, score: -1, hash: 9 }];
    const ratings = [
      { bodyHash: 1, rating: null },
      { bodyHash: 2, rating: 0.5 },
    ];
    const comments = [comment({ id: 'a', ratings }), comment({ id: 'b', lent, sentiment: null })];
    assert.deepEqual(recordsOfFlat(flatRecords(comments)), comments);
    const posts = [post({ id: 'a', adult: null, url: null }), post({ id: 'b', adult: true, lent })];
    assert.deepEqual(recordsOfFlat(flatRecords(posts)), posts);
  });
});
