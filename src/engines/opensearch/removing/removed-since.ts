// Which records of a view removals have taken away since it was opened.

import type { StoredRecord } from '../../../model/record.ts';
import { multiHas } from '../cluster/documents-walk.ts';
import { ManifestStore } from '../state/manifest.ts';
import { hiddenBy, type Overlay, readOverlays } from '../state/overlays.ts';
import type { Store } from '../state/store.ts';
import type { View } from '../state/views.ts';

export class RemovedSince {
  readonly #place: Pick<Store, 'client' | 'names'>;
  /** What was hidden by its `hides` is not in it. */
  readonly #view: View;
  readonly #manifest: ManifestStore;
  #seen: number;
  #overlays: readonly Overlay[] = [];

  constructor(place: Pick<Store, 'client' | 'names'>, view: View) {
    this.#place = place;
    this.#view = view;
    this.#manifest = new ManifestStore(place.client, place.names.control, view.kind);
    this.#seen = view.hides;
  }

  /** Looks for what is in force now; whether something was removed since the last look. */
  async look(signal: AbortSignal): Promise<boolean> {
    const { hides, overlays } = await this.#manifest.read(signal);
    if (hides === this.#view.hides) return false;
    this.#overlays = await readOverlays(this.#place, this.#view.kind, overlays);
    const isNews = hides !== this.#seen;
    this.#seen = hides;
    return isNews;
  }

  /** For each of these records of the view: whether no answer contains it any more. A replaced one counts as there. */
  async of(records: readonly StoredRecord[], signal: AbortSignal): Promise<readonly boolean[]> {
    const { kind, hides } = this.#view;
    if (this.#seen === hides || records.length === 0) return records.map(() => false);
    const by = hiddenBy(records, this.#overlays);
    // Behind the overlays: what was folded in meanwhile is gone by now.
    const ids = records.map(({ id }) => id);
    const present = await multiHas(this.#place.client, this.#place.names[kind], ids, { signal });
    return records.map(({ id }, i) => !present.has(id) || by[i]!.length > 0);
  }
}
