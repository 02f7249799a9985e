// The share of each segment in a figure of its kind. A thread makes it once, some docs at a time, and corrects it when
// records die or come back. The fingerprint of the kind is such a sum (model/hash.ts).

import { setImmediate } from 'node:timers/promises';
import { type Hash64, Sum64 } from '../../model/hash.ts';
import type { DeadDocs, SegmentData } from './index/segment.ts';
import type { View, ViewSegment } from './index/view.ts';

/** A thread compares this many docs in one call. */
const COMPARED_AT_ONCE = 1 << 20;

/** True once the asker has gone. */
export type IsStopped = () => boolean;

/**
 * How docs `from` to before `to` of a segment change the figure if the dead ones were `before` and are `now`; `before`
 * null: nothing was counted.
 */
export type Change<T> = (
  data: SegmentData,
  before: DeadDocs | null,
  now: DeadDocs,
  range: { readonly from: number; readonly to: number },
) => Promise<T>;

interface Known<T> {
  /** The docs that the figure excludes. */
  readonly dead: DeadDocs;
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
  of(source: ViewSegment, change: Change<T>, isStopped: IsStopped): Promise<T | null> {
    const { name } = source.segment;
    const known = this.#known.get(name);
    if (known?.deadVersion === source.deadVersion) {
      known.askers?.add(isStopped);
      return known.figure;
    }
    const { dead, deadVersion } = source;
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
    const figure = this.#make(source, known, change, areStopped);
    this.#known.set(name, { dead, deadVersion, figure, askers });
    figure.then(() => {
      if (isCurrent()) this.#known.set(name, { dead, deadVersion, figure, askers: null });
    }, forget);
    return figure;
  }

  /** Starts from a figure of the same segment with other dead docs, if there is one: only differing docs are read. */
  async #make(
    { segment, dead }: ViewSegment,
    known: Known<T> | undefined,
    change: Change<T>,
    areStopped: IsStopped,
  ): Promise<T | null> {
    known?.askers?.add(areStopped);
    const start = (await known?.figure.catch(() => null)) ?? null;
    const before = start === null ? null : known!.dead;
    const step = before === null ? this.#atOnce : COMPARED_AT_ONCE;
    let total = start ?? this.#none;
    for (let from = 0; from < segment.docs; from += step) {
      if (areStopped()) return null;
      const range = { from, to: Math.min(from + step, segment.docs) };
      total = this.#add(total, await change(segment.data, before, dead, range));
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
