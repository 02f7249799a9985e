// Exports under way: each has its thread, and its views as long as it runs.

import type { ExportBlock, ExportHead, ExportRequest, ExportRun } from '../../model/export.ts';
import type { IndexFingerprint } from '../../model/index-fingerprint.ts';
import { KINDS, type Kind, otherKind } from '../../model/record.ts';
import { unpackError } from '../threads/error-messages.ts';
import { callExport, startExportWorker } from '../threads/export-calls.ts';
import { ExportRuns, type ExportSteps } from '../threads/export-runs.ts';
import { Deadline } from './deadline.ts';
import type { ExportStart } from './export-work.ts';
import type { Reader } from './reader.ts';
import { Searcher, ViewLost } from './search.ts';
import { fingerprintOf } from './stats.ts';
import type { Store } from './store.ts';
import type { HeldView } from './views.ts';

interface Parts {
  readonly store: Store;
  readonly reader: Reader;
}

const ENTRY = new URL('./export-worker.ts', import.meta.url);

export class Exports implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #runs = new ExportRuns();

  constructor(store: Store, reader: Reader) {
    this.#parts = { store, reader };
  }

  /** See SearchEngine.export. */
  open(request: ExportRequest, signal?: AbortSignal): Promise<ExportRun> {
    return this.#runs.open(request, signal, (ending) => new Steps(this.#parts, request, ending));
  }

  /** Ends all. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runs[Symbol.asyncDispose]();
  }
}

class Steps implements ExportSteps {
  readonly #parts: Parts;
  readonly #request: ExportRequest;
  readonly #signal: AbortSignal;
  readonly #holding: Promise<Record<Kind, HeldView>>;
  readonly #calls = startExportWorker(ENTRY, unpackError);

  constructor(parts: Parts, request: ExportRequest, signal: AbortSignal) {
    this.#parts = parts;
    this.#request = request;
    this.#signal = signal;
    this.#holding = holdBoth(parts.reader);
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
    return await callExport(this.#calls, 'open', start);
  }

  next(): Promise<ExportBlock> {
    return callExport(this.#calls, 'next');
  }

  async fingerprints(): Promise<Record<Kind, IndexFingerprint>> {
    const { post, comment } = await this.#holding;
    return { post: await this.#fingerprint(post), comment: await this.#fingerprint(comment) };
  }

  async close(): Promise<void> {
    await this.#calls[Symbol.asyncDispose]();
    const held = await this.#holding.catch(() => null);
    held?.post[Symbol.dispose]();
    held?.comment[Symbol.dispose]();
  }

  async #fingerprint(held: HeldView): Promise<IndexFingerprint> {
    const searcher = new Searcher(this.#parts.store.client, new Deadline(Infinity, this.#signal));
    try {
      return await fingerprintOf(searcher, held.view);
    } catch (error) {
      if (!(error instanceof ViewLost)) throw error;
      using anew = await this.#parts.reader.views.holdSame(held);
      return await fingerprintOf(searcher, anew.view);
    }
  }
}

/** Of both kinds, or none is held. */
async function holdBoth(reader: Reader): Promise<Record<Kind, HeldView>> {
  const holding = KINDS.map((kind) => reader.hold(kind));
  // Whichever fails first: the other is given back when it is there.
  const settled = await Promise.allSettled(holding);
  try {
    const [post, comment] = await Promise.all(holding);
    return { post: post!, comment: comment! };
  } catch (error) {
    for (const held of settled) if (held.status === 'fulfilled') held.value[Symbol.dispose]();
    throw error;
  }
}
