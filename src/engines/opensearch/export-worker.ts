// The entry of a worker thread with one export: takes calls for an ExportWork, one after the other, and hands over what
// comes of them. A `close` breaks off what is under way.

import { setPriority } from 'node:os';
import { parentPort, type Transferable } from 'node:worker_threads';
import type { ExportBlock } from '../../model/export.ts';
import { packError } from '../threads/error-messages.ts';
import type { Call, Reply } from '../threads/worker-calls.ts';
import { type ExportStart, ExportWork } from './export-work.ts';

export type ExportMessage = Call<'open' | 'next'> | { readonly kind: 'close' };

/** Of 0 to 19: how far an export stands back behind the threads that answer. */
const EXPORT_NICENESS = 10;

const port = parentPort!;
// Elsewhere than on Linux this would be the priority of the whole process.
if (process.platform === 'linux') setPriority(EXPORT_NICENESS);
const closing = new AbortController();
let work: ExportWork | null = null;
let turn: Promise<void> = Promise.resolve();

port.on('message', (message: ExportMessage) => {
  if (message.kind === 'close') closing.abort(new Error('the export was ended'));
  turn = turn.then(() => take(message));
});

port.postMessage({ started: true } satisfies Reply);

async function take(message: ExportMessage): Promise<void> {
  if (message.kind === 'close') {
    await work?.[Symbol.asyncDispose]().catch(() => {});
    port.close();
    return;
  }
  const { id, method, values } = message;
  try {
    if (method === 'open') await open(id, values as [ExportStart]);
    else await next(id);
  } catch (error) {
    port.postMessage({ id, error: packError(error) } satisfies Reply);
  }
}

async function open(id: number, [start]: readonly [ExportStart]): Promise<void> {
  work = await ExportWork.open(start, closing.signal);
  port.postMessage({ id, value: work.head } satisfies Reply);
}

async function next(id: number): Promise<void> {
  const block = await work!.next();
  const bytes = block.bytes.map(ownBytes);
  const transfer = new Set<Transferable>(bytes.map(({ buffer }) => buffer));
  port.postMessage({ id, value: { ...block, bytes } satisfies ExportBlock } satisfies Reply, [...transfer]);
  if (block.report === undefined) work!.readAhead();
}

/** The bytes in memory that holds nothing else, so that it can be handed over. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isOwn ? (bytes as Uint8Array<ArrayBuffer>) : Uint8Array.from(bytes);
}
