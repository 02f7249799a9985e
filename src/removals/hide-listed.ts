// Completes a removal that a process left when it died. The list contains HMACs but no names, so every record
// of the index is checked against it, and the records give the names of the entries that they meet.

import type { SearchEngine } from '../model/engine.ts';
import type { Kind } from '../model/record.ts';
import { type Hidden, NAMED_AT_ONCE, type RemovalEntry, type RemovalLog } from '../model/removals.ts';

/**
 * Hides what a removal lists of one kind, and counts it; also copies that another removal hides, so that they stay
 * hidden when that one is undone. Reads every record of the kind once, and keeps at most NAMED_AT_ONCE names in memory.
 */
export async function hideListed(
  engine: SearchEngine,
  log: Pick<RemovalLog, 'entriesOf' | 'count'>,
  removal: number,
  kind: Kind,
): Promise<void> {
  const entries = log.entriesOf(removal);
  const hide = async (what: Hidden) => log.count(removal, kind, await engine.hide(removal, kind, what));
  // After this, no batch brings in what is listed, so everything can be found.
  await hide({ ids: [] });
  await engine.refresh();
  const names = new Names(hide);
  for await (const records of engine.scan(kind, { items: [] }, 'newest'))
    await names.add(entries.met(records));
  for await (const records of engine.buried(kind)) await names.add(entries.met(records));
  await names.hide();
}

class Names {
  readonly #hide: (what: Hidden) => Promise<void>;
  readonly #ids = new Set<string>();
  readonly #threads = new Set<string>();
  readonly #communities = new Set<string>();

  constructor(hide: (what: Hidden) => Promise<void>) {
    this.#hide = hide;
  }

  /** Hides the names once there are enough for one call. */
  async add(entries: readonly RemovalEntry[]): Promise<void> {
    for (const { kind, name } of entries) {
      this.#setOf(kind).add(name);
      // uncovered: a removal of 20,000 names that a dead process left
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
