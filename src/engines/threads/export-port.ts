// The inside of a worker thread with one export at a time: takes calls for its work, one after the other, and hands
// over what comes of them. A `close` breaks off what is under way where the work looks at its signal.

import { parentPort, type Transferable } from 'node:worker_threads';
import type { ExportBlock, ExportHead } from '../../model/export.ts';
import { standBack } from '../../niceness.ts';
import type { ErrorMessage } from './error-messages.ts';
import type { Call, Reply } from './worker-calls.ts';

/** An export at work. */
interface WorkOfExport<Values extends readonly unknown[]> {
  readonly head: ExportHead;
  next(...values: Values): Promise<ExportBlock>;
  /** May begin what the next block needs, after one that is not the last. */
  readAhead(): void;
  close(): void | Promise<void>;
}

interface ExportEntry<Start, Values extends readonly unknown[]> {
  open(start: Start, signal: AbortSignal): Promise<WorkOfExport<Values>>;
  packError(error: unknown): ErrorMessage;
}

type ExportMessage = Call<ExportMethod> | { readonly kind: 'close' };

/** `rest`: the export is over, and the worker is ready for another `open`. */
export type ExportMethod = 'open' | 'next' | 'rest';

/** Of 0 to 19: how far an export stands back behind the threads that answer. */
const EXPORT_NICENESS = 10;

/** To be called once, by the entry of a worker. */
export function takeExportCalls<Start, Values extends readonly unknown[]>({
  open,
  packError,
}: ExportEntry<Start, Values>): void {
  const port = parentPort!;
  standBack(EXPORT_NICENESS);
  const closing = new AbortController();
  let work: WorkOfExport<Values> | null = null;
  let turn: Promise<void> = Promise.resolve();
  const take = async (message: ExportMessage) => {
    if (message.kind === 'close') {
      await work?.close();
      port.close();
      return;
    }
    const { id, method, values } = message;
    try {
      if (method === 'open') {
        work = await open(values[0] as Start, closing.signal);
        port.postMessage({ id, value: work.head } satisfies Reply);
      } else if (method === 'rest') {
        await work!.close();
        work = null;
        port.postMessage({ id, value: null } satisfies Reply);
      } else {
        const block = await work!.next(...(values as Values));
        port.postMessage(...handedOver(id, block));
        if (block.report === undefined) work!.readAhead();
      }
    } catch (error) {
      port.postMessage({ id, error: packError(error) } satisfies Reply);
    }
  };
  port.on('message', (message: ExportMessage) => {
    if (message.kind === 'close') closing.abort(new Error('the export was ended'));
    turn = turn.then(() => take(message));
  });
  port.postMessage({ started: true } satisfies Reply);
}

/** A message, and what goes with it instead of being copied. */
function handedOver(id: number, block: ExportBlock): [Reply, Transferable[]] {
  const bytes = block.bytes.map(ownBytes);
  const transfer = new Set<Transferable>(bytes.map(({ buffer }) => buffer));
  return [{ id, value: { ...block, bytes } satisfies ExportBlock }, [...transfer]];
}

/** The bytes in memory that holds nothing else, so that it can be handed over. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isOwn ? (bytes as Uint8Array<ArrayBuffer>) : Uint8Array.from(bytes);
}
