import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomOf } from '../../../../test/generators/random.ts';
import { MAX_SEGMENT_DOCS } from '../format/posting-codec.ts';
import {
  type Cut,
  type CutCandidate,
  isFull,
  type MergeCandidate,
  pickCut,
  pickGathering,
  pickMerge,
  pickPacking,
} from './merge-policy.ts';

function segment(name: string, docs: number, deadDocs = 0, bytes = docs * 300): MergeCandidate {
  return { name, docs, deadDocs, bytes, lastCreated: Number(name) };
}

describe('merge policy', () => {
  const several = (count: number, docs: number, first = 0, bytes = docs * 300) =>
    Array.from({ length: count }, (_, i) => segment(String(first + i), docs, 0, bytes));
  const table: readonly [string, readonly MergeCandidate[], number | null][] = [
    ['seven of a size stay', several(7, 100), null],
    ['eight of a size are merged', several(8, 100), 8],
    ['sixteen at the most', several(30, 100), 16],
    ['of different sizes they stay', [...several(7, 100), ...several(7, 1000, 10)], null],
    ['as many as make half a segment', several(8, 130_000), 4],
    ['those of the highest tier wait to be packed', several(8, 300_000), null],
    ['as many as fit into 2 GiB', several(8, 3_000, 0, 2 ** 29), 4],
    ['full ones stay', several(20, 1_000_000), null],
    ['those full of long texts too', several(20, 3_000, 0, 2 ** 30 + 1), null],
    ['one with many dead records is written anew', [segment('1', 1_000_000, 400_000)], 1],
    ['one with few is not', [segment('1', 1_000_000, 100_000)], null],
  ];
  for (const [name, candidates, expected] of table) {
    it(name, () => assert.equal(pickMerge(candidates)?.length ?? null, expected));
  }
});

/** Records spread evenly over [from, to). */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly docs: number;
}

/** Segments as the policies see them, made of parts instead of records. */
class Simulation {
  segments: CutCandidate[] = [];
  readonly #parts = new Map<string, readonly Part[]>();
  #names = 0;
  written = 0;
  copied = 0;
  died = 0;
  /** Bytes that a merge needed beside what was there, at the most. */
  largestMerge = 0;

  add(parts: readonly Part[], bytesEach: number, deadShare = 0): void {
    const docs = parts.reduce((sum, part) => sum + part.docs, 0);
    const name = `s${this.#names++}`;
    this.#parts.set(name, parts);
    this.segments.push({
      name,
      docs,
      deadDocs: Math.floor(docs * deadShare),
      bytes: docs * bytesEach,
      firstCreated: Math.min(...parts.map(({ from }) => from)),
      lastCreated: Math.max(...parts.map(({ to }) => to)) - 1,
      docsBefore: (second) => Math.ceil(parts.reduce((sum, part) => sum + before(part, second), 0)),
    });
  }

  kill(segment: CutCandidate, docs: number): void {
    const dead = Math.min(segment.docs, segment.deadDocs + docs);
    this.died += dead - segment.deadDocs;
    this.segments = this.segments.filter((one) => one !== segment);
    if (dead < segment.docs) this.segments.push({ ...segment, deadDocs: dead });
  }

  /** A batch of records of a thousand seconds of its own, and the merges behind it. */
  write(batch: number, docs: number, bytesEach = 300): void {
    this.written += docs;
    this.add([{ from: batch * 1000, to: (batch + 1) * 1000, docs }], bytesEach);
    this.settle();
  }

  sum(of: (segment: CutCandidate) => number): number {
    return this.segments.reduce((sum, one) => sum + of(one), 0);
  }

  /** A report of copies where they are more than so many of each record. */
  expectCopies(most: number): void {
    assert.ok(this.copied <= most, `${this.copied / this.written} copies`);
  }

  settle(): void {
    for (;;) {
      const names = pickMerge(this.segments);
      const cut = names === null ? (pickPacking(this.segments) ?? pickCut(this.segments)) : null;
      if (names !== null) this.#merge({ names, seconds: [] });
      else if (cut !== null) this.#merge(cut);
      else break;
    }
  }

  /** As where nothing more is written for now. */
  gather(allowance = 0): void {
    let left = allowance;
    for (;;) {
      const gathering = pickGathering(this.segments, left);
      if (gathering === null) break;
      left = Math.max(0, left - gathering.docs);
      this.#merge({ names: gathering.names, seconds: [] });
    }
  }

  #merge({ names, seconds }: Cut): void {
    const sources = this.segments.filter(({ name }) => names.includes(name));
    const live = sources.reduce((sum, { docs, deadDocs }) => sum + docs - deadDocs, 0);
    const bytes = sources.reduce((sum, one) => sum + one.bytes, 0);
    const docs = sources.reduce((sum, one) => sum + one.docs, 0);
    const parts = sources.flatMap((source) => {
      const share = (source.docs - source.deadDocs) / source.docs;
      return this.#parts.get(source.name)!.map((part) => ({ ...part, docs: part.docs * share }));
    });
    this.segments = this.segments.filter((one) => !sources.includes(one));
    this.copied += live;
    this.largestMerge = Math.max(this.largestMerge, bytes);
    const borders = [0, ...seconds, Infinity];
    for (const [i, from] of borders.slice(0, -1).entries()) {
      const slice = parts.flatMap((part) => clipped(part, from, borders[i + 1]!));
      this.add(joined(slice), bytes / docs);
    }
    for (const one of this.segments.slice(-borders.length + 1))
      assert.ok(one.docs <= MAX_SEGMENT_DOCS, `${one.docs} docs`);
  }
}

function before({ from, to, docs }: Part, second: number): number {
  return docs * Math.min(1, Math.max(0, (second - from) / (to - from)));
}

function clipped({ from, to, docs }: Part, start: number, end: number): Part[] {
  const [low, high] = [Math.max(from, start), Math.min(to, end)];
  return low >= high ? [] : [{ from: low, to: high, docs: (docs * (high - low)) / (to - from) }];
}

/** Parts of the same time as one; whole records. */
function joined(parts: readonly Part[]): Part[] {
  const byTime = new Map<string, Part>();
  for (const part of parts) {
    const key = `${part.from} ${part.to}`;
    byTime.set(key, { ...part, docs: part.docs + (byTime.get(key)?.docs ?? 0) });
  }
  return [...byTime.values()];
}

describe('packing', () => {
  const packed = (...sizes: number[]): number[] => {
    const run = new Simulation();
    for (const [i, docs] of sizes.entries()) run.add([{ from: i * 1000, to: (i + 1) * 1000, docs }], 300);
    run.settle();
    return run.segments.map(({ docs }) => docs).sort((a, b) => b - a);
  };

  it('waits until there is enough for a full segment', () => {
    assert.deepEqual(packed(300_000, 300_000, 300_000), [300_000, 300_000, 300_000]);
  });

  it('cuts off what is too much', () => {
    const [full, rest] = packed(300_000, 300_000, 300_000, 300_000) as [number, number];
    assert.ok(full <= MAX_SEGMENT_DOCS && full > MAX_SEGMENT_DOCS * (31 / 32), `${full} records`);
    assert.ok(full + rest > 1_199_990, `${full} and ${rest} of 1,200,000 records`);
  });

  it('does not cut where very many records are of one second', () => {
    const run = new Simulation();
    for (let i = 0; i < 4; i++) run.add([{ from: 5, to: 6, docs: 300_000 }], 300);
    run.settle();
    assert.deepEqual(run.segments.map(({ docs }) => docs).sort(), [300_000, 900_000]);
  });
});

describe('gathering', () => {
  const table: readonly [string, readonly number[], number, number | null][] = [
    ['eleven of all sizes become one', [40_000, 40_000, 40_000, ...Array(8).fill(5_000)], 0, 11],
    ['a small one stays beside a large one', [100_000, 40_000], 0, null],
    ['the small ones are gathered beside it', [400_000, 40_000, 30_000, 20_000], 0, 3],
    ['what an import wrote may be copied once', [100_000, 40_000], 140_000, 2],
    ['no more than it wrote', [100_000, 40_000, 30_000], 140_000, 2],
    ['full ones stay', [900_000, 800_000], 10_000_000, null],
    ['no more than fits into one segment', [500_000, 450_000, 200_000], 10_000_000, 2],
    ['one alone stays', [5_000], 5_000, null],
  ];
  for (const [name, sizes, allowance, expected] of table) {
    it(name, () => {
      const candidates = sizes.map((docs, i) => segment(String(i), docs));
      assert.equal(pickGathering(candidates, allowance)?.names.length ?? null, expected);
    });
  }
});

describe('the end of an import', () => {
  const imported = (records: number, batch: number): Simulation => {
    const run = new Simulation();
    for (let from = 0; from < records; from += batch) {
      // Two threads build a half of each batch.
      for (let lane = 0; lane < 2; lane++) run.add([{ from, to: from + batch, docs: batch / 2 }], 250);
      run.written += batch;
      run.settle();
    }
    run.gather(records);
    return run;
  };
  for (const batch of [10_000, 25_000]) {
    for (const [records, most] of [
      [200_000, 3],
      [1_000_000, 4],
      [10_000_000, 10],
    ] as const) {
      it(`${records} records in batches of ${batch} are ${most} segments at the most`, () => {
        const run = imported(records, batch);
        const sizes = run.segments.map(({ docs }) => docs).join();
        assert.ok(run.segments.length <= most, `${run.segments.length} segments: ${sizes}`);
        run.expectCopies(5 * run.written);
      });
    }
  }

  it('files that are imported one by one are not copied each time', () => {
    const run = new Simulation();
    const files = 3_000;
    for (let file = 0; file < files; file++) {
      run.write(file, 400);
      run.gather(400);
    }
    // log2 of 3,000 are 11.6.
    run.expectCopies(12.6 * run.written);
    assert.ok(run.segments.length <= 12, `${run.segments.length} segments`);
  });
});

describe('long runs of the merge policy', () => {
  const YEARS = 20 * 365 * 86_400;
  const sizes: readonly [string, (random: () => number) => number][] = [
    ['small batches', (random) => 1 + Math.floor(random() * 200)],
    ['large batches', (random) => 1 + Math.floor(random() * 130_000)],
    ['batches of all sizes', (random) => Math.floor(8 ** (random() * 5.6)) + 1],
  ];
  // `rest`: nothing is written for a while after each batch.
  const ways = [
    ['nothing replaced', { deaths: 0, rest: false }],
    ['30 % of records replaced', { deaths: 0.3, rest: false }],
    ['with nothing written for a while after each', { deaths: 0, rest: true }],
  ] as const;
  for (const [name, sizeOf] of sizes) {
    for (const [way, { deaths, rest }] of ways) {
      it(`${name}, ${way}: segments and copies stay below the formula`, () => {
        const random = randomOf(7);
        const run = new Simulation();
        for (let batch = 0; batch < 1500; batch++) {
          const docs = sizeOf(random);
          run.write(batch, docs);
          if (deaths > 0) {
            run.kill(run.segments[Math.floor(random() * run.segments.length)]!, Math.floor(docs * deaths));
            run.settle();
          }
          if (rest) run.gather();
          const live = run.sum(({ docs, deadDocs }) => docs - deadDocs);
          const most = (rest ? 20 : 45) + live / 2 ** 19 + run.sum(({ bytes }) => bytes) / 2 ** 30;
          const { length } = run.segments;
          assert.ok(length <= most, `${length} of at most ${most} segments of ${live} records`);
        }
        run.expectCopies((rest ? 28.1 : 8.1) * run.written + 2.34 * run.died);
        assert.ok(run.largestMerge <= 2 ** 31);
      });
    }
  }

  it('dumps that each span all years come to lie one behind the other, each record copied a few times', () => {
    const run = new Simulation();
    for (let dump = 0; dump < 32; dump++) {
      // Each dump in the order of time, in batches.
      for (let batch = 0; batch < 12; batch++) {
        const from = Math.floor((batch * YEARS) / 12);
        run.written += 65_536;
        run.add([{ from, to: Math.floor(((batch + 1) * YEARS) / 12), docs: 65_536 }], 300);
        run.settle();
      }
    }
    const full = run.segments.filter(isFull);
    const days = (one: CutCandidate) => (one.lastCreated - one.firstCreated) / 86_400;
    assert.equal(pickCut(run.segments), null);
    // Room for four full segments, however large the index is.
    assert.ok(run.largestMerge <= 4 * MAX_SEGMENT_DOCS * 300);
    run.expectCopies(8.1 * run.written);
    const mean = full.reduce((sum, one) => sum + days(one), 0) / full.length;
    assert.ok(mean < YEARS / 86_400 / 6, `full segments of ${full.map(days).join()} days`);
  });

  it('segments that are disjoint already are left alone', () => {
    const run = new Simulation();
    for (let i = 0; i < 40; i++) run.add([{ from: i * 1000, to: (i + 1) * 1000, docs: 900_000 }], 300);
    run.settle();
    assert.equal(run.copied, 0);
  });
});
