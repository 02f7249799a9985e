// What the parts of the server count, as metrics: a table for each part, which has plain figures.

import type { FigureTable } from '../../metrics/families.ts';
import type { AdmissionFigures } from '../admission/admission.ts';
import type { ByteFigures } from '../answers/bytes-under-way.ts';
import type { ConnectionFigures } from '../connections.ts';

export const ADMISSION_FIGURES: FigureTable<AdmissionFigures> = {
  atWork: {
    name: 'colloquy_admission_at_work',
    type: 'gauge',
    help: 'Requests that the door has let to the engine.',
  },
  waiting: { name: 'colloquy_admission_waiting', type: 'gauge', help: 'Requests that wait for their turn.' },
  callersWaiting: {
    ...{ name: 'colloquy_admission_callers_waiting', type: 'gauge' },
    help: 'Callers that have a request waiting.',
  },
  letIn: {
    name: 'colloquy_admission_let_in_total',
    type: 'counter',
    help: 'Requests that were let to the engine.',
  },
  refusedAtOnce: {
    ...{ name: 'colloquy_admission_refused_at_once_total', type: 'counter' },
    help: 'Requests refused on arrival, since their wait would have been too long.',
  },
  refusedLate: {
    ...{ name: 'colloquy_admission_refused_late_total', type: 'counter' },
    help: 'Requests refused after a wait, which was longer than expected.',
  },
  givenUp: {
    ...{ name: 'colloquy_admission_given_up_total', type: 'counter' },
    help: 'Requests whose caller went before their turn came.',
  },
};

export const BYTE_FIGURES: FigureTable<ByteFigures> = {
  bytes: {
    ...{ name: 'colloquy_answer_bytes', type: 'gauge' },
    help: 'Bytes that answers under way take, with what those being made may take.',
  },
  maxBytes: { name: 'colloquy_answer_bytes_max', type: 'gauge', help: 'How many they may take together.' },
  waiting: {
    ...{ name: 'colloquy_answer_waiting', type: 'gauge' },
    help: 'Requests that wait for room for their answer.',
  },
  refused: {
    ...{ name: 'colloquy_answer_refused_total', type: 'counter' },
    help: 'Requests refused since there was no room for their answer in time.',
  },
};

export const CONNECTION_FIGURES: FigureTable<ConnectionFigures> = {
  open: {
    name: 'colloquy_connections_open',
    type: 'gauge',
    help: 'Connections that are open, idle ones too.',
  },
  accepted: {
    ...{ name: 'colloquy_connections_accepted_total', type: 'counter' },
    help: 'Connections that were accepted.',
  },
  refused: {
    ...{ name: 'colloquy_connections_refused_total', type: 'counter' },
    help: 'Connections refused since their network had as many as it may.',
  },
};
