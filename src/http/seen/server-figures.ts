// What the parts of the server count, as metrics: a table for each part that has plain figures, and its connections.

import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import type { FigureTable } from '../../metrics/described-figures.ts';
import type { FamilySource } from '../../metrics/families.ts';
import { Counter } from '../../metrics/tallies.ts';
import type { ExportFigures } from '../export-places.ts';

export const EXPORT_FIGURES: FigureTable<ExportFigures> = {
  underWay: {
    ...{ name: 'colloquy_exports_under_way', type: 'gauge' },
    help: 'Exports that are being made for callers.',
  },
  atOnce: { name: 'colloquy_exports_at_once', type: 'gauge', help: 'How many may be made at once.' },
  refused: {
    ...{ name: 'colloquy_exports_refused_total', type: 'counter' },
    help: 'Exports refused since as many as may be were under way.',
  },
};

/** Counts connections from now on. */
export function connectionSource({ server }: FastifyInstance): FamilySource {
  const accepted = new Counter('colloquy_connections_accepted_total', 'Connections that were accepted.');
  server.on('connection', () => accepted.add(1));
  const open = promisify(server.getConnections.bind(server));
  return async () => [
    accepted.family(),
    {
      name: 'colloquy_connections_open',
      help: 'Connections that are open, idle ones too.',
      type: 'gauge',
      samples: [{ value: await open() }],
    },
  ];
}
