// Which records of a view removals have taken away since it was opened.

import type { Kind, StoredRecord } from '../../../model/record.ts';
import { hiddenOf } from '../../../model/removals.ts';
import type { OpenSearchClient } from '../cluster/client.ts';
import { multiHas } from '../cluster/documents-walk.ts';
import type { IndexNames } from '../cluster/indices.ts';
import { ManifestStore } from '../state/manifest.ts';
import { type Overlay, readOverlays } from '../state/overlays.ts';
import type { View } from '../state/views.ts';

export class RemovedSince {
  readonly #client: OpenSearchClient;
  readonly #names: IndexNames;
  readonly #kind: Kind;
  readonly #manifest: ManifestStore;
  /** Of the view; what was hidden by then is not in it. */
  readonly #hides: number;
  #seen: number;
  #overlays: readonly Overlay[] = [];

  constructor(client: OpenSearchClient, names: IndexNames, { kind, hides }: View) {
    this.#client = client;
    this.#names = names;
    this.#kind = kind;
    this.#manifest = new ManifestStore(client, names.control, kind);
    this.#hides = hides;
    this.#seen = hides;
  }

  /** Looks for what is in force now; whether something was removed since the last look. */
  async look(signal: AbortSignal): Promise<boolean> {
    const { hides, overlays } = await this.#manifest.read(signal);
    if (hides === this.#hides) return false;
    const place = { client: this.#client, names: this.#names };
    this.#overlays = await readOverlays(place, this.#kind, overlays);
    const isNews = hides !== this.#seen;
    this.#seen = hides;
    return isNews;
  }

  /** For each of these records of the view: whether no answer contains it any more. A replaced one counts as there. */
  async of(records: readonly StoredRecord[], signal: AbortSignal): Promise<readonly boolean[]> {
    if (this.#seen === this.#hides || records.length === 0) return records.map(() => false);
    const isHidden = this.#overlays.map(({ what }) => hiddenOf(records, what));
    // Behind the overlays: what was folded in meanwhile is gone by now.
    const ids = records.map(({ id }) => id);
    const present = await multiHas(this.#client, this.#names[this.#kind], ids, { signal });
    return records.map(({ id }, i) => !present.has(id) || isHidden.some((hidden) => hidden[i]));
  }
}
