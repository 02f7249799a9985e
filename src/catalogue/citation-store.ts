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
} from '../model/citation.ts';
import { row, rows } from '../sqlite/rows.ts';
import { inTransaction } from '../sqlite/transaction.ts';

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

  keep(citation: KeptCitation): KeptCitation {
    const { id, answer, place } = citation;
    const { note, ...origin } = citation.origin;
    return inTransaction(this.#database, () => {
      const known = this.get(id);
      if (known === null) {
        this.#expectRoom();
        const insert = `INSERT INTO citations (${COLUMNS}, made) VALUES (?, ?, ?, ?, ?, ?)`;
        const [claim, where, here] = [answer, origin, place].map((part) => JSON.stringify(part)) as [
          string,
          string,
          string,
        ];
        this.#database.prepare(insert).run(id, claim, where, note, here, origin.time);
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

  #expectRoom(): void {
    const count = row<{ readonly number: number }>(
      this.#database.prepare('SELECT count(*) AS number FROM citations'),
    )!.number;
    if (count < MAX_CITATIONS) return;
    throw new ServiceError(
      'forbidden',
      `expected fewer than ${MAX_CITATIONS} citations, found ${count}; the operator can remove some with \`cite --remove\``,
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
