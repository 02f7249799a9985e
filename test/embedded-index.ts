// An index of the embedded engine in a folder of its own, and what another process sees of it.

import { BatchRecords, ONLY_LANE } from '../src/engines/embedded/building/batch-records.ts';
import { buildSegment } from '../src/engines/embedded/building/segment-builder.ts';
import { type EmbeddedOptions, openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { MemorySink } from '../src/engines/embedded/format/segment-writer.ts';
import { KindStore, openView } from '../src/engines/embedded/index/view.ts';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import type { Kind, StoredRecord } from '../src/model/record.ts';
import { folderHarness } from './engine-harness.ts';
import { RULES } from './engine-suite.ts';
import { temporaryFolder } from './helpers.ts';

/** The embedded engine without threads, for suites that any engine passes. */
export const EMBEDDED = folderHarness('embedded engine', (folder, options) =>
  openEmbeddedEngine(folder, { ...options, workers: 0 }),
);

type OwnEngine = SearchEngine & { readonly path: string };

/** An engine without threads over these batches, each of one kind; its folder goes away with it. */
export function embeddedEngine(...batches: readonly (readonly StoredRecord[])[]): Promise<OwnEngine> {
  return openOwnEngine({}, ...batches);
}

/** The same with these options. */
export async function openOwnEngine(
  options: Partial<EmbeddedOptions>,
  ...batches: readonly (readonly StoredRecord[])[]
): Promise<OwnEngine> {
  const folder = temporaryFolder();
  const engine = await openEmbeddedEngine(folder.path, { rules: RULES, workers: 0, ...options });
  const close = engine[Symbol.asyncDispose].bind(engine);
  for (const batch of batches) await engine.index(batch[0]!.kind, packRecords(batch));
  return Object.assign(engine, {
    path: folder.path,
    [Symbol.asyncDispose]: async () => {
      await close();
      folder[Symbol.dispose]();
    },
  });
}

/** A kind of the index in a folder as it is now. */
export function openKind(folder: string, kind: Kind = 'comment') {
  const store = new KindStore(folder, kind);
  store.refresh();
  return { store, view: openView(store.current, undefined), [Symbol.dispose]: () => store.close() };
}

/** A segment of these records of one kind; `arrival`: of each, by its place. */
export function segmentBytes(records: readonly StoredRecord[], arrival: (i: number) => number = () => 0) {
  const { kind } = records[0]!;
  const batch = new BatchRecords(kind, packRecords(records).parts, ONLY_LANE);
  for (let i = 0; i < records.length; i++) batch.choose(i, arrival(i));
  const sink = new MemorySink();
  buildSegment(sink, kind, batch.ordered(), null);
  return Buffer.from(sink.bytes());
}
