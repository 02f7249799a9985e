// The export of each kind: every match as one stream of bytes, and the schema of its table. Contract 9.1.

import type { FastifyInstance } from 'fastify';
import { tableSchema } from '../../exporting/table-schema.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { readFields } from '../../search/record-fields.ts';
import { EXPORT_PATHS, exportSchemaPath } from '../addresses/api.ts';
import { type ExportDesk, exportAnswer } from '../export-answer.ts';
import { EXPORT_PARAMETERS, type ExportTable, SCHEMA_PARAMETERS } from '../export-parameters.ts';
import { addKeyedRoute, type KeyedEndpoint, type KeyedRouteDeps } from '../keyed-route.ts';
import { readParameters } from '../parameters.ts';
import { addReadRoute } from '../read-route.ts';
import { sendRepresentation } from '../representation.ts';
import { describeExport, describeSchema } from './export-description.ts';

export interface ExportRouteDeps extends KeyedRouteDeps {
  readonly desk: ExportDesk;
}

export function addExportRoutes(server: FastifyInstance, { desk, ...deps }: ExportRouteDeps): void {
  for (const kind of KINDS) {
    addKeyedRoute(server, deps, exportEndpoint(kind, desk));
    addSchemaRoute(server, kind);
  }
}

function exportEndpoint(kind: Kind, desk: ExportDesk): KeyedEndpoint<ExportTable> {
  return {
    ...describeExport(kind),
    path: EXPORT_PATHS[kind],
    parameters: EXPORT_PARAMETERS[kind],
    // ExportPlaces are its limit, and each has a thread of its own.
    needsNoTurn: true,
    // It comes in pieces, as its caller takes them.
    mostBytes: () => 0,
    async handler({ order_by: order, under = null, ...rest }, { caller, ownAddress, signal }) {
      const plan = desk.exports.plan({ kind, order, under, ...rest });
      return exportAnswer(desk, plan, { caller, ownAddress, signal });
    },
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
