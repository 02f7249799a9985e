// Citations, as they were made. Nothing of them changes but a note that comes later.

import type { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../errors.ts';
import {
  type CitationOrigin,
  type CitationPlace,
  type CitationStore,
  type CitedAnswer,
  type KeptCitation,
  MAX_CITATIONS,
  MAX_CITATIONS_OF_ACCOUNT,
} from '../model/catalogue.ts';
import { inTransaction, row, rows } from '../sqlite/statements.ts';

interface CitationRow {
  readonly id: string;
  readonly answer: string;
  readonly origin: string;
  readonly note: string | null;
  readonly place: string;
}

const COLUMNS = 'id, answer, origin, note, place';

export class Citations implements CitationStore {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get(id: string): KeptCitation | null {
    const statement = this.#database.prepare(`SELECT ${COLUMNS} FROM citations WHERE id = ?`);
    const found = row<CitationRow>(statement, id);
    return found === undefined ? null : asCitation(found);
  }

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

  all(): readonly KeptCitation[] {
    const statement = this.#database.prepare(`SELECT ${COLUMNS} FROM citations ORDER BY made DESC, id`);
    return rows<CitationRow>(statement).map(asCitation);
  }

  remove(id: string): boolean {
    return Number(this.#database.prepare('DELETE FROM citations WHERE id = ?').run(id).changes) > 0;
  }

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
