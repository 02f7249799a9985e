// How many bytes all answers under way may take together: while they are made, and until their callers have taken
// them. What finds no room waits, first come, first served, and is refused as `busy` if it waits too long. No caller
// takes all of the room. Contract 13.1.

import type { ServerResponse } from 'node:http';
import { ServiceError } from '../../errors.ts';
import { MAX_NAMED_BYTES } from '../../model/engine.ts';
import { patiently } from '../../model/waiting.ts';
import type { CallerName } from '../requests/caller.ts';

/** Copies of an answer in memory while it is made: records, JSON, and its compressed or cut form. */
export const COPIES_WHILE_MADE = 3;

/** Expected bytes of a record where there may be many. Larger texts are rare, and count once they are there. */
const EXPECTED_RECORD_BYTES = 16_384;

/** Seconds after which a request that found no room may come again. */
const RETRY_AFTER = 1;

interface AnswerRoom {
  readonly maxBytes: number;
  /** How long a request waits for room, in milliseconds. */
  readonly waitMs: number;
}

export type ByteFigures = ReturnType<BytesUnderWay['figures']>;

/** For whom an answer is, and how large it is expected to be at the most. */
export interface ExpectedAnswer {
  readonly caller: CallerName;
  readonly mostBytes: number;
}

/** A caller may take this share of the room, so that whoever takes answers slowly leaves some to others. */
const SHARE_OF_CALLER = 1 / 2;

interface Waiting {
  readonly bytes: number;
  readonly caller: CallerName;
  enter(): void;
}

/** By answer: what it holds until it is closed. */
const holds = new WeakMap<ServerResponse, (bytes: number) => void>();

export class BytesUnderWay {
  readonly #room: AnswerRoom;
  readonly #waiting = new Set<Waiting>();
  #bytes = 0;
  /** Of callers that hold any. */
  readonly #ofCallers = new Map<CallerName, number>();
  #refused = 0;

  constructor(room: AnswerRoom) {
    this.#room = room;
  }

  /**
   * Waits for room for an answer of at most so many bytes, held until it is closed or `nowTakes` corrects it. One
   * larger than all the room gets all of it; one above its caller's share enters alone; 0 bytes need none. Rejects with
   * `busy`, or the signal's reason.
   */
  async hold(
    answer: ServerResponse,
    { caller, mostBytes }: ExpectedAnswer,
    signal?: AbortSignal,
  ): Promise<void> {
    if (mostBytes === 0) return;
    const most = Math.min(mostBytes * COPIES_WHILE_MADE, this.#room.maxBytes);
    await this.#enter(caller, most, signal);
    let held = most;
    const take = (bytes: number) => {
      this.#add(caller, bytes - held);
      held = bytes;
      this.#letIn();
    };
    const letGo = () => {
      holds.delete(answer);
      take(0);
    };
    holds.set(answer, take);
    // The second, where an answer is made without a connection.
    for (const end of ['close', 'finish']) answer.once(end, letGo);
    if (answer.closed) letGo();
  }

  figures() {
    const { maxBytes } = this.#room;
    return { bytes: this.#bytes, maxBytes, waiting: this.#waiting.size, refused: this.#refused };
  }

  async #enter(caller: CallerName, bytes: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const entry = Promise.withResolvers<void>();
    const waiting = { caller, bytes, enter: entry.resolve };
    this.#waiting.add(waiting);
    this.#letIn();
    if (!this.#waiting.has(waiting)) return;
    await patiently(entry, {
      ...{ signal, ms: this.#room.waitMs },
      leave: (why) => {
        if (!this.#waiting.delete(waiting)) return false;
        if (why === 'late') this.#refused++;
        // Smaller ones behind it may find room.
        this.#letIn();
        return true;
      },
      late: () => this.#busy(),
    });
  }

  #letIn(): void {
    const { maxBytes } = this.#room;
    for (const waiting of this.#waiting) {
      const { caller, bytes } = waiting;
      const ofCaller = this.#ofCallers.get(caller) ?? 0;
      if (ofCaller > 0 && ofCaller + bytes > maxBytes * SHARE_OF_CALLER) continue;
      if (this.#bytes + bytes > maxBytes) return;
      this.#waiting.delete(waiting);
      this.#add(caller, bytes);
      waiting.enter();
    }
  }

  #add(caller: CallerName, bytes: number): void {
    this.#bytes += bytes;
    const ofCaller = (this.#ofCallers.get(caller) ?? 0) + bytes;
    if (ofCaller === 0) this.#ofCallers.delete(caller);
    else this.#ofCallers.set(caller, ofCaller);
  }

  #busy(): ServiceError {
    const { maxBytes, waitMs } = this.#room;
    return new ServiceError(
      'busy',
      `expected room for the answer within ${waitMs} ms, found ${maxBytes} bytes of other answers under way`,
      { retryAfter: RETRY_AFTER },
    );
  }
}

/** Of an answer with so many records, whatever their size. */
export function expectedBytes(records: number): number {
  return Math.min(MAX_NAMED_BYTES, records * EXPECTED_RECORD_BYTES);
}

/** What an answer takes now that it is made: more than expected makes others wait. */
export function nowTakes(answer: ServerResponse, bytes: number): void {
  holds.get(answer)?.(bytes);
}

/** Gives the memory of bytes back that have their own: a collector would come long after a fast answer. */
export function letGo({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
