import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordArbitrary } from '../../test/generators/records.ts';
import { comment, post } from '../../test/helpers.ts';
import { contentHash, recordMix } from '../model/hash.ts';
import type { StoredRecord } from '../model/record.ts';
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

const thread = { community: 'askmen', post: 'p1' };
const odd: readonly (readonly [string, StoredRecord])[] = [
  ['capitals in the permalink', comment({ ...thread, id: 'c1', permalink: '/r/AskMen/comments/p1/_/c1/' })],
  ['no slug', comment({ ...thread, id: 'c1', permalink: '/r/askmen/comments/p1/c1/' })],
  ['another post in it', comment({ ...thread, id: 'c1', permalink: '/r/askmen/comments/p2/slug/c1/' })],
  ['another permalink', comment({ ...thread, id: 'c1', permalink: 'https://example.org/c1' })],
  ['capitals beside letters of others', post({ community: 'éa', id: 'p', permalink: '/r/éA/comments/p/x/' })],
  ['letters of others alone', post({ community: 'éa', id: 'p', permalink: '/r/éa/comments/p/x/' })],
  ['a parent', comment({ ...thread, id: 'c1', parent: 'c0' })],
  ['the post as parent', comment({ ...thread, id: 'c1', parent: 'p1' })],
  ['no parent', comment({ ...thread, id: 'c1', parent: '' })],
  ['a rating', comment({ ...thread, id: 'c1', sentiment: -0.1234 })],
  ['a rating of too many digits', comment({ ...thread, id: 'c1', sentiment: 0.123456789 })],
  ['a given rating', comment({ ...thread, id: 'c1', ratings: [{ bodyHash: 7, rating: null }] })],
  ['a wide score', post({ id: 'p1', score: 2 ** 40 })],
  ['a wide time', post({ id: 'p1', retrieved: 1.5 })],
  ['no address', post({ id: 'p1', url: null, adult: null })],
  ['an empty address', post({ id: 'p1', url: '', adult: true })],
  [
    'texts of other letters',
    post({ id: 'p1', title: 'é\ud83d\ude00', selftext: '漢字'.repeat(99), adult: false }),
  ],
  [
    'a lent fact',
    comment({ id: 'c1', lent: [{ fact: 'parent', withdrawn: true, retrieved: 1, score: 2, hash: 3 }] }),
  ],
];

describe('what a segment keeps of a packed record is what the record says', () => {
  it('of any', () => {
    const records = fc.oneof(recordArbitrary('post'), recordArbitrary('comment'));
    fc.assert(
      fc.property(records, (record) => {
        assert.deepEqual(readOf(record), expectedOf(record));
      }),
    );
  });

  for (const [name, record] of odd) {
    it(name, () => assert.deepEqual(readOf(record), expectedOf(record)));
  }
});
