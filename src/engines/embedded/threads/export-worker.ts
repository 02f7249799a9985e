// The entry of a worker thread with one export: takes calls for an ExportWork, one after the other, and hands over what
// comes of them.

import { setPriority } from 'node:os';
import { parentPort, type Transferable } from 'node:worker_threads';
import type { ExportBlock } from '../../../model/export.ts';
import type { Reply } from '../../threads/worker-calls.ts';
import type { ExportMessage } from './export-thread.ts';
import { type ExportStart, ExportWork } from './export-work.ts';
import { packError } from './thread-errors.ts';

/** Of 0 to 19: how far an export stands back behind the threads that answer. */
const EXPORT_NICENESS = 10;

const port = parentPort!;
// Elsewhere than on Linux this would be the priority of the whole process.
if (process.platform === 'linux') setPriority(EXPORT_NICENESS);
let work: ExportWork | null = null;
let turn: Promise<void> = Promise.resolve();

port.on('message', (message: ExportMessage) => {
  turn = turn.then(() => take(message));
});

port.postMessage({ started: true } satisfies Reply);

async function take(message: ExportMessage): Promise<void> {
  if (message.kind === 'close') {
    work?.close();
    port.close();
    return;
  }
  try {
    if (message.method === 'open') await open(message.id, message.values as [ExportStart]);
    else await next(message.id, message.values as Parameters<ExportWork['next']>);
  } catch (error) {
    port.postMessage({ id: message.id, error: packError(error) } satisfies Reply);
  }
}

async function open(id: number, [start]: readonly [ExportStart]): Promise<void> {
  work = await ExportWork.open(start);
  port.postMessage({ id, value: work.head } satisfies Reply);
}

async function next(id: number, values: Parameters<ExportWork['next']>): Promise<void> {
  const block = await work!.next(...values);
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
