// The columns of flat formats: which a field of a record becomes, in which order, of which type. Stored records as
// rows: the fields that a caller gets, with what is known of communities at one moment, by the records of the view and
// by people and dumps. The same as a Table Schema (https://datapackage.org/standard/table-schema/), which readers of
// tables know: for the address that an export names, and for files that describe a data set.

import { type CatalogueFile, KnowledgeSnapshot } from '../catalogue/community-store.ts';
import type { Community, CommunityEvidence, CommunityKnowledge } from '../model/community.ts';
import type { ExportView } from '../model/export.ts';
import type { Kind, StoredRecord } from '../model/record.ts';
import type { ArrivalTime } from '../model/time.ts';
import { chooseFields, DEFAULT_FIELDS, presentRecords } from '../search/presenter.ts';
import type { Format } from './formats.ts';
import type { ShaperOptions } from './state.ts';

/** Names that are kept: some 2 MB. With more, everything is forgotten and looked up again. */
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

  /** `catalogue` null: nothing is known beside the records. Throws as `Catalogue.openToRead` does. */
  constructor(view: ExportView, catalogue: CatalogueFile | null) {
    this.#view = view;
    this.#snapshot = catalogue === null ? null : KnowledgeSnapshot.open(catalogue);
  }

  get generation(): number {
    return this.#snapshot?.generation ?? 0;
  }

  /** What is known of the communities of these records, at least; valid until the next call. */
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

/** Fields of a record by name: those of the interface, or those that were chosen. */
export type Row = Readonly<Record<string, unknown>>;

export type Cell = string | number | boolean | null;

export interface Column {
  readonly name: string;
  /** `int64`: below 2^53. */
  readonly type: 'string' | 'int32' | 'int64' | 'double' | 'boolean';
  readonly isNullable: boolean;
  /** Of texts: the same ones stand in many records. */
  readonly repeats?: true;
  /** One line, for readers of a file. */
  readonly description: string;
  cell(row: Row): Cell;
}

function fieldsOf(kind: Kind, chosen: readonly string[] | null): readonly string[] {
  return chosen ?? DEFAULT_FIELDS[kind];
}

/** In the order of the fields, those of a community in its place. */
export function columnsOf(kind: Kind, chosen: readonly string[] | null): readonly Column[] {
  return fieldsOf(kind, chosen).flatMap((field) => {
    if (field === 'subreddit') return COMMUNITY;
    const column = COLUMNS[field];
    if (column === undefined) throw new Error(`field \`${field}\`: expected one that has a column`);
    return [{ name: field, ...column, cell: (row: Row) => row[field] as Cell }];
  });
}

const COMMUNITY: readonly Column[] = [
  {
    name: 'subreddit.id',
    type: 'string',
    isNullable: false,
    repeats: true,
    description: 'id of the community, empty where no source gave it',
    cell: (row) => (row.subreddit as Community).id,
  },
  {
    name: 'subreddit.name',
    type: 'string',
    isNullable: false,
    repeats: true,
    description: 'name of the community, lower case',
    cell: (row) => (row.subreddit as Community).name,
  },
  {
    name: 'subreddit.nsfw',
    type: 'boolean',
    isNullable: false,
    description: 'true for a community with adult content',
    cell: (row) => (row.subreddit as Community).nsfw,
  },
];

type ColumnOfField = Omit<Column, 'name' | 'cell'>;

const text = (description: string): ColumnOfField => ({ type: 'string', isNullable: false, description });
const time = (description: string): ColumnOfField => ({ type: 'int64', isNullable: true, description });

/** By field; every field that can be chosen has one. */
const COLUMNS: Readonly<Record<string, ColumnOfField>> = {
  type: { ...text('`post` or `comment`'), repeats: true },
  id: text('without `t3_` or `t1_`: text, even where it looks like a number'),
  created_utc: { ...time('Unix seconds'), isNullable: false },
  permalink: text('absolute address'),
  domain: { ...text('domain of the link; `self.<community>` for a text post'), repeats: true },
  title: text('title of the post'),
  selftext: text('text of the post'),
  url: { ...text('linked address; null for a text post'), isNullable: true },
  body: text('text of the comment'),
  sentiment: { type: 'double', isNullable: true, description: 'VADER compound, −1 to 1; null: unrated' },
  score: { type: 'int32', isNullable: false, description: 'may be zero or negative' },
  created: text('`created_utc` in ISO 8601'),
  post_id: { ...text('id of the post; null where the source had none'), isNullable: true },
  parent_id: {
    ...text('id of what the comment answers, `post_id` at the top level; null where the source had none'),
    isNullable: true,
  },
  depth: {
    type: 'int32',
    isNullable: true,
    description: 'comments between this one and the post; null below one that is not here',
  },
  retrieved_utc: time('when the copy was taken, Unix seconds; null where the source does not say'),
  arrived_utc: time('when the record came in here, Unix seconds; null where that is not known'),
};

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
  /** What stands for null in formats of text: an empty cell of CSV. */
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

/** `fields`: names of fields; null: those of the interface. */
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

/** Lines of JSON have the community as an object. */
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

/** In CSV a text that is empty cannot be told from null. */
function tableField({ name, type, isNullable, description }: Column, isCsv: boolean): TableField {
  const mayBeNull = isNullable || (isCsv && type === 'string');
  const field = { name, type: TYPES[type], description };
  return mayBeNull ? field : { ...field, constraints: { required: true } };
}
