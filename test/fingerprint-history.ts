// Random histories of an index: imports in any order and split, copies of both kinds, removals, undoing, merges,
// purges, reopening, a second process that commits meanwhile. After every step the fingerprint must be that of a
// scan, and at the end that of an index which got the same records in another way.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { Manifest } from '../src/engines/embedded/index/manifest.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import type { Kind, StoredRecord } from '../src/model/record.ts';
import type { Hidden } from '../src/model/removals.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import { fingerprintOf, madeAnew } from './engine-fingerprints.ts';
import { EVERYTHING } from './engine-suite.ts';
import { recordArbitrary, VOCABULARY } from './generators/records.ts';
import { temporaryFolder } from './helpers.ts';

export interface HistoryReport {
  /** How often each sort of step was made. */
  readonly steps: ReadonlyMap<string, number>;
  /** After how many steps the manifest lacked the sum of a segment. */
  readonly unknown: number;
  readonly records: number;
}

/** Records of which batches are made; some with the same id. */
const POOL = 3_000;
const IDS = 1_200;
/** Of a batch that gets files of its own. */
const LARGE = 2_200;

/** Throws an AssertionError that names seed and step where a fingerprint is another. */
export async function runHistory(kind: Kind, steps: number, seed: number): Promise<HistoryReport> {
  using folder = temporaryFolder();
  const history = new History(folder.path, kind, seed);
  try {
    return await history.run(steps);
  } finally {
    await history.close();
  }
}

class History {
  readonly #folder: string;
  readonly #kind: Kind;
  readonly #seed: number;
  readonly #below: (end: number) => number;
  readonly #pool: readonly StoredRecord[];
  readonly #rules: { readonly keepOriginals: boolean };
  readonly #steps = new Map<string, number>();
  #engine: SearchEngine | null = null;
  /** As another process: it holds no lock, and commits removals. */
  #other: SearchEngine | null = null;
  #removals = 0;

  constructor(folder: string, kind: Kind, seed: number) {
    this.#folder = folder;
    this.#kind = kind;
    this.#seed = seed;
    this.#below = randomBelow(seed);
    this.#rules = { keepOriginals: seed % 2 === 1 };
    this.#pool = fc
      .sample(recordArbitrary(kind, true), { numRuns: POOL, seed })
      .map((record) => ({ ...record, id: this.#below(IDS).toString(36), retrieved: this.#below(4) * 100 }));
  }

  async run(steps: number): Promise<HistoryReport> {
    let unknown = 0;
    const manifest = new Manifest(this.#folder, this.#kind);
    await this.#reopen();
    for (let step = 0; step < steps; step++) {
      const name = await this.#step();
      this.#steps.set(name, (this.#steps.get(name) ?? 0) + 1);
      for (const engine of [this.#engine!, this.#other!]) {
        await engine.refresh();
        const [found, expected] = [
          await fingerprintOf(engine, this.#kind),
          await madeAnew(engine, this.#kind),
        ];
        assert.deepEqual(found, expected, `seed ${this.#seed}, step ${step}: ${name}`);
      }
      if (manifest.segments().some(({ sum }) => sum === null)) unknown++;
    }
    manifest.close();
    const records = await this.#compareWithAnother();
    return { steps: this.#steps, unknown, records };
  }

  async close(): Promise<void> {
    await this.#engine?.[Symbol.asyncDispose]();
    await this.#other?.[Symbol.asyncDispose]();
  }

  /** Returns what was done. */
  async #step(): Promise<string> {
    const engine = this.#engine!;
    const turn = this.#below(100);
    if (turn < 45) {
      await this.#index(this.#some(1 + this.#below(60)));
      return 'batch';
    }
    if (turn < 50) {
      await this.#index(this.#some(LARGE));
      return 'large batch';
    }
    if (turn < 62) {
      await this.#either().hide(++this.#removals, this.#kind, this.#target());
      return 'removal';
    }
    if (turn < 72) {
      await this.#either().restore(1 + this.#below(this.#removals + 1));
      return 'undo';
    }
    if (turn < 84) {
      const removal = this.#other!.hide(++this.#removals, this.#kind, this.#target());
      await Promise.all([this.#index(this.#some(200)), removal, engine.maintain()]);
      return 'batch, merges and removal at once';
    }
    if (turn < 90) {
      await Promise.all([engine.maintain(), this.#other!.restore(1 + this.#below(this.#removals + 1))]);
      return 'merges and undo at once';
    }
    if (turn < 94) {
      await engine.purge();
      return 'purge';
    }
    await this.#reopen();
    return 'reopening';
  }

  async #index(records: readonly StoredRecord[]): Promise<void> {
    await this.#engine!.index(this.#kind, packRecords(records));
  }

  #some(count: number): StoredRecord[] {
    return Array.from({ length: count }, () => this.#pool[this.#below(this.#pool.length)]!);
  }

  #either(): SearchEngine {
    return this.#below(2) === 0 ? this.#engine! : this.#other!;
  }

  #target(): Hidden {
    const ids = this.#some(1 + this.#below(30)).map(({ id }) => id);
    const way = this.#below(8);
    if (way === 0) return { community: VOCABULARY.communities[this.#below(VOCABULARY.communities.length)]! };
    return way === 1 ? { threads: ids } : { ids };
  }

  async #reopen(): Promise<void> {
    await this.close();
    const options = { rules: this.#rules, workers: 0 };
    this.#engine = await openEmbeddedEngine(this.#folder, options);
    this.#other = await openEmbeddedEngine(this.#folder, options);
  }

  /** What is live, in one batch of another order, has the same fingerprint. Returns how many records there are. */
  async #compareWithAnother(): Promise<number> {
    using folder = temporaryFolder();
    await using another = await openEmbeddedEngine(folder.path, { rules: this.#rules, workers: 0 });
    const records: StoredRecord[] = [];
    for await (const batch of this.#engine!.scan(this.#kind, EVERYTHING, 'top')) records.push(...batch);
    const half = records.length >> 1;
    await another.index(this.#kind, packRecords(records.slice(half)));
    await another.index(this.#kind, packRecords(records.slice(0, half)));
    await another.refresh();
    assert.deepEqual(
      await fingerprintOf(another, this.#kind),
      await fingerprintOf(this.#engine!, this.#kind),
      `seed ${this.#seed}, the same records elsewhere`,
    );
    return records.length;
  }
}

/** Whole numbers from 0 up to `end`, by mulberry32 (Ettinger, public domain). */
function randomBelow(seed: number): (end: number) => number {
  let state = seed | 0;
  return (end) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * end);
  };
}
