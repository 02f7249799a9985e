// The fingerprint of a kind: sums that the manifest does not know are made by a thread, once for each segment.

import type { IndexFingerprint } from '../../model/index-fingerprint.ts';
import type { Hash64 } from '../../model/murmur-hash.ts';
import type { Kind } from '../../model/record.ts';
import { hex64, Sum64 } from '../../model/sum64.ts';
import { type DeadDocs, liveCount, type View, type ViewSegment } from './index/view.ts';
import type { ThreadHandle } from './threads/thread-handle.ts';

/** Docs that a thread sums up in one call: some 100 ms, between which it answers questions. */
const AT_ONCE = 16_384;
/** Docs of which it compares in one call whether they are dead. */
const COMPARED_AT_ONCE = 1 << 20;

interface KnownSum {
  /** What the sum leaves out. */
  readonly dead: DeadDocs;
  readonly deadVersion: number;
  readonly sum: Promise<Hash64>;
}

export class KindSums {
  readonly #kind: Kind;
  /** Sums that are made or being made, by name of the segment. */
  readonly #known = new Map<string, KnownSum>();

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /** Of a view whose files are kept. `thread`: the one for the next call. */
  async fingerprint(view: View, thread: () => ThreadHandle): Promise<IndexFingerprint> {
    this.#forgetAllBut(view);
    const total = new Sum64();
    for (const source of view.segments) total.add(source.sum ?? (await this.#sumOf(source, thread)));
    return { fingerprint: hex64(total.value()), records: liveCount(view) };
  }

  /** By name of the segment: sums that the manifest lacks. The view's files are kept. */
  async missing(view: View, thread: () => ThreadHandle): Promise<ReadonlyMap<string, Hash64>> {
    const sums = new Map<string, Hash64>();
    for (const source of view.segments) {
      if (source.sum === null) sums.set(source.segment.name, await this.#sumOf(source, thread));
    }
    return sums;
  }

  /** Whoever asks meanwhile gets the same. */
  #sumOf(source: ViewSegment, thread: () => ThreadHandle): Promise<Hash64> {
    const { name } = source.segment;
    const known = this.#known.get(name);
    if (known?.deadVersion === source.deadVersion) return known.sum;
    const { dead, deadVersion } = source;
    const sum = this.#make(source, known, thread);
    this.#known.set(name, { dead, deadVersion, sum });
    sum.catch(() => {
      if (this.#known.get(name)?.sum === sum) this.#known.delete(name);
    });
    return sum;
  }

  /** From what is known of the same segment with other dead docs: only those in which they differ are read. */
  async #make(
    { segment, dead }: ViewSegment,
    known: KnownSum | undefined,
    thread: () => ThreadHandle,
  ): Promise<Hash64> {
    const total = new Sum64();
    if (known !== undefined) total.add(await known.sum);
    const step = known === undefined ? AT_ONCE : COMPARED_AT_ONCE;
    for (let from = 0; from < segment.docs; from += step) {
      const range = { from, to: Math.min(from + step, segment.docs) };
      const before = known?.dead ?? null;
      total.add(await thread().call('sumChange', this.#kind, segment.data, before, dead, range));
    }
    return total.value();
  }

  #forgetAllBut(view: View): void {
    const names = new Set(view.segments.map(({ segment }) => segment.name));
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
  }
}
