// What can be asked from outside, told once: the route with GET and HEAD, its checks and problems, OpenAPI, the
// reference, the tables in docs/, the command with its flags, and tools for language models follow from it.
// And what it is asked of: an open data folder.

import type { Accounts } from '../accounts/accounts.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Config } from '../config.ts';
import type { SearchEngine } from '../model/engine.ts';
import type { IndexFingerprint } from '../model/hash.ts';
import { KIND_NAMES, type Kind, type KindName } from '../model/record.ts';
import type { RecordCopies } from '../model/removals.ts';
import { type CsvTable, csvLines } from '../search/asking.ts';
import type { Dropped } from '../search/language/interpret.ts';
import type { PrintedPage, SearchService } from '../search/search-service.ts';
import {
  choice,
  type ObjectSchema,
  type Parameter,
  type ParameterTable,
  type ParameterValues,
  parameterSchema,
  type Schema,
} from './parameters.ts';
import { openTextForm, type Row, TEXT_TYPES, type TextFormat } from './text-forms.ts';

/** An answer as JSON: these fields stand in this order, and others behind; an analysis has them all. */
export interface Answer {
  readonly type: string;
  readonly kind?: KindName | null;
  /** In canonical form; null where there is none, or several. */
  readonly query?: string | null;
  readonly index?: IndexFingerprint | null;
}

export interface Answered<Of extends object = Answer> {
  readonly answer: Of;
  readonly dropped?: readonly Dropped[];
  /** The filter that the implied window added to the query; null or absent: none. */
  readonly implied?: string | null;
  /** Of the view that answered; absent: it is not told. */
  readonly arrival?: number;
  /** What `after` is for the next page, where the answer has no `next`; null: there is none. */
  readonly next?: number | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer as JSON, where it is written in pieces; absent: all at once. */
  readonly text?: Iterable<string>;
  /** Its records, printed; `data` is then empty. Null or absent: `data` has them. */
  readonly printed?: PrintedPage | null;
}

export interface Asked {
  /** Whose key it is, or who is signed in; null: a visitor, or the command line. */
  readonly accountId: number | null;
  /** The address at which the caller reaches this server, without a final slash; null: the command line. */
  readonly ownAddress: string | null;
  /** Parts of the path that are named in it, decoded. */
  readonly pathParts: Readonly<Record<string, string>>;
  /** Whether records may come `printed`; absent: they may not. */
  readonly mayPrint?: boolean;
  readonly signal?: AbortSignal;
}

/** Words for people: `{kind}` stands for `post` or `comment`. */
type Words = string;

export interface Operation<Table extends ParameterTable = ParameterTable, Of extends object = Answer> {
  /** `/api/v1/NAME`, or `/api/v1/NAME/posts` and `…/comments`; the command `colloquy NAME`. */
  readonly name: string;
  readonly kind?: Kind;
  /** The part of the path behind the name, and on the command line the argument; absent: none. */
  readonly part?: { readonly name: string; readonly schema: Schema };
  readonly below?: string;
  readonly operationId?: string;
  readonly tag: 'search' | 'analysis' | 'export' | 'datasets';
  readonly summary: Words;
  readonly description: Words;
  readonly parameters: Table;
  /** Of the answer, with its `$id`; `further`: schemas with an `$id` that it refers to. */
  readonly schema: ObjectSchema;
  readonly further?: readonly Schema[];
  readonly answerWords: Words;
  /** Values of optional parameters in the example request; absent: none. */
  readonly example?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where its answers lead, by name; absent: nowhere. */
  readonly links?: AnswerLinks;
  /** True: it needs no key and reads no index; `accountId` is null. */
  readonly isOpen?: boolean;
  /** Whether visitors may load it from our pages as a table, without a key; absent: no. */
  readonly isForVisitors?: (values: ParameterValues<Table>) => boolean;
  /** True where language models may call it as a tool. */
  readonly isTool?: boolean;
  /** True where it asks no thread that answers questions: it is never held up. */
  readonly needsNoTurn?: boolean;
  /** Bytes of the answer to expect at the most; absent: those of a page. */
  readonly mostBytes?: (values: ParameterValues<Table>) => number;
  /** The answer as a table; with it, `format` is a parameter. */
  readonly table?: (answer: Of, values: ParameterValues<Table>) => CsvTable;
  /** The answer's records, in the forms of exports; with it, `format` is a parameter. */
  readonly records?: (answer: Of, values: ParameterValues<Table>) => Records;
  /** True: the endpoint has no `format`; only the command has other forms. */
  readonly hasNoFormat?: boolean;
  readonly run: (archive: Archive, values: ParameterValues<Table>, asked: Asked) => Promise<Answered<Of>>;
  readonly command?: OperationCommand<Table, Of>;
}

/** As in OpenAPI: the parameters are expressions. */
export type AnswerLinks = Readonly<
  Record<
    string,
    {
      readonly operationId: string;
      readonly description: string;
      readonly parameters: Readonly<Record<string, string>>;
    }
  >
>;

export interface Records {
  readonly kind: Kind;
  readonly rows: readonly object[];
  readonly fields: readonly string[] | null;
}

export interface OperationCommand<Table extends ParameterTable, Of extends object> {
  readonly examples: readonly string[];
  /** A sentence or two above the examples; absent: none. */
  readonly notes?: string;
  /** Parameters that have another default on the command line, as written. */
  readonly standard?: Readonly<Partial<Record<keyof Table & string, string>>>;
  readonly print: (answer: Of, values: ParameterValues<Table>) => string;
}

/** What can be asked for as bytes, sent as fast as the caller takes them. Its command is its own. */
export interface BytesOperation<Table extends ParameterTable = ParameterTable>
  extends Pick<
    Operation<Table>,
    'name' | 'kind' | 'operationId' | 'tag' | 'summary' | 'description' | 'parameters' | 'headers'
  > {
  /** Parts of the path behind the name, in their order; absent: none. */
  readonly parts?: Readonly<Record<string, Schema>>;
  readonly mediaTypes: readonly string[];
  /** True where it is a file: parts of it can be asked for, and it may be withdrawn. */
  readonly isFile?: boolean;
  readonly send: (
    archive: Archive,
    values: ParameterValues<Table>,
    asked: AskedBytes,
  ) => Promise<StreamedAnswer | FileAnswer>;
}

export interface AskedBytes extends Asked {
  /** Its name in limits and queues. */
  readonly caller: string;
  readonly ownAddress: string;
  readonly signal: AbortSignal;
  /** Waits for a turn among what asks the engine, until disposed. Throws `busy`. */
  readonly enter: (sort: string) => Promise<Disposable>;
}

type Fields = Readonly<Record<string, string>>;

export interface StreamedBody extends AsyncDisposable {
  readonly headers: Fields;
  readonly trailerNames: readonly string[];
  /**
   * Iterated at most once; each piece is freed once it is sent. The last one has the trailers. Ends or throws once the
   * request is aborted.
   */
  readonly blocks: AsyncIterable<{ readonly pieces: readonly Uint8Array[]; readonly trailers?: Fields }>;
}

export interface StreamedAnswer {
  /** The entity tag of the body, without making it; null: none. Cheap. */
  etag(): Promise<string | null>;
  /** The headers of the body, including `ETag`. */
  head(): Promise<Fields>;
  /** Throws a ServiceError if the body cannot be made: nothing has been sent yet. */
  open(): Promise<StreamedBody>;
}

export interface ServedFile extends AsyncDisposable {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly made: number;
  readonly mediaType: string;
  /** Bytes from `start` to before `end`. Throws `dataset_withdrawn` if the file is withdrawn meanwhile. */
  read(start: number, end: number): AsyncGenerator<Uint8Array>;
}

export interface FileAnswer {
  /** Disposed of once the answer ends. */
  readonly file: ServedFile;
}

export function bytesOperation<Table extends ParameterTable>(told: BytesOperation<Table>): BytesOperation {
  return told as unknown as BytesOperation;
}

/** Keeps the types of the table and the answer together. */
export function operation<Table extends ParameterTable, Of extends object>(
  told: Operation<Table, Of>,
): Operation {
  const tableFormat = told.table === undefined ? {} : { format: analysisFormat };
  const ownFormat = told.records === undefined ? tableFormat : { format: recordsFormat };
  const format = told.hasNoFormat ? {} : ownFormat;
  return { ...told, parameters: { ...told.parameters, ...format } } as unknown as Operation;
}

/** `/api/v1/timeline/posts`, `/api/v1/thread/:post`. */
export function pathOf({
  name,
  kind,
  part,
  below,
  parts = {},
}: Pick<Operation, 'name' | 'kind' | 'part' | 'below'> & Pick<BytesOperation, 'parts'>): string {
  const named = [...(part === undefined ? [] : [part.name]), ...Object.keys(parts)].map((one) => `:${one}`);
  const all = ['/api/v1', name, kind && KIND_NAMES[kind], ...named, below];
  return all.filter((one) => one !== undefined).join('/');
}

/**
 * The request whose answer is the example of the OpenAPI document: required parameters take the first of their own
 * examples. Pairs of a name and a value.
 */
export function exampleRequest({ part, parameters, example = {} }: Operation): {
  readonly pathParts: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [name: string, value: string])[];
} {
  const firstOf = ({ examples = [] }: Schema) => (examples as readonly unknown[])[0];
  const { required = [], properties } = parameterSchema(parameters);
  const given = required.flatMap((name) =>
    [firstOf(properties[name]!)].flat().map((value) => [name, String(value)] as const),
  );
  return {
    pathParts: part === undefined ? {} : { [part.name]: String(firstOf(part.schema)) },
    values: [...given, ...Object.entries(example)],
  };
}

export function operationIdOf({
  operationId,
  name,
  kind,
}: Pick<Operation, 'operationId' | 'name' | 'kind'>): string {
  return operationId ?? (kind === undefined ? name : `${name}_${kind}s`);
}

export function wordsOf({ kind }: Pick<Operation, 'kind'>, words: Words): string {
  return kind === undefined ? words : words.replaceAll('{kind}', kind);
}

/** The answer in another form than JSON: its media type, its text in pieces, and what can be told once it is made. */
export interface Lines {
  readonly type: string;
  readonly text: Iterable<string>;
  readonly headers?: () => Readonly<Record<string, string>>;
}

export function linesOf(
  { table, records }: Operation,
  answer: Answer,
  values: ParameterValues<ParameterTable>,
  format: TextFormat,
): Lines {
  const type = TEXT_TYPES[format];
  if (records === undefined)
    return { type, text: csvLines(table!(answer, values), format as 'csv' | 'csv-excel') };
  const { kind, rows, fields } = records(answer, values);
  const form = openTextForm(format, kind, fields);
  function* text(): Generator<string> {
    yield form.head;
    for (const row of rows) yield form.line(row as Row);
  }
  const headers = () => (format === 'csv-excel' ? { 'Colloquy-Cut-Cells': String(form.cutCells) } : {});
  return { type, text: text(), headers };
}

/** What `format` may be, on the command line at least. */
export function formatsOf({ table, records }: Operation): readonly string[] {
  if (records !== undefined) return RECORDS_FORMATS;
  return table === undefined ? ['json'] : ANALYSIS_FORMATS;
}

const ANALYSIS_FORMATS = ['json', 'csv', 'csv-excel'] as const;

export type AnalysisFormat = (typeof ANALYSIS_FORMATS)[number];

export const analysisFormat: Parameter<AnalysisFormat> = choice(ANALYSIS_FORMATS, {
  standard: 'json',
  description:
    'JSON, or CSV (RFC 4180, LF, a header); `csv-excel`, the same for spreadsheets. Empty counts as absent.',
  examples: ['csv'],
});

const RECORDS_FORMATS = [...ANALYSIS_FORMATS, 'ndjson'] as const;

const recordsFormat = choice(RECORDS_FORMATS, {
  standard: 'json',
  description:
    'JSON; or the records alone, as an export has them in `csv`, `csv-excel` or `ndjson`. Empty counts as absent.',
  examples: ['csv'],
});

export interface Archive {
  readonly version: string;
  readonly config: Config;
  readonly engine: SearchEngine;
  readonly catalogue: Catalogue;
  readonly accounts: Accounts;
  readonly search: SearchService;
  /** True while answers come from the invented sample, because nothing has been imported. */
  isSample(): boolean;
}

export interface ReadArchive extends Pick<Archive, 'engine' | 'search'> {
  readonly config: Pick<Config, 'permalinkBase' | 'queryTimeoutMs'>;
}

/** A data folder, as what removes from it gets it. */
export type KeptFolder = Pick<Archive, 'config' | 'catalogue'>;

/** What a removal reaches outside of the index: copies of records that a feature keeps. */
export type OnRemoval = (folder: KeptFolder) => RecordCopies;

/** What a feature keeps as long as an archive is open: made when it is first asked for. */
export function ofArchive<T>(make: (archive: Archive) => T): (archive: Archive) => T {
  const made = new WeakMap<Archive, T>();
  return (archive) => made.getOrInsertComputed(archive, make);
}
