// Removals of both kinds: hiding, undoing and erasing. Each file of this room is one step of a removal's life:
//
//   hide.ts (an overlay in the manifest) ─► fold.ts (moved to hidden.ts) ─► restore.ts, or purge.ts and expunge.ts

import type { PurgeReport } from '../../../model/engine.ts';
import { damageOrThrow, eachOf } from '../../../model/engine-errors.ts';
import { KINDS, type Kind, type StoredRecord } from '../../../model/record.ts';
import type { Hidden, MovedRecords } from '../../../model/removals.ts';
import { MoveCount } from '../../shared/day-table.ts';
import { Watch } from '../state/manifest.ts';
import { readOverlays } from '../state/overlays.ts';
import type { Store } from '../state/store.ts';
import type { Views } from '../state/views.ts';
import { lastHiding } from './hidden.ts';
import { countHiddenCopies, type HidingPlace, hide, holdBuried } from './hide.ts';
import { maintainKind, purgeKind } from './purge.ts';
import { restoreKind } from './restore.ts';

/** Each call is one of SearchEngine. The caller runs one after the other, and refreshes the views after each. */
export class Removing {
  readonly #place: HidingPlace;
  readonly #writers: Readonly<Record<Kind, Watch>> = { post: new Watch(0), comment: new Watch(0) };

  constructor(store: Store, views: Views) {
    this.#place = { store, views };
  }

  hide(removal: number, kind: Kind, what: Hidden): Promise<MovedRecords> {
    return hide(this.#place, kind, { removal, what });
  }

  async restore(removal: number, kinds: readonly Kind[]): Promise<MovedRecords> {
    const back = new MoveCount();
    await eachOf(kinds, async (kind) => {
      await this.#place.store.expectWhole(kind);
      back.addAll(await restoreKind(this.#place.store, kind, removal));
    });
    return back.value();
  }

  /** Holds a view until the walk ends. Every caller must end it. */
  async buried(kind: Kind): Promise<AsyncIterable<readonly StoredRecord[]>> {
    await this.#place.store.expectWhole(kind);
    return await holdBuried(this.#place, kind);
  }

  async hiddenCount(kinds: readonly Kind[] = KINDS): Promise<number> {
    let sum = 0;
    for (const kind of kinds) {
      await this.#place.store.expectWhole(kind);
      sum += await countHiddenCopies(this.#place, kind);
    }
    return sum;
  }

  async lastRemoval(kind: Kind): Promise<number> {
    const { store } = this.#place;
    await store.expectWhole(kind);
    const { overlays } = await store.manifests[kind].read();
    const waiting = await readOverlays(store, kind, overlays);
    return Math.max(await lastHiding(store, kind), ...waiting.map(({ removal }) => removal));
  }

  async purge(kinds: readonly Kind[]): Promise<PurgeReport> {
    const reached: PurgeReport['erased'][] = [];
    await eachOf(kinds, async (kind) => {
      await this.#place.store.expectWhole(kind);
      reached.push(await purgeKind(this.#place, kind));
    });
    return { erased: reached.includes('scheduled') ? 'scheduled' : 'now' };
  }

  async maintain(): Promise<void> {
    for (const kind of KINDS) await maintainKind(this.#place, kind, this.#writers[kind]).catch(damageOrThrow);
  }
}
