// What the processes that are killed bring in, hide and take back, which all follows from numbers; and what may be seen
// of each batch meanwhile, by what they have told: a batch is there as a whole or not at all, and nobody knows which
// while something is being done with it.

import type { StoredRecord } from '../../src/model/record.ts';
import { comment } from '../helpers.ts';

/** New records of a batch; of the batch before it every second one comes again, with another score. */
export const BATCH = 500;

/** The import that all of them belong to; its state is how many batches are in. */
export const SOURCE = 'dump';

/** One community a batch. */
export function communityOf(batch: number): string {
  return `c${batch}`;
}

export function batchOf(batch: number): StoredRecord[] {
  const records = recordsOf(batch, 1);
  if (batch === 0) return records;
  return [...recordsOf(batch - 1, 2).filter((_, i) => i % 2 === 1), ...records];
}

function recordsOf(batch: number, score: number): StoredRecord[] {
  const community = communityOf(batch);
  return Array.from({ length: BATCH }, (_, i) => {
    const number = batch * BATCH + i;
    const id = number.toString(36);
    return comment({ id, created: 1_000 + number, score, community, communityId: community, body: 'solar' });
  });
}

export interface RemovalStep {
  readonly what: 'hide' | 'restore';
  readonly batch: number;
}

/** Hides batch after batch, and takes back every third one. */
export function removalStep(number: number): RemovalStep {
  const [round, place] = [Math.floor(number / 4), number % 4];
  return place === 3 ? { what: 'restore', batch: 3 * round + 1 } : { what: 'hide', batch: 3 * round + place };
}

/** A batch must be so far behind that no later one brings its records. */
export function isDue({ batch }: RemovalStep, batchesIn: number): boolean {
  return batch + 3 <= batchesIn;
}

/** Of a batch, in the order it goes through them. */
const PHASES = ['absent', 'importing', 'in', 'hiding', 'hidden', 'restoring', 'back'] as const;
const MAY_BE_SEEN = new Set([1, 2, 3, 5, 6]);
const MAY_BE_MISSING = new Set([0, 1, 3, 4, 5]);

type Phase = (typeof PHASES)[number];

export type Fault = 'lost' | 'doubled' | 'half' | 'wrong';

export interface Problem {
  readonly fault: Fault;
  readonly words: string;
}

/** What somebody found, by community. */
export type Counts = Readonly<Record<string, number>>;

/** How far each batch was at a moment. */
export type Moment = readonly number[];

export class KillModel {
  readonly #phases: number[] = [];
  /** Batches whose restoring broke off: the contract lets a part be back then, until it is done again. */
  readonly #inPart = new Set<number>();

  /** How many batches are acknowledged. */
  get batchesIn(): number {
    const next = this.#phases.findIndex((phase) => phase < 2);
    return next < 0 ? this.#phases.length : next;
  }

  /** Batches that are to be seen once nothing is under way. */
  get seen(): number[] {
    return this.#phases.flatMap((phase, batch) => (phase === 2 || phase === 6 ? [batch] : []));
  }

  importing(batch: number): void {
    this.#go(batch, 'importing');
  }

  isIn(batch: number): void {
    this.#go(batch, 'in');
  }

  removing(step: number): void {
    const { what, batch } = removalStep(step);
    this.#go(batch, what === 'hide' ? 'hiding' : 'restoring');
  }

  /** It was refused, or its process killed. */
  brokeOff(step: number): void {
    const { what, batch } = removalStep(step);
    if (what === 'restore') this.#inPart.add(batch);
  }

  hasRemoved(step: number): void {
    const { what, batch } = removalStep(step);
    this.#go(batch, what === 'hide' ? 'hidden' : 'back');
  }

  now(): Moment {
    return [...this.#phases];
  }

  /** What is wrong with the counts of somebody who looked between `from` and now. */
  check(from: Moment, counts: Counts): Problem[] {
    const strangers = new Set(Object.keys(counts));
    const problems = this.#phases.flatMap((last, batch): Problem[] => {
      const community = communityOf(batch);
      strangers.delete(community);
      const found = counts[community] ?? 0;
      const first = from[batch] ?? 0;
      const words = `${found} of ${community}, which was ${PHASES[first]} and is ${PHASES[last]}`;
      if (found > BATCH) return [{ fault: 'doubled', words }];
      if (found > 0 && found < BATCH) return this.#isInPart(batch, first) ? [] : [{ fault: 'half', words }];
      const passed = Array.from({ length: last - first + 1 }, (_, i) => first + i);
      if (found === 0 && !passed.some((phase) => MAY_BE_MISSING.has(phase)))
        return [{ fault: 'lost', words }];
      if (found > 0 && !passed.some((phase) => MAY_BE_SEEN.has(phase))) return [{ fault: 'wrong', words }];
      return [];
    });
    return [
      ...problems,
      ...[...strangers].map((name): Problem => ({ fault: 'wrong', words: `nobody brought in ${name}` })),
    ];
  }

  /** As `check`, of what came again alone. */
  checkAgain(from: Moment, counts: Counts): Problem[] {
    return this.#phases.flatMap((_, batch): Problem[] => {
      const found = counts[communityOf(batch)] ?? 0;
      if (found === 0 || found === BATCH / 2 || this.#isInPart(batch, from[batch] ?? 0)) return [];
      return [{ fault: 'half', words: `${found} of ${communityOf(batch)} came again` }];
    });
  }

  #isInPart(batch: number, first: number): boolean {
    return this.#inPart.has(batch) && first <= PHASES.indexOf('restoring');
  }

  #go(batch: number, to: Phase): void {
    for (let i = this.#phases.length; i <= batch; i++) this.#phases.push(0);
    // What is done again is as far as it was.
    this.#phases[batch] = Math.max(this.#phases[batch]!, PHASES.indexOf(to));
  }
}
