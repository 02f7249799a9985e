import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordArbitrary } from '../../../test/generators/records.ts';
import { comment, post } from '../../../test/helpers.ts';
import { contentHash, recordMix } from '../../model/hash.ts';
import type { StoredRecord } from '../../model/record.ts';
import { ByteReader } from './bytes.ts';
import { PackedContent } from './packed-content.ts';
import { packedRow, packRecords } from './packed-records.ts';
import { RowParts } from './record-codec.ts';

const content = new PackedContent();

/** What is read of the second of two packed records, of which this is one. */
function readOf(record: StoredRecord): object {
  const [part] = packRecords([record, record]).parts;
  const bytes = Buffer.from(part!.buffer);
  const place = bytes.length / 2;
  const row = packedRow(record.kind, bytes, place);
  const parts = new RowParts();
  const reader = new ByteReader(bytes, row.byteOffset - bytes.byteOffset);
  parts.read(reader, record.kind);
  content.read(record.kind, bytes, place, parts, reader.at);
  const { retrieved, sentiment, isWithdrawn, isParentUnknown, mix } = content;
  return { retrieved, sentiment, isWithdrawn, isParentUnknown, mix, hash: content.content };
}

function expectedOf(record: StoredRecord): object {
  return {
    retrieved: record.retrieved,
    sentiment: record.kind === 'post' ? null : record.sentiment,
    isWithdrawn: record.withdrawn,
    isParentUnknown: record.kind === 'comment' && record.parent === '',
    mix: recordMix(record),
    hash: contentHash(record),
  };
}

const at = (permalink: string) => comment({ community: 'askmen', post: 'p1', id: 'c1', permalink });
const answer = (parent: string) => comment({ post: 'p1', id: 'c1', parent });
const accented = (permalink: string) => post({ community: 'éa', id: 'p', permalink });
const lent = [{ fact: 'parent', withdrawn: true, retrieved: 1, score: 2, hash: 3 }] as const;
const odd: readonly (readonly [string, StoredRecord])[] = [
  ['capitals in the permalink', at('/r/AskMen/comments/p1/_/c1/')],
  ['no slug', at('/r/askmen/comments/p1/c1/')],
  ['another post in it', at('/r/askmen/comments/p2/slug/c1/')],
  ['another permalink', at('https://example.org/c1')],
  ['capitals beside letters of others', accented('/r/éA/comments/p/x/')],
  ['letters of others alone', accented('/r/éa/comments/p/x/')],
  ['a parent', answer('c0')],
  ['the post as parent', answer('p1')],
  ['no parent', answer('')],
  ['a rating', comment({ id: 'c1', sentiment: -0.1234 })],
  ['a rating of too many digits', comment({ id: 'c1', sentiment: 0.123456789 })],
  ['a given rating', comment({ id: 'c1', ratings: [{ bodyHash: 7, rating: null }] })],
  ['a wide score', post({ id: 'p1', score: 2 ** 40 })],
  ['a wide time', post({ id: 'p1', retrieved: 1.5 })],
  ['no address', post({ id: 'p1', url: null, adult: null })],
  ['an empty address', post({ id: 'p1', url: '', adult: true })],
  ['texts of other letters', post({ id: 'p1', title: 'é😀', selftext: '漢字'.repeat(99), adult: false })],
  ['a lent fact', comment({ id: 'c1', lent })],
];

describe('what a segment keeps of a packed record is what the record says', () => {
  it('of any', () => {
    const records = fc.oneof(recordArbitrary('post'), recordArbitrary('comment'));
    fc.assert(fc.property(records, (record) => assert.deepEqual(readOf(record), expectedOf(record))));
  });

  for (const [name, record] of odd) {
    it(name, () => assert.deepEqual(readOf(record), expectedOf(record)));
  }
});
