import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, mock } from 'node:test';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { randomBelow } from '../../../../test/generators/random.ts';
import { type ColumnNumbers, encodeColumn } from '../format/column-codec.ts';
import { type ByteSource, MemorySource } from '../format/segment-file.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';
import { type Column, ColumnChunks } from './column.ts';
import {
  type ColumnMemory,
  ColumnOwner,
  FRAME_BYTES,
  FRAMES_A_BLOCK,
  forgetThread,
  framesIn,
} from './column-memory.ts';
import { columnCache, forgetCache, pagedColumn } from './paged-column.ts';

const COUNT = 11 * CHUNK_DOCS + 77;
/** Narrow and wide, signed and not, read one by one or not at all. */
const NUMBERS = [
  Uint32Array.from({ length: COUNT }, () => 7),
  Uint32Array.from({ length: COUNT }, (_, i) => Math.imul(i + 1, 0x9e3779b1)),
  Uint32Array.from({ length: COUNT }, (_, i) => (i % 50 === 0 ? Math.imul(i, 0x9e3779b1) : i % 200)),
  Uint32Array.from({ length: COUNT }, (_, i) => i * 90),
  Uint32Array.from({ length: COUNT }, (_, i) => (i * 31) % 60_000),
  Int32Array.from({ length: COUNT }, (_, i) => ((i * 7_919) % 20_001) - 10_000),
  Int32Array.from({ length: COUNT }, (_, i) => (i % 3 === 0 ? -0x80000000 : i % 100)),
];
const CHUNKS = Math.ceil(COUNT / CHUNK_DOCS);
const SECTIONS = NUMBERS.map(encodeColumn);

function columnOf(number: number, memory: ColumnMemory, source?: ByteSource): Column<ColumnNumbers> {
  const section = SECTIONS[number]!;
  const place = { offset: 0, length: section.length, crc: 0 };
  const open = () => ColumnChunks.coded(source ?? new MemorySource(section), place, COUNT);
  return pagedColumn(COUNT, open, columnCache(memory), number * CHUNKS);
}

/** Of memory with so many frames, for the pages of all columns. */
function ownerOf(frames: number): ColumnOwner {
  const owner = new ColumnOwner(frames * FRAME_BYTES);
  owner.takePages(NUMBERS.length * CHUNKS);
  return owner;
}

function expectChunk(found: ColumnNumbers, number: number, chunk: number): void {
  const expected = NUMBERS[number]!.subarray(chunk * CHUNK_DOCS, (chunk + 1) * CHUNK_DOCS);
  assert.equal(found.length, expected.length);
  for (let i = 0; i < found.length; i++) if (found[i] !== expected[i]) assert.equal(found[i], expected[i]);
}

/** Reads chunks and numbers of all columns, and looks at each chunk again after others were read. */
function readAtRandom(memory: ColumnMemory, seed: number, times: number): void {
  const columns = NUMBERS.map((_, number) => columnOf(number, memory));
  const random = randomBelow(seed);
  const recent: (readonly [ColumnNumbers, number, number])[] = [];
  for (let i = 0; i < times; i++) {
    const number = random(columns.length);
    if (random(3) === 0) {
      const doc = random(COUNT);
      assert.equal(columns[number]!.at(doc), NUMBERS[number]![doc]);
    } else {
      const chunk = random(CHUNKS);
      const found = columns[number]!.chunk(chunk);
      expectChunk(found, number, chunk);
      recent.push([found, number, chunk]);
      if (recent.length > 6) recent.shift();
      expectChunk(...recent[0]!);
    }
  }
}

if (!isMainThread) readAtRandom(workerData.memory, workerData.seed, workerData.times);
else {
  describe('a column that is read by page', () => {
    for (const frames of [0, 1, 3, 37, 80]) {
      it(`has the numbers that were written, in ${frames} frames`, () => {
        const owner = ownerOf(frames);
        readAtRandom(owner.memory, frames, 200);
        const { held, evictions } = owner.use;
        assert.ok(held <= frames * FRAME_BYTES);
        if (frames === 80) assert.equal(evictions, 0, 'all of it has room');
        if (frames === 37) assert.ok(evictions > 0);
        forgetCache(owner.memory);
      });
    }

    it('is not overwritten while a thread reads it, with others that read too', async () => {
      const owner = ownerOf(44);
      const { memory } = owner;
      const ends = [1, 2, 3].map((seed) => {
        const worker = new Worker(import.meta.filename, { workerData: { memory, seed, times: 200 } });
        return once(worker, 'exit');
      });
      assert.deepEqual(await Promise.all(ends), [[0], [0], [0]]);
      assert.ok(owner.use.evictions > 0);
      const left = [...memory.pins, ...memory.threads].filter((number) => number !== 0);
      assert.deepEqual(left, [], 'threads that have ended pin nothing');
    });

    for (const frames of [0, 3, 37]) {
      it(`stays as it is while 16 other pages are read, in ${frames} frames`, () => {
        const owner = ownerOf(frames);
        const [first, other] = [columnOf(1, owner.memory), columnOf(0, owner.memory)];
        for (let start = 0; start < 40; start++) {
          const asked = start % CHUNKS;
          const numbers = first.chunk(asked);
          for (let i = 1; i <= 16; i++) (i < CHUNKS ? first : other).chunk((asked + i) % CHUNKS);
          expectChunk(numbers, 1, asked);
        }
        forgetCache(owner.memory);
      });
    }

    it('is let go for a thread that was ended from outside', () => {
      const owner = ownerOf(20);
      const { memory } = owner;
      columnOf(1, memory).chunk(0);
      assert.equal(memory.pins[0], 1);
      forgetThread(memory, memory.threads[0]! - 1);
      assert.equal(memory.pins[0], 0);
      assert.equal(memory.threads[0], 0);
    });

    it('is read again after reading it has failed', () => {
      const owner = ownerOf(20);
      const { memory } = owner;
      const whole = new MemorySource(SECTIONS[1]!);
      const { readInto } = MemorySource.prototype;
      const { mock: disk } = mock.method(whole, 'readInto', (...given: Parameters<typeof readInto>) => {
        if (given[2] > 1_000) throw new Error('no disk');
        readInto.apply(whole, given);
      });
      const column = columnOf(1, memory, whole);
      assert.throws(() => column.chunk(0), { message: 'no disk' });
      assert.equal(memory.pins[0], 0);
      disk.restore();
      expectChunk(column.chunk(0), 1, 0);
      forgetCache(memory);
    });

    it('has the first number of a chunk whose base is not the least: records of second 0 were not found', () => {
      for (const text of ['0 4294967295 4294967295', '5 9 9', '7 1000000 2000000000']) {
        const numbers = text.split(' ').map(Number);
        const owner = new ColumnOwner(20 * FRAME_BYTES);
        owner.takePages(1);
        const section = encodeColumn(Uint32Array.from(numbers));
        const place = { offset: 0, length: section.length, crc: 0 };
        const open = () => ColumnChunks.coded(new MemorySource(section), place, numbers.length);
        const column = pagedColumn(numbers.length, open, columnCache(owner.memory), 0);
        assert.equal(column.firstOf(0), numbers[0]);
        forgetCache(owner.memory);
      }
    });

    it('takes no page for a few numbers that can be read one by one', () => {
      const owner = ownerOf(20);
      const column = columnOf(4, owner.memory);
      for (let i = 0; i < 20; i++) assert.equal(column.at(i * 1_000), NUMBERS[4]![i * 1_000]);
      assert.equal(owner.use.loads, 0);
      for (let i = 0; i < 40; i++) assert.equal(column.at(i), NUMBERS[4]![i]);
      assert.equal(owner.use.loads, 1);
      forgetCache(owner.memory);
    });
  });

  describe('memory for columns', () => {
    it('has fewer frames by what segments hold besides, but not fewer than half of all', () => {
      for (const tables of [8, 10, 15]) {
        const owner = ownerOf(20);
        owner.note({ tables: tables * FRAME_BYTES, paged: 0, names: 0, docs: 0 }, 1);
        const column = columnOf(1, owner.memory);
        for (let chunk = 0; chunk < CHUNKS; chunk++) expectChunk(column.chunk(chunk), 1, chunk);
        assert.equal(owner.use.held, Math.max(20, tables + 10) * FRAME_BYTES);
        forgetCache(owner.memory);
      }
    });

    it('reserves no more than the pages of open segments need: other programs did not start beside it', () => {
      const owner = new ColumnOwner(2 ** 36);
      const reserved = () => owner.memory.blocks.reduce((sum, { byteLength }) => sum + byteLength, 0);
      assert.equal(reserved(), 0);
      const taken = owner.takePages(FRAMES_A_BLOCK + 1)!;
      assert.equal(reserved(), 2 * FRAMES_A_BLOCK * FRAME_BYTES);
      owner.freePages(taken);
      owner.takePages(2 * FRAMES_A_BLOCK);
      assert.equal(reserved(), 2 * FRAMES_A_BLOCK * FRAME_BYTES);
    });

    it('is read by a thread that has not heard of all of it', () => {
      const owner = ownerOf(80);
      const known = { ...owner.memory, name: 'known', blocks: owner.memory.blocks.slice(0, 1) };
      readAtRandom(owner.memory, 5, 700);
      assert.ok(owner.use.held > FRAMES_A_BLOCK * FRAME_BYTES);
      readAtRandom(known, 6, 200);
      columnCache({ ...known, blocks: owner.memory.blocks });
      assert.equal(framesIn(known.blocks), 80);
      readAtRandom(known, 7, 200);
      forgetCache(known);
      forgetCache(owner.memory);
    });

    it('gives pages of closed segments to others, and forgets what was in them', () => {
      const owner = new ColumnOwner(20 * FRAME_BYTES);
      const first = owner.takePages(CHUNKS)!;
      const second = owner.takePages(CHUNKS)!;
      assert.deepEqual(first, { first: 0, count: CHUNKS });
      assert.deepEqual(second, { first: CHUNKS, count: CHUNKS });
      const column = columnOf(0, owner.memory);
      column.chunk(0);
      owner.freePages(first);
      assert.equal(columnCache(owner.memory).has(0), false);
      assert.deepEqual(owner.takePages(CHUNKS - 1), { first: 0, count: CHUNKS - 1 });
      owner.freePages(second);
      owner.freePages({ first: 0, count: CHUNKS - 1 });
      assert.deepEqual(owner.takePages(2 ** 18), { first: 0, count: 2 ** 18 });
      assert.equal(owner.takePages(1), null);
      forgetCache(owner.memory);
    });
  });
}
