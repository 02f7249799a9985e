// Running exports. Each has a thread, and holds its views until it ends. A thread that has finished waits for the next
// export.

import type { ExportRequest, ExportRun } from '../../../model/export.ts';
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

const ENTRY = new URL('./export-worker.ts', import.meta.url);
/** Idle threads that are kept: starting one takes longer than a small export. */
const MAX_RESTING = 1;

export class Exports implements AsyncDisposable {
  readonly #store: Store;
  readonly #reader: Reader;
  readonly #fingerprints: Fingerprints;
  readonly #workers: ExportWorkers<ExportStart, []>;
  readonly #runs = new ExportRuns();

  constructor(store: Store, reader: Reader, fingerprints: Fingerprints) {
    this.#store = store;
    this.#reader = reader;
    this.#fingerprints = fingerprints;
    this.#workers = new ExportWorkers(() => new ExportWorker(ENTRY, unpackError), MAX_RESTING, true);
  }

  open(request: ExportRequest, signal?: AbortSignal): Promise<ExportRun> {
    return this.#runs.open(request, signal, (ending) => this.#steps(request, ending));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runs[Symbol.asyncDispose]();
    await this.#workers[Symbol.asyncDispose]();
  }

  #steps(request: ExportRequest, signal: AbortSignal): ExportSteps {
    const { kind } = request;
    const worker = this.#workers.take();
    const holding = holdBoth(this.#reader, kindsOf([{ ...request, evidence: true }]));
    holding.catch(() => undefined);
    let hasGivenAll = false;
    return {
      open: async () => {
        const held = await holding;
        const [view, other] = [held[kind].view, held[otherKind(kind)].view];
        return await worker.calls.open({ settings: this.#store.settings, request, view, other });
      },
      next: async () => {
        const block = await worker.calls.next();
        hasGivenAll = block.report !== undefined;
        return block;
      },
      fingerprints: async () => {
        const { post, comment } = await holding;
        const of = (held: HeldView) => this.#fingerprint(held, signal);
        return { post: await of(post), comment: await of(comment) };
      },
      close: async () => {
        // Ending the thread of an unfinished export also ends its searches in the cluster.
        if (hasGivenAll) await this.#workers.giveBack(worker);
        else await worker[Symbol.asyncDispose]();
        const held = await holding.catch(() => null);
        held?.post[Symbol.dispose]();
        held?.comment[Symbol.dispose]();
      },
    };
  }

  async #fingerprint(held: HeldView, signal: AbortSignal): Promise<IndexFingerprint> {
    const searcher = { deadline: new Deadline(Infinity, signal) };
    try {
      return await this.#fingerprints.of(searcher, held.view);
    } catch (error) {
      if (!(error instanceof ViewLost)) throw error;
      using anew = await this.#reader.views.holdSame(held);
      return await this.#fingerprints.of(searcher, anew.view);
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
