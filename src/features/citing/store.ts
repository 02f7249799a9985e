// Citations, and their table in the catalogue. A stored citation is immutable, except that a missing note can be added.
// It contains no records, so removals need not change it; they show up when it is checked.

import type { DatabaseSync } from 'node:sqlite';
import { Catalogue } from '../../catalogue/catalogue.ts';
import { ServiceError } from '../../errors.ts';
import type { KeptOfAccount } from '../../http/site/site.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import type { KindName } from '../../model/record.ts';
import { change, FeatureTables, inTransaction, row, rows } from '../../sqlite/database.ts';

const TABLES = `
  CREATE TABLE IF NOT EXISTS citations (
    id TEXT PRIMARY KEY,
    answer TEXT NOT NULL,                -- JSON, as origin and place
    origin TEXT NOT NULL,
    note TEXT,
    place TEXT NOT NULL,
    made INTEGER NOT NULL,
    account INTEGER                      -- the id of who made it; null: the operator
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS citations_by_account ON citations (account);
`;

export const CITATIONS = new FeatureTables(TABLES, ({ database }: Catalogue) => new Citations(database));

export function citationsOf(catalogue: Catalogue): Citations {
  return CITATIONS.in(catalogue);
}

/** Citations outlive their account, unless `accounts remove --citations` deletes them; they do not show its name. */
export const OF_ACCOUNT: KeptOfAccount = {
  ...{ name: 'citations', words: ['citation', 'citations'] },
  removeOf: async ({ dataFolder }, account) => {
    await using catalogue = Catalogue.open(dataFolder);
    return citationsOf(catalogue).removeOf(account);
  },
};

/** The claim; the id is its hash. It is equal on any server where the same query finds the same records. */
export interface CitedAnswer {
  /** In canonical form, including the `after:` that a search adds; empty: all records. */
  readonly query: string;
  readonly kinds: ByKind<CitedKind>;
}

export type ByKind<T> = Partial<Readonly<Record<KindName, T>>>;

export interface CitedKind {
  readonly total: number;
  /** Months with matches, ascending. Their counts add up to the total. */
  readonly months: readonly CitedMonth[];
}

export interface CitedMonth {
  /** `2020-01`. */
  readonly month: string;
  readonly count: number;
  /** Like that of an IndexFingerprint, over the matches of the month. */
  readonly fingerprint: string;
}

export interface CitationOrigin {
  readonly time: number;
  readonly note: string | null;
  readonly index: ByKind<IndexFingerprint>;
  /** `tokenizer`: TOKENIZER_VERSION of text/tokenizer.ts. */
  readonly software: { readonly colloquy: string; readonly tokenizer: number; readonly unicode: string };
  /** The files imported by then, without duplicates, in import order. */
  readonly sources: readonly CitedSource[];
}

export interface CitedSource {
  readonly name: string;
  readonly sha256: string | null;
  /** The query that limited the import; null: the whole file. */
  readonly where: string | null;
}

export interface Citation {
  /** `clq-c-` and 16 digits of base 62. */
  readonly id: string;
  readonly answer: CitedAnswer;
  readonly origin: CitationOrigin;
}

export interface KeptCitation extends Citation {
  readonly place: CitationPlace;
}

export interface CitationPlace {
  readonly engine: string;
  /** The last arrival number of each kind; the citation includes nothing later. */
  readonly arrivals: ByKind<number>;
  /** All removals up to this number had finished; 0: none. */
  readonly removal: number;
}

export const MAX_CITATIONS = 10_000;

export const MAX_CITATIONS_OF_ACCOUNT = 500;

export const MAX_NOTE = 500;

interface CitationRow extends Readonly<Record<'id' | 'answer' | 'origin' | 'place', string>> {
  readonly note: string | null;
}

const COLUMNS = 'id, answer, origin, note, place';

/** Every change is synced and visible to other processes when the call returns. */
export class Citations {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** null if there is none. */
  get(id: string): KeptCitation | null {
    const statement = this.#database.prepare(`SELECT ${COLUMNS} FROM citations WHERE id = ?`);
    const found = row<CitationRow>(statement, id);
    return found === undefined ? null : asCitation(found);
  }

  /**
   * Stores a new citation; for a known id, only adds a missing note. Returns the stored one. `account`: its author;
   * null: the operator. Throws `forbidden` at MAX_CITATIONS or MAX_CITATIONS_OF_ACCOUNT.
   */
  keep(citation: KeptCitation, account: number | null = null): KeptCitation {
    const { id, answer, place } = citation;
    const { note, ...origin } = citation.origin;
    const { time } = origin;
    return inTransaction(this.#database, () => {
      const known = this.get(id);
      if (known === null) {
        this.#expectRoom(account);
        change(
          this.#database,
          `INSERT INTO citations (${COLUMNS}, made, account) VALUES (?, ?, ?, ?, ?, ?, ?)`,
          ...[id, JSON.stringify(answer), JSON.stringify(origin), note, JSON.stringify(place), time, account],
        );
      } else if (known.origin.note === null && note !== null) {
        change(this.#database, 'UPDATE citations SET note = ? WHERE id = ?', note, id);
      }
      return this.get(id)!;
    });
  }

  all(): readonly KeptCitation[] {
    const statement = this.#database.prepare(`SELECT ${COLUMNS} FROM citations ORDER BY made DESC, id`);
    return rows<CitationRow>(statement).map(asCitation);
  }

  remove(id: string): boolean {
    return change(this.#database, 'DELETE FROM citations WHERE id = ?', id) > 0;
  }

  removeOf(account: number): number {
    return change(this.#database, 'DELETE FROM citations WHERE account = ?', account);
  }

  #expectRoom(account: number | null): void {
    const count = 'SELECT count(*) AS number FROM citations';
    const all = row<{ readonly number: number }>(this.#database.prepare(count))!.number;
    const ofAccount = this.#database.prepare(`${count} WHERE account = ?`);
    const own = row<{ readonly number: number }>(ofAccount, account)!.number;
    const isOwn = own >= MAX_CITATIONS_OF_ACCOUNT;
    if (all < MAX_CITATIONS && !isOwn) return;
    const found = isOwn
      ? `${MAX_CITATIONS_OF_ACCOUNT} citations of one account, found ${own}`
      : `${MAX_CITATIONS} citations, found ${all}`;
    const remedy = 'the operator can remove some with `cite --remove`';
    throw new ServiceError('forbidden', `expected fewer than ${found}; ${remedy}`);
  }
}

function asCitation({ id, answer, origin, note, place }: CitationRow): KeptCitation {
  return {
    id,
    answer: JSON.parse(answer) as CitedAnswer,
    origin: { ...(JSON.parse(origin) as Omit<CitationOrigin, 'note'>), note },
    place: JSON.parse(place) as CitationPlace,
  };
}
