// Metrics of the index, the data folder, the program, and parts of the server. Those of the process are in watcher.ts.

import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { programVersion } from '../../config.ts';
import type { ByteFigures } from '../../http/answers/bytes-under-way.ts';
import type { ConnectionFigures } from '../../http/connections.ts';
import type { AdmissionFigures } from '../../http/requests/admission.ts';
import { log } from '../../log.ts';
import { type Family, type FamilySource, type FigureTable, family, type Sample } from '../../metrics.ts';
import type { KindStats, MemoryUse } from '../../model/engine.ts';
import { EngineUnavailable, IndexDamage } from '../../model/engine-errors.ts';
import { KIND_NAMES, KINDS, type Kind } from '../../model/record.ts';
import type { Archive } from '../../operation/operation.ts';

type Stats = Readonly<Record<Kind, KindStats | IndexDamage>>;

const VERSION = programVersion();

/** Figures of a readable kind; null omits the sample. */
const OF_KIND: readonly (readonly [name: string, help: string, of: (stats: KindStats) => number | null])[] = [
  ['colloquy_records', 'Searchable records.', ({ records }) => records],
  [
    'colloquy_index_segments',
    'Segments that the index is made of: fewer are faster.',
    ({ segments }) => segments,
  ],
  ['colloquy_index_bytes', 'Bytes of the index on disk.', ({ bytes }) => bytes],
  [
    'colloquy_newest_record_time_seconds',
    'When the newest record was created, in seconds since 1970 UTC.',
    ({ last }) => last,
  ],
];

export function figuresOf(archive: Archive): FamilySource {
  const sources: readonly FamilySource[] = [
    programFamilies,
    lastKnown(() => indexFamilies(archive)),
    lastKnown(() => diskFamilies(archive)),
  ];
  return async () => (await Promise.all(sources.map((source) => source()))).flat();
}

/** Milliseconds that a reader waits for a slow source, before it gets the last known values. */
const PATIENCE_MS = 1000;

/** Empty until `source` has answered once. Errors are logged. */
export function lastKnown(source: FamilySource, patienceMs = PATIENCE_MS): FamilySource {
  let known: readonly Family[] = [];
  let underWay: Promise<void> | null = null;
  const ask = async () => {
    try {
      known = await source();
    } catch (error) {
      log.error({ err: error }, 'figures for the metrics cannot be had');
    }
  };
  return async () => {
    underWay ??= ask().finally(() => {
      underWay = null;
    });
    const patience = new AbortController();
    const tired = sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([underWay, tired]);
    patience.abort();
    return known;
  };
}

function programFamilies(): readonly Family[] {
  const { colloquy: version, node } = VERSION;
  const samples = [{ labels: { version, node }, value: 1 }];
  return [family('colloquy_build_info', 'The versions of Colloquy and Node, as labels; always 1.', samples)];
}

/** If the engine cannot be reached, only says that it is not ready. */
export async function indexFamilies(archive: Archive): Promise<readonly Family[]> {
  const { search, engine, catalogue, isSample } = archive;
  const stats = await statsOf(search, engine);
  const isReady = stats !== null && KINDS.every((kind) => !(stats[kind] instanceof IndexDamage));
  const last = catalogue.lastImport();
  return [
    family('colloquy_ready', 'Whether `/readyz` is 200: 1, otherwise 0.', isReady ? 1 : 0),
    family(
      'colloquy_serves_sample',
      'Whether the built-in sample is served because nothing has been imported: 1, otherwise 0.',
      Number(isSample()),
    ),
    family(
      'colloquy_last_import_time_seconds',
      'When the last import was done, in seconds since 1970 UTC.',
      last ?? [],
    ),
    ...memoryFamilies(engine.memoryUse?.() ?? null),
    ...(stats === null ? [] : kindFamilies(stats)),
  ];
}

function memoryFamilies(use: MemoryUse | null): Family[] {
  if (use === null) return [];
  const { held, budget, wanted, parts, evictions } = use;
  return [
    family('colloquy_index_memory_bytes', 'Memory of the index cache and the threads that answer.', held),
    family('colloquy_index_memory_max_bytes', 'Limit of this memory.', budget),
    family('colloquy_index_memory_wanted_bytes', 'About how much it would take without a limit.', wanted),
    family(
      'colloquy_index_memory_part_bytes',
      'Shares of that limit: threads, tables that stay in memory, columns.',
      Object.entries(parts).map(([part, value]) => ({ labels: { part }, value })),
    ),
    family('colloquy_index_memory_evictions_total', 'Parts of the index evicted from memory.', evictions),
  ];
}

/** Free space counts what the server's user may use. */
async function diskFamilies({ config }: Pick<Archive, 'config'>): Promise<readonly Family[]> {
  const { bsize, blocks, bavail } = await statfs(config.dataFolder);
  return [
    family('colloquy_data_disk_bytes', 'Size of the disk with the data folder.', bsize * blocks),
    family('colloquy_data_disk_free_bytes', 'Free space on that disk.', bsize * bavail),
  ];
}

/** null: the engine cannot be reached. */
async function statsOf(search: Archive['search'], engine: Archive['engine']): Promise<Stats | null> {
  try {
    await search.readiness();
    return await engine.stats();
  } catch (error) {
    if (error instanceof EngineUnavailable) return null;
    throw error;
  }
}

function kindFamilies(stats: Stats): Family[] {
  const readable = KINDS.map((kind) => ({
    labels: labelOf(kind),
    value: Number(!(stats[kind] instanceof IndexDamage)),
  }));
  const figures = OF_KIND.map(([name, help, of]) => {
    const samples = KINDS.flatMap((kind): Sample[] => {
      const found = stats[kind];
      const value = found instanceof IndexDamage ? null : of(found);
      return value === null ? [] : [{ labels: labelOf(kind), value }];
    });
    return family(name, help, samples);
  });
  return [
    family('colloquy_index_readable', 'Whether the kind can be searched: 1, otherwise 0.', readable),
    ...figures,
  ];
}

function labelOf(kind: Kind): { readonly kind: string } {
  return { kind: KIND_NAMES[kind] };
}

export const ADMISSION_FIGURES: FigureTable<AdmissionFigures> = {
  atWork: ['colloquy_admission_at_work', 'Requests admitted to the engine and still running.'],
  waiting: ['colloquy_admission_waiting', 'Requests in the queue.'],
  callersWaiting: ['colloquy_admission_callers_waiting', 'Callers with a request in the queue.'],
  letIn: ['colloquy_admission_let_in_total', 'Requests admitted to the engine.'],
  refusedAtOnce: [
    'colloquy_admission_refused_at_once_total',
    'Requests refused on arrival because their wait would have been too long.',
  ],
  refusedLate: [
    'colloquy_admission_refused_late_total',
    'Requests refused after a wait that was longer than expected.',
  ],
  givenUp: [
    'colloquy_admission_given_up_total',
    'Requests whose caller disconnected while they were in the queue.',
  ],
};

export const BYTE_FIGURES: FigureTable<ByteFigures> = {
  bytes: [
    'colloquy_answer_bytes',
    'Bytes of responses being sent, and the most that those being made may take.',
  ],
  maxBytes: ['colloquy_answer_bytes_max', 'Limit of these bytes.'],
  waiting: ['colloquy_answer_waiting', 'Requests that wait for memory for their response.'],
  refused: [
    'colloquy_answer_refused_total',
    'Requests refused because no memory for their response was free in time.',
  ],
};

export const CONNECTION_FIGURES: FigureTable<ConnectionFigures> = {
  open: ['colloquy_connections_open', 'Open connections, including idle ones.'],
  accepted: ['colloquy_connections_accepted_total', 'Accepted connections.'],
  refused: [
    'colloquy_connections_refused_total',
    'Connections refused because their network had reached its limit.',
  ],
};
