// What is known of communities, of past imports, of removals and of the folder's own settings, in `catalogue.db`. Every
// change is synced to disk and visible to other processes when the call returns. Of communities it keeps what the
// operator, records and dumps said of each, and the generation of that.

import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import {
  addClaim,
  type Claim,
  type ClaimSource,
  type CommunityClaim,
  type CommunityKnowledge,
  communityKey,
  joinClaims,
  type KnowledgeSource,
  NO_CLAIM,
  sameClaims,
} from '../model/community.ts';
import type { ArrivedImport, ImportEntry } from '../model/coverage.ts';
import type { Kind } from '../model/record.ts';
import {
  change,
  inTransaction,
  openDatabase,
  openDatabaseToRead,
  row,
  rows,
  type TableHome,
  value,
  valueStatement,
} from '../sqlite/database.ts';
import { Removals } from './removals.ts';
import { MIGRATIONS } from './schema.ts';

const FILE = 'catalogue.db';

/** Of an import, as its entry names them; `counts` beside them is JSON. */
const IMPORT_FACTS = [
  ...(['file', 'checksum', 'where', 'started', 'finished', 'name', 'sha256'] as const),
  ...(['bytes', 'format', 'kind', 'first', 'last'] as const),
];

/** `where` is a word of SQL. */
function columnOf(fact: (typeof IMPORT_FACTS)[number]): string {
  return fact === 'where' ? 'query' : fact;
}

/** Where a catalogue is, for a thread that opens it for itself. */
export interface CatalogueFile {
  readonly path: string;
  readonly isReadOnly: boolean;
}

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

export class Catalogue implements KnowledgeSource, TableHome {
  readonly isReadOnly: boolean;
  readonly database: DatabaseSync;
  readonly removals: Removals;
  readonly #community: StatementSync;
  readonly #generation: StatementSync;
  /** By key, as it was read while the generation was `#keptOf` or later; null: nothing is known. */
  readonly #kept = new Map<string, CommunityKnowledge | null>();
  #keptOf = -1;

  /** Makes the folder and the database where there are none. Throws a UsageError where that is not possible. */
  static open(dataFolder: string): Catalogue {
    return new Catalogue(openDatabase(join(dataFolder, FILE), MIGRATIONS), dataFolder);
  }

  /**
   * For callers that only read: a missing catalogue is not made and knows nothing. An older one is brought up
   * to date where it may be written, unless `isReadOnly`. Throws a UsageError.
   */
  static openToRead(dataFolder: string, isReadOnly = false): Catalogue {
    const database = openDatabaseToRead(join(dataFolder, FILE), MIGRATIONS, isReadOnly);
    return new Catalogue(database, dataFolder, isReadOnly);
  }

  /**
   * What is known at this moment, whatever is written later, for answers that take long: a reading transaction on a
   * connection of its own; in WAL mode no writer waits for it. Throws as `openToRead` does.
   */
  static openSnapshot({ path, isReadOnly }: CatalogueFile): Catalogue {
    const catalogue = Catalogue.openToRead(dirname(path), isReadOnly);
    catalogue.database.exec('BEGIN');
    // The first read is what takes the snapshot (https://www.sqlite.org/isolation.html).
    catalogue.generation();
    return catalogue;
  }

  private constructor(database: DatabaseSync, dataFolder: string, isReadOnly = false) {
    this.database = database;
    this.isReadOnly = isReadOnly;
    this.removals = new Removals(database, join(dataFolder, 'removal.lock'));
    this.#community = database.prepare('SELECT * FROM communities WHERE name = ?');
    this.#generation = valueStatement(database, 'SELECT generation FROM knowledge');
  }

  /**
   * By the names as given; one of which nothing is known is absent. Asks the database for the generation each time, so
   * that what other processes wrote shows at once, and for a name once in a generation.
   */
  knowledgeOf(names: readonly string[]): ReadonlyMap<string, CommunityKnowledge> {
    const known = new Map<string, CommunityKnowledge>();
    if (names.length === 0) return known;
    const generation = this.generation();
    if (generation === 0) return known;
    if (generation !== this.#keptOf || this.#kept.size > MAX_KEPT) this.#kept.clear();
    this.#keptOf = generation;
    for (const name of names) {
      const read = (key: string) => shown(this.#claimsOf(key)) ?? null;
      const knowledge = this.#kept.getOrInsertComputed(communityKey(name), read);
      if (knowledge !== null) known.set(name, knowledge);
    }
    return known;
  }

  /**
   * Rises, in the same commit, with every change of what an answer shows of a community; 0: nothing was ever known.
   * Below 2^53. What was known between two calls that give the same number is the same.
   */
  generation(): number {
    return value<number>(this.#generation)!;
  }

  /** The path of the database; null: there is none, and nothing is known. */
  get path(): string | null {
    return this.database.location();
  }

  /** Sets the operator's word, which overrides all else; null takes it back. */
  setNsfw(community: string, operator: boolean | null): void {
    const name = communityKey(community);
    inTransaction(this.database, () => {
      const said = this.#claimsOf(name);
      this.#write([{ name, said, now: { ...said, operator } }]);
    });
  }

  /**
   * All of the batch or none of it. The newest record counts (true, if several are of that second), whatever
   * the order of imports.
   */
  recordClaims(claims: readonly CommunityClaim[]): void {
    this.#join('record', byName(claims));
  }

  dumpClaims(claims: readonly CommunityClaim[]): void {
    this.#join('dump', byName(claims));
  }

  #insertImport({ counts, arrivals = {}, ...entry }: ImportEntry): void {
    const columns = IMPORT_FACTS.map(columnOf);
    const values = IMPORT_FACTS.map((fact) => entry[fact]);
    const { lastInsertRowid } = this.database
      .prepare(`INSERT INTO imports (counts, ${columns}) VALUES (?${', ?'.repeat(columns.length)})`)
      .run(JSON.stringify(counts), ...values);
    const insert = this.database.prepare('INSERT INTO import_arrivals VALUES (?, ?, ?, ?)');
    for (const [kind, { first, last }] of Object.entries(arrivals))
      insert.run(lastInsertRowid, kind, first, last);
  }

  /** All of them or none, in one commit. */
  addImports(entries: readonly ImportEntry[]): void {
    if (entries.length === 0) return;
    inTransaction(this.database, () => {
      for (const entry of entries) this.#insertImport(entry);
    });
  }

  listImports(): readonly ImportEntry[] {
    const columns = IMPORT_FACTS.map((fact) => `${columnOf(fact)} AS "${fact}"`);
    const entries = rows<Omit<ImportEntry, 'counts'> & { readonly counts: string }>(
      this.database.prepare(`SELECT ${columns}, counts FROM imports ORDER BY id`),
    );
    return entries.map((entry) => ({ ...entry, counts: JSON.parse(entry.counts) }));
  }

  /** Imports with an arrival behind this one, in the order in which they were added; none of before it was noted. */
  importsSince(kind: Kind, arrival: number): readonly ArrivedImport[] {
    const sql =
      'SELECT id AS number, coalesce(imports.name, file) AS source, import_arrivals.first, import_arrivals.last ' +
      'FROM import_arrivals JOIN imports ON id = import WHERE import_arrivals.kind = ? AND import_arrivals.last > ? ' +
      'ORDER BY id';
    return rows<ArrivedImport>(this.database.prepare(sql), kind, arrival).map((found) => ({ ...found }));
  }

  /** When the last import was done, in Unix seconds; null: none was. */
  lastImport(): number | null {
    return value<number>(valueStatement(this.database, 'SELECT max(finished) FROM imports')) ?? null;
  }

  /** Whether withdrawn text ranks below the original in this folder. False until set. */
  keepsOriginals(): boolean {
    return this.#setting('keep-originals') === 'yes';
  }

  setKeepsOriginals(keeps: boolean): void {
    const sql = 'INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)';
    change(this.database, sql, 'keep-originals', keeps ? 'yes' : 'no');
  }

  /** Names this data folder among all: given at the first call, and copied with the catalogue. */
  identity(): string {
    const known = this.knownIdentity();
    if (known !== null) return known;
    const sql = 'INSERT OR IGNORE INTO settings (name, value) VALUES (?, ?)';
    change(this.database, sql, 'identity', randomUUID());
    return this.#setting('identity')!;
  }

  /** As `identity`; null: it was never asked for. */
  knownIdentity(): string | null {
    return this.#setting('identity');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.database.close();
  }

  #setting(name: string): string | null {
    const statement = valueStatement(this.database, 'SELECT value FROM settings WHERE name = ?');
    return value<string>(statement, name) ?? null;
  }

  /** Takes the write lock only if something changes. */
  #join(source: ClaimSource, claims: ReadonlyMap<string, Claim>): void {
    if (this.#changes(source, claims).length === 0) return;
    inTransaction(this.database, () => {
      // Read again: another process may have written before the lock was ours.
      this.#write(this.#changes(source, claims));
    });
  }

  #changes(source: ClaimSource, claims: ReadonlyMap<string, Claim>): Change[] {
    const changes: Change[] = [];
    for (const [name, claim] of claims) {
      const said = this.#claimsOf(name);
      const joined = joinClaims(said[source], claim);
      if (!sameClaims(joined, said[source])) changes.push({ name, said, now: { ...said, [source]: joined } });
    }
    return changes;
  }

  #claimsOf(key: string): CommunityClaims {
    const known = row<CommunityRow>(this.#community, key);
    if (known === undefined) return NOTHING_SAID;
    return {
      operator: asBoolean(known.operator),
      record: { nsfw: asBoolean(known.record), time: known.record_time, id: known.record_id },
      dump: { nsfw: asBoolean(known.dump), time: known.dump_time, id: known.dump_id },
    };
  }

  /** Inside a transaction. */
  #write(changes: readonly Change[]): void {
    const put = this.database.prepare(
      `INSERT OR REPLACE INTO communities
         (name, operator, record, record_time, record_id, dump, dump_time, dump_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    for (const { name, now } of changes) {
      const { operator, record, dump } = now;
      const ofRecord = [asInteger(record.nsfw), record.time, record.id] as const;
      const ofDump = [asInteger(dump.nsfw), dump.time, dump.id] as const;
      put.run(name, asInteger(operator), ...ofRecord, ...ofDump);
    }
    if (changes.every(({ said, now }) => isDeepStrictEqual(shown(said), shown(now)))) return;
    this.database.exec(`UPDATE knowledge SET generation = generation + 1 + abs(random() % ${STEPS})`);
  }
}

/** One claim for each community: thousands of rows of a batch are about the same few. */
function byName(claims: readonly CommunityClaim[]): ReadonlyMap<string, CommunityClaim> {
  const joined = new Map<string, CommunityClaim>();
  for (const claim of claims) addClaim(joined, claim);
  return joined;
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
