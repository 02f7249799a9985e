// A list of removals in a file, for tests in which several processes share one: a line an entry.

import { appendFileSync, readFileSync, statSync } from 'node:fs';
import type { StoredRecord } from '../src/model/record.ts';
import { type Hidden, hiddenOf, type RemovalList } from '../src/model/removals.ts';

export class FileRemovals implements RemovalList {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    appendFileSync(path, '');
  }

  add(entry: Hidden): void {
    appendFileSync(this.#path, `${JSON.stringify(entry)}\n`);
  }

  version(): number {
    return statSync(this.#path).size;
  }

  refused(records: readonly StoredRecord[]): readonly boolean[] {
    const lines = readFileSync(this.#path, 'utf8').split('\n').slice(0, -1);
    const answers = lines.map((line) => hiddenOf(records, JSON.parse(line) as Hidden));
    return records.map((_, i) => answers.some((answer) => answer[i]));
  }
}
