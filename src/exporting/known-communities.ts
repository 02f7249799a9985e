// What is known of the communities of an export: by the records, in its view, and by people and dumps, at one moment.

import { type CatalogueFile, KnowledgeSnapshot } from '../catalogue/community-store.ts';
import type { CommunityEvidence, CommunityKnowledge } from '../model/community.ts';
import type { ExportView } from '../model/export.ts';
import type { StoredRecord } from '../model/record.ts';

/** Names that are kept: some 2 MB. With more, everything is forgotten and looked up again. */
const MAX_NAMES = 10_000;

export interface Known {
  readonly evidence: ReadonlyMap<string, CommunityEvidence>;
  readonly knowledge: ReadonlyMap<string, CommunityKnowledge>;
}

export class KnownCommunities implements Known, Disposable {
  readonly #view: ExportView;
  readonly #snapshot: KnowledgeSnapshot | null;
  readonly #names = new Set<string>();
  readonly evidence = new Map<string, CommunityEvidence>();
  readonly knowledge = new Map<string, CommunityKnowledge>();

  /** `catalogue` null: nothing is known beside the records. Throws as `Catalogue.openToRead` does. */
  constructor(view: ExportView, catalogue: CatalogueFile | null) {
    this.#view = view;
    this.#snapshot = catalogue === null ? null : KnowledgeSnapshot.open(catalogue);
  }

  get generation(): number {
    return this.#snapshot?.generation ?? 0;
  }

  /** What is known of the communities of these records, at least; valid until the next call. */
  async of(records: readonly StoredRecord[]): Promise<Known> {
    let strange = this.#strange(records);
    if (strange.size > 0 && this.#names.size + strange.size > MAX_NAMES) {
      for (const kept of [this.#names, this.evidence, this.knowledge]) kept.clear();
      strange = this.#strange(records);
    }
    if (strange.size > 0) await this.#lookUp([...strange]);
    return this;
  }

  [Symbol.dispose](): void {
    this.#snapshot?.[Symbol.dispose]();
  }

  #strange(records: readonly StoredRecord[]): Set<string> {
    const strange = new Set<string>();
    for (const { community } of records) if (!this.#names.has(community)) strange.add(community);
    return strange;
  }

  async #lookUp(names: readonly string[]): Promise<void> {
    for (const [name, evidence] of await this.#view.evidence(names)) this.evidence.set(name, evidence);
    const knowledge = this.#snapshot?.knowledgeOf(names) ?? [];
    for (const [name, known] of knowledge) this.knowledge.set(name, known);
    for (const name of names) this.#names.add(name);
  }
}
