// What is known of communities, of past imports, of removals and of the folder's own settings, in `catalogue.db`. Every
// change is synced to disk and visible to other processes when the call returns.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { ArrivedImport, ImportEntry } from '../model/catalogue.ts';
import {
  addClaim,
  type CommunityClaim,
  type CommunityKnowledge,
  communityKey,
  type KnowledgeSource,
} from '../model/community.ts';
import type { Kind } from '../model/record.ts';
import type { TableHome } from '../sqlite/feature-tables.ts';
import { copyDatabase, integrityProblems, openDatabase, openDatabaseToRead } from '../sqlite/open.ts';
import { inTransaction, row, rows } from '../sqlite/statements.ts';
import { CommunityStore } from './community-store.ts';
import { Removals } from './removals.ts';
import { MIGRATIONS } from './schema.ts';

/** Of imports, with the name of each in an entry; `counts` beside them is JSON. */
const IMPORT_COLUMNS = [
  ...([
    ['file', 'file'],
    ['checksum', 'checksum'],
    ['query', 'where'],
    ['started', 'started'],
  ] as const),
  ...([
    ['finished', 'finished'],
    ['name', 'name'],
    ['sha256', 'sha256'],
    ['bytes', 'bytes'],
  ] as const),
  ...([
    ['format', 'format'],
    ['kind', 'kind'],
    ['first', 'first'],
    ['last', 'last'],
  ] as const),
] as const;

export class Catalogue implements KnowledgeSource, TableHome {
  readonly isReadOnly: boolean;
  readonly database: DatabaseSync;
  readonly now = (): number => Math.floor(Date.now() / 1000);
  readonly #communities: CommunityStore;
  readonly removals: Removals;

  /** Makes the folder and the database where there are none. Throws a UsageError where that is not possible. */
  static open(dataFolder: string): Catalogue {
    const database = openDatabase(join(dataFolder, 'catalogue.db'), MIGRATIONS);
    return new Catalogue(database, join(dataFolder, 'removal.lock'));
  }

  /**
   * For callers that only read: a missing catalogue is not made and knows nothing. An older one is brought up
   * to date where it may be written, unless `isReadOnly`. Throws a UsageError.
   */
  static openToRead(dataFolder: string, isReadOnly = false): Catalogue {
    const database = openDatabaseToRead(join(dataFolder, 'catalogue.db'), MIGRATIONS, isReadOnly);
    return new Catalogue(database, join(dataFolder, 'removal.lock'), isReadOnly);
  }

  private constructor(database: DatabaseSync, removalLock: string, isReadOnly = false) {
    this.database = database;
    this.isReadOnly = isReadOnly;
    this.#communities = new CommunityStore(database);
    this.removals = new Removals(database, removalLock);
  }

  /** By the names as given. Asks the database each time, so that what other processes wrote shows at once. */
  knowledgeOf(names: readonly string[]): ReadonlyMap<string, CommunityKnowledge> {
    return this.#communities.knowledgeOf(names);
  }

  /**
   * Rises, in the same commit, with every change of what an answer shows of a community; 0: nothing was ever known.
   * Below 2^53. What was known between two calls that give the same number is the same.
   */
  generation(): number {
    return this.#communities.generation();
  }

  /** The path of the database; null: there is none, and nothing is known. */
  get path(): string | null {
    return this.database.location();
  }

  /** Sets the operator's word, which overrides all else; null takes it back. */
  setNsfw(name: string, nsfw: boolean | null): void {
    this.#communities.setOperator(communityKey(name), nsfw);
  }

  /**
   * All of the batch or none of it. The newest record counts (true, if several are of that second), whatever
   * the order of imports.
   */
  recordClaims(claims: readonly CommunityClaim[]): void {
    this.#communities.join('record', byName(claims));
  }

  dumpClaims(claims: readonly CommunityClaim[]): void {
    this.#communities.join('dump', byName(claims));
  }

  addImport(entry: ImportEntry): void {
    this.addImports([entry]);
  }

  #insertImport({ counts, arrivals = {}, ...entry }: ImportEntry): void {
    const columns = IMPORT_COLUMNS.map(([column]) => column);
    const values = IMPORT_COLUMNS.map(([, name]) => entry[name]);
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
    const columns = IMPORT_COLUMNS.map(([column, name]) => `${column} AS "${name}"`);
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
    const statement = this.database.prepare('SELECT max(finished) AS finished FROM imports');
    return row<{ readonly finished: number | null }>(statement)?.finished ?? null;
  }

  /** Whether withdrawn text ranks below the original in this folder. False until set. */
  keepsOriginals(): boolean {
    return this.#setting('keep-originals') === 'yes';
  }

  setKeepsOriginals(keeps: boolean): void {
    this.database
      .prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)')
      .run('keep-originals', keeps ? 'yes' : 'no');
  }

  /** Names this data folder among all: given at the first call, and copied with the catalogue. */
  identity(): string {
    const known = this.knownIdentity();
    if (known !== null) return known;
    const statement = 'INSERT OR IGNORE INTO settings (name, value) VALUES (?, ?)';
    this.database.prepare(statement).run('identity', randomUUID());
    return this.#setting('identity')!;
  }

  /** As `identity`; null: it was never asked for. */
  knownIdentity(): string | null {
    return this.#setting('identity');
  }

  /** What SQLite finds wrong with the database, a line for each problem; empty if there is none. */
  problems(): string[] {
    return integrityProblems(this.database);
  }

  /** For a backup: writes everything as it is at this moment to a new file. */
  copyTo(file: string): Promise<void> {
    return copyDatabase(this.database, file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.database.close();
  }

  #setting(name: string): string | null {
    const statement = this.database.prepare('SELECT value FROM settings WHERE name = ?');
    return row<{ readonly value: string }>(statement, name)?.value ?? null;
  }
}

/** One claim for each community: thousands of rows of a batch are about the same few. */
function byName(claims: readonly CommunityClaim[]): ReadonlyMap<string, CommunityClaim> {
  const joined = new Map<string, CommunityClaim>();
  for (const claim of claims) addClaim(joined, claim);
  return joined;
}
