// Erasing: deletes hidden copies, and takes deleted texts out of the files. The manifest notes what is not erased yet,
// so the upkeep of any process can do the rest.

import { setTimeout as sleep } from 'node:timers/promises';
import type { PurgeReport } from '../../../model/engine.ts';
import type { Kind } from '../../../model/record.ts';
import { KEPT_AFTER_HIDING } from '../../../model/removals.ts';
import { unixNow } from '../../../model/time.ts';
import { pathOf } from '../cluster/client.ts';
import { refreshIfThere } from '../cluster/refreshing.ts';
import type { Dsl } from '../cluster/search.ts';
import { type Claim, type Manifest, type Watch, withErasing } from '../state/manifest.ts';
import { deleteStrayOverlays } from '../state/overlays.ts';
import type { Store } from '../state/store.ts';
import { expunge, openPits } from './expunge.ts';
import { fold, foldOverlays, forgetFolded, withoutFolded } from './fold.ts';
import { changeHidden, countHidden, hiddenCopies, roleOf } from './hidden.ts';
import type { HidingPlace } from './hide.ts';

/** How often, and how many milliseconds apart, erasing looks whether points in time have been closed. */
const LOOKS = 10;
const LOOK_MS = 100;

const ALL: Dsl = { match_all: {} };

export async function purgeKind(place: HidingPlace, kind: Kind): Promise<PurgeReport['erased']> {
  const { store } = place;
  const manifests = store.manifests[kind];
  const { overlays, erasing } = await manifests.read();
  const isIdle = overlays.length === 0 && erasing === null && (await countHidden(store, kind, ALL)) === 0;
  if (!isIdle) {
    const patienceMs = store.client.patience.erasingMs;
    await manifests.writing((claim) => erase(store, kind, { claim, due: ALL, patienceMs }));
  }
  return (await isErased(place, kind)) ? 'now' : 'scheduled';
}

/** `writers`: of the looks before; a writer whose beat has not moved since the last one has died. */
export async function maintainKind(place: HidingPlace, kind: Kind, writers: Watch): Promise<void> {
  const { store } = place;
  const manifests = store.manifests[kind];
  await store.expectWhole(kind);
  const { writer, hides, overlays, erasing, phase } = await manifests.read();
  // `writing` makes sure of it.
  const isDead = writer !== null && writers.isDead(writer);
  if (writer !== null && !isDead) return;
  // Ends what a dead writer has left, even if nothing was ever hidden.
  if (overlays.length > 0 || phase === 'refreshing' || isDead) {
    const { foldMs } = store.client.patience;
    await manifests.writing((claim) => fold(store, kind, claim, performance.now() + foldMs));
  }
  if (hides === 0 && erasing === null) return;
  const until = unixNow() - KEPT_AFTER_HIDING;
  const due = { range: { time: { lte: until } } };
  if (erasing?.keptBy === null || (await countHidden(store, kind, due)) > 0) {
    await manifests.writing((claim) => erase(store, kind, { claim, due, patienceMs: 0 }));
  }
  await isErased(place, kind);
  await deleteStrayOverlays(store, kind, (await manifests.read()).overlays);
}

interface Erase {
  readonly claim: Claim;
  /** Which of the hidden copies. */
  readonly due: Dsl;
  readonly patienceMs: number;
}

/** Deletes the due copies, and takes deleted texts out of the files as far as possible now. */
async function erase(store: Store, kind: Kind, { claim, due, patienceMs }: Erase): Promise<void> {
  const { client, names } = store;
  const folded = await foldOverlays(store, kind, claim);
  const records = await countHidden(store, kind, due);
  // Noted first: if this process dies, upkeep does it.
  const note = (manifest: Manifest) => withErasing(withoutFolded(manifest, folded), records);
  const isThere = claim.began.generation > 0;
  if (isThere && claim.isLeft) {
    // Erasing refreshes what a writer that broke off has left, so it is published first.
    await claim.refreshing();
    await refreshIfThere(client, names[kind]);
  }
  if (isThere && (folded.numbers.length > 0 || claim.isLeft)) await claim.publish(note, true);
  else await claim.change(note);
  await forgetFolded(store, kind, folded);
  if (records === 0 && claim.began.erasing === null) return;
  await deleteDue(store, kind, claim, { due, records });
  const indices = [names[kind], names[roleOf(kind)]];
  for (const index of indices) if (!(await expunge(client, index, patienceMs))) return;
  const keptBy = await openPits(client, indices);
  const noteKept = (manifest: Manifest): Manifest => ({
    ...manifest,
    erasing: manifest.erasing && { ...manifest.erasing, keptBy },
  });
  // A new generation makes every process close its view, which holds old files.
  if (isThere) await claim.publish(noteKept);
  else await claim.end(noteKept);
}

interface Due {
  readonly due: Dsl;
  readonly records: number;
}

async function deleteDue(store: Store, kind: Kind, claim: Claim, { due, records }: Due): Promise<void> {
  if (records === 0) return;
  if (records === (await countHidden(store, kind, ALL))) {
    const path = pathOf(store.names[roleOf(kind)]);
    await claim.renew();
    await store.client.request({ method: 'DELETE', path }, { expect: [404] });
    return;
  }
  for await (const copies of hiddenCopies(store, kind, due)) {
    const changes = copies.map((copy) => ({ copy, by: [] }));
    await changeHidden(store, kind, changes, () => claim.renew());
  }
}

/** Whether no file has deleted texts any more. Notes that in the manifest, and renews this process's view. */
async function isErased({ store, views }: HidingPlace, kind: Kind): Promise<boolean> {
  const manifests = store.manifests[kind];
  const { erasing } = await manifests.read();
  if (erasing === null) return true;
  const { keptBy } = erasing;
  if (keptBy === null) return false;
  await views.refresh();
  for (let looks = 0; await areOpen(store, kind, keptBy); looks++) {
    if (looks === LOOKS) return false;
    await sleep(LOOK_MS);
  }
  const isSame = (now: Manifest) => JSON.stringify(now.erasing) === JSON.stringify(erasing);
  return (await manifests.change((now) => (isSame(now) ? { ...now, erasing: null } : null))) !== null;
}

async function areOpen({ client, names }: Store, kind: Kind, pits: readonly string[]): Promise<boolean> {
  if (pits.length === 0) return false;
  const open = new Set(await openPits(client, [names[kind], names[roleOf(kind)]]));
  return pits.some((pit) => open.has(pit));
}
