import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import fc from 'fast-check';
import { ByteReader } from '../../packing/bytes.ts';
import { openList } from '../index/posting-list.ts';
import { DistinctKeys } from '../matching/prefixes.ts';
import { CHUNK_DOCS, forEach, WordPool } from '../sets/chunk.ts';
import { Dictionary } from './dictionary.ts';
import { DictionaryWriter } from './dictionary-writer.ts';
import { MAX_INLINE, MAX_SPARSE, readEntry } from './posting-codec.ts';
import { MemorySource, SegmentDamage } from './segment-file.ts';
import { MemorySink, SegmentWriter } from './segment-writer.ts';

function write(lists: ReadonlyMap<string, Uint32Array>, segmentDocs: number) {
  const sink = new MemorySink();
  const out = new SegmentWriter(sink);
  out.beginSection();
  const writer = new DictionaryWriter(out, segmentDocs);
  const keys = [...lists.keys()].sort((a, b) => (a < b ? -1 : 1));
  for (const key of keys) writer.add(key, lists.get(key)!, 0, lists.get(key)!.length);
  const blocks = writer.finish();
  out.endSection('postings');
  const source = new MemorySource(Uint8Array.from(sink.bytes()));
  return { keys, source, blocks, dictionary: new Dictionary(source, blocks) };
}

/** Of each key with this prefix, as the windows give them. */
function firstDocs(dictionary: Dictionary, prefix: string): number[] {
  const docs: number[] = [];
  for (const { bytes, at, from, to } of dictionary.windows(dictionary.range(prefix))) {
    const reader = new ByteReader(bytes, at);
    for (let key = 0; key < to; key++) {
      reader.varint();
      const own = reader.varint();
      reader.at += own;
      const entry = readEntry(reader);
      if (key >= from && entry.kind === 'inline') docs.push(entry.docs[0]!);
    }
  }
  return docs;
}

describe('dictionary', () => {
  it('keys of any length are found, walked and counted', () => {
    const keys = ['a', `b${'c'.repeat(5_000)}`, `b${'c'.repeat(5_000)}d`, 'é'.repeat(20_000), '日'];
    const lists = new Map(keys.map((key, i) => [key, Uint32Array.of(i)]));
    const { dictionary, keys: ordered } = write(lists, 100);
    for (const key of keys) assert.notEqual(dictionary.find(key), null, key.slice(0, 9));
    assert.deepEqual(
      Array.from(dictionary.entries(), ({ key }) => key),
      ordered,
    );
    const distinct = new DistinctKeys();
    for (const window of dictionary.windows(dictionary.range(''))) distinct.addBlock(window);
    assert.equal(distinct.size, keys.length);
  });

  it('every key is found with its docs, others are not, one by one and in order; all come in order', () => {
    const key = fc.string({ unit: fc.constantFrom(...'abé日😀\uffee', 'ab', 'zz'), maxLength: 8 });
    const some = fc.uniqueArray(key, { minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(some, key, fc.array(key, { maxLength: 100 }), fc.nat(399), (keys, prefix, others, from) => {
        const lists = new Map(keys.map((one, i) => [one, Uint32Array.of(i, i + 500)]));
        const { dictionary, keys: ordered } = write(lists, 1000);
        for (const one of [...keys, ...others]) {
          const entry = dictionary.find(one);
          const docs = entry?.kind === 'inline' ? entry.docs : undefined;
          assert.deepEqual(docs, lists.get(one), one);
          assert.deepEqual(dictionary.findOnce(one), entry);
        }
        // A run of those that are there, so that whole blocks are passed over too.
        const wanted = [...new Set([...keys.slice(from, from + 50), ...others])].sort();
        const entries = wanted.flatMap((one) => dictionary.find(one) ?? []);
        assert.deepEqual([...dictionary.findAll(wanted)], entries);
        const all = Array.from(dictionary.entries(), ({ key: one }) => one);
        assert.equal(all.join(), ordered.join());
        const found = all.filter((one) => one.startsWith(prefix));
        const range = dictionary.range(prefix);
        assert.equal(range.to - range.from, found.length);
        const firsts = found.map((one) => lists.get(one)![0]);
        assert.deepEqual(firstDocs(dictionary, prefix), firsts);
        const distinct = new DistinctKeys();
        // The second time none is new.
        for (let round = 0; round < 2; round++) {
          for (const window of dictionary.windows(range)) distinct.addBlock(window);
          for (const window of dictionary.windows(dictionary.range(''))) distinct.addBlock(window);
        }
        assert.equal(distinct.size, keys.length);
      }),
      { numRuns: 100 },
    );
  });

  it('keys are found, and others are not, at the borders of blocks and of the places that a search starts from', () => {
    const repeated = [0, 1, 12, 13, 40].map((times) => 'b'.repeat(times));
    for (const beginning of [...repeated, 'é', '日本', '😀😀😀', '\uffee', 'a\0']) {
      const keys = Array.from({ length: 300 }, (_, i) => `${beginning}${String(i).padStart(3, '0')}`);
      const { dictionary } = write(new Map(keys.map((key, i) => [key, Uint32Array.of(i)])), 1000);
      // Places to start from are made when a block is looked into again.
      for (let round = 0; round < 3; round++) {
        for (const [i, key] of keys.entries()) {
          const found = dictionary.find(key);
          assert.ok(found?.kind === 'inline' && found.docs[0] === i, `${key} in round ${round}`);
          assert.deepEqual(dictionary.findOnce(key), found);
          for (const absent of [key.slice(0, -1), `${key}\0`, `${key}0`, `${key}😀`, `${key}\uffee`]) {
            assert.equal(dictionary.find(absent), null, absent);
            assert.equal(dictionary.findOnce(absent), null, absent);
          }
          assert.deepEqual(dictionary.range(key), { from: i, to: i + 1 }, key);
        }
        for (const [tens, from] of [0, 10, 20, 30].entries()) {
          const range = { from: from * 10, to: Math.min(300, (from + 10) * 10) };
          assert.deepEqual(dictionary.range(`${beginning}${tens}`), range);
        }
        assert.deepEqual(dictionary.range(beginning), { from: 0, to: 300 });
        assert.deepEqual(dictionary.range('\uffff'), { from: 300, to: 300 });
      }
      assert.equal(dictionary.find('\uffff'), null);
      if (beginning !== '') assert.equal(dictionary.find(''), null);
    }
  });

  it('a block is read once for many look-ups; keys asked for once take no room from it', () => {
    const keys = Array.from({ length: 12_800 }, (_, i) => `k${String(i).padStart(6, '0')}`);
    const { source, blocks } = write(new Map(keys.map((key, i) => [key, Uint32Array.of(i)])), 12_800);
    const counted = mock.method(source, 'readInto').mock;
    const dictionary = new Dictionary(source, blocks);
    const expectReads = (reads: number, work: () => void) => {
      counted.resetCalls();
      work();
      assert.equal(counted.callCount(), reads);
    };
    expectReads(1, () => dictionary.find(keys[500]!));
    expectReads(5 * 100, () => {
      for (let round = 0; round < 5; round++) for (const key of keys) dictionary.findOnce(key);
    });
    expectReads(0, () => {
      for (let i = 0; i < 100; i++) assert.notEqual(dictionary.find(keys[490 + (i % 20)]!), null);
    });
  });

  it('a block that cannot be read is an error each time, and right as soon as it can', () => {
    const { source, blocks } = write(new Map([['a', Uint32Array.of(1)]]), 10);
    const { mock: damage } = mock.method(source, 'readInto', () => {
      throw new SegmentDamage('`x.seg`: expected other bytes');
    });
    const dictionary = new Dictionary(source, blocks);
    for (let round = 0; round < 2; round++) {
      assert.throws(() => dictionary.find('a'), { name: 'SegmentDamage', message: /x\.seg/ });
      assert.throws(() => dictionary.findOnce('a'), { name: 'SegmentDamage', message: /x\.seg/ });
    }
    damage.restore();
    assert.notEqual(dictionary.find('a'), null);
    assert.notEqual(dictionary.findOnce('a'), null);
  });

  const docs = 200_000;
  const every = (step: number, from = 0) =>
    Uint32Array.from({ length: Math.ceil((docs - from) / step) }, (_, i) => from + i * step);
  const lists: readonly [string, Uint32Array][] = [
    ['one', Uint32Array.of(docs - 1)],
    ['as many as stand inline', every(docs / MAX_INLINE)],
    ['one more', every(1000).slice(0, MAX_INLINE + 1)],
    ['as many as are differences', every(20).slice(0, MAX_SPARSE)],
    ['one more than that, in one chunk and a half', every(8).slice(0, MAX_SPARSE + 1)],
    ['arrays in every chunk', every(23, 7)],
    ['bits in every chunk', every(3, 1)],
    ['all docs', every(1)],
    ['all of the last chunk, one of the first', Uint32Array.of(5, ...every(1, 3 * CHUNK_DOCS))],
    ['nothing in the middle', Uint32Array.from([...every(2).slice(0, 9000), ...every(2, 190_000)])],
  ];
  it('lists of every form are read back, chunk by chunk, with their counts', () => {
    const { dictionary, source } = write(new Map(lists), docs);
    const pool = new WordPool();
    for (const [key, expected] of lists) {
      const list = openList(dictionary.find(key)!, source, { docs }, pool);
      assert.equal(list.count, expected.length, key);
      const read: number[] = [];
      for (let chunk = 0; chunk * CHUNK_DOCS < docs; chunk++) {
        const before = read.length;
        forEach(list.chunk(chunk, pool), (doc) => read.push(chunk * CHUNK_DOCS + doc));
        assert.equal(list.chunkCount!(chunk), read.length - before, `${key}, chunk ${chunk}`);
      }
      assert.deepEqual(Uint32Array.from(read), expected, key);
    }
  });
});
