// Tables that features keep in databases of the data folder, beside those of the core.
//
// They are made where they are missing, when somebody first asks for them: a folder may have been written without the
// feature. The schema version of a database holds for all of its tables.

import type { DatabaseSync } from 'node:sqlite';
import { sqliteCode } from '../errors.ts';

/** A database in which features keep tables. */
export interface TableHome {
  /** For stores of features. */
  readonly database: DatabaseSync;
  /** Unix seconds. */
  readonly now: () => number;
}

/** https://www.sqlite.org/rescode.html#readonly */
const READ_ONLY = 8;

export class FeatureTables<Home extends TableHome, Store> {
  readonly #sql: string;
  readonly #open: (home: Home) => Store;
  readonly #opened = new WeakMap<Home, { readonly store: Store }>();

  /** `sql`: each statement makes something `IF NOT EXISTS`. `open`: the store over the tables. */
  constructor(sql: string, open: (home: Home) => Store) {
    this.#sql = sql;
    this.#open = open;
  }

  /** One for each home, over tables that are there. Where nothing may be written, tables that are missing are empty. */
  in(home: Home): Store {
    const known = this.#opened.get(home);
    if (known !== undefined) return known.store;
    this.#make(home.database);
    const store = this.#open(home);
    this.#opened.set(home, { store });
    return store;
  }

  #make(database: DatabaseSync): void {
    try {
      database.exec(this.#sql);
    } catch (error) {
      if (sqliteCode(error) !== READ_ONLY) throw error;
      const tables = this.#sql.replaceAll('CREATE TABLE', 'CREATE TEMP TABLE');
      database.exec(`PRAGMA temp_store = MEMORY; ${tables.replace(/CREATE (UNIQUE )?INDEX [^;]*;/g, '')}`);
    }
  }
}
