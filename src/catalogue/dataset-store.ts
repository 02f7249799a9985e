// What data sets there are and how they stand; their files are in the data folder (datasets/). Every change is synced
// and visible to other processes when the call returns, so that a server asks here before it sends a byte.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { Dataset, DatasetDefinition, DatasetFormat, DatasetState } from '../model/catalogue.ts';
import type { Kind } from '../model/record.ts';
import { inTransaction, row, rows } from '../sqlite/statements.ts';

interface DatasetRow {
  readonly name: string;
  readonly kinds: string;
  readonly query: string;
  readonly title: string | null;
  readonly licence: string | null;
  readonly formats: string;
  readonly split_every: number | null;
  readonly state: DatasetState;
  readonly created: number;
  readonly edition: number;
  readonly withdrawn: number;
  readonly wanted: number;
}

export class DatasetStore {
  readonly #database: DatabaseSync;
  /** Every page asks for them. */
  #all: StatementSync | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  all(): readonly Dataset[] {
    this.#all ??= this.#database.prepare('SELECT * FROM datasets ORDER BY name');
    return rows<DatasetRow>(this.#all).map(asDataset);
  }

  get(name: string): Dataset | null {
    const found = row<DatasetRow>(this.#database.prepare('SELECT * FROM datasets WHERE name = ?'), name);
    return found === undefined ? null : asDataset(found);
  }

  /**
   * Defines it, in state `new`; one that has the same definition and was never whole stays. Returns the one that is
   * there otherwise, and changes nothing; null: it is defined.
   */
  define(definition: DatasetDefinition, time: number): Dataset | null {
    return inTransaction(this.#database, () => {
      const { name, kinds, query, title, licence, formats, splitEvery } = definition;
      const there = this.get(name);
      if (there !== null) {
        const { state, created: _, edition: __, withdrawn: ___, wanted: ____, ...before } = there;
        return state === 'new' && isDeepStrictEqual(before, { ...definition }) ? null : there;
      }
      this.#database
        .prepare(
          `INSERT INTO datasets (name, kinds, query, title, licence, formats, split_every, state, created, edition,
             wanted) VALUES (?, ?, ?, ?, ?, ?, ?, 'new', ?, 0, 1)`,
        )
        .run(
          ...([name, JSON.stringify(kinds), query, title, licence] as const),
          ...([JSON.stringify(formats), splitEvery, time] as const),
        );
      return null;
    });
  }

  /**
   * This edition is the one that is served, unless the list of removals is at another version than `version`, or the
   * data set is gone; false: nothing has changed.
   */
  publish(name: string, edition: number, version: number): boolean {
    return inTransaction(this.#database, () => {
      const list = row<{ readonly version: number }>(
        this.#database.prepare('SELECT version FROM removal_list'),
      );
      if (list!.version !== version) return false;
      const statement = this.#database.prepare(
        "UPDATE datasets SET state = 'published', edition = ?, wanted = max(wanted, ?) WHERE name = ?",
      );
      return statement.run(edition, edition, name).changes === 1;
    });
  }

  /** This edition is served no more, and another is wanted. `removal`: what took records out of it; null: none did. */
  withdraw(name: string, edition: number, removal: number | null): void {
    inTransaction(this.#database, () => {
      const statement = this.#database.prepare(
        `UPDATE datasets SET state = 'withdrawn', withdrawn = edition, wanted = max(wanted, edition + 1)
           WHERE name = ? AND edition = ? AND state = 'published'`,
      );
      if (statement.run(name, edition).changes > 0 && removal !== null) this.noteLoss(name, removal);
    });
  }

  /** This removal took records out of it, or may have. */
  noteLoss(name: string, removal: number): void {
    this.#database.prepare('INSERT OR IGNORE INTO dataset_losses VALUES (?, ?)').run(name, removal);
  }

  /** What this removal took records out of is made anew, also where an edition is being made without them now. */
  undone(removal: number): void {
    inTransaction(this.#database, () => {
      this.#database
        .prepare(
          `UPDATE datasets SET wanted = max(wanted, edition + 1) + 1
             WHERE name IN (SELECT name FROM dataset_losses WHERE removal = ?)`,
        )
        .run(removal);
      this.#database.prepare('DELETE FROM dataset_losses WHERE removal = ?').run(removal);
    });
  }

  remove(name: string): boolean {
    return inTransaction(this.#database, () => {
      this.#database.prepare('DELETE FROM dataset_losses WHERE name = ?').run(name);
      return this.#database.prepare('DELETE FROM datasets WHERE name = ?').run(name).changes === 1;
    });
  }
}

function asDataset({ kinds, formats, split_every, ...rest }: DatasetRow): Dataset {
  const lists = { kinds: JSON.parse(kinds) as Kind[], formats: JSON.parse(formats) as DatasetFormat[] };
  return { ...rest, ...lists, splitEvery: split_every };
}
