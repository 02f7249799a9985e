import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import fc from 'fast-check';
import { KeptPieces, PIECE_BYTES, PIECE_CACHE_BYTES } from '../index/segment.ts';
import { BlockCache, type HeldBlocks } from './block-cache.ts';
import { MemorySource } from './segment-file.ts';

const SLABS = 32;
const MAX_BYTES = SLABS * 1_000;

/** A block of a dictionary of so many, each filled with its number. */
function lookUp(cache: BlockCache, held: HeldBlocks, number: number, length: number): Uint8Array {
  const block = held.get(number) ?? cache.hold(held, number, length, (into) => into.fill(number % 251));
  return Uint8Array.from(block.bytes.subarray(block.from, block.to));
}

describe('block cache', () => {
  it('takes no more memory than it may, and holds no bytes but those of the block', () => {
    const cache = new BlockCache(MAX_BYTES);
    assert.equal(cache.bytes, 0);
    const dictionaries: HeldBlocks[] = [new Map(), new Map()];
    for (let i = 0; i < 2_000; i++) {
      const length = 1 + ((i * 37) % 800);
      const number = (i * 7) % 300;
      const held = dictionaries[i % 2]!;
      const before = held.get(number);
      const found = lookUp(cache, held, number, length);
      if (before === undefined) assert.equal(found.length, length);
      assert.ok(found.every((byte) => byte === number % 251));
      assert.ok(cache.bytes <= MAX_BYTES);
    }
    assert.equal(cache.bytes, MAX_BYTES);
  });

  it('forgets the blocks that were read first, and only those', () => {
    const cache = new BlockCache(MAX_BYTES);
    const held: HeldBlocks = new Map();
    const fit = SLABS * Math.floor(1_000 / (100 + 128));
    for (let number = 0; number < fit; number++) lookUp(cache, held, number, 100);
    assert.equal(held.size, fit);
    lookUp(cache, held, fit, 100);
    assert.ok(!held.has(0));
    assert.ok(held.has(fit - 1) && held.has(fit));
    assert.ok(held.size > fit - SLABS);
    assert.deepEqual(lookUp(cache, held, 0, 100), new Uint8Array(100));
  });

  it('a block beyond its slabs is read and not held', () => {
    const cache = new BlockCache(MAX_BYTES);
    const held: HeldBlocks = new Map();
    assert.deepEqual(lookUp(cache, held, 7, 5_000), new Uint8Array(5_000).fill(7));
    assert.equal(held.size, 0);
    assert.equal(cache.bytes, 0);
  });

  it('a block that could not be read is not held', () => {
    const cache = new BlockCache(MAX_BYTES);
    const held: HeldBlocks = new Map();
    const fault = new Error('the disk failed');
    const fails = () => {
      throw fault;
    };
    assert.throws(() => cache.hold(held, 3, 100, fails), fault);
    assert.equal(held.size, 0);
    assert.deepEqual(lookUp(cache, held, 3, 100), new Uint8Array(100).fill(3));
  });
});

const BYTES = Uint8Array.from({ length: 5 * PIECE_BYTES + 77 }, (_, i) => (i * 7919) >>> 3);

describe('kept pieces', () => {
  it('have the bytes of the file, wherever these begin and end', () => {
    const kept = new KeptPieces(new MemorySource(BYTES));
    const ranges = fc.tuple(fc.nat(BYTES.length), fc.oneof(fc.nat(300), fc.nat(BYTES.length)));
    fc.assert(
      fc.property(ranges, fc.boolean(), ([offset, most], isCopied) => {
        const length = Math.min(most, BYTES.length - offset);
        const expected = BYTES.subarray(offset, offset + length);
        if (isCopied) {
          const target = new Uint16Array(length);
          kept.readInto(target, offset, length);
          assert.deepEqual(new Uint8Array(target.buffer, 0, length), expected);
          return;
        }
        const start = kept.at(offset, length);
        assert.ok(kept.bytes.subarray(start, start + length).equals(expected));
      }),
    );
  });

  it('are read once, but for what is longer than they are', () => {
    const source = new MemorySource(BYTES);
    const { mock: read } = mock.method(source, 'readInto');
    const kept = new KeptPieces(source);
    for (let i = 0; i < 3; i++) {
      for (let offset = 0; offset < BYTES.length - 200; offset += 150) kept.at(offset, 200);
    }
    assert.equal(read.callCount(), 5);
    for (let i = 0; i < 3; i++) kept.at(10, 3 * PIECE_BYTES);
    assert.equal(read.callCount(), 8);
    for (let i = 0; i < 3; i++) kept.readInto(Buffer.alloc(3 * PIECE_BYTES), 10, 3 * PIECE_BYTES);
    assert.equal(read.callCount(), 11);
  });

  it('give way to others, and what could not be read is not kept', () => {
    const source = new MemorySource(BYTES);
    const kept = new KeptPieces(source);
    const disk = mock.method(source, 'readInto', () => {
      throw new Error('the disk failed');
    });
    assert.throws(() => kept.at(5, 10), /the disk failed/);
    assert.throws(() => kept.at(BYTES.length - 5, 10), /the disk failed/);
    disk.mock.restore();
    kept.at(5, 10);
    assert.throws(() => kept.at(BYTES.length - 5, 10), /expected/);
    const many = new KeptPieces(new MemorySource(new Uint8Array(PIECE_CACHE_BYTES + PIECE_BYTES)));
    for (let at = 0; at < many.size; at += PIECE_BYTES) many.at(at, 1);
    const { mock: read } = mock.method(source, 'readInto');
    const start = kept.at(5, 10);
    assert.equal(read.callCount(), 1);
    assert.deepEqual(Uint8Array.from(kept.bytes.subarray(start, start + 10)), BYTES.slice(5, 15));
  });
});
