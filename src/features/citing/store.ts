// Citations, as they were made, and the table that keeps them in the catalogue. Nothing of them changes but a note that
// comes later. No record stands in one: what a removal takes away shows when the citation is checked.

import type { DatabaseSync } from 'node:sqlite';
import { Catalogue } from '../../catalogue/catalogue.ts';
import { ServiceError } from '../../errors.ts';
import type { KeptOfAccount } from '../../http/site/site.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import type { KindName } from '../../model/record.ts';
import { FeatureTables, inTransaction, row, rows } from '../../sqlite/database.ts';

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

/** They stay when their account is removed, without its name. */
export const OF_ACCOUNT: KeptOfAccount = {
  ...{ name: 'citations', words: ['citation', 'citations'] },
  removeOf: async ({ dataFolder }, account) => {
    await using catalogue = Catalogue.open(dataFolder);
    return citationsOf(catalogue).removeOf(account);
  },
};

/** What is claimed, and what the id of a citation is made of: equal wherever the same query finds the same. */
export interface CitedAnswer {
  /** In canonical form, with the `after:` that a search would have added; empty: every record. */
  readonly query: string;
  /** One or both. */
  readonly kinds: ByKind<CitedKind>;
}

export type ByKind<T> = Partial<Readonly<Record<KindName, T>>>;

export interface CitedKind {
  readonly total: number;
  /** Up; those that have matches. Their counts add up to the total. */
  readonly months: readonly CitedMonth[];
}

export interface CitedMonth {
  /** `2020-01`. */
  readonly month: string;
  readonly count: number;
  /** As an IndexFingerprint, over the matches of the month. */
  readonly fingerprint: string;
}

export interface CitationOrigin {
  readonly time: number;
  readonly note: string | null;
  readonly index: ByKind<IndexFingerprint>;
  readonly software: CitedSoftware;
  /** The files that had been imported, each once, in the order of the imports. */
  readonly sources: readonly CitedSource[];
}

interface CitedSoftware {
  readonly colloquy: string;
  /** TOKENIZER_VERSION of text/tokenizer.ts. */
  readonly tokenizer: number;
  readonly unicode: string;
}

export interface CitedSource {
  readonly name: string;
  readonly sha256: string | null;
  /** The query of what was taken in; null: everything was. */
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
  /** The last arrival of each kind; nothing that came in later is in the citation. */
  readonly arrivals: ByKind<number>;
  /** The number of the last removal; 0: there was none. */
  readonly removal: number;
}

export const MAX_CITATIONS = 10_000;

export const MAX_CITATIONS_OF_ACCOUNT = 500;

export const MAX_NOTE = 500;

interface CitationRow {
  readonly id: string;
  readonly answer: string;
  readonly origin: string;
  readonly note: string | null;
  readonly place: string;
}

const COLUMNS = 'id, answer, origin, note, place';

/** Every change is synced and visible to other processes when the call returns. */
export class Citations {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** null: there is none. */
  get(id: string): KeptCitation | null {
    const statement = this.#database.prepare(`SELECT ${COLUMNS} FROM citations WHERE id = ?`);
    const found = row<CitationRow>(statement, id);
    return found === undefined ? null : asCitation(found);
  }

  /**
   * Keeps it, unless its id exists: then only a missing note is added. Returns the kept one. `account`: its maker;
   * null: the operator. Throws `forbidden` at MAX_CITATIONS, or MAX_CITATIONS_OF_ACCOUNT.
   */
  keep(citation: KeptCitation, account: number | null = null): KeptCitation {
    const { id, answer, place } = citation;
    const { note, ...origin } = citation.origin;
    return inTransaction(this.#database, () => {
      const known = this.get(id);
      if (known === null) {
        this.#expectRoom(account);
        const insert = `INSERT INTO citations (${COLUMNS}, made, account) VALUES (?, ?, ?, ?, ?, ?, ?)`;
        const [claim, where, here] = [answer, origin, place].map((part) => JSON.stringify(part)) as [
          string,
          string,
          string,
        ];
        this.#database.prepare(insert).run(id, claim, where, note, here, origin.time, account);
      } else if (known.origin.note === null && note !== null) {
        this.#database.prepare('UPDATE citations SET note = ? WHERE id = ?').run(note, id);
      }
      return this.get(id)!;
    });
  }

  /** From the newest on. */
  all(): readonly KeptCitation[] {
    const statement = this.#database.prepare(`SELECT ${COLUMNS} FROM citations ORDER BY made DESC, id`);
    return rows<CitationRow>(statement).map(asCitation);
  }

  /** False: there is none. */
  remove(id: string): boolean {
    return Number(this.#database.prepare('DELETE FROM citations WHERE id = ?').run(id).changes) > 0;
  }

  /** How many there were. */
  removeOf(account: number): number {
    return Number(this.#database.prepare('DELETE FROM citations WHERE account = ?').run(account).changes);
  }

  #expectRoom(account: number | null): void {
    const count = 'SELECT count(*) AS number FROM citations';
    const all = row<{ readonly number: number }>(this.#database.prepare(count))!.number;
    const ofAccount = this.#database.prepare(`${count} WHERE account = ?`);
    const own = row<{ readonly number: number }>(ofAccount, account)!.number;
    const isOwn = own >= MAX_CITATIONS_OF_ACCOUNT;
    if (all < MAX_CITATIONS && !isOwn) return;
    const [most, found] = isOwn
      ? [`${MAX_CITATIONS_OF_ACCOUNT} citations of one account`, own]
      : [`${MAX_CITATIONS} citations`, all];
    throw new ServiceError(
      'forbidden',
      `expected fewer than ${most}, found ${found}; the operator can remove some with \`cite --remove\``,
    );
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
