import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordArbitrary } from '../../../test/generators/records.ts';
import { comment, post } from '../../../test/helpers.ts';
import { contentHash, recordMix } from '../../model/hash.ts';
import { FACTS, type Lent, type StoredRecord } from '../../model/record.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { PackedContent } from './packed-content.ts';
import { packRecords } from './packed-records.ts';
import { columnScore, readAnswered, readId, readRecord, writeRecord } from './record-codec.ts';

const postAt = (community: string, permalink: string) => post({ id: 'p1', community, permalink });

function roundTrip(record: StoredRecord): { readonly record: StoredRecord; readonly bytes: number } {
  const writer = new ByteWriter(8);
  writeRecord(writer, record);
  const row = Uint8Array.from(writer.written());
  const { created, community, communityId } = record;
  const { adult, domain } = record.kind === 'post' ? record : { adult: null, domain: '' };
  const columns = { created, score: columnScore(record.score), community, communityId, adult, domain };
  assert.equal(readId(new ByteReader(row)), record.id);
  if (record.kind === 'comment') {
    const { id, post, parent } = record;
    assert.deepEqual(readAnswered(new ByteReader(row)), { id, post, parent });
  }
  const reader = new ByteReader(row);
  const read = readRecord(reader, record.kind, columns);
  assert.ok(reader.atEnd);
  expectContent(record);
  return { record: read, bytes: row.length };
}

const content = new PackedContent();

/** What a segment keeps of the second of two packed records, of which this is one, is what the record says. */
function expectContent(record: StoredRecord): void {
  const [part] = packRecords([record, record]).parts;
  const bytes = Buffer.from(part!.buffer);
  content.read(record.kind, bytes, bytes.length / 2);
  const { retrieved, sentiment, isWithdrawn, isParentUnknown, mix } = content;
  assert.deepEqual(
    { retrieved, sentiment, isWithdrawn, isParentUnknown, mix, hash: content.content },
    {
      retrieved: record.retrieved,
      sentiment: record.kind === 'post' ? null : record.sentiment,
      isWithdrawn: record.withdrawn,
      isParentUnknown: record.kind === 'comment' && record.parent === '',
      mix: recordMix(record),
      hash: contentHash(record),
    },
  );
}

describe('stored records', () => {
  it('a record is read back as it was written', () => {
    const records = fc.oneof(recordArbitrary('post'), recordArbitrary('comment'));
    fc.assert(fc.property(records, (record) => assert.deepEqual(roundTrip(record).record, record)));
  });

  it('and so is what was lent to it', () => {
    const lender = fc.record({
      withdrawn: fc.boolean(),
      retrieved: fc.double({ min: 0, noNaN: true }),
      score: fc.integer(),
      hash: fc.maxSafeNat(),
    });
    const lent = fc
      .subarray([...FACTS], { minLength: 1 })
      .chain((facts) => fc.tuple(...facts.map((fact) => lender.map((rank): Lent => ({ fact, ...rank })))));
    const records = fc.tuple(fc.oneof(recordArbitrary('post'), recordArbitrary('comment')), lent);
    fc.assert(
      fc.property(records, ([record, facts]) => {
        const merged = { ...record, lent: facts, score: record.score * 2 ** 31 };
        assert.deepEqual(roundTrip(merged).record, merged);
      }),
    );
  });

  it('an unknown parent and the post as parent take no bytes', () => {
    const of = (parent: string) => roundTrip(comment({ id: 'c1', post: 'abc123', parent })).bytes;
    assert.equal(of('abc123'), of(''));
    assert.equal(of('c0'), of('') + 3);
  });

  const odd: readonly StoredRecord[] = [
    comment({ id: 'a', score: 2 ** 40, retrieved: 1.5 }),
    comment({ id: 'a', score: -(2 ** 40), retrieved: -1, sentiment: 0.123456789 }),
    comment({ id: 'a', sentiment: -1, body: 'é'.repeat(200) }),
    comment({ id: 'a', sentiment: 0, ratings: [{ bodyHash: 2 ** 53 - 1, rating: null }] }),
    post({ id: 'a', url: '', title: '\0', selftext: 'x'.repeat(100_000), adult: true }),
    post({ id: 'a', url: null, title: 'é😀', selftext: '漢字'.repeat(99), adult: null }),
  ];
  for (const [i, record] of odd.entries()) {
    it(`rare values are kept (${i})`, () => assert.deepEqual(roundTrip(record).record, record));
  }

  const long = 'x'.repeat(60);
  const permalinks: readonly [string, StoredRecord, number][] = [
    ['post with a slug', postAt('askmen', '/r/AskMen/comments/p1/a_title/'), 10],
    ['post without', postAt('askmen', '/r/askmen/comments/p1/'), 2],
    ['post, other id', postAt('askmen', '/r/askmen/comments/p2/'), 40],
    ['post, no slash at the end', postAt('energy', '/r/energy/comments/p1'), 40],
    ['post, empty slug', postAt('energy', '/r/energy/comments/p1//'), 3],
    ['comment of its post', comment({ id: 'c1', post: 'p1', permalink: '/r/Energy/comments/p1/_/c1/' }), 5],
    ['comment, post unknown', comment({ id: 'c1', permalink: '/r/energy/comments/p1/slug/c1/' }), 12],
    ['comment, no slug', comment({ id: 'c1', post: 'p1', permalink: '/r/energy/comments/p1/c1/' }), 2],
    ['the id of a post', comment({ id: 'p1', post: 'p1', permalink: '/r/energy/comments/p1/' }), 40],
    ['other community', comment({ id: 'c1', permalink: '/r/other1/comments/p1/_/c1/' }), 40],
    ['absolute', postAt('energy', 'https://example.org/r/energy/comments/p1/'), 60],
    ['empty', postAt('energy', ''), 2],
    ['letters of others', postAt('éa', '/r/éA/comments/p1/x/'), 6],
    ['capitals far behind', postAt(long, `/r/${long.slice(1)}X/comments/p1/`), 99],
  ];
  for (const [name, record, most] of permalinks) {
    it(`permalink, ${name}: kept, in at most ${most} bytes`, () => {
      const { record: read, bytes } = roundTrip(record);
      assert.equal(read.permalink, record.permalink);
      const without = roundTrip({ ...record, permalink: '' } as StoredRecord).bytes - 2;
      assert.ok(bytes - without <= most, `${bytes - without} bytes`);
    });
  }
});
