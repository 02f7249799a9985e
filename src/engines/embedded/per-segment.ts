// What each segment contributes to a figure of its kind: made once by a thread, some docs at a time, and corrected
// where records of the segment die or come back. Of a sum, the fingerprint of the kind is made (model/hash.ts).

import { setImmediate } from 'node:timers/promises';
import { type Hash64, Sum64 } from '../../model/hash.ts';
import type { DeadDocs, SegmentData } from './index/segment.ts';
import type { View, ViewSegment } from './index/view.ts';

/** Docs of which a thread compares in one call whether they are dead. */
const COMPARED_AT_ONCE = 1 << 20;

/** True where whoever asked does so no more. */
export type IsStopped = () => boolean;

/**
 * What docs `from` to before `to` of a segment change where `before` were the dead ones and `now` are; `before` null:
 * nothing was counted.
 */
export type Change<T> = (
  data: SegmentData,
  before: DeadDocs | null,
  now: DeadDocs,
  range: { readonly from: number; readonly to: number },
) => Promise<T>;

interface Known<T> {
  /** What the figure leaves out. */
  readonly dead: DeadDocs;
  readonly deadVersion: number;
  /** null: it was given up, because all who had asked did so no more. */
  readonly figure: Promise<T | null>;
  /** null: it is made. */
  readonly askers: Set<IsStopped> | null;
}

export class PerSegment<T> {
  readonly #none: T;
  readonly #add: (total: T, more: T) => T;
  readonly #atOnce: number;
  /** What is made or being made, by name of the segment. */
  readonly #known = new Map<string, Known<T>>();

  /** `atOnce`: docs that a thread counts in one call, some 100 ms, between which it answers questions. */
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
   * Of a segment whose file is kept. Whoever asks meanwhile gets the same. null: all who had asked were stopped, which
   * is looked at after each call of a thread.
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
    // Forgotten at once: whoever asks after this must not get what was given up.
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

  /** From what is known of the same segment with other dead docs: only those in which they differ are read. */
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
      // A thread that is the caller's own would let nothing else run.
      await setImmediate();
    }
    return total;
  }
}

/** Docs that a thread sums up in one call. */
const SUMMED_AT_ONCE = 16_384;

/** Sums of what records add to the fingerprint of their kind. */
export function segmentSums(): PerSegment<Hash64> {
  return new PerSegment<Hash64>({ high: 0, low: 0 }, added, SUMMED_AT_ONCE);
}

function added(one: Hash64, other: Hash64): Hash64 {
  const total = new Sum64(one);
  total.add(other);
  return total.value();
}
