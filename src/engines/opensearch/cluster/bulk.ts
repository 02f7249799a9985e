// Writes many documents at once. OpenSearch answers 200 in any case, so each item of the answer is looked at, and what
// was refused for the moment is sent again.

import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../../../errors.ts';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import {
  type API,
  DISK_FULL,
  isDiskBlock,
  mayBeTriedAgain,
  type OpenSearchClient,
  OpenSearchRefusal,
  pathOf,
  type Types,
  UNBLOCK,
} from './client.ts';

/** The version of a document when it was read: a write with it fails if the document has changed. */
export interface Version {
  readonly if_seq_no: number;
  readonly if_primary_term: number;
}

/** A version, as the cluster tells it. */
export interface Versioned {
  readonly _seq_no: number;
  readonly _primary_term: number;
}

export function versionOf({ _seq_no, _primary_term }: Versioned): Version {
  return { if_seq_no: _seq_no, if_primary_term: _primary_term };
}

/** Called when the document is sent; a string is its JSON. */
type MakeDocument = () => object | string;

export type Operation =
  /** A conflict if the id is taken. */
  | { readonly kind: 'create'; readonly id: string; readonly document: MakeDocument }
  | { readonly kind: 'index'; readonly id: string; readonly document: MakeDocument; readonly at?: Version }
  | { readonly kind: 'delete'; readonly id: string; readonly at?: Version };

/** The outcome of an operation. A changed version or a taken id may be our own first try. */
export type Outcome =
  | { readonly kind: 'done'; readonly at: Version }
  | { readonly kind: 'conflict' }
  /** Nothing was there to delete. */
  | { readonly kind: 'absent' };

/** About the size of a request, in UTF-16 units. */
const REQUEST_SIZE = 6_000_000;
const IN_FLIGHT = 2;
/** How long a request waits for an answer, including tries, in milliseconds. */
const REQUEST_MS = 120_000;
/** How long one node may take. */
const TRY_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

type Item = Types.Core_Bulk.ResponseItem;

/** An operation as it is sent, and its place among all. */
interface Sent {
  readonly place: number;
  readonly lines: string;
}

/**
 * The outcome of each, in order. `before` runs before each request. Throws an EngineUnavailable if the cluster refuses
 * for too long (part may be written), a StorageError for a blocked index, an Error for a bad document.
 */
export async function writeAll(
  client: OpenSearchClient,
  index: string,
  operations: readonly Operation[],
  before: () => Promise<unknown>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const writing: Writing = { client, index, outcomes, before, inFlight: IN_FLIGHT };
  const waiting = requestsOf(operations);
  const lane = async (number: number) => {
    // A busy cluster gets one request at a time.
    while (number < writing.inFlight) {
      const next = waiting.next();
      if (next.done === true) return;
      await write(next.value, writing);
    }
  };
  // All lanes end before an error goes on, so that nothing is written later.
  const lanes = await Promise.allSettled(Array.from({ length: IN_FLIGHT }, (_, i) => lane(i)));
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
  return outcomes;
}

interface Writing {
  readonly client: OpenSearchClient;
  readonly index: string;
  readonly outcomes: Outcome[];
  readonly before: () => Promise<unknown>;
  inFlight: number;
}

async function write(request: readonly Sent[], writing: Writing): Promise<void> {
  const { client, index, outcomes, before } = writing;
  const deadline = performance.now() + client.patience.documentsMs;
  let left = request;
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    await before();
    const items = await send(client, index, left);
    let refusal: Item['error'];
    left = left.filter(({ place }, i) => {
      const outcome = outcomeOf(items[i]!);
      if (outcome === null) refusal = items[i]!.error;
      else outcomes[place] = outcome;
      return outcome === null;
    });
    if (left.length === 0) return;
    if (performance.now() + pause >= deadline) {
      const { type = '', reason = '' } = refusal ?? {};
      throw new EngineUnavailable(isDiskBlock(type, reason) ? DISK_FULL : `OpenSearch: ${type} ${reason}`);
    }
    writing.inFlight = 1;
    await sleep(pause * (0.5 + Math.random() / 2));
    pause = Math.min(MAX_PAUSE_MS, pause * 2);
  }
}

async function send(
  client: OpenSearchClient,
  index: string,
  request: readonly Sent[],
): Promise<readonly Item[]> {
  const { body } = await client.request<API.Bulk_ResponseBody>(
    {
      method: 'POST',
      path: `${pathOf(index)}/_bulk`,
      query: { filter_path: 'items.*.status,items.*.error,items.*._seq_no,items.*._primary_term' },
      lines: request.map(({ lines }) => lines).join(''),
    },
    { timeoutMs: REQUEST_MS, tryMs: TRY_MS, isOfWriter: true },
  );
  const items = body.items.map((item) => Object.values(item)[0]!);
  const { length } = request;
  if (items.length !== length) throw new Error(`expected ${length} items of a bulk, found ${items.length}`);
  return items;
}

/** null: the operation must be sent again. */
function outcomeOf({ status, error, _seq_no = -1, _primary_term = -1 }: Item): Outcome | null {
  if (status === 200 || status === 201) return { kind: 'done', at: versionOf({ _seq_no, _primary_term }) };
  if (status === 409) return { kind: 'conflict' };
  if (status === 404 && error === undefined) return { kind: 'absent' };
  if (mayBeTriedAgain({ status, type: error?.type ?? '' })) return null;
  if (error?.type === 'cluster_block_exception') {
    throw new StorageError(`OpenSearch: ${error.reason}; ${UNBLOCK}`);
  }
  const { type = '', reason = '' } = error ?? {};
  throw new OpenSearchRefusal(
    status,
    type,
    `OpenSearch takes no such document: status ${status}, ${type} ${reason}`,
  );
}

/** Requests of about REQUEST_SIZE each, in order, made as they are taken. */
function* requestsOf(operations: readonly Operation[]): Generator<readonly Sent[], undefined> {
  let request: Sent[] = [];
  let size = 0;
  for (const [place, operation] of operations.entries()) {
    const lines = linesOf(operation);
    if (size > 0 && size + lines.length > REQUEST_SIZE) {
      yield request;
      [request, size] = [[], 0];
    }
    request.push({ place, lines });
    size += lines.length;
  }
  if (request.length > 0) yield request;
}

function linesOf(operation: Operation): string {
  const { kind, id } = operation;
  const at = operation.kind === 'create' ? {} : operation.at;
  const head = `${JSON.stringify({ [kind]: { _id: id, ...at } })}\n`;
  if (operation.kind === 'delete') return head;
  const document = operation.document();
  return `${head}${typeof document === 'string' ? document : JSON.stringify(document)}\n`;
}
