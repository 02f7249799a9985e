// What the parts of the server count, as metrics: a table for each part that has plain figures, and its connections.

import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import type { FigureTable } from '../../metrics/described-figures.ts';
import type { FamilySource } from '../../metrics/families.ts';
import { Counter } from '../../metrics/tallies.ts';
import type { AdmissionFigures } from '../admission/admission.ts';
import type { ExportFigures } from '../export-places.ts';

export const ADMISSION_FIGURES: FigureTable<AdmissionFigures> = {
  atWork: {
    ...{ name: 'colloquy_turns_at_work', type: 'gauge' },
    help: 'Requests whose turn it is: they ask the engine, or their answer is being made.',
  },
  waiting: { name: 'colloquy_turns_waiting', type: 'gauge', help: 'Requests that wait for their turn.' },
  callersWaiting: {
    ...{ name: 'colloquy_turns_callers_waiting', type: 'gauge' },
    help: 'Accounts and networks of which requests wait.',
  },
  letIn: { name: 'colloquy_turns_total', type: 'counter', help: 'Requests whose turn has come.' },
  refusedAtOnce: {
    ...{ name: 'colloquy_turns_refused_total', type: 'counter' },
    help: 'Requests refused at once, since they would have waited too long.',
  },
  refusedLate: {
    ...{ name: 'colloquy_turns_refused_late_total', type: 'counter' },
    help: 'Requests refused after they had waited too long.',
  },
  givenUp: {
    ...{ name: 'colloquy_turns_given_up_total', type: 'counter' },
    help: 'Requests whose callers went while they waited.',
  },
};

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
