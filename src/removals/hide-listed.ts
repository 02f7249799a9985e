// Finishing a removal whose names are lost: its list has HMACs alone, so every record of the index is shown to it, and the
// names of the entries that a record meets come from the record.

import type { SearchEngine } from '../model/engine.ts';
import type { Kind } from '../model/record.ts';
import type { RemovalEntry, RemovalLog } from '../model/removal-log.ts';
import { type Hidden, NAMED_AT_ONCE } from '../model/removals.ts';

/**
 * Hides under its number what a removal lists of one kind, and counts it. Copies that another removal hides too: they stay
 * out when that one is undone. Reads every record once; the memory is that of NAMED_AT_ONCE names, whatever the list.
 */
export async function hideListed(
  engine: SearchEngine,
  log: Pick<RemovalLog, 'entriesOf' | 'count'>,
  removal: number,
  kind: Kind,
): Promise<void> {
  const entries = log.entriesOf(removal);
  const hide = async (what: Hidden) => log.count(removal, kind, await engine.hide(removal, kind, what));
  // First: from here on no batch brings in what is listed, and what there is can be found.
  await hide({ ids: [] });
  await engine.refresh();
  const names = new Names(hide);
  for await (const records of engine.scan(kind, { items: [] }, 'newest'))
    await names.add(entries.met(records));
  for await (const records of engine.buried(kind)) await names.add(entries.met(records));
  await names.hide();
}

/** Names that were found and are not hidden yet, each once. */
class Names {
  readonly #hide: (what: Hidden) => Promise<void>;
  readonly #ids = new Set<string>();
  readonly #threads = new Set<string>();
  readonly #communities = new Set<string>();

  constructor(hide: (what: Hidden) => Promise<void>) {
    this.#hide = hide;
  }

  /** Hides what has come together where it is enough for one call. */
  async add(entries: readonly RemovalEntry[]): Promise<void> {
    for (const { kind, name } of entries) {
      this.#setOf(kind).add(name);
      if (this.#ids.size + this.#threads.size + this.#communities.size >= NAMED_AT_ONCE) await this.hide();
    }
  }

  async hide(): Promise<void> {
    if (this.#ids.size > 0) await this.#hide({ ids: [...this.#ids] });
    if (this.#threads.size > 0) await this.#hide({ threads: [...this.#threads] });
    for (const community of this.#communities) await this.#hide({ community });
    for (const names of [this.#ids, this.#threads, this.#communities]) names.clear();
  }

  #setOf(kind: RemovalEntry['kind']): Set<string> {
    if (kind === 'community') return this.#communities;
    return kind === 'thread' ? this.#threads : this.#ids;
  }
}
