// Figures of a kind as a whole: what is in it, its fingerprint, and what it covers.

import type { Coverage, CoverageRequest } from '../../model/coverage.ts';
import { IndexDamage } from '../../model/damage.ts';
import type { KindStats } from '../../model/engine.ts';
import { EngineUnavailable } from '../../model/engine-errors.ts';
import type { IndexFingerprint } from '../../model/index-fingerprint.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { Coverages } from './coverages.ts';
import type { Damages } from './damages.ts';
import type { KindStore } from './index/kind-store.ts';
import { liveCount, timeRange, type View } from './index/view.ts';
import { KindSums } from './kind-sums.ts';
import type { Answering } from './threads/answering-calls.ts';
import type { ThreadHandle } from './threads/thread-handle.ts';

export interface FigureParts {
  readonly stores: Readonly<Record<Kind, KindStore>>;
  readonly damages: Damages;
  /** The current one. */
  readonly view: (kind: Kind) => View;
  /** For the next call. */
  readonly thread: () => ThreadHandle<Answering>;
  readonly isClosing: () => boolean;
}

export class Figures {
  readonly sums: Readonly<Record<Kind, KindSums>> = {
    post: new KindSums('post'),
    comment: new KindSums('comment'),
  };
  readonly #parts: FigureParts;
  readonly #coverages: Coverages;

  constructor(parts: FigureParts) {
    this.#parts = parts;
    const { stores, thread, isClosing } = parts;
    this.#coverages = new Coverages({
      pin: (kind) => stores[kind].pin(),
      fingerprint: async (view) => (await this.sumOf(view, () => false))!,
      ...{ thread, isClosing },
    });
  }

  /** Of each kind; in their place, why it cannot be read. */
  async stats(): Promise<Record<Kind, KindStats | IndexDamage>> {
    const [post, comment] = await Promise.all(KINDS.map((kind) => this.#stats(kind)));
    return { post: post!, comment: comment! };
  }

  #stats(kind: Kind): Promise<KindStats | IndexDamage> {
    const { stores, thread } = this.#parts;
    return this.#ofWhole(kind, async (view) => {
      const records = liveCount(view);
      return {
        records,
        communities: records === 0 ? 0 : await thread().call('communityCount', kind),
        ...timeRange(view),
        segments: view.segments.length,
        bytes: view.version === 0 ? 0 : stores[kind].size(),
        lacking: await thread().call('lackingFacts', kind),
      };
    });
  }

  /** Of a view whose files are kept; absent: of the current one. In its place, why the kind cannot be read. */
  fingerprint(kind: Kind, view = this.#parts.view(kind)): Promise<IndexFingerprint | IndexDamage> {
    return this.#ofWhole(kind, async () => (await this.sumOf(view, () => false))!);
  }

  /** Of a view whose files are kept; null where `isStopped` became true meanwhile. */
  async sumOf(view: View, isStopped: () => boolean): Promise<IndexFingerprint | null> {
    const { thread, isClosing } = this.#parts;
    const isOver = () => isClosing() || isStopped();
    const found = await this.sums[view.kind].fingerprint(view, thread, isOver);
    if (found !== null || !isClosing()) return found;
    throw new EngineUnavailable('the index was closed before its records were summed up');
  }

  /** Of a kind that can be read. */
  coverage(request: CoverageRequest, signal?: AbortSignal): Promise<Coverage> {
    const { damages, view } = this.#parts;
    const { kind } = request;
    return damages.naming(kind, () => this.#coverages.of(view(kind), request, signal));
  }

  /** Begins what takes longest of a coverage by month; who asks for one later finds it made, or under way. */
  warm(): void {
    const { damages, view } = this.#parts;
    for (const kind of KINDS) {
      if (damages.of(kind) !== null) continue;
      // What fails is told to those who ask.
      damages.naming(kind, () => this.#coverages.warm(view(kind))).catch(() => undefined);
    }
  }

  /** Resolves when nothing is under way that nobody waits for. */
  settled(): Promise<void> {
    return this.#coverages.settled();
  }

  /** In one view; in its place, why the kind cannot be read. */
  async #ofWhole<T>(kind: Kind, make: (view: View) => Promise<T>): Promise<T | IndexDamage> {
    const { damages, stores, view } = this.#parts;
    const damage = damages.of(kind);
    if (damage !== null) return damage;
    using _pin = stores[kind].pin();
    try {
      return await damages.naming(kind, () => make(view(kind)));
    } catch (error) {
      if (error instanceof IndexDamage) return error;
      // uncovered: a thread dies meanwhile
      throw error;
    }
  }
}
