// The share of each segment in a figure of its kind. A thread makes it once for the same dead records, some docs at a
// time. The fingerprint of the kind is such a sum (model/hash.ts).

import { setImmediate } from 'node:timers/promises';
import { type Hash64, Sum64 } from '../../model/hash.ts';
import type { DeadDocs, SegmentData } from './index/segment.ts';
import type { View, ViewSegment } from './index/view.ts';

/** True once the asker has gone. */
export type IsStopped = () => boolean;

/** The figure of the live docs `from` to before `to` of a segment. */
export type OfDocs<T> = (
  data: SegmentData,
  dead: DeadDocs,
  range: { readonly from: number; readonly to: number },
) => Promise<T>;

interface Known<T> {
  readonly deadVersion: number;
  /** null: given up, because all askers had gone. */
  readonly figure: Promise<T | null>;
  /** null: the figure is complete. */
  readonly askers: Set<IsStopped> | null;
}

export class PerSegment<T> {
  readonly #none: T;
  readonly #add: (total: T, more: T) => T;
  readonly #atOnce: number;
  /** Figures that are complete or being made, by name of the segment. */
  readonly #known = new Map<string, Known<T>>();

  /** `atOnce`: docs that a thread counts in one call, some 100 ms; it answers questions in between. */
  constructor(none: T, add: (total: T, more: T) => T, atOnce: number) {
    this.#none = none;
    this.#add = add;
    this.#atOnce = atOnce;
  }

  forgetAllBut({ segments }: View): void {
    const names = new Set(segments.map(({ segment }) => segment.name));
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
  }

  /**
   * The figure of a segment whose file is kept. Later askers share it. null: all askers had gone, which is checked
   * after each call of a thread.
   */
  of(source: ViewSegment, ofDocs: OfDocs<T>, isStopped: IsStopped): Promise<T | null> {
    const { name } = source.segment;
    const known = this.#known.get(name);
    if (known?.deadVersion === source.deadVersion) {
      known.askers?.add(isStopped);
      return known.figure;
    }
    const { deadVersion } = source;
    const askers = new Set([isStopped]);
    const isCurrent = () => this.#known.get(name)?.askers === askers;
    const forget = () => {
      if (isCurrent()) this.#known.delete(name);
    };
    // Forgotten at once, so that a later asker does not get a figure that was given up.
    const areStopped = () => {
      const isLeft = [...askers].every((one) => one());
      if (isLeft) forget();
      return isLeft;
    };
    const figure = this.#make(source, ofDocs, areStopped);
    this.#known.set(name, { deadVersion, figure, askers });
    figure.then(() => {
      if (isCurrent()) this.#known.set(name, { deadVersion, figure, askers: null });
    }, forget);
    return figure;
  }

  async #make({ segment, dead }: ViewSegment, ofDocs: OfDocs<T>, areStopped: IsStopped): Promise<T | null> {
    let total = this.#none;
    for (let from = 0; from < segment.docs; from += this.#atOnce) {
      if (areStopped()) return null;
      const range = { from, to: Math.min(from + this.#atOnce, segment.docs) };
      total = this.#add(total, await ofDocs(segment.data, dead, range));
      // In the caller's own thread, nothing else would run meanwhile.
      await setImmediate();
    }
    return total;
  }
}

/** A thread sums up this many docs in one call. */
const SUMMED_AT_ONCE = 16_384;

/** The shares of segments in the fingerprint of their kind. */
export function segmentSums(): PerSegment<Hash64> {
  return new PerSegment<Hash64>({ high: 0, low: 0 }, added, SUMMED_AT_ONCE);
}

function added(one: Hash64, other: Hash64): Hash64 {
  const total = new Sum64(one);
  total.add(other);
  return total.value();
}
