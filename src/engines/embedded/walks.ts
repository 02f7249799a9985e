// Walks through what one view of the embedded index contains, in batches that a thread reads: every match in an order,
// and what is hidden or replaced and still in a file.

import { type IndexDamage, untilAborted } from '../../model/engine-errors.ts';
import type { Order } from '../../model/pages.ts';
import type { Query } from '../../model/query.ts';
import type { Kind, StoredRecord } from '../../model/record.ts';
import type { Damages } from './damages.ts';
import type { KindStore } from './index/kind-store.ts';
import type { Answering } from './threads/answering-calls.ts';
import { AbortFlag, type ThreadHandle } from './threads/thread-handle.ts';

interface Walked {
  readonly stores: Readonly<Record<Kind, KindStore>>;
  readonly damages: Damages;
  readonly thread: () => ThreadHandle<Answering>;
}

type Open = (thread: ThreadHandle<Answering>, scan: number, gone: AbortFlag['gone']) => Promise<void>;

export class Walks {
  readonly #walked: Walked;
  #scans = 0;

  constructor(walked: Walked) {
    this.#walked = walked;
  }

  /** As `SearchEngine.scan`. */
  matches(
    kind: Kind,
    query: Query,
    order: Order,
    signal?: AbortSignal,
  ): AsyncIterable<readonly StoredRecord[]> {
    const open: Open = (thread, scan, gone) => thread.call('openScan', scan, kind, query, order, gone);
    return this.#walk(kind, open, signal);
  }

  /** As `SearchEngine.buried`. */
  buried(kind: Kind): AsyncIterable<readonly StoredRecord[]> {
    return this.#walk(kind, (thread, scan) => thread.call('openBuried', scan, kind));
  }

  /** The batches of a scan that `open` opens under this number. `gone` is set where `signal` is aborted. */
  #walk(kind: Kind, open: Open, signal?: AbortSignal): AsyncIterable<readonly StoredRecord[]> {
    const { stores, damages } = this.#walked;
    const damage = damages.of(kind);
    if (damage !== null) return failing(damage);
    const pin = stores[kind].pin();
    const thread = this.#walked.thread();
    const scan = this.#scans++;
    const flag = new AbortFlag(signal);
    // Now, so that the thread takes the view that it has now.
    const opened = open(thread, scan, flag.gone);
    // uncovered: a thread dies before the one who asked has waited for it
    opened.catch(() => undefined);
    const naming = <T>(work: () => Promise<T>) => damages.naming(kind, work);
    return batchesOf({ thread, number: scan, opened, held: [pin, flag], naming }, signal);
  }
}

/** Gives nothing, and throws this. */
// biome-ignore lint/correctness/useYield: there is nothing to yield.
async function* failing(error: IndexDamage): AsyncGenerator<never> {
  throw error;
}

interface ThreadScan {
  readonly thread: ThreadHandle<Answering>;
  /** The number under which the thread knows the scan. */
  readonly number: number;
  /** Resolves when the thread has opened it. */
  readonly opened: Promise<void>;
  /** Kept until the iteration ends. */
  readonly held: readonly Disposable[];
  /** Through which every call goes, to name damage that it meets. */
  readonly naming: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * The batches of a scan that a thread works on, as its caller iterates over them. Closes the scan in its thread,
 * however the iteration ends. If `signal` is aborted it throws the signal's reason.
 */
async function* batchesOf(
  { thread, number, opened, held, naming }: ThreadScan,
  signal?: AbortSignal,
): AsyncGenerator<readonly StoredRecord[]> {
  using stack = new DisposableStack();
  for (const one of held) stack.use(one);
  await opened;
  try {
    for (;;) {
      const next = () => thread.call('nextBatch', number);
      const batch = await untilAborted(signal, () => naming(next));
      if (batch === null) return;
      yield batch;
    }
  } finally {
    // Behind a batch that is under way, which ends soon where the caller has gone.
    await thread.call('closeScan', number);
  }
}
