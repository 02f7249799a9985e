// What befalls messages on the way to a far engine and back: seeded, so that a run can be repeated.

import { setImmediate as macrotask } from 'node:timers/promises';

/** The connection broke: nobody can say what became of the request. */
export class ConnectionLost extends Error {
  constructor(fault: Fault) {
    super(`the connection broke: ${fault}`);
    this.name = 'ConnectionLost';
  }
}

/** In the order in which they may befall one request. */
export const FAULTS = [
  /** The request never arrives. */
  'request lost',
  /** It arrives twice, the second time while or after the first is worked on. */
  'request twice',
  /** A view that a scan reads from is not there any more. */
  'view lost',
  /** The service breaks off when it has done a half of it. */
  'half done',
  /** The work is done and the answer never arrives. */
  'answer lost',
] as const;

export type Fault = (typeof FAULTS)[number];

/** How many of a hundred chances each takes. */
const CHANCES: Readonly<Record<Fault, number>> = {
  'request lost': 6,
  'request twice': 6,
  'view lost': 20,
  'half done': 10,
  'answer lost': 6,
};

/** A message waits for fewer turns of the event loop than this. */
const MAX_TURNS = 4;

export class Faults {
  /** True: every request is lost from now on. */
  isDown = false;
  /** How often each befell. */
  readonly counts: Record<Fault, number> = {
    ...{ 'request lost': 0, 'request twice': 0, 'view lost': 0, 'half done': 0, 'answer lost': 0 },
  };
  #state: number;
  #fatal: Fault | null = null;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Whether this one befalls now. */
  befalls(fault: Fault): boolean {
    const isFatal = fault === this.#fatal;
    const befalls = this.#next() * 100 < CHANCES[fault] || isFatal;
    if (befalls) this.counts[fault]++;
    if (isFatal) {
      this.isDown = true;
      this.#fatal = null;
    }
    return befalls;
  }

  /** At its next chance this one befalls for certain, and nothing gets through from then on. */
  goDownAt(fault: Fault): void {
    this.#fatal = fault;
  }

  /** As long as a message is on its way: some turns of the event loop, so that others overtake it. */
  async delay(): Promise<void> {
    for (let turns = Math.floor(this.#next() * MAX_TURNS); turns > 0; turns--) await macrotask();
  }

  /** mulberry32 (Ettinger, public domain): 0 to 1. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}
