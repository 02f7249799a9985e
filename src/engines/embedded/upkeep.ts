// What keeps an index small and free of what was removed, beside questions and batches: merges, erasing what is hidden,
// writing the manifest anew so that its free space holds no text. Only in the process that holds the writer's lock.

import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../../errors.ts';
import { log } from '../../log.ts';
import type { Kind } from '../../model/record.ts';
import { KEPT_AFTER_HIDING } from '../../model/removals.ts';
import type { KindStore } from './index/kind-store.ts';
import type { View, ViewSegment } from './index/view.ts';
import type { KindSums } from './kind-sums.ts';
import type { ThreadPool } from './threads/thread-pool.ts';
import { type Cut, type CutCandidate, pickCut } from './writing/cut-policy.ts';
import { isFull, pickMerge } from './writing/merge-policy.ts';

/** What the upkeep of one kind works with. */
export interface UpkeepParts {
  readonly store: KindStore;
  readonly threads: ThreadPool;
  readonly sums: KindSums;
  /** The current view. */
  view(): View;
  /** Sees what is committed. */
  refresh(): void;
  /** Runs `work`, which reads segments; damage that it comes upon is an IndexDamage. */
  reading<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` while no batch is under way. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

/** Segments that are not full; merge-policy.ts leaves at most 49 of them. */
const MAX_UNMERGED = 64;

const SCRUB_WAIT_MS = 250;
/** How often a manifest is tried to be written anew while readers are in the way. */
const MAX_SCRUBS = 240;

export class Upkeep {
  readonly #kind: Kind;
  readonly #parts: UpkeepParts;
  #running: Promise<void> | null = null;
  #isClosing = false;

  constructor(kind: Kind, parts: UpkeepParts) {
    this.#kind = kind;
    this.#parts = parts;
  }

  /** Begins where something is due and nothing is under way yet; what fails is logged and left to the next time. */
  start(): void {
    const failed = (error: unknown) => log.error({ err: error, kind: this.#kind }, 'merging segments failed');
    if (this.#running !== null || this.#isClosing) return;
    try {
      if (this.#isDue()) this.#run().catch(failed);
    } catch (error) {
      // uncovered: the manifest cannot be read while nobody asks
      failed(error);
    }
  }

  /** As `start`, where removed text is to be erased: another process asked for it, or it is time. Cheap. */
  startErasing(): void {
    const { purgesAsked, purgesDone } = this.#parts.store.manifest.state();
    if (purgesAsked > purgesDone || this.#isScrubDue(eraseUntil(false))) this.start();
  }

  /** True where batches come in faster than they are merged: the next one should wait. */
  isBehind(): boolean {
    return this.#parts.view().segments.filter((one) => !isFull(candidateOf(one))).length > MAX_UNMERGED;
  }

  /** Resolves when nothing is under way any more, whatever came of it. */
  async settled(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  /** Does all that is due now. Rejects where something fails; the index stays as it is then. */
  async finish(): Promise<void> {
    // Another one that waits may have begun first.
    while (this.#running !== null) await this.settled();
    if (!this.#isClosing) await this.#run();
  }

  /** What is under way comes to an end after its present step, nothing more begins. */
  async close(): Promise<void> {
    this.#isClosing = true;
    while (this.#running !== null) await this.settled();
  }

  #run(): Promise<void> {
    const running = this.#work().finally(() => {
      this.#running = null;
    });
    this.#running = running;
    return running;
  }

  async #work(): Promise<void> {
    const { purgesAsked, purgesDone } = this.#parts.store.manifest.state();
    const isPurge = purgesAsked > purgesDone;
    const until = eraseUntil(isPurge);
    this.#parts.refresh();
    for (let plan = this.#planned(until); plan !== null; plan = this.#planned(until)) {
      if (this.#isClosing) return;
      await this.#merge(plan);
    }
    if (isPurge || this.#isScrubDue(until)) await this.#scrub(purgesAsked);
    if (this.#lacksSums()) await this.#storeSums();
    this.#parts.store.manifest.thinArrivals();
  }

  async #merge(plan: Cut): Promise<void> {
    const { store, threads, reading, inTurn, refresh } = this.#parts;
    using _pin = store.pin();
    const result = await reading(() => threads.merger().call('prepareMerge', this.#kind, plan));
    await inTurn(async () => {
      await threads.writer().call('commitMerge', this.#kind, result);
      refresh();
    });
  }

  /** They are made beside batches; what a batch has changed meanwhile is made in the turn, from few records. */
  async #storeSums(): Promise<void> {
    const { store, threads, sums, view, reading, inTurn, refresh } = this.#parts;
    const missing = () => reading(() => sums.missing(view(), () => threads.merger()));
    {
      using _pin = store.pin();
      await missing();
    }
    await inTurn(async () => {
      for (let isStored = false; !isStored && !this.#isClosing; ) {
        refresh();
        using _pin = store.pin();
        const { version } = view();
        const made = await missing();
        isStored = await threads.writer().call('storeSums', this.#kind, made, version);
      }
      refresh();
    });
  }

  /** In a turn, so that nothing is written meanwhile that would be in the way. */
  async #scrub(purgesAsked: number): Promise<void> {
    const { store, threads, inTurn } = this.#parts;
    for (let tries = 0; tries < MAX_SCRUBS && !this.#isClosing; tries++) {
      const isClean = await inTurn(() => {
        store.deleteForGood();
        return threads.merger().call('scrub', this.#kind);
      });
      if (isClean) {
        store.manifest.noteScrubbed(purgesAsked);
        return;
      }
      // uncovered: another process reads the manifest for seconds or minutes
      await sleep(SCRUB_WAIT_MS);
    }
    if (this.#isClosing) return;
    throw new StorageError(
      `\`${store.manifest.path}\`: expected readers to let go of removed text, ` +
        'found one that reads for minutes: stop what reads the folder (`colloquy check`, ' +
        'a backup) and repeat the purge',
    );
  }

  #isDue(): boolean {
    const { purgesAsked, purgesDone } = this.#parts.store.manifest.state();
    const until = eraseUntil(purgesAsked > purgesDone);
    if (purgesAsked > purgesDone || this.#isScrubDue(until) || this.#lacksSums()) return true;
    return this.#planned(until) !== null;
  }

  /** Of segments of older formats, and of those that lost more records at once than a commit sums up. */
  #lacksSums(): boolean {
    return this.#parts.view().segments.some(({ sum }) => sum === null);
  }

  #isScrubDue(until: number): boolean {
    const { scrubDue } = this.#parts.store.manifest.state();
    return scrubDue !== null && scrubDue <= until;
  }

  /** What to merge, or to write anew, next; null: nothing is to be done. */
  #planned(until: number): Cut | null {
    const { segments } = this.#parts.view();
    const due = segments.find(
      ({ segment, hidden, hiddenSince, tombstones }) =>
        (hiddenSince !== null && hiddenSince <= until) || (hidden === 0 && tombstones === segment.docs),
    );
    if (due !== undefined) return { names: [due.segment.name], seconds: [] };
    const candidates = segments.map(candidateOf);
    const names = pickMerge(candidates);
    return names === null ? pickCut(candidates) : { names, seconds: [] };
  }
}

function candidateOf({ segment, tombstones }: ViewSegment): CutCandidate {
  const { firstCreated, lastCreated } = segment.data.footer;
  return {
    name: segment.name,
    docs: segment.docs,
    // What is hidden is kept as long as it may be taken back.
    deadDocs: tombstones,
    bytes: segment.data.size,
    firstCreated,
    lastCreated,
    // uncovered: asked only of segments that merges cut by time, from a million docs on
    docsBefore: (second) => segment.firstAt(second),
  };
}

/** Unix seconds: what was hidden up to then is to be erased. */
function eraseUntil(isPurge: boolean): number {
  return Math.floor(Date.now() / 1000) - (isPurge ? 0 : KEPT_AFTER_HIDING);
}
