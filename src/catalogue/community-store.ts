// The tables of communities: what the operator, records and dumps said of each, and the generation of that.
//
// What was known of communities at one moment, whatever is written later: for answers that take long.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import {
  type Claim,
  type ClaimSource,
  type CommunityKnowledge,
  communityKey,
  joinClaims,
  type KnowledgeSource,
  NO_CLAIM,
  sameClaims,
} from '../model/community.ts';
import { openDatabaseToRead } from '../sqlite/open.ts';
import { inTransaction, row, value, valueStatement } from '../sqlite/statements.ts';
import { MIGRATIONS } from './schema.ts';

interface CommunityClaims extends Readonly<Record<ClaimSource, Claim>> {
  readonly operator: boolean | null;
}

interface CommunityRow {
  readonly name: string;
  readonly operator: number | null;
  readonly record: number | null;
  readonly record_time: number;
  readonly record_id: string;
  readonly dump: number | null;
  readonly dump_time: number;
  readonly dump_id: string;
}

interface Change {
  readonly name: string;
  readonly said: CommunityClaims;
  readonly now: CommunityClaims;
}

/**
 * A generation rises by a random number of steps up to this one, so that two histories, of a folder and of a backup of
 * it, do not come to the same generation with different knowledge.
 */
const STEPS = 1_048_576;

/** Communities whose knowledge is kept in memory at the most, those of which nothing is known too. */
const MAX_KEPT = 50_000;

const NOTHING_SAID: CommunityClaims = { operator: null, record: NO_CLAIM, dump: NO_CLAIM };

/** Names are given in lower case, but to `knowledgeOf`. */
export class CommunityStore {
  readonly #database: DatabaseSync;
  readonly #one: StatementSync;
  readonly #put: StatementSync;
  readonly #generation: StatementSync;
  readonly #rise: StatementSync;
  /** By key, as it was read while the generation was `#keptOf` or later; null: nothing is known. */
  readonly #kept = new Map<string, CommunityKnowledge | null>();
  #keptOf = -1;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#one = database.prepare('SELECT * FROM communities WHERE name = ?');
    this.#put = database.prepare(
      `INSERT OR REPLACE INTO communities
         (name, operator, record, record_time, record_id, dump, dump_time, dump_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#generation = valueStatement(database, 'SELECT generation FROM knowledge');
    this.#rise = database.prepare(
      `UPDATE knowledge SET generation = generation + 1 + abs(random() % ${STEPS})`,
    );
  }

  /** See Catalogue.generation. */
  generation(): number {
    return value<number>(this.#generation)!;
  }

  /**
   * By the names as given; one of which nothing is known is absent. Asks the database for the generation each time, and
   * for a name once in a generation.
   */
  knowledgeOf(names: readonly string[]): ReadonlyMap<string, CommunityKnowledge> {
    const known = new Map<string, CommunityKnowledge>();
    if (names.length === 0) return known;
    const generation = this.generation();
    if (generation === 0) return known;
    if (generation !== this.#keptOf || this.#kept.size > MAX_KEPT) this.#kept.clear();
    this.#keptOf = generation;
    for (const name of names) {
      const knowledge = this.#keptKnowledge(communityKey(name));
      if (knowledge !== null) known.set(name, knowledge);
    }
    return known;
  }

  #keptKnowledge(key: string): CommunityKnowledge | null {
    let knowledge = this.#kept.get(key);
    if (knowledge === undefined) {
      knowledge = shown(this.#read(key) ?? NOTHING_SAID) ?? null;
      this.#kept.set(key, knowledge);
    }
    return knowledge;
  }

  setOperator(name: string, operator: boolean | null): void {
    inTransaction(this.#database, () => {
      const said = this.#read(name) ?? NOTHING_SAID;
      this.#write([{ name, said, now: { ...said, operator } }]);
    });
  }

  /** All claims or none. Takes the write lock only if something changes. */
  join(source: ClaimSource, claims: ReadonlyMap<string, Claim>): void {
    if (this.#changes(source, claims).length === 0) return;
    inTransaction(this.#database, () => {
      // Read again: another process may have written before the lock was ours.
      this.#write(this.#changes(source, claims));
    });
  }

  #changes(source: ClaimSource, claims: ReadonlyMap<string, Claim>): Change[] {
    const changes: Change[] = [];
    for (const [name, claim] of claims) {
      const said = this.#read(name) ?? NOTHING_SAID;
      const joined = joinClaims(said[source], claim);
      if (!sameClaims(joined, said[source])) changes.push({ name, said, now: { ...said, [source]: joined } });
    }
    return changes;
  }

  #read(name: string): CommunityClaims | undefined {
    const known = row<CommunityRow>(this.#one, name);
    if (known === undefined) return undefined;
    return {
      operator: asBoolean(known.operator),
      record: { nsfw: asBoolean(known.record), time: known.record_time, id: known.record_id },
      dump: { nsfw: asBoolean(known.dump), time: known.dump_time, id: known.dump_id },
    };
  }

  /** Inside a transaction. */
  #write(changes: readonly Change[]): void {
    for (const { name, now } of changes) {
      const { operator, record, dump } = now;
      const ofRecord = [asInteger(record.nsfw), record.time, record.id] as const;
      const ofDump = [asInteger(dump.nsfw), dump.time, dump.id] as const;
      this.#put.run(name, asInteger(operator), ...ofRecord, ...ofDump);
    }
    if (changes.some(({ said, now }) => !isDeepStrictEqual(shown(said), shown(now)))) this.#rise.run();
  }
}

/** What an answer can show of it; undefined: nothing. */
function shown({ operator, record, dump }: CommunityClaims): CommunityKnowledge | undefined {
  const id = dump.id || record.id;
  const saysNothing = (operator ?? record.nsfw ?? dump.nsfw) === null && id === '';
  return saysNothing ? undefined : { operator, record: record.nsfw, dump: dump.nsfw, id };
}

function asBoolean(value: number | null): boolean | null {
  return value === null ? null : value === 1;
}

function asInteger(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}

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
