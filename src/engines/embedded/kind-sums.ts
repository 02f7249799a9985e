// The fingerprint of a kind: sums that the manifest does not know are made by a thread, once for each segment.

import { setImmediate } from 'node:timers/promises';
import { type Hash64, hex64, type IndexFingerprint, Sum64 } from '../../model/hash.ts';
import type { Kind } from '../../model/record.ts';
import { type DeadDocs, liveCount, type View, type ViewSegment } from './index/view.ts';
import type { ThreadState } from './threads/thread-state.ts';

/** Docs that a thread sums up in one call: some 100 ms, between which it answers questions. */
const AT_ONCE = 16_384;
/** Docs of which it compares in one call whether they are dead. */
const COMPARED_AT_ONCE = 1 << 20;

/** True where whoever asked for a sum does so no more. */
type IsStopped = () => boolean;

interface KnownSum {
  /** What the sum leaves out. */
  readonly dead: DeadDocs;
  readonly deadVersion: number;
  /** null: it was given up, because all who had asked did so no more. */
  readonly sum: Promise<Hash64 | null>;
  /** null: it is made. */
  readonly askers: Set<IsStopped> | null;
}

/** A thread of either role. */
interface SummingThread {
  call(method: 'sumChange', ...values: Parameters<ThreadState['sumChange']>): Promise<Hash64>;
}

export class KindSums {
  readonly #kind: Kind;
  /** Sums that are made or being made, by name of the segment. */
  readonly #known = new Map<string, KnownSum>();

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  /**
   * Of a view whose files are kept. `thread`: the one for the next call. null: `isStopped` became true meanwhile, and
   * whatever else had asked was stopped too.
   */
  async fingerprint(
    view: View,
    thread: () => SummingThread,
    isStopped: IsStopped,
  ): Promise<IndexFingerprint | null> {
    this.#forgetAllBut(view);
    const total = new Sum64();
    for (const source of view.segments) {
      const sum = source.sum ?? (await this.sumOf(source, thread, isStopped));
      if (sum === null) return null;
      total.add(sum);
    }
    return { fingerprint: hex64(total.value()), records: liveCount(view) };
  }

  /**
   * Of a segment whose file is kept. Whoever asks meanwhile gets the same. null: all who had asked were stopped,
   * which is looked at after each call of a thread.
   */
  sumOf(source: ViewSegment, thread: () => SummingThread, isStopped: IsStopped): Promise<Hash64 | null> {
    const { name } = source.segment;
    const known = this.#known.get(name);
    if (known?.deadVersion === source.deadVersion) {
      known.askers?.add(isStopped);
      return known.sum;
    }
    const { dead, deadVersion } = source;
    const askers = new Set([isStopped]);
    const forget = () => {
      if (this.#known.get(name)?.askers === askers) this.#known.delete(name);
    };
    // Forgotten at once: whoever asks after this must not get what was given up.
    const areStopped = () => {
      const isLeft = [...askers].every((one) => one());
      if (isLeft) forget();
      return isLeft;
    };
    const sum = this.#make(source, known, thread, areStopped);
    this.#known.set(name, { dead, deadVersion, sum, askers });
    sum.then(() => {
      if (this.#known.get(name)?.askers === askers) {
        this.#known.set(name, { dead, deadVersion, sum, askers: null });
      }
    }, forget);
    return sum;
  }

  /** From what is known of the same segment with other dead docs: only those in which they differ are read. */
  async #make(
    { segment, dead }: ViewSegment,
    known: KnownSum | undefined,
    thread: () => SummingThread,
    areStopped: IsStopped,
  ): Promise<Hash64 | null> {
    known?.askers?.add(areStopped);
    const start = (await known?.sum) ?? null;
    const before = start === null ? null : known!.dead;
    const total = new Sum64();
    if (start !== null) total.add(start);
    const step = before === null ? AT_ONCE : COMPARED_AT_ONCE;
    for (let from = 0; from < segment.docs; from += step) {
      if (areStopped()) return null;
      const range = { from, to: Math.min(from + step, segment.docs) };
      total.add(await thread().call('sumChange', this.#kind, segment.data, before, dead, range));
      // A thread that is the caller's own would let nothing else run.
      await setImmediate();
    }
    return total.value();
  }

  #forgetAllBut(view: View): void {
    const names = new Set(view.segments.map(({ segment }) => segment.name));
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
  }
}
