// Stored records as rows: the chosen fields, with what is known of communities at one moment from the records of the
// view, from people and from dumps. And their columns as a Table Schema
// (https://datapackage.org/standard/table-schema/): for the address that an export names, and for files that describe
// a data set.

import { type CatalogueFile, KnowledgeSnapshot } from '../../catalogue/catalogue.ts';
import type { CommunityEvidence, CommunityKnowledge } from '../../model/community.ts';
import type { ExportView } from '../../model/export.ts';
import type { Kind, StoredRecord } from '../../model/record.ts';
import type { ArrivalTime } from '../../model/time.ts';
import { type Column, columnsOf, fieldsOf, type Row } from '../../operation/text-forms.ts';
import { chooseFields, presentRecords } from '../../search/presenter.ts';
import type { ShaperOptions } from './export-service.ts';
import type { Format } from './parameters.ts';

/** Cached names: some 2 MB. When it is full, the cache is cleared. */
const MAX_NAMES = 10_000;

interface Known {
  readonly evidence: ReadonlyMap<string, CommunityEvidence>;
  readonly knowledge: ReadonlyMap<string, CommunityKnowledge>;
}

class KnownCommunities implements Known, Disposable {
  readonly #view: ExportView;
  readonly #snapshot: KnowledgeSnapshot | null;
  readonly #names = new Set<string>();
  readonly evidence = new Map<string, CommunityEvidence>();
  readonly knowledge = new Map<string, CommunityKnowledge>();

  /** `catalogue` null: communities are known from the records alone. Throws as `Catalogue.openToRead` does. */
  constructor(view: ExportView, catalogue: CatalogueFile | null) {
    this.#view = view;
    this.#snapshot = catalogue === null ? null : KnowledgeSnapshot.open(catalogue);
  }

  get generation(): number {
    return this.#snapshot?.generation ?? 0;
  }

  /** At least what is known of these records' communities; valid until the next call. */
  async of(records: readonly StoredRecord[]): Promise<Known> {
    let strange = this.#strange(records);
    if (strange.size > 0 && this.#names.size + strange.size > MAX_NAMES) {
      for (const kept of [this.#names, this.evidence, this.knowledge]) kept.clear();
      strange = this.#strange(records);
    }
    if (strange.size > 0) await this.#lookUp([...strange]);
    return this;
  }

  [Symbol.dispose](): void {
    this.#snapshot?.[Symbol.dispose]();
  }

  #strange(records: readonly StoredRecord[]): Set<string> {
    const strange = new Set<string>();
    for (const { community } of records) if (!this.#names.has(community)) strange.add(community);
    return strange;
  }

  async #lookUp(names: readonly string[]): Promise<void> {
    for (const [name, evidence] of await this.#view.evidence(names)) this.evidence.set(name, evidence);
    const knowledge = this.#snapshot?.knowledgeOf(names) ?? [];
    for (const [name, known] of knowledge) this.knowledge.set(name, known);
    for (const name of names) this.#names.add(name);
  }
}

export class RowSource {
  readonly #known: KnownCommunities;
  readonly #permalinkBase: string;
  readonly #fields: readonly string[] | null;

  constructor(options: Pick<ShaperOptions, 'catalogue' | 'permalinkBase' | 'fields'>, view: ExportView) {
    this.#known = new KnownCommunities(view, options.catalogue);
    this.#permalinkBase = options.permalinkBase;
    this.#fields = options.fields;
  }

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

export interface TableSchema {
  readonly $schema: string;
  readonly fields: readonly TableField[];
  /** How null is written in text formats: an empty CSV cell. */
  readonly missingValues: readonly string[];
  /** Absent where the id was not chosen. */
  readonly primaryKey?: readonly string[];
}

interface TableField {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'object';
  readonly description: string;
  readonly constraints?: { readonly required: true };
}

const PROFILE = 'https://datapackage.org/profiles/2.0/tableschema.json';

/** `fields`: their names; null: those of the interface. */
export function tableSchema(kind: Kind, format: Format, fields: readonly string[] | null): TableSchema {
  const isCsv = format === 'csv' || format === 'csv-excel';
  return {
    $schema: PROFILE,
    fields:
      format === 'ndjson'
        ? nested(kind, fields)
        : columnsOf(kind, fields).map((column) => tableField(column, isCsv)),
    missingValues: isCsv ? [''] : [],
    ...(fieldsOf(kind, fields).includes('id') ? { primaryKey: ['id'] } : {}),
  };
}

/** NDJSON has the community as an object. */
function nested(kind: Kind, fields: readonly string[] | null): TableField[] {
  return fieldsOf(kind, fields).flatMap((field) => {
    if (field !== 'subreddit') return columnsOf(kind, [field]).map((column) => tableField(column, false));
    const description = 'the community: `id` (empty where no source gave it), `name`, `nsfw`';
    return [{ name: field, type: 'object', description, constraints: { required: true } } as const];
  });
}

const TYPES = {
  string: 'string',
  int32: 'integer',
  int64: 'integer',
  double: 'number',
  boolean: 'boolean',
} as const satisfies Readonly<Record<Column['type'], TableField['type']>>;

/** CSV cannot tell an empty text from null. */
function tableField({ name, type, isNullable, description }: Column, isCsv: boolean): TableField {
  const mayBeNull = isNullable || (isCsv && type === 'string');
  const field = { name, type: TYPES[type], description };
  return mayBeNull ? field : { ...field, constraints: { required: true } };
}
