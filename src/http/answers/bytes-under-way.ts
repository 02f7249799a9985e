// Caps the memory of unsent answers. An answer reserves its expected bytes before it is made and frees them once it is
// sent. Requests without room wait, first come, first served, and are refused as `busy` after `waitMs`. No caller can
// take all the room. Contract 13.1.

import type { ServerResponse } from 'node:http';
import { ServiceError } from '../../errors.ts';
import { MAX_NAMED_BYTES } from '../../model/engine.ts';
import { patiently } from '../../model/waiting.ts';
import type { CallerName } from '../requests/caller.ts';

/** Copies of an answer in memory while it is made: records, JSON, and the compressed form. */
export const COPIES_WHILE_MADE = 3;

/** Expected bytes of a record in a list. Larger records are rare and are counted once they are read. */
const EXPECTED_RECORD_BYTES = 16_384;

/** Seconds. */
const RETRY_AFTER = 1;

interface AnswerRoom {
  readonly maxBytes: number;
  readonly waitMs: number;
}

export type ByteFigures = ReturnType<BytesUnderWay['figures']>;

export interface ExpectedAnswer {
  readonly caller: CallerName;
  readonly mostBytes: number;
}

/** A caller's share of the room, so that a slow caller leaves some to others. */
const SHARE_OF_CALLER = 1 / 2;

interface Waiting {
  readonly bytes: number;
  readonly caller: CallerName;
  enter(): void;
}

/** By answer: corrects how many bytes it holds. */
const holds = new WeakMap<ServerResponse, (bytes: number) => void>();

export class BytesUnderWay {
  readonly #room: AnswerRoom;
  readonly #waiting = new Set<Waiting>();
  #bytes = 0;
  readonly #ofCallers = new Map<CallerName, number>();
  #refused = 0;

  constructor(room: AnswerRoom) {
    this.#room = room;
  }

  /**
   * Reserves room for an answer until it is closed; `nowTakes` corrects the amount. An answer larger than the room gets
   * the whole room. One above its caller's share waits until that caller holds nothing. Rejects with `busy`, or with
   * the signal's reason.
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
    // `finish` for answers without a connection.
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
        // Smaller answers behind it may fit now.
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
      `expected room for the answer within ${waitMs} ms, found ${maxBytes} bytes of unsent answers to others`,
      { retryAfter: RETRY_AFTER },
    );
  }
}

export function expectedBytes(records: number): number {
  return Math.min(MAX_NAMED_BYTES, records * EXPECTED_RECORD_BYTES);
}

export function nowTakes(answer: ServerResponse, bytes: number): void {
  holds.get(answer)?.(bytes);
}

/** Frees memory that these bytes own alone: the garbage collector would come long after a fast answer. */
export function letGo({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
