// Numbers for arrivals whose times are given: those that come next, one a time, which the commit of the batch adds.

import { type ArrivalTime, UNCOUNTED } from '../../../model/arrival-time.ts';

export interface NewArrivals {
  /** Unix seconds, up: of the numbers that follow `behind`, one after the other. */
  readonly times: readonly number[];
  /** The last number that is given so far. */
  readonly behind: number;
}

export interface GivenArrivals extends NewArrivals {
  /** For each record. */
  readonly numbers: Uint32Array;
}

export function givenArrivals(arrived: readonly ArrivalTime[], behind: number): GivenArrivals {
  const times = [...new Set(arrived.filter((time) => time !== null))].sort((a, b) => a - b);
  const numberOf = new Map(times.map((time, i) => [time, behind + 1 + i]));
  const numbers = Uint32Array.from(arrived, (time) => (time === null ? UNCOUNTED : numberOf.get(time)!));
  return { times, behind, numbers };
}
