// A worker of the engine, from both sides: its owner calls it; inside, it takes calls one after the other and posts
// their results.

import { MessageChannel, type MessagePort, parentPort, type Transferable, Worker } from 'node:worker_threads';
import type { Kind } from '../../../model/record.ts';
import * as plain from '../../shared/worker-calls.ts';
import { type Call, type Remote, type Reply, remote, WorkerCalls } from '../../shared/worker-calls.ts';
import { type ColumnMemory, forgetThread } from '../columns/column-memory.ts';
import { SegmentDamage } from '../format/segment-file.ts';
import type { StateOptions, ThreadState, ViewData } from '../index/view.ts';
import type { KernelChoice } from '../sets/kernels.ts';

export interface ThreadOptions extends StateOptions {
  /** Memory into which columns are read; absent: each segment has its own. */
  readonly memory?: ColumnMemory | undefined;
  /** See EmbeddedOptions. */
  readonly shareFromMs?: number | undefined;
  readonly kernels?: KernelChoice | undefined;
  /** See EngineOptions. */
  readonly printer?: string | undefined;
  /**
   * For a reader: the calls of all readers (answering/sharing.ts), its number, and whether it is spare. Absent: the
   * thread writes, or does everything in its caller's thread.
   */
  readonly reader?: ReaderPlace;
}

export interface ReaderPlace {
  readonly states: Int32Array;
  readonly number: number;
  readonly isSpare: boolean;
}

interface ErrorMessage extends plain.ErrorMessage {
  /** The kind of a SegmentDamage. */
  readonly kind: Kind | null;
}

export function packError(error: unknown): ErrorMessage {
  return { ...plain.packError(error), kind: error instanceof SegmentDamage ? error.kind : null };
}

export function unpackError(packed: plain.ErrorMessage): Error {
  const { name, message, kind } = packed as ErrorMessage;
  return name === 'SegmentDamage' ? new SegmentDamage(message, { kind }) : plain.unpackError(packed);
}

type Message =
  | { readonly kind: 'view'; readonly view: ViewData }
  | Call<string>
  | { readonly kind: 'peer'; readonly number: number; readonly port: MessagePort }
  | { readonly kind: 'close' };

interface Role {
  /** Runs a call. Returns its message, and the parts that are handed over instead of copied. */
  call(method: string, values: readonly unknown[]): [sent: unknown, handedOver: Transferable[]];
  meet?(number: number, port: MessagePort): void;
  close?(): void;
}

/** To be called once, in a worker. */
export function takeCalls(state: ThreadState, role: Role): void {
  const port = parentPort!;
  const answer = ({ id, method, values }: Call<string>): [Reply, Transferable[]] => {
    try {
      const [value, handedOver] = role.call(method, values);
      return [{ id, value }, handedOver];
    } catch (error) {
      return [{ id, error: packError(error) }, []];
    }
  };
  port.on('message', (message: Message) => {
    if (message.kind === 'view') state.show(message.view);
    else if (message.kind === 'peer') role.meet?.(message.number, message.port);
    else if (message.kind === 'call') port.postMessage(...answer(message));
    else {
      role.close?.();
      state.close();
      port.close();
    }
  });
  port.postMessage({ started: true } satisfies Reply);
}

/**
 * Room for young objects in a thread, in MB. A writer works on bytes and makes few objects: a whole import takes 100 MB
 * less than with V8's default. A reader would keep up to 64 MB after questions about a hundred million records, and
 * keeps 16 in the same processor time; with 8 or 12 here it needs more time.
 */
const WRITER_YOUNG_MB = 8;
const READER_YOUNG_MB = 24;

/** Runs calls in its own worker, one after the other. */
export class WorkerThread<Calls extends object> extends WorkerCalls {
  readonly calls: Remote<Calls>;
  readonly #onChange: () => void;
  readonly #reader: ThreadOptions['reader'];

  /**
   * `restore` rebuilds a result from its message. `onChange` is called when the worker has started, has no more calls,
   * or has ended.
   */
  constructor(
    options: ThreadOptions,
    restore: (method: string, sent: unknown) => unknown = (_, sent) => sent,
    onChange: () => void = () => {},
  ) {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: options,
      resourceLimits: {
        maxYoungGenerationSizeMb: options.reader === undefined ? WRITER_YOUNG_MB : READER_YOUNG_MB,
      },
    });
    super(worker, unpackError, () => this.#onCalls());
    this.#reader = options.reader;
    this.#onChange = onChange;
    const { memory } = options;
    const { threadId } = worker;
    if (memory !== undefined) worker.once('exit', () => forgetThread(memory, threadId));
    this.calls = remote((method, values) => this.call(method, values, (sent) => restore(method, sent)));
  }

  show(view: ViewData): void {
    this.post({ kind: 'view', view } satisfies Message);
  }

  /** Makes two readers known to each other. */
  meet(number: number, other: WorkerThread<Calls>, otherNumber: number): void {
    const { port1, port2 } = new MessageChannel();
    this.post({ kind: 'peer', number: otherNumber, port: port1 } satisfies Message, [port1]);
    other.post({ kind: 'peer', number, port: port2 } satisfies Message, [port2]);
  }

  #onCalls(): void {
    this.#tellState();
    if (this.pending === 0) this.#onChange();
  }

  /** Tells the other readers who is idle. */
  #tellState(): void {
    if (this.#reader === undefined) return;
    const isThere = this.hasStarted && this.isAlive;
    Atomics.store(this.#reader.states, this.#reader.number, isThere ? this.pending : -1);
  }
}
