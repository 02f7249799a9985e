// The export of each kind: every match as one stream of bytes, to an API key or to the page of a signed-in user; and
// the schema of its table. Contract 9.1.

import { ServiceError } from '../../errors.ts';
import {
  ARRIVAL_HEADER,
  arrivalHeader,
  CUT_CELLS_HEADER,
  droppedHeader,
} from '../../http/answers/problems.ts';
import { describedFigures, type FamilySource } from '../../metrics.ts';
import { KINDS } from '../../model/record.ts';
import {
  type Archive,
  type AskedBytes,
  bytesOperation,
  ofArchive,
  operation,
  type StreamedAnswer,
  type StreamedBody,
} from '../../operation/operation.ts';
import { Type } from '../../operation/parameters.ts';
import { readFields } from '../../search/presenter.ts';
import {
  type ExportPlan,
  type ExportSources,
  exportPlan,
  type OpenExport,
  openExport,
  sourcesOf,
  tagOf,
  wishOf,
} from './export-service.ts';
import {
  COMPRESSIONS,
  EXPORT_PARAMETERS,
  type ExportTable,
  FORMATS,
  type Format,
  fileName,
  mediaTypeOf,
  schemaAddress,
  tableSchema,
} from './parameters.ts';

export const HEAD_HEADERS = {
  'Colloquy-Total-Count': 'How many records will come, exactly, where no removal takes one away meanwhile.',
  'Colloquy-Matches': 'How many records match, whatever `after` and `limit`.',
  'Colloquy-Index':
    'What all of it comes from: `fingerprint="<16 hex digits>", records=<n>` of the records of this kind; equal ' +
    'fingerprints mean equal records.',
  ...ARRIVAL_HEADER,
  ETag: 'Identifies the bytes. Absent with fields that can change while the fingerprint stays the same, and with `since`.',
  'Content-Disposition': 'A name for the file.',
  Link: '`<address>; rel="describedby"`: the schema of the table.',
  'Colloquy-Dropped': 'As with a search.',
} as const;

export const TRAILERS = {
  'Colloquy-Count': 'how many records have come',
  'Colloquy-Withheld': 'how many were withheld, because a removal took them away meanwhile',
  'Repr-Digest': '`sha-256=:…:`, the digest of all bytes in base64 (RFC 9530)',
  ...CUT_CELLS_HEADER,
} as const;

function trailerNames(format: Format) {
  const names = Object.keys(TRAILERS) as (keyof typeof TRAILERS)[];
  return format === 'csv-excel' ? names : names.filter((name) => name !== 'Colloquy-Cut-Cells');
}

function exportAnswer(archive: Archive, plan: ExportPlan, asked: AskedBytes): StreamedAnswer {
  const { caller, ownAddress, signal, enter } = asked;
  const headers = (run: OpenExport) => headersOf(plan, run, ownAddress);
  return {
    etag: async () => etagOf(plan, await sourcesOf(archive, plan)),
    async head() {
      // It counts in a thread too: it takes no place, but waits for its turn.
      using _ = await enter('head of an export');
      await using run = await openExport(archive, plan, signal);
      return headers(run);
    },
    async open() {
      await using opened = new AsyncDisposableStack();
      opened.use(placesOf(archive).take(caller));
      const run = opened.use(await openExport(archive, plan, signal));
      const { format } = plan.wish;
      const owned = opened.move();
      return {
        ...{ headers: headers(run), trailerNames: trailerNames(format), blocks: blocksOf(run, format) },
        [Symbol.asyncDispose]: () => owned.disposeAsync(),
      };
    },
  };
}

function headersOf(plan: ExportPlan, { head, index, sources }: OpenExport, ownAddress: string) {
  const { wish, query, dropped, mediaType } = plan;
  const told = droppedHeader(dropped);
  const etag = etagOf(plan, sources);
  const name = fileName(wish.kind, query, wish, Date.now() / 1000);
  const schema = schemaAddress(wish.kind, wish.format, wish.fields);
  const own: Partial<Record<keyof typeof HEAD_HEADERS, string>> = {
    'Colloquy-Total-Count': String(head.total),
    'Colloquy-Matches': String(head.matches),
    'Colloquy-Index': `fingerprint="${index.fingerprint}", records=${index.records}`,
    ...arrivalHeader(head.arrival),
    ...(etag === null ? {} : { ETag: etag }),
    'Content-Disposition': `attachment; filename="${name}"`,
    Link: `<${ownAddress}${schema}>; rel="describedby"`,
    ...(told === null ? {} : { 'Colloquy-Dropped': told }),
  };
  return { ...own, 'Content-Type': mediaType };
}

/** Strong; null: no ETag. */
function etagOf(plan: ExportPlan, sources: ExportSources | null): string | null {
  return sources === null ? null : `"${tagOf(plan, sources)}"`;
}

async function* blocksOf(run: OpenExport, format: Format): StreamedBody['blocks'] {
  let isWhole = false;
  for await (const { bytes: pieces, records, withheld, report } of run.blocks) {
    isWhole = report !== undefined;
    const trailers: Partial<Record<keyof typeof TRAILERS, string>> | undefined = report && {
      'Colloquy-Count': String(records),
      'Colloquy-Withheld': String(withheld),
      'Repr-Digest': `sha-256=:${Buffer.from(report.sha256, 'hex').toString('base64')}:`,
      ...(format === 'csv-excel' ? { 'Colloquy-Cut-Cells': String(report.cutCells) } : {}),
    };
    yield trailers === undefined ? { pieces } : { pieces, trailers };
  }
  if (!isWhole) throw new Error('expected a report with the last block, found none');
}

/** Exports that a server runs at once for all callers, each in its own thread. */
export const EXPORTS_AT_ONCE = 4;
/** Exports that an account may run at once, by all its keys and pages. */
export const MAX_EXPORTS_OF_ACCOUNT = 2;
/** Seconds, for `Retry-After`: how long the others take is unknown. */
const RETRY_AFTER = 30;

/** Limits exports that run at once, in all and by account: each has a thread, and holds a view of the index. */
class ExportPlaces {
  #refused = 0;
  readonly #running: string[] = [];

  /** Takes a place until disposed, once or more often. Throws `too_many_exports`. */
  take(caller: string): Disposable {
    const own = this.#running.filter((one) => one === caller).length;
    if (own >= MAX_EXPORTS_OF_ACCOUNT) throw this.#tooMany(`${MAX_EXPORTS_OF_ACCOUNT} exports of an account`);
    if (this.#running.length >= EXPORTS_AT_ONCE) throw this.#tooMany(`${EXPORTS_AT_ONCE} exports`);
    this.#running.push(caller);
    const place = new DisposableStack();
    place.defer(() => this.#running.splice(this.#running.indexOf(caller), 1));
    return place;
  }

  figures() {
    return { underWay: this.#running.length, atOnce: EXPORTS_AT_ONCE, refused: this.#refused };
  }

  #tooMany(limit: string): ServiceError {
    this.#refused++;
    const message = `expected at most ${limit} at once, found one more; try again when one has ended`;
    return new ServiceError('too_many_exports', message, { retryAfter: RETRY_AFTER });
  }
}

const placesOf = ofArchive(() => new ExportPlaces());

export function figuresOf(archive: Archive): FamilySource {
  return describedFigures(
    {
      underWay: ['colloquy_exports_under_way', 'Exports in progress.'],
      atOnce: ['colloquy_exports_at_once', 'Most exports at once.'],
      refused: ['colloquy_exports_refused_total', 'Exports refused because too many were in progress.'],
    },
    () => placesOf(archive).figures(),
  );
}

/** https://datapackage.org/standard/table-schema/ */
const TableSchemaSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String('The profile of the schema.')),
    fields: Type.Array(
      Type.Object({
        name: Type.String('As in the header row, or in a line of JSON.'),
        type: Type.String('`string`, `integer`, `number`, `boolean` or `object`.'),
        description: Type.String(),
        constraints: Type.Optional(
          Type.Object({ required: Type.Literal(true) }, 'Absent where a reader may find null.'),
        ),
      }),
      'The columns, in their order.',
    ),
    missingValues: Type.Array(Type.String(), 'The text for null in text formats.'),
    primaryKey: Type.Optional(Type.Array(Type.String(), 'Absent where the id was not chosen.')),
  },
  { $id: 'TableSchema', description: 'The columns of an export, as a Table Schema of Frictionless Data.' },
);

export const operations = KINDS.map((kind) =>
  operation({
    ...{ name: 'export', kind, below: 'schema', operationId: `export_${kind}s_schema`, isOpen: true },
    tag: 'export',
    summary: 'Schema of an export of {kind}s',
    description: 'The columns of an export with the same values, or the fields of its lines. Needs no key.',
    parameters: { format: EXPORT_PARAMETERS[kind].format, fields: EXPORT_PARAMETERS[kind].fields },
    schema: TableSchemaSchema,
    answerWords: 'The columns, in their order.',
    example: { format: 'csv', fields: 'id,created_utc' },
    run: async (_, { format, fields }) => ({ answer: tableSchema(kind, format, readFields(fields, kind)) }),
  }),
);

const COMPRESSED = Object.keys(COMPRESSIONS) as (keyof typeof COMPRESSIONS)[];

const MEDIA_TYPES = (Object.keys(FORMATS) as Format[]).flatMap((format) =>
  COMPRESSED.map((compress) => mediaTypeOf(format, compress)),
);

const TOLD_TRAILERS = trailerNames('csv-excel')
  .map((name) => `\`${name}\` (${TRAILERS[name]})`)
  .join(', ');

export const bytes = KINDS.map((kind) =>
  bytesOperation<ExportTable>({
    ...{ name: 'export', kind, tag: 'export' },
    summary: 'Export {kind}s',
    description: [
      'Every matching {kind}, or as many as `limit` says, as one file, made while it is sent. All of it is of one',
      'view of the index; what is removed meanwhile is withheld. The body comes in chunks; a body without its last',
      `chunk is not whole, and must not be used as if it were. After the last byte come trailers: ${TOLD_TRAILERS}.`,
    ].join(' '),
    parameters: EXPORT_PARAMETERS[kind],
    mediaTypes: MEDIA_TYPES,
    headers: HEAD_HEADERS,
    send: async (archive, values, asked) => exportAnswer(archive, exportPlan(wishOf(kind, values)), asked),
  }),
);
