// Keeps an index small and erases what was removed, beside questions and batches: it merges, erases hidden records,
// rewrites the manifest so that its free space has no text, and stores missing sums. Only in the process that holds the
// writer's lock.

import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../../errors.ts';
import { log } from '../../log.ts';
import type { MaintainOptions } from '../../model/engine.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import type { Hash64 } from '../../model/hash.ts';
import type { Kind } from '../../model/record.ts';
import { KEPT_AFTER_HIDING } from '../../model/removals.ts';
import { unixNow } from '../../model/time.ts';
import type { KindStore, View, ViewSegment } from './index/view.ts';
import { AbortFlag } from './matching/deadline.ts';
import type { IsStopped } from './per-segment.ts';
import type { ThreadPool } from './threads/thread-pool.ts';
import type { MergePlan } from './writing/commit.ts';
import {
  type CutCandidate,
  isFull,
  pickCut,
  pickGathering,
  pickMerge,
  pickPacking,
} from './writing/merge-policy.ts';

/** Segments that are not full; writing/merge-policy.ts leaves at most 45. */
const MAX_UNMERGED = 64;

/**
 * Small segments may wait unmerged because a merge would erase their hidden records. If more of them wait, the one that
 * has waited longest loses its hidden records early, so that questions stay fast.
 */
export const MAX_HELD = 64;

const SCRUB_WAIT_MS = 250;
/** How often rewriting a manifest is tried while readers prevent it. */
const MAX_SCRUBS = 240;

/** The kind that upkeep works on. */
export interface KeptKind {
  readonly kind: Kind;
  readonly store: KindStore;
  /** The view that answers use. */
  readonly view: View;
  /** Shows what is committed. Throws an IndexDamage. */
  refresh(): void;
  /** The sum of a segment whose file is kept (model/hash.ts); null: `isStopped` became true meanwhile. */
  sumOf(source: ViewSegment, isStopped: IsStopped): Promise<Hash64 | null>;
  /** Runs `work`, which reads segments. Damage is logged once and becomes an IndexDamage. */
  reading<T>(work: () => Promise<T>): Promise<T>;
}

/** How upkeep shares the process with other work. */
interface Sharing {
  readonly threads: ThreadPool;
  /** Runs `work` while no batch is under way. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

export class Upkeep {
  readonly #index: KeptKind;
  readonly #shared: Sharing;
  #running: Promise<void> | null = null;
  /** Records that came in since the last gathering: gathering may copy as many again. */
  #fresh = 0;
  #isClosing = false;

  constructor(index: KeptKind, shared: Sharing) {
    this.#index = index;
    this.#shared = shared;
  }

  /** This process has written so many records. */
  noteWritten(records: number): void {
    this.#fresh += records;
  }

  /** Begins if something is due and nothing is under way; failures are logged, and the next call tries again. */
  start(): void {
    const failed = (error: unknown) =>
      log.error({ err: error, kind: this.#index.kind }, 'merging segments failed');
    if (this.#running !== null || this.#isClosing) return;
    try {
      if (this.#isDue()) this.#run().catch(failed);
    } catch (error) {
      // uncovered: the manifest cannot be read while nobody asks
      failed(error);
    }
  }

  /** Like `start`, if removed text must be erased: another process asked for it, or it is due. Cheap. */
  startErasing(): void {
    const { isPurge, until } = this.#erasing();
    if (isPurge || this.#isScrubDue(until)) this.start();
  }

  /** True if batches come in faster than they are merged; the next one should wait. */
  isBehind(): boolean {
    const { segments } = this.#index.view;
    return segments.filter((one) => !isHeld(one) && !isFull(candidateOf(one))).length > MAX_UNMERGED;
  }

  /** Resolves when nothing is under way any more, even after a failure. */
  async settled(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  /**
   * Does everything that is due. Then gathers small segments and stores missing sums, so call it when nothing more is
   * to be written. Rejects if something fails; the index stays as it is then.
   */
  async finish(options: MaintainOptions = {}): Promise<void> {
    // Another waiting call may have begun first.
    while (this.#running !== null) await this.settled();
    if (!this.#isClosing)
      await this.#run(async () => {
        await this.#work(options);
        await this.#gather(options);
        await this.#storeSums(options);
      });
  }

  /** Ends after the current step; nothing more begins. */
  async close(): Promise<void> {
    this.#isClosing = true;
    while (this.#running !== null) await this.settled();
  }

  #run(work = () => this.#work()): Promise<void> {
    const running = work().finally(() => {
      this.#running = null;
    });
    this.#running = running;
    return running;
  }

  async #work(options: MaintainOptions = {}): Promise<void> {
    const { purgesAsked, isPurge, until } = this.#erasing();
    this.#index.refresh();
    for (let plan = this.#planned(until); plan !== null; plan = this.#planned(until)) {
      if (this.#isEnding(options)) return;
      await this.#merge(plan, options);
    }
    if (isPurge || this.#isScrubDue(until)) await this.#scrub(purgesAsked);
    const { manifest } = this.#index.store;
    await manifest.patiently(() => manifest.thinArrivals());
  }

  /** Merges until no small segments are left that should be one. */
  async #gather(options: MaintainOptions): Promise<void> {
    for (;;) {
      if (this.#isEnding(options)) return;
      const gathering = pickGathering(this.#candidates(), this.#fresh);
      if (gathering === null) break;
      this.#fresh = Math.max(0, this.#fresh - gathering.docs);
      await this.#merge({ names: gathering.names, seconds: [], erases: false }, options);
    }
    this.#fresh = 0;
  }

  /**
   * Stores sums that the manifest lacks: of segments that lost more records at once than a commit sums up. As that of a
   * removal, the commit needs no turn; if another comes in between, only its records are read.
   */
  async #storeSums(options: MaintainOptions): Promise<void> {
    const { kind, store } = this.#index;
    for (let isStored = false; !isStored; ) {
      using pin = store.pin();
      const sums = await this.#missingSums(options);
      if (sums.size === 0) return;
      isStored = await this.#shared.threads.writer().storeSums(kind, sums, pin.data.version);
      this.#index.refresh();
    }
  }

  /** Damaged segments, and those that were not reached before the end, are absent. */
  async #missingSums(options: MaintainOptions): Promise<ReadonlyMap<string, Hash64>> {
    const sums = new Map<string, Hash64>();
    for (const source of this.#index.view.segments.filter(({ sum }) => sum === null)) {
      try {
        const sum = await this.#index.reading(() => this.#index.sumOf(source, () => this.#isEnding(options)));
        if (sum !== null) sums.set(source.segment.name, sum);
      } catch (error) {
        if (!(error instanceof IndexDamage)) throw error;
      }
    }
    return sums;
  }

  #isEnding({ signal }: MaintainOptions): boolean {
    return this.#isClosing || signal?.aborted === true;
  }

  async #merge(plan: MergePlan, { signal, onMerge }: MaintainOptions): Promise<void> {
    const { kind, store, view } = this.#index;
    const { threads } = this.#shared;
    using _pin = store.pin();
    const sources = view.segments.filter(({ segment }) => plan.names.includes(segment.name));
    const records = sources.reduce((sum, { segment, tombstones }) => sum + segment.docs - tombstones, 0);
    onMerge?.({ kind, segments: sources.length, records });
    using flag = new AbortFlag(signal);
    const { gone } = flag;
    const result = await this.#index.reading(() => threads.merger(records).prepareMerge(kind, plan, gone));
    if (result.sources.length === 0) return;
    await this.#shared.inTurn(async () => {
      await threads.writer().commitMerge(kind, result);
      this.#index.refresh();
    });
  }

  /** Runs in a turn, so that nothing is written meanwhile. */
  async #scrub(purgesAsked: number): Promise<void> {
    const { kind, store } = this.#index;
    const { threads, inTurn } = this.#shared;
    for (let tries = 0; tries < MAX_SCRUBS && !this.#isClosing; tries++) {
      const isClean = await inTurn(() => {
        store.deleteForGood();
        return threads.merger().scrub(kind);
      });
      if (isClean) {
        await store.manifest.patiently(() => store.manifest.noteScrubbed(purgesAsked));
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
    const { isPurge, until } = this.#erasing();
    return isPurge || this.#isScrubDue(until) || this.#planned(until) !== null;
  }

  /** `isPurge`: one was asked for. `until`: Unix seconds; records hidden up to then are erased. */
  #erasing() {
    const { purgesAsked, purgesDone } = this.#index.store.manifest.state();
    const isPurge = purgesAsked > purgesDone;
    return { purgesAsked, isPurge, until: unixNow() - (isPurge ? 0 : KEPT_AFTER_HIDING) };
  }

  #isScrubDue(until: number): boolean {
    const { scrubDue } = this.#index.store.manifest.state();
    return scrubDue !== null && scrubDue <= until;
  }

  /** The next merge or rewriting; null: nothing is due. */
  #planned(until: number): MergePlan | null {
    const { segments } = this.#index.view;
    const due = segments.find(
      ({ segment, hidden, hiddenSince, tombstones }) =>
        (hiddenSince !== null && hiddenSince <= until) || (hidden === 0 && tombstones === segment.docs),
    );
    const erased = due ?? firstOverHeld(segments);
    if (erased !== null) return { names: [erased.segment.name], seconds: [], erases: true };
    const candidates = this.#candidates();
    const names = pickMerge(candidates);
    const cut = names === null ? (pickPacking(candidates) ?? pickCut(candidates)) : { names, seconds: [] };
    return cut && { ...cut, erases: false };
  }

  #candidates(): CutCandidate[] {
    const { segments } = this.#index.view;
    return segments.filter((one) => !isHeld(one)).map(candidateOf);
  }
}

/** Whether it has hidden records and is left unmerged so that they can come back. */
function isHeld({ hidden }: ViewSegment): boolean {
  return hidden > 0;
}

/** If more than MAX_HELD wait: the one whose records were hidden first. */
function firstOverHeld(segments: readonly ViewSegment[]): ViewSegment | null {
  const held = segments.filter((one) => isHeld(one) && !isFull(candidateOf(one)));
  if (held.length <= MAX_HELD) return null;
  return held.reduce((first, one) => (one.hiddenSince! < first.hiddenSince! ? one : first));
}

function candidateOf({ segment, tombstones }: ViewSegment): CutCandidate {
  const { firstCreated, lastCreated } = segment.data.footer;
  return {
    name: segment.name,
    docs: segment.docs,
    deadDocs: tombstones,
    bytes: segment.data.size,
    firstCreated,
    lastCreated,
    // uncovered: asked only of segments that merges cut by time, from a million docs on
    docsBefore: (second) => segment.firstAt(second),
  };
}
