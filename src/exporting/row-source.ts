// Stored records as rows: the fields that a caller gets, by the one definition of them.

import type { ExportView } from '../model/export.ts';
import type { StoredRecord } from '../model/record.ts';
import type { ArrivalTime } from '../model/time.ts';
import { presentRecords } from '../search/presenter.ts';
import { chooseFields } from '../search/record-fields.ts';
import type { Row } from './columns.ts';
import { KnownCommunities } from './known-communities.ts';
import type { ShaperOptions } from './state.ts';

export class RowSource {
  readonly #known: KnownCommunities;
  readonly #permalinkBase: string;
  readonly #fields: readonly string[] | null;

  constructor(options: Pick<ShaperOptions, 'catalogue' | 'permalinkBase' | 'fields'>, view: ExportView) {
    this.#known = new KnownCommunities(view, options.catalogue);
    this.#permalinkBase = options.permalinkBase;
    this.#fields = options.fields;
  }

  /** See Catalogue.generation. */
  get generation(): number {
    return this.#known.generation;
  }

  /** In the same order, with the fields chosen. `arrived`: see RecordShaper. */
  async rows(
    records: readonly StoredRecord[],
    arrived: readonly ArrivalTime[] | null,
  ): Promise<readonly Row[]> {
    const known = await this.#known.of(records);
    const whole = presentRecords(records, { ...known, permalinkBase: this.#permalinkBase });
    const fields = this.#fields;
    if (fields === null) return whole as readonly object[] as readonly Row[];
    return whole.map((record, i) => chooseFields(record, records[i]!, fields, arrived?.[i] ?? null));
  }

  close(): void {
    this.#known[Symbol.dispose]();
  }
}
