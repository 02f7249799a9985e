// Hiding: one change of the manifest puts a removal in force in every process, however much it hides. The next writer
// folds it in (fold.ts). Also lists and counts what is hidden now.

import { ServiceError } from '../../../errors.ts';
import { EngineUnavailable } from '../../../model/engine-errors.ts';
import type { IndexFingerprint } from '../../../model/hash.ts';
import type { Kind, StoredRecord } from '../../../model/record.ts';
import { type Hidden, type MovedRecords, NONE_MOVED } from '../../../model/removals.ts';
import { DAY, unixNow } from '../../../model/time.ts';
import { MoveCount } from '../../shared/day-table.ts';
import { allIn, hiddenQuery } from '../answering/queries.ts';
import { Deadline } from '../cluster/deadline.ts';
import { aggregateDocuments } from '../cluster/documents-walk.ts';
import {
  added,
  carriedOn,
  type Dsl,
  type Histogram,
  hexOf,
  MIX_SUMS,
  type Mixes,
  mixSum,
  NO_SUM,
  Searcher,
  ViewLost,
} from '../cluster/search.ts';
import type { Claim, Manifest } from '../state/manifest.ts';
import { NAMED_WITHIN, writeOverlay } from '../state/overlays.ts';
import type { Store } from '../state/store.ts';
import type { View, Views } from '../state/views.ts';
import { fold } from './fold.ts';
import { countHidden, holdHidden, recordsIn } from './hidden.ts';

export interface HidingPlace {
  readonly store: Store;
  readonly views: Views;
}

/** How often records are counted again because others write. Then the last count is given. */
const MAX_COUNTS = 20;
/** How long the count waits for a writer that is showing its batch, in milliseconds. */
const SHOWN_WITHIN_MS = 10_000;
/** More overlays make each search slow: then hiding waits for the writer, and folds them in. */
const MOST_OVERLAYS = 16;

export async function hide(
  place: HidingPlace,
  kind: Kind,
  { removal, what }: { readonly removal: number; readonly what: Hidden },
): Promise<MovedRecords> {
  const { store } = place;
  const manifests = store.manifests[kind];
  await store.make(kind, 'nothing');
  if (isOfNothing(what)) {
    // The manifest still changes, so that batches under way look at the list again.
    await manifests.change(hiding([], NO_SUM));
    return NONE_MOVED;
  }
  const time = unixNow();
  const { number } = await writeOverlay(store, kind, { removal, what, time });
  // If this throws, the manifest may name the overlay or not. Upkeep deletes one that is not named.
  const hid = await putInForce(place, kind, { number, what });
  // A waiting writer does the rest.
  const folding = (claim: Claim) =>
    fold(store, kind, claim, performance.now() + store.client.patience.foldMs);
  const isMuch = hid.overlays.length > MOST_OVERLAYS;
  await (isMuch ? manifests.writing(folding) : manifests.writingIfFree(folding)).catch((error) => {
    // It is in force, and folded in later.
    if (!(error instanceof EngineUnavailable)) throw error;
  });
  return hid.count;
}

/** How many copies are hidden; one counts twice while it is being moved. */
export async function countHiddenCopies({ store, views }: HidingPlace, kind: Kind): Promise<number> {
  // The view first: what is folded in after it is among the hidden copies.
  await views.refresh();
  const live = await inView(views, kind, async (view) => {
    const query = namedIn(view);
    if (view.pit === null || query === null) return 0;
    return await new Searcher(store.client, new Deadline()).count(view.pit, query);
  });
  const { erasing } = await store.manifests[kind].read();
  return live + (await countHidden(store, kind, { match_all: {} })) + (erasing?.records ?? 0);
}

/** All hidden copies now, held until the walk ends. Every caller must end it. */
export async function holdBuried(
  { store, views }: HidingPlace,
  kind: Kind,
): Promise<AsyncGenerator<readonly StoredRecord[]>> {
  await views.refresh();
  const held = await views.hold(kind);
  const { view } = held;
  const query = namedIn(view);
  const hidden = await holdHidden(store, kind);
  return (async function* () {
    using _ = held;
    if (view.pit !== null && query !== null) yield* recordsIn(store, view.pit, query, 'key');
    yield* hidden;
  })();
}

interface InForce {
  readonly count: MovedRecords;
  /** Of the manifest that names it. */
  readonly overlays: readonly number[];
}

/** Names the overlay in the manifest, and counts the visible records that it hides at that moment. */
async function putInForce(
  { store, views }: HidingPlace,
  kind: Kind,
  { number, what }: { readonly number: number; readonly what: Hidden },
): Promise<InForce> {
  const began = performance.now();
  for (let counts = 1; ; counts++) {
    if (!(await isShown(views, began + SHOWN_WITHIN_MS))) {
      // A removal waits for nobody: it is put in force even if its records cannot be counted.
      const { overlays } = (await store.manifests[kind].change(hiding([number], null)))!;
      return { count: await countInIndex(store, kind, what), overlays };
    }
    let seen: View | null = null;
    const found = await inView(views, kind, async (view) => {
      seen = view;
      return await countByMonth(store, view, allIn(view, hiddenQuery(what)));
    });
    const { generation, overlays, isTorn } = seen!;
    const known = new Set(overlays.map((overlay) => overlay.number));
    const changed = await store.manifests[kind].change((manifest) => {
      if (performance.now() - began > NAMED_WITHIN * 1000) {
        throw new EngineUnavailable('OpenSearch: it took too long to hide; run the same again');
      }
      const isSame = manifest.generation === generation && manifest.overlays.every((each) => known.has(each));
      const change = isSame && isTorn !== true ? added(NO_SUM, found.gone, -1) : null;
      return isSame || counts === MAX_COUNTS ? hiding([number], change)(manifest) : null;
    });
    if (changed !== null) return { count: found.count, overlays: changed.overlays };
  }
}

/** Waits until `endBy` (`performance.now`) for a writer that is showing its batch. False: it still is. */
async function isShown(views: Views, endBy: number): Promise<boolean> {
  try {
    await new Deadline(endBy - performance.now()).within(views.refresh());
    return true;
  } catch (error) {
    if (error instanceof EngineUnavailable || error instanceof ServiceError) return false;
    throw error;
  }
}

interface DaysFound {
  readonly days: Histogram;
}

interface Gone {
  readonly count: MovedRecords;
  readonly gone: IndexFingerprint;
}

const NONE_GONE: Gone = { count: NONE_MOVED, gone: NO_SUM };

const BY_DAY = { days: { histogram: { field: 'created', interval: DAY, min_doc_count: 1 } } };

/** How many of these records the index has, of any batch. Throws an EngineUnavailable if a shard is missing. */
async function countInIndex({ client, names }: Store, kind: Kind, what: Hidden): Promise<MovedRecords> {
  const found = await aggregateDocuments<DaysFound>(client, names[kind], hiddenQuery(what), BY_DAY);
  return found === null ? NONE_MOVED : movedIn(found);
}

function movedIn({ days }: DaysFound): MovedRecords {
  const moved = new MoveCount();
  for (const { key, doc_count } of days.buckets) moved.add(key, doc_count);
  return moved.value();
}

/** `change`: of the sum of what is seen; null: nobody knows. */
function hiding(
  numbers: readonly number[],
  change: IndexFingerprint | null,
): (manifest: Manifest) => Manifest {
  return (manifest) => ({
    ...manifest,
    hides: manifest.hides + 1,
    overlays: [...manifest.overlays, ...numbers],
    sum: carriedOn(manifest.sum, change),
  });
}

/** Runs `work` in the current view, and once more if the view is lost. */
async function inView<T>(views: Views, kind: Kind, work: (view: View) => Promise<T>): Promise<T> {
  using held = await views.hold(kind);
  try {
    return await work(held.view);
  } catch (error) {
    if (!(error instanceof ViewLost)) throw error;
    using anew = await views.holdAnew(held);
    return await work(anew.view);
  }
}

async function countByMonth({ client }: Store, { pit }: View, query: Dsl): Promise<Gone> {
  if (pit === null) return NONE_GONE;
  const searcher = new Searcher(client, new Deadline());
  const found = await searcher.aggregate<DaysFound & Mixes>(pit, query, { ...BY_DAY, ...MIX_SUMS });
  const count = movedIn(found);
  return { count, gone: { fingerprint: hexOf(mixSum(found)), records: count.records } };
}

/** What the overlays of a view hide of its records; null: nothing. */
function namedIn({ overlays }: View): Dsl | null {
  if (overlays.length === 0) return null;
  const should = overlays.map(({ what }) => hiddenQuery(what));
  return { bool: { should, minimum_should_match: 1 } };
}

function isOfNothing(what: Hidden): boolean {
  if ('community' in what) return false;
  return ('ids' in what ? what.ids : what.threads).length === 0;
}
