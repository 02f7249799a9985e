import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BlockCache, type HeldBlocks } from './block-cache.ts';

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
