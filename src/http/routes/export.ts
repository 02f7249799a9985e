// The export of each kind: every match as one stream of bytes, and the schema of its table. Contract 9.1.

import type { FastifyInstance } from 'fastify';
import type { ExportPlan, ExportService, ExportSources, OpenExport } from '../../exporting/export-service.ts';
import { tagOf } from '../../exporting/export-tag.ts';
import type { Format } from '../../exporting/formats.ts';
import { tableSchema } from '../../exporting/table-schema.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { readFields } from '../../search/record-fields.ts';
import { EXPORT_PATHS, exportSchemaAddress, exportSchemaPath } from '../addresses.ts';
import { droppedHeader } from '../dropped-header.ts';
import { EXPORT_PARAMETERS, type ExportTable, SCHEMA_PARAMETERS } from '../export-parameters.ts';
import { ExportPlaces, OneByOne } from '../export-places.ts';
import { addKeyedRoute, type KeyedEndpoint, type KeyedRouteDeps } from '../keyed-route.ts';
import { readParameters } from '../parameters.ts';
import { addReadRoute } from '../read-route.ts';
import { sendRepresentation } from '../representation.ts';
import type { StreamedAnswer, StreamedBody } from '../streamed-answer.ts';
import {
  describeExport,
  describeSchema,
  type HEAD_HEADERS,
  type TRAILERS,
  trailerNames,
} from './export-description.ts';

export interface ExportRouteDeps extends KeyedRouteDeps {
  readonly exports: ExportService;
  /** How many exports all keys together may have under way. */
  readonly exportsAtOnce: number;
}

export function addExportRoutes(
  server: FastifyInstance,
  { exports, exportsAtOnce, ...deps }: ExportRouteDeps,
): void {
  const room = { places: new ExportPlaces(exportsAtOnce), heads: new OneByOne() };
  for (const kind of KINDS) {
    addKeyedRoute(server, deps, exportEndpoint(kind, exports, room));
    addSchemaRoute(server, kind);
  }
}

/** Shared by all that asks for exports. */
interface Room {
  readonly places: ExportPlaces;
  /** What would come is counted in a thread too: HEAD takes no place, but waits for other HEADs. */
  readonly heads: OneByOne;
}

function exportEndpoint(
  kind: Kind,
  exports: ExportService,
  { places, heads }: Room,
): KeyedEndpoint<ExportTable> {
  return {
    ...describeExport(kind),
    path: EXPORT_PATHS[kind],
    parameters: EXPORT_PARAMETERS[kind],
    async handler({ order_by: order, under = null, ...rest }, { keyId, ownAddress, signal }) {
      const plan = exports.plan({ kind, order, under, ...rest });
      const headers = (run: OpenExport) =>
        headersOf(plan, exports.fileName(plan, Date.now() / 1000), run, ownAddress);
      return {
        etag: async () => etagOf(plan, await exports.sources(plan)),
        head: () =>
          heads.run(async () => {
            await using run = await exports.open(plan, signal);
            return headers(run);
          }, signal),
        async open() {
          await using opened = new AsyncDisposableStack();
          opened.use(places.take(keyId));
          const run = opened.use(await exports.open(plan, signal));
          return bodyOf(run, headers(run), rest.format, opened.move());
        },
      } satisfies StreamedAnswer;
    },
  };
}

function headersOf(
  plan: ExportPlan,
  fileName: string,
  { head, index, sources }: OpenExport,
  ownAddress: string,
): Readonly<Record<string, string>> {
  const { wish, dropped, mediaType } = plan;
  const told = droppedHeader(dropped);
  const etag = etagOf(plan, sources);
  const schema = exportSchemaAddress(wish.kind, wish.format, wish.fields);
  const own: Partial<Record<keyof typeof HEAD_HEADERS, string>> = {
    'Colloquy-Total-Count': String(head.total),
    'Colloquy-Matches': String(head.matches),
    'Colloquy-Index': `fingerprint="${index.fingerprint}", records=${index.records}`,
    ...(etag === null ? {} : { ETag: etag }),
    'Content-Disposition': `attachment; filename="${fileName}"`,
    Link: `<${ownAddress}${schema}>; rel="describedby"`,
    ...(told === null ? {} : { 'Colloquy-Dropped': told }),
  };
  return { ...own, 'Content-Type': mediaType };
}

/** Strong; null: none is claimed. */
function etagOf(plan: ExportPlan, sources: ExportSources | null): string | null {
  return sources === null ? null : `"${tagOf(plan, sources)}"`;
}

/** `owned` is disposed of with it. */
function bodyOf(
  run: OpenExport,
  headers: Readonly<Record<string, string>>,
  format: Format,
  owned: AsyncDisposableStack,
): StreamedBody {
  let trailers: Partial<Record<keyof typeof TRAILERS, string>> | null = null;
  async function* pieces(): AsyncGenerator<readonly Uint8Array[]> {
    for await (const { bytes, records, withheld, report } of run.blocks) {
      if (report !== undefined) {
        trailers = {
          'Colloquy-Count': String(records),
          'Colloquy-Withheld': String(withheld),
          'Repr-Digest': `sha-256=:${Buffer.from(report.sha256, 'hex').toString('base64')}:`,
          ...(format === 'csv-excel' ? { 'Colloquy-Cut-Cells': String(report.cutCells) } : {}),
        };
      }
      yield bytes;
    }
  }
  return {
    headers,
    trailerNames: trailerNames(format),
    pieces: pieces(),
    trailers() {
      if (trailers === null) throw new Error('expected a report with the last block, found none');
      return trailers;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function addSchemaRoute(server: FastifyInstance, kind: Kind): void {
  addReadRoute(server, {
    path: exportSchemaPath(kind),
    schema: describeSchema(kind),
    handler: (request, reply) => {
      const { format, fields } = readParameters(SCHEMA_PARAMETERS[kind], request.raw.url ?? '');
      const schema = tableSchema(kind, format, readFields(fields, kind));
      return sendRepresentation(request, reply, {
        body: JSON.stringify(schema),
        type: 'application/json; charset=utf-8',
        caching: 'no-cache',
      });
    },
  });
}
