// The batches of a scan that a thread works on, as its caller iterates over them.

import { untilAborted } from '../../../model/aborted.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { Answering } from './answering-calls.ts';
import type { ThreadHandle } from './thread-handle.ts';

export interface ThreadScan {
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

/** Closes the scan in its thread, however the iteration ends. If `signal` is aborted it throws the signal's reason. */
export async function* batchesOf(
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
