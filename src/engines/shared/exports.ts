// Exports under way, of any engine. One is handed out once it is open, gives its blocks one by one, and ends with its
// last block, with its caller, or with the engine. For a block, records are taken batch by batch, what was removed
// since the view is left out, and the shaper makes bytes of the rest.

import { EngineUnavailable, untilAborted } from '../../model/engine-errors.ts';
import {
  EXPORT_STEP,
  type ExportBlock,
  type ExportHead,
  type ExportRequest,
  type ExportRun,
  type ExportView,
  type OpenShaper,
  type RecordShaper,
  type ShaperModule,
} from '../../model/export.ts';
import { pageRequest } from '../../model/pages.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { ArrivalTime } from '../../model/time.ts';
import { Places } from '../../model/waiting.ts';
import type { Remote } from './worker-calls.ts';

/** What an engine does for one export, call by call. */
export interface ExportSteps {
  open(): Promise<ExportHead>;
  /** One without bytes, state and report is passed over. */
  next(): Promise<ExportBlock>;
  fingerprints(): ReturnType<ExportRun['fingerprints']>;
  /** Lets the call under way come to its end, and lets go of all that is held. */
  close(): Promise<void>;
}

export class ExportRuns implements AsyncDisposable {
  readonly #running = new Set<Running>();

  /**
   * See SearchEngine.export. `start` is handed the signal that is aborted where the caller has gone or the export was
   * ended.
   */
  async open(
    request: ExportRequest,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => ExportSteps,
  ): Promise<ExportRun> {
    signal?.throwIfAborted();
    pageRequest(request.order, request.after, { limit: 1 });
    const run = new Running(start, signal, () => this.#running.delete(run));
    this.#running.add(run);
    try {
      await run.open();
      return run;
    } catch (error) {
      await run[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new EngineUnavailable('the index was closed before the export had ended');
    await Promise.all([...this.#running].map((run) => run.end(closed)));
  }
}

class Running implements ExportRun {
  readonly blocks: AsyncIterable<ExportBlock>;
  readonly #steps: ExportSteps;
  readonly #ending = new AbortController();
  /** Aborted where the caller has gone or the export was ended. */
  readonly #signal: AbortSignal;
  readonly #onEnd: () => void;
  #ended: Promise<void> | undefined;
  #head: ExportHead | null = null;

  constructor(
    start: (signal: AbortSignal) => ExportSteps,
    signal: AbortSignal | undefined,
    onEnd: () => void,
  ) {
    this.#onEnd = onEnd;
    this.#signal =
      signal === undefined ? this.#ending.signal : AbortSignal.any([signal, this.#ending.signal]);
    this.#steps = start(this.#signal);
    this.blocks = this.#iterate();
    this.#signal.addEventListener('abort', () => void this[Symbol.asyncDispose](), { once: true });
  }

  get head(): ExportHead {
    return this.#head!;
  }

  async open(): Promise<void> {
    this.#head = await untilAborted(this.#signal, () => this.#steps.open());
  }

  async fingerprints(): ReturnType<ExportRun['fingerprints']> {
    this.#signal.throwIfAborted();
    return await untilAborted(this.#signal, () => this.#steps.fingerprints());
  }

  end(reason: unknown): Promise<void> {
    this.#ending.abort(reason);
    return this[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ended ??= this.#close();
    return this.#ended;
  }

  async #close(): Promise<void> {
    // Behind a pause, since the signal disposes again: it must find this close under way.
    await Promise.resolve();
    this.#ending.abort(new EngineUnavailable('the export was ended'));
    await this.#steps.close();
    this.#onEnd();
  }

  async *#iterate(): AsyncGenerator<ExportBlock> {
    try {
      for (let isLast = false; !isLast; ) {
        this.#signal.throwIfAborted();
        const block = await untilAborted(this.#signal, () => this.#steps.next());
        isLast = block.report !== undefined;
        if (block.bytes.length > 0 || 'state' in block || isLast) yield block;
      }
    } finally {
      await this[Symbol.asyncDispose]();
    }
  }
}

/** An export at work. */
export interface WorkOfExport<Values extends readonly unknown[]> {
  readonly head: ExportHead;
  next(...values: Values): Promise<ExportBlock>;
  /** May begin what the next block needs, after one that is not the last. */
  readAhead(): void;
  close(): void | Promise<void>;
}

export type OpenExport<Start, Values extends readonly unknown[]> = (
  start: Start,
  signal: AbortSignal,
) => Promise<WorkOfExport<Values>>;

/** What the thread of an export does: `open` first, then `next`; after `rest` another `open`. */
export class ExportCalls<Start, Values extends readonly unknown[]> {
  readonly #open: OpenExport<Start, Values>;
  readonly #ending = new AbortController();
  #work: WorkOfExport<Values> | null = null;
  /** The call under way. */
  readonly #turns = new Places(1);

  constructor(open: OpenExport<Start, Values>) {
    this.#open = open;
  }

  open(start: Start): Promise<ExportHead> {
    return this.#turns.run(async () => {
      this.#work = await this.#open(start, this.#ending.signal);
      return this.#work.head;
    });
  }

  next(...values: Values): Promise<ExportBlock> {
    return this.#turns.run(() => this.#work!.next(...values));
  }

  rest(): Promise<null> {
    return this.#turns.run(async () => {
      await this.#work?.close();
      this.#work = null;
      return null;
    });
  }

  readAhead(): void {
    this.#work?.readAhead();
  }

  end(): Promise<null> {
    this.#ending.abort(new Error('the export was ended'));
    return this.rest();
  }
}

export type CalledMethod = 'open' | 'next' | 'rest';

/** A thread that makes one export after the other. */
export interface ExportThread<Start, Values extends readonly unknown[]> extends AsyncDisposable {
  readonly calls: Remote<Pick<ExportCalls<Start, Values>, CalledMethod>>;
  readonly isAlive: boolean;
}

/** An export in the caller's own thread. */
export function localExport<Start, Values extends readonly unknown[]>(
  open: OpenExport<Start, Values>,
): ExportThread<Start, Values> {
  const calls = new ExportCalls(open);
  // TypeScript does not see that the calls of unknown `Values` give promises already.
  const remote = calls as never;
  return { calls: remote, isAlive: true, [Symbol.asyncDispose]: async () => void (await calls.end()) };
}

const SHAPERS = new Map<string, OpenShaper>();

/** Opens the shaper of a request. Node looks an import up anew each time, so what it found is kept. */
export async function openShaper(
  { url, options }: ShaperModule,
  head: ExportHead,
  view: ExportView,
): Promise<RecordShaper> {
  const open = SHAPERS.get(url) ?? ((await import(url)) as { readonly openShaper: OpenShaper }).openShaper;
  SHAPERS.set(url, open);
  return await open(options, head, view);
}

/** `Held`: what an engine keeps of a record while the shaper keeps it back. */
export interface ExportedRecords<Item extends Held, Held> {
  /** The next ones: some, and at most so many, which may be 0. Throws where there are none left. */
  take(most: number): Promise<readonly Item[]>;
  recordOf(item: Item): StoredRecord;
  /** Of each, whether it was removed since. */
  areRemoved(some: readonly Held[]): Promise<readonly boolean[]>;
  /** When they came in; null: it is not to be told. */
  arrived(items: readonly Item[]): readonly ArrivalTime[] | null;
  held(item: Item): Held;
  /** Reads what was held again. */
  again(held: readonly Held[]): Iterable<readonly Item[]>;
}

export class ExportBlocks<Item extends Held, Held> {
  readonly #head: ExportHead;
  readonly #shaper: RecordShaper;
  readonly #records: ExportedRecords<Item, Held>;
  /** Matches walked over: passed over, given and withheld. */
  #walked: number;
  #withheld = 0;
  /** What the shaper keeps back, as far as it tells. */
  readonly #held: Held[] = [];

  /** `walked`: matches that are passed over. */
  constructor(head: ExportHead, shaper: RecordShaper, walked: number, records: ExportedRecords<Item, Held>) {
    this.#head = head;
    this.#shaper = shaper;
    this.#walked = walked;
    this.#records = records;
  }

  /** How many records the next block may have: up to the next step. */
  get most(): number {
    return Math.min(EXPORT_STEP - (this.#walked % EXPORT_STEP), this.#head.total - this.#walked);
  }

  /**
   * What comes of the next batch: nothing, where the shaper keeps it back. `mayLack`: something may have been removed
   * since the last one.
   */
  async next(mayLack: boolean): Promise<ExportBlock> {
    const bytes = mayLack ? await this.#giveHeldAnew() : [];
    const items = await this.#records.take(this.most);
    this.#walked += items.length;
    const isStep = this.#walked % EXPORT_STEP === 0 && items.length > 0;
    bytes.push(...(await this.#give(items, isStep)));
    const state = isStep ? this.#shaper.state() : undefined;
    const end = this.#walked === this.#head.total ? await this.#shaper.end() : null;
    return {
      bytes: end === null ? bytes : [...bytes, ...end.bytes],
      records: this.#walked - this.#withheld,
      withheld: this.#withheld,
      ...(isStep && { state }),
      ...(end !== null && { report: end.report }),
    };
  }

  async #give(items: readonly Item[], isStep: boolean): Promise<readonly Uint8Array[]> {
    const records = this.#records;
    const isGone = await records.areRemoved(items);
    const kept = items.filter((_, i) => !isGone[i]);
    this.#withheld += items.length - kept.length;
    if (kept.length === 0 && !isStep) return [];
    const stored = kept.map((item) => records.recordOf(item));
    const bytes = await this.#shaper.add(stored, isStep, records.arrived(kept));
    const { held } = this.#shaper;
    if (held !== undefined) {
      for (const item of kept) this.#held.push(records.held(item));
      this.#held.splice(0, this.#held.length - held.count);
    }
    return bytes;
  }

  /** Where something was removed that the shaper keeps back, all that it keeps back is read and given again. */
  async #giveHeldAnew(): Promise<Uint8Array[]> {
    const isGone = await this.#records.areRemoved(this.#held);
    if (!isGone.includes(true)) return [];
    const held = this.#held.splice(0);
    this.#shaper.held!.forget();
    const bytes: Uint8Array[] = [];
    for (const items of this.#records.again(held)) bytes.push(...(await this.#give(items, false)));
    return bytes;
  }
}
