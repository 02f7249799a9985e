// An index of the embedded engine in a folder of its own, and what another process sees of it.

import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { KindStore } from '../src/engines/embedded/index/kind-store.ts';
import { openView } from '../src/engines/embedded/index/view.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import type { Kind, StoredRecord } from '../src/model/record.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import { RULES } from './engine-suite.ts';
import { temporaryFolder } from './helpers.ts';

/** An engine without threads over these batches, each of one kind; its folder goes away with it. */
export async function embeddedEngine(
  ...batches: readonly (readonly StoredRecord[])[]
): Promise<SearchEngine & { readonly path: string }> {
  const folder = temporaryFolder();
  const engine = await openEmbeddedEngine(folder.path, { rules: RULES, workers: 0 });
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
