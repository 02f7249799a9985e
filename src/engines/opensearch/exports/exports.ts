// Running exports. Each has a thread, and holds its views until it ends. A thread that has finished waits for the next
// export.

import type { ExportBlock, ExportHead, ExportRequest, ExportRun } from '../../../model/export.ts';
import type { IndexFingerprint } from '../../../model/hash.ts';
import { KINDS, type Kind, otherKind } from '../../../model/record.ts';
import { ExportWorker, ExportWorkers } from '../../shared/export-worker.ts';
import { ExportRuns, type ExportSteps } from '../../shared/exports.ts';
import { unpackError } from '../../shared/worker-calls.ts';
import { kindsOf } from '../answering/answer.ts';
import type { Fingerprints } from '../answering/stats.ts';
import { Deadline } from '../cluster/deadline.ts';
import { ViewLost } from '../cluster/search.ts';
import { type AskedKinds, allHeld, type Reader } from '../state/reader.ts';
import type { Store } from '../state/store.ts';
import type { HeldView } from '../state/views.ts';
import type { ExportStart } from './export-work.ts';

type Workers = ExportWorkers<ExportStart, []>;

interface Parts {
  readonly store: Store;
  readonly reader: Reader;
  readonly fingerprints: Fingerprints;
  readonly workers: Workers;
}

const ENTRY = new URL('./export-worker.ts', import.meta.url);
/** Idle threads that are kept: starting one takes longer than a small export. */
const MAX_RESTING = 1;

export class Exports implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #runs = new ExportRuns();

  constructor(store: Store, reader: Reader, fingerprints: Fingerprints) {
    const workers: Workers = new ExportWorkers(() => new ExportWorker(ENTRY, unpackError), MAX_RESTING, true);
    this.#parts = { store, reader, fingerprints, workers };
  }

  open(request: ExportRequest, signal?: AbortSignal): Promise<ExportRun> {
    return this.#runs.open(request, signal, (ending) => new Steps(this.#parts, request, ending));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runs[Symbol.asyncDispose]();
    await this.#parts.workers[Symbol.asyncDispose]();
  }
}

class Steps implements ExportSteps {
  readonly #parts: Parts;
  readonly #request: ExportRequest;
  readonly #signal: AbortSignal;
  readonly #holding: Promise<Record<Kind, HeldView>>;
  readonly #worker: ReturnType<Workers['take']>;
  #hasGivenAll = false;

  constructor(parts: Parts, request: ExportRequest, signal: AbortSignal) {
    this.#parts = parts;
    this.#worker = parts.workers.take();
    this.#request = request;
    this.#signal = signal;
    this.#holding = holdBoth(parts.reader, kindsOf([{ ...request, evidence: true }]));
    this.#holding.catch(() => undefined);
  }

  async open(): Promise<ExportHead> {
    const { kind } = this.#request;
    const held = await this.#holding;
    const start: ExportStart = {
      settings: this.#parts.store.settings,
      request: this.#request,
      view: held[kind].view,
      other: held[otherKind(kind)].view,
    };
    return await this.#worker.calls.open(start);
  }

  async next(): Promise<ExportBlock> {
    const block = await this.#worker.calls.next();
    this.#hasGivenAll = block.report !== undefined;
    return block;
  }

  async fingerprints(): Promise<Record<Kind, IndexFingerprint>> {
    const { post, comment } = await this.#holding;
    return { post: await this.#fingerprint(post), comment: await this.#fingerprint(comment) };
  }

  async close(): Promise<void> {
    // Ending the thread of an unfinished export also ends its searches in the cluster.
    if (this.#hasGivenAll) await this.#parts.workers.giveBack(this.#worker);
    else await this.#worker[Symbol.asyncDispose]();
    const held = await this.#holding.catch(() => null);
    held?.post[Symbol.dispose]();
    held?.comment[Symbol.dispose]();
  }

  async #fingerprint(held: HeldView): Promise<IndexFingerprint> {
    const { fingerprints, reader } = this.#parts;
    const searcher = { deadline: new Deadline(Infinity, this.#signal) };
    try {
      return await fingerprints.of(searcher, held.view);
    } catch (error) {
      if (!(error instanceof ViewLost)) throw error;
      using anew = await reader.views.holdSame(held);
      return await fingerprints.of(searcher, anew.view);
    }
  }
}

async function holdBoth(reader: Reader, { wanted }: AskedKinds): Promise<Record<Kind, HeldView>> {
  const holding = KINDS.map((kind) =>
    reader.hold(kind, wanted?.includes(kind) === true ? 'wanted' : undefined),
  );
  const [post, comment] = await allHeld(holding);
  return { post: post!, comment: comment! };
}
