// Folding in: moves the records that overlays hide to the hidden copies, then takes the overlays off the manifest. Each
// record is copied before it is deleted. So a process may die anywhere: the overlays are still in force, and the next
// writer does the rest.

import { EngineUnavailable } from '../../../model/engine-errors.ts';
import type { IndexFingerprint } from '../../../model/hash.ts';
import type { Kind } from '../../../model/record.ts';
import { hiddenQuery } from '../answering/queries.ts';
import { writeAll } from '../cluster/bulk.ts';
import type { RecordSource } from '../cluster/documents.ts';
import { type Found, walkDocuments } from '../cluster/documents-walk.ts';
import { refreshIfThere } from '../cluster/refreshing.ts';
import { carriedOn } from '../cluster/search.ts';
import type { Claim, Manifest } from '../state/manifest.ts';
import { deleteOverlays, hiddenBy, type Overlay, partsOf, readOverlays } from '../state/overlays.ts';
import type { Store } from '../state/store.ts';
import { addHidden, hiddenDocument, hideAgain } from './hidden.ts';

/** How often hidden records are searched and moved until none is found. */
const MAX_PASSES = 20;

interface Folded {
  /** Numbers of the folded overlays. The next manifest drops them (`withoutFolded`). */
  readonly numbers: readonly number[];
  /** False: the time ran out. Nothing else may be written before the rest is folded in. */
  readonly isWhole: boolean;
  /** Whether records were moved. Views show them until the next generation is published. */
  readonly hasMoved: boolean;
}

/**
 * Folds in the overlays that the manifest names at the claim, before any other write. Readers see no difference: views
 * leave out what overlays hide. Ends at `endBy` (`performance.now`), with a part done at least; absent: never.
 */
export async function foldOverlays(
  store: Store,
  kind: Kind,
  claim: Claim,
  endBy = Infinity,
): Promise<Folded> {
  const numbers = claim.began.overlays;
  if (numbers.length === 0) return { numbers, isWhole: true, hasMoved: false };
  const overlays = await readOverlays(store, kind, numbers);
  if (overlays.length < numbers.length) {
    // Another process may have taken over, and folded them in.
    await claim.beat();
    throw new Error(`the manifest names ${numbers.length} overlays, found ${overlays.length}`);
  }
  const before = () => claim.renew();
  let isWhole = await hideAgain(store, kind, { overlays, before, endBy });
  // The refresh also shows what a writer that broke off has left.
  if (claim.isLeft) await claim.refreshing();
  let hasMoved = false;
  for (let passes = 0; isWhole && passes < MAX_PASSES; passes++) {
    if (!(await refreshIfThere(store.client, store.names[kind]))) return { numbers, isWhole, hasMoved };
    const moved = await moveAll(store, kind, { overlays, claim, endBy });
    if (moved.count === 0 && moved.isWhole) return { numbers, isWhole, hasMoved };
    hasMoved ||= moved.count > 0;
    isWhole = moved.isWhole;
  }
  if (!isWhole) return { numbers: [], isWhole, hasMoved };
  throw new EngineUnavailable('OpenSearch: others go on writing what a removal hides; run the same again');
}

export function withoutFolded(manifest: Manifest, { numbers }: Folded): Manifest {
  return { ...manifest, overlays: manifest.overlays.filter((number) => !numbers.includes(number)) };
}

/** Deletes folded overlays once no manifest names them. Those that a fault leaves do no harm. */
export async function forgetFolded(store: Store, kind: Kind, { numbers }: Folded): Promise<void> {
  await deleteOverlays(store, kind, numbers).catch(() => undefined);
}

/** Folds overlays in and publishes. `endBy` as in `foldOverlays`. False: there is more to fold in. */
export async function fold(store: Store, kind: Kind, claim: Claim, endBy = Infinity): Promise<boolean> {
  const folded = await foldOverlays(store, kind, claim, endBy);
  // Publishes also what a dead writer had begun to show, and what folding refreshed.
  const isLeft = claim.began.phase === 'refreshing';
  if (folded.numbers.length > 0 || folded.hasMoved || isLeft) await publish(store, kind, claim, { folded });
  return folded.isWhole;
}

interface Publishing {
  readonly folded: Folded;
  /** What the sum changes by, of a writer that goes on; null: nobody knows. Absent: the claim ends. */
  readonly came?: IndexFingerprint | null;
}

/** Publishes what was written under the claim. */
export async function publish(
  store: Store,
  kind: Kind,
  claim: Claim,
  { folded, came }: Publishing,
): Promise<void> {
  await claim.refreshing();
  const goesOn = came !== undefined;
  const shown = (manifest: Manifest): Manifest => {
    const next = withoutFolded(manifest, folded);
    // It may contain records that were hidden meanwhile.
    return goesOn ? { ...next, sum: carriedOn(next.sum, next.overlays.length === 0 ? came : null) } : next;
  };
  // Without an index there is nothing to see, and no generation to see it in.
  const unseen = (manifest: Manifest): Manifest => ({
    ...withoutFolded(manifest, folded),
    phase: 'writing',
  });
  if (await refreshIfThere(store.client, store.names[kind])) await claim.publish(shown, goesOn);
  else await (goesOn ? claim.change(unseen) : claim.end(unseen));
  await forgetFolded(store, kind, folded);
}

interface Moving {
  readonly overlays: readonly Overlay[];
  readonly claim: Claim;
  readonly endBy: number;
}

interface Moved {
  readonly count: number;
  /** False: the time is over. */
  readonly isWhole: boolean;
}

async function moveAll(store: Store, kind: Kind, { overlays, claim, endBy }: Moving): Promise<Moved> {
  const from = { index: store.names[kind] };
  let count = 0;
  for (const { overlay, what } of partsOf(overlays)) {
    const walked = { from, query: hiddenQuery(what), by: 'key' };
    for await (const found of walkDocuments<RecordSource>(store.client, walked)) {
      const naming = hiddenBy(
        found.map(({ source }) => source.r),
        overlays,
      );
      // A record that several overlays hide is moved once, with the first.
      const hidden = found.flatMap((document, i) =>
        naming[i]![0] === overlay ? [{ document, by: naming[i]! }] : [],
      );
      await move(store, kind, hidden, claim);
      count += hidden.length;
      if (performance.now() >= endBy) return { count, isWhole: false };
    }
  }
  return { count, isWhole: true };
}

interface Hidden {
  readonly document: Found<RecordSource>;
  readonly by: readonly Overlay[];
}

async function move(store: Store, kind: Kind, hidden: readonly Hidden[], claim: Claim): Promise<void> {
  const before = () => claim.renew();
  const copies = hidden.map(({ document, by }) => hiddenDocument(document, by));
  await addHidden(store, kind, copies, before);
  // The next pass copies what has changed since.
  const deletions = hidden.map(({ document: { id, at } }) => ({ kind: 'delete', id, at }) as const);
  await writeAll(store.client, store.names[kind], deletions, before);
}
