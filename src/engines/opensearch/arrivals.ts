// When records came in, and by which number: the arrivals that questions know (contract 20.1).

import { type ArrivalTime, UNCOUNTED } from '../../model/arrival-time.ts';
import type { LastArrival } from '../../model/engine.ts';

/**
 * How a record came in: when, in Unix seconds, and the number of its arrival. The time alone: arrivals were not counted
 * yet; null: it is not known.
 */
export type CameIn = ArrivalTime | readonly [time: number, arrival: number];

/** The arrival of what comes in with a generation, and so the last one of its view; 0 of the one before all. */
export function arrivalOf(generation: number): LastArrival {
  return generation === 0 ? 0 : UNCOUNTED + generation;
}

/** Of a record that comes in with a generation. */
export function cameInWith(generation: number, time: ArrivalTime): CameIn {
  return time === null ? null : [time, arrivalOf(generation)];
}

export function timeOf(cameIn: CameIn): ArrivalTime {
  return isCounted(cameIn) ? cameIn[0] : cameIn;
}

/** Whether its arrival has a number. */
export function isCounted(cameIn: CameIn): cameIn is readonly [number, number] {
  return typeof cameIn === 'object' && cameIn !== null;
}
