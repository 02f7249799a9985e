// `npm run bench -- kernels [--rounds 40]`: each kernel beside its twin in TypeScript, in one run by turns: the
// least time of the rounds, in microseconds a chunk of 65,536 docs, over 150 chunks (10 million docs), and
// the ratio. Columns lie in memory that threads share, sets and docIds in that of the kernels or, as noted,
// elsewhere.

import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { CHUNK_DOCS, CHUNK_WORDS, type Chunk, membersOf } from '../src/engines/embedded/sets/chunk.ts';
import { type Kernels, TYPESCRIPT_KERNELS, wasmKernels } from '../src/engines/embedded/sets/kernels.ts';
import { randomNumbers } from './corpus.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '40' } } });

const CHUNKS = 150;
const COMMUNITIES = 5_000;
const random = randomNumbers(11);
const wasm = wasmKernels();
if (wasm === null) throw new Error('expected WebAssembly with vectors, found none');
const slab = wasm.lendSlab();
const column = new Uint16Array(new SharedArrayBuffer(CHUNKS * CHUNK_DOCS * 2));
for (let doc = 0; doc < column.length; doc++) {
  // A few communities have most records.
  column[doc] = Math.floor(COMMUNITIES ** random()) - 1;
}

/** One set for each of some chunks: what is read is not in the nearest cache. */
function sets(share: number, lend: () => Uint32Array): Uint32Array[] {
  return Array.from({ length: 50 }, () => {
    const words = lend().fill(0);
    for (let doc = 0; doc < CHUNK_DOCS; doc++) if (random() < share) words[doc >>> 5]! |= 1 << (doc & 31);
    return words;
  });
}

const own = () => wasm.lendSet();
const elsewhere = () => new Uint32Array(CHUNK_WORDS);
const room = new Uint16Array(CHUNK_DOCS);

function valuesOf(words: Uint32Array): Uint16Array {
  const chunk: Chunk = { kind: 'bits', words, count: -1 };
  return room.slice(0, membersOf(chunk, room));
}

process.stdout.write(`${cpus()[0]?.model.trim()}; Node ${process.version}; microseconds a chunk\n\n`);
process.stdout.write('| kernel | of | TypeScript | WebAssembly | ratio |\n|---|---|---:|---:|---:|\n');

for (const [place, lend] of [
  ['sets of a third', own],
  ['sets of a third, elsewhere', elsewhere],
] as const) {
  const [a, b, into] = [sets(0.3, lend), sets(0.3, lend), lend()];
  for (const name of ['intersect', 'subtract', 'unite'] as const) {
    row(name, place, (kernels, chunk) => kernels[name](a[chunk % 50]!, b[chunk % 50]!, into));
  }
  row('popcount', place, (kernels, chunk) => kernels.popcount(a[chunk % 50]!, 0, CHUNK_WORDS));
  wasm.giveBackSets([...a, ...b, into]);
}
for (const share of [0.0005, 0.002, 0.01, 0.05]) {
  const docs = sets(share, elsewhere).map(valuesOf);
  const words = sets(0.3, own);
  const into = slab.subarray(0, CHUNK_DOCS);
  row('keep', `${Math.round(share * CHUNK_DOCS)} docIds`, (kernels, chunk) => {
    const from = docs[chunk % 50]!;
    const at = slab.subarray(100_000, 100_000 + from.length);
    at.set(from);
    kernels.keep(at, words[chunk % 50]!, 1, into);
  });
  wasm.giveBackSets(words);
}
for (const share of [0.002, 0.01, 0.05]) {
  const into = slab.subarray(0, CHUNK_DOCS);
  const lists = [1, 2].map((place) =>
    sets(share, elsewhere).map((words) => {
      const docs = valuesOf(words);
      const at = slab.subarray(place * 100_000, place * 100_000 + docs.length);
      return { docs, at };
    }),
  );
  row('keepListed', `${Math.round(share * CHUNK_DOCS)} docIds twice`, (kernels, chunk) => {
    for (const list of lists) list[chunk % 50]!.at.set(list[chunk % 50]!.docs);
    kernels.keepListed(lists[0]![chunk % 50]!.at, lists[1]![chunk % 50]!.at, 1, into);
  });
}
for (const share of [0.001, 0.003, 0.01, 0.03, 0.06]) {
  const docs = sets(share, elsewhere).map(valuesOf);
  tally('tallyValues', `${Math.round(share * CHUNK_DOCS)} docIds`, (kernels, chunk, counters) =>
    kernels.tallyValues(docs[chunk % 50]!, ofChunk(chunk), counters),
  );
}
for (const share of [0.003, 0.01, 0.03, 0.06, 0.3, 0.6, 1]) {
  const words = sets(share, own);
  tally('tallyBits', `${Math.round(share * CHUNK_DOCS)} bits`, (kernels, chunk, counters) =>
    kernels.tallyBits(words[chunk % 50]!, ofChunk(chunk), counters),
  );
  wasm.giveBackSets(words);
}

function ofChunk(chunk: number): Uint16Array {
  return column.subarray(chunk * CHUNK_DOCS, (chunk + 1) * CHUNK_DOCS);
}

type Tally = (kernels: Kernels, chunk: number, counters: ReturnType<Kernels['counters']>) => void;

function tally(name: string, of: string, run: Tally): void {
  const counters = new Map(
    [TYPESCRIPT_KERNELS, wasm!].map((kernels) => [kernels, kernels.counters(COMMUNITIES)]),
  );
  row(name, of, (kernels, chunk) => run(kernels, chunk, counters.get(kernels)!));
}

function row(name: string, of: string, run: (kernels: Kernels, chunk: number) => void): void {
  const least = [Infinity, Infinity];
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [i, kernels] of [TYPESCRIPT_KERNELS, wasm!].entries()) {
      const from = performance.now();
      for (let chunk = 0; chunk < CHUNKS; chunk++) run(kernels, chunk);
      least[i] = Math.min(least[i]!, ((performance.now() - from) * 1000) / CHUNKS);
    }
  }
  const [slow, fast] = least as [number, number];
  process.stdout.write(
    `| ${name} | ${of} | ${slow.toFixed(2)} | ${fast.toFixed(2)} | ${(slow / fast).toFixed(1)} |\n`,
  );
}
