// `npm run bench -- lists [--rounds 40]`: posting lists of up to 8,192 docs, packed (packed-list.ts) and as differences
// in varints. Of docs at random among 1,048,576, by how many a list has: bytes a doc, and nanoseconds a doc to write
// it, to read it as numbers and to set its bits, in the least of the rounds, with the ratio of the two.

import { parseArgs } from 'node:util';
import { packedBytes } from '../src/engines/embedded/format/packed-list.ts';
import {
  type ListSegment,
  MAX_SEGMENT_DOCS,
  MAX_SPARSE,
  MAX_SPARSE_BYTES,
  readSparse,
  writeDeltas,
  writeSparse,
} from '../src/engines/embedded/format/posting-codec.ts';
import { addSparse } from '../src/engines/embedded/index/chunk-bits.ts';
import { ByteWriter } from '../src/packing/bytes.ts';
import { randomNumbers } from './corpus.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '40' } } });
const ROUNDS = Number(values.rounds);
const COUNTS = [20, 50, 120, 400, 1_200, 3_000, MAX_SPARSE];
/** Of all lists of a row together: more than a processor foresees. */
const DOCS = 100_000;

const random = randomNumbers(7);
const writer = new ByteWriter(MAX_SPARSE_BYTES);
const numbers = new Uint32Array(MAX_SPARSE);
const words = new Uint32Array(MAX_SEGMENT_DOCS / 32);
const today: ListSegment = { docs: MAX_SEGMENT_DOCS, hasPacked: true };
const before: ListSegment = { docs: MAX_SEGMENT_DOCS, hasPacked: false };

process.stdout.write(
  'Packed / differences / ratio\n\n| docs | bytes | write | read | set bits |\n|---:|---|---|---|---|\n',
);
for (const count of COUNTS) {
  const lists = Array.from({ length: Math.ceil(DOCS / count) }, () => randomDocs(count));
  const packed = lists.map((docs) => written(() => writeSparse(writer, docs, 0, count, today.docs)));
  const deltas = lists.map((docs) => written(() => writeDeltas(writer, docs, 0, count)));
  if (packed.some(({ length }) => length !== packedBytes(count, today.docs))) throw new Error('not packed');
  const least = (works: readonly (() => void)[]) => leastOf(works).map((ns) => ns / lists.length / count);
  const cells = [
    [packed, deltas].map((all) => all.reduce((sum, { length }) => sum + length, 0) / lists.length / count),
    least([
      () => {
        for (const docs of lists) writeSparse(emptied(), docs, 0, count, today.docs);
      },
      () => {
        for (const docs of lists) writeDeltas(emptied(), docs, 0, count);
      },
    ]),
    least([
      () => {
        for (const bytes of packed) readSparse(bytes, 0, count, bytes.length, today, numbers);
      },
      () => {
        for (const bytes of deltas) readSparse(bytes, 0, count, bytes.length, before, numbers);
      },
    ]),
    least([
      () => {
        for (const bytes of packed) addSparse(bytes, 0, count, bytes.length, today, words);
      },
      () => {
        for (const bytes of deltas) addSparse(bytes, 0, count, bytes.length, before, words);
      },
    ]),
  ].map(([one, other]) => `${one!.toFixed(2)} / ${other!.toFixed(2)} / ${(one! / other!).toFixed(2)}`);
  process.stdout.write(`| ${count} | ${cells.join(' | ')} |\n`);
}

function randomDocs(count: number): Uint32Array {
  const docs = new Set<number>();
  while (docs.size < count) docs.add(Math.floor(random() * MAX_SEGMENT_DOCS));
  return Uint32Array.from(docs).sort();
}

function emptied(): ByteWriter {
  writer.length = 0;
  return writer;
}

function written(write: () => void): Buffer {
  emptied();
  write();
  return Buffer.from(writer.written());
}

/** Nanoseconds of each: they take turns. */
function leastOf(works: readonly (() => void)[]): number[] {
  const least = works.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, work] of works.entries()) {
      const from = process.hrtime.bigint();
      work();
      least[i] = Math.min(least[i]!, Number(process.hrtime.bigint() - from));
    }
  }
  return least;
}
