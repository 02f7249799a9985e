// Walks through one view of a kind, in batches that a thread reads: every match in an order, or everything hidden or
// replaced that a file still has.

import { untilAborted } from '../../model/engine-errors.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Remote } from '../shared/worker-calls.ts';
import type { KindIndex } from './kind-index.ts';
import { AbortFlag } from './matching/deadline.ts';
import type { Answering } from './threads/answering-calls.ts';

/** Opens a scan with this number. `gone` is set once the caller has gone. */
type Open = (thread: Remote<Answering>, scan: number, gone: AbortFlag['gone']) => Promise<void>;

let scans = 0;

/**
 * The batches of the scan that `open` opens, from the view at the call. Closes it in its thread, however the iteration
 * ends. If `signal` is aborted, it throws the reason.
 */
export function walk(
  index: KindIndex,
  open: Open,
  signal?: AbortSignal,
): AsyncIterable<readonly StoredRecord[]> {
  const { damage } = index;
  if (damage !== null) return failing(damage);
  const pin = index.pin();
  const thread = index.reader();
  const scan = scans++;
  const flag = new AbortFlag(signal);
  // Opened now, so that the thread takes its current view.
  const opened = open(thread, scan, flag.gone);
  // uncovered: a thread dies before the one who asked has waited for it
  opened.catch(() => undefined);
  return (async function* () {
    using stack = new DisposableStack();
    for (const held of [pin, flag]) stack.use(held);
    await opened;
    try {
      for (;;) {
        const batch = await untilAborted(signal, () => index.naming(() => thread.nextBatch(scan)));
        if (batch === null) return;
        yield batch;
      }
    } finally {
      // Follows the current batch, which ends soon if the caller has gone.
      await thread.closeScan(scan);
    }
  })();
}

/** An iteration that throws `error` at once. */
// biome-ignore lint/correctness/useYield: there is nothing to yield.
async function* failing(error: Error): AsyncGenerator<never> {
  throw error;
}
