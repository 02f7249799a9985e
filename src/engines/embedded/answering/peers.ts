// Threads that help another one with its question: who is idle, and how they are told.

import type { MessagePort } from 'node:worker_threads';
import type { NameField } from '../../../model/engine.ts';
import type { Query } from '../../../model/query.ts';
import type { Kind } from '../../../model/record.ts';
import type { TimeLimit } from '../matching/deadline.ts';

/** A question as a helper gets it. */
export interface Task {
  readonly kind: Kind;
  /** Of the view it is asked of: a helper that sees another one leaves it alone. */
  readonly version: number;
  /** Of the thread that asks: goes up. */
  readonly question: number;
  readonly query: Query;
  /** See Question. */
  readonly since: number | undefined;
  readonly fields: readonly NameField[];
  /** The segments to claim, by their number in the view. */
  readonly segments: readonly number[];
  readonly limit: TimeLimit;
  /** Laid out as in shared-parts.ts. */
  readonly memory: SharedArrayBuffer;
}

interface PeerThread {
  readonly isAlive: boolean;
  /** Comes back at once; whether and when the helper begins is open. */
  invite(task: Task): void;
}

/** What a thread may know of the others. */
export interface PeerThreads {
  /** Those that have nothing to do now. */
  idle(): readonly PeerThread[];
  /** True where the thread that looks has work of its own waiting. */
  readonly isWanted: boolean;
}

/** At most this many search threads help each other. */
export const MAX_PEERS = 64;

/** By reader: calls under way; −1: it does not run. Written by the owner of the threads. */
export function peerStates(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(MAX_PEERS * 4)).fill(-1);
}

/** The other readers of a worker. */
export class Peers implements PeerThreads {
  readonly #states: Int32Array;
  readonly #self: number;
  readonly #others = new Map<number, PeerThread>();

  constructor(states: Int32Array, self: number) {
    this.#states = states;
    this.#self = self;
  }

  /** Another reader, or the one that took its place. `help` is called with what it asks. */
  add(number: number, port: MessagePort, help: (task: Task) => void): void {
    const states = this.#states;
    this.#others.set(number, {
      // uncovered: asked only while a thread that was invited has not answered yet
      get isAlive() {
        return Atomics.load(states, number) >= 0;
      },
      invite: (task) => port.postMessage(task),
    });
    port.on('message', help);
    // The thread may end while nobody asks anything.
    port.unref();
  }

  idle(): PeerThread[] {
    return [...this.#others].flatMap(([number, helper]) =>
      Atomics.load(this.#states, number) === 0 ? [helper] : [],
    );
  }

  get isWanted(): boolean {
    return Atomics.load(this.#states, this.#self) > 0;
  }
}

/** A thread without others. */
export const ALONE: PeerThreads = { idle: () => [], isWanted: false };
