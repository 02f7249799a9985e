// What was known of communities at one moment, whatever is written later: for answers that take long.

import type { DatabaseSync } from 'node:sqlite';
import type { CommunityKnowledge, KnowledgeSource } from '../model/community.ts';
import { openDatabaseToRead } from '../sqlite/open.ts';
import { CommunityStore } from './community-store.ts';
import { MIGRATIONS } from './schema.ts';

/** Where a catalogue is, for a thread that opens it for itself. */
export interface CatalogueFile {
  readonly path: string;
  /** See Catalogue.openToRead. */
  readonly isReadOnly: boolean;
}

/** A reading transaction on a connection of its own; in WAL mode no writer waits for it. */
export class KnowledgeSnapshot implements KnowledgeSource, Disposable {
  readonly #database: DatabaseSync;
  readonly #communities: CommunityStore;
  /** See Catalogue.generation. */
  readonly generation: number;

  /** Throws as `Catalogue.openToRead` does. */
  static open({ path, isReadOnly }: CatalogueFile): KnowledgeSnapshot {
    return new KnowledgeSnapshot(openDatabaseToRead(path, MIGRATIONS, isReadOnly));
  }

  private constructor(database: DatabaseSync) {
    this.#database = database;
    this.#communities = new CommunityStore(database);
    database.exec('BEGIN');
    // The first read is what takes the snapshot (https://www.sqlite.org/isolation.html).
    this.generation = this.#communities.generation();
  }

  knowledgeOf(names: readonly string[]): ReadonlyMap<string, CommunityKnowledge> {
    return this.#communities.knowledgeOf(names);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
