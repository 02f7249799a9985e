// Commits a batch: writes it beside what readers see, then shows it as a whole with its checkpoint. The protocol is
// drawn in state/manifest.ts.

import type { Checkpoint, IndexReport } from '../../../model/engine.ts';
import type { Kind, RecordBatch } from '../../../model/record.ts';
import type { ArrivalTime } from '../../../model/time.ts';
import { recordsOf } from '../../packing/packed-records.ts';
import { countDocuments } from '../cluster/documents-walk.ts';
import { refreshIndex } from '../cluster/refreshing.ts';
import { carriedOn, unknownSum } from '../cluster/search.ts';
import { foldOverlays, forgetFolded, publish, withoutFolded } from '../removing/fold.ts';
import { type Claim, ClaimLost, type Manifest, withErasing } from '../state/manifest.ts';
import { type Overlay, readOverlays } from '../state/overlays.ts';
import type { Store } from '../state/store.ts';
import { Batch } from './batch.ts';

/** How often a batch is begun again because another process took this one for dead. */
const MAX_STARTS = 3;
/**
 * Fewer records leave small segments that merges write again. More take memory: this process holds a record with its
 * document in some 3 KB while it is written.
 */
const LEAST_RECORDS = 20_000;
const MOST_RECORDS = 100_000;
/** A commit writes for at least a second, and four times as long as it refreshes shards and publishes. */
const LEAST_WORK_MS = 1_000;
const WORK_SHARE = 4;

/** How many records a batch should have, by what the last large one cost. */
export class Pace {
  #records = LEAST_RECORDS;

  get records(): number {
    return this.#records;
  }

  /** `writtenMs`: what its records took; `shownMs`: what a commit takes whatever it has. */
  note({ records, writtenMs, shownMs }: CommitCost): void {
    if (records < LEAST_RECORDS / 2) return;
    const wanted = (records * Math.max(LEAST_WORK_MS, WORK_SHARE * shownMs)) / Math.max(1, writtenMs);
    const most = Math.min(MOST_RECORDS, 2 * this.#records);
    this.#records = Math.round(Math.min(most, Math.max(LEAST_RECORDS, wanted)));
  }
}

interface CommitCost {
  readonly records: number;
  readonly writtenMs: number;
  readonly shownMs: number;
}

/** What `SearchEngine.index` is given. */
interface Given {
  readonly kind: Kind;
  readonly packed: RecordBatch;
  readonly checkpoint: Checkpoint | undefined;
  readonly arrived: readonly ArrivalTime[] | undefined;
}

/** `SearchEngine.index`. */
export async function indexBatch(
  store: Store,
  pace: Pace,
  { kind, packed, checkpoint, arrived }: Given,
): Promise<IndexReport> {
  const records = recordsOf(kind, packed);
  const batch = new Batch(records, arrived);
  const manifest = store.manifests[kind];
  if (records.length > 0) {
    await store.make(kind, 'records');
    // A lone import has its turn at once, and makes its documents while others are sent.
    const claimed = new AbortController();
    const preparing = batch.prepare(store.rules, claimed.signal);
    preparing.catch(() => undefined);
    for (let starts = 1, isIn = false; !isIn; ) {
      try {
        isIn = await manifest.writing(async (claim) => {
          claimed.abort();
          await preparing;
          return await writeBatch(store, kind, { batch, claim, checkpoint, pace });
        });
      } catch (error) {
        // What was written meanwhile was checked against an older list of removals, and may have to be taken back.
        if (!(error instanceof ClaimLost) || starts++ === MAX_STARTS) throw error;
        batch.isTakenOver();
      } finally {
        claimed.abort();
      }
    }
  } else if (checkpoint !== undefined) {
    await store.make(kind, 'nothing');
    await manifest.change((now) => withCheckpoint(now, checkpoint));
  }
  return batch.report(store);
}

interface Writing {
  readonly batch: Batch;
  readonly claim: Claim;
  readonly checkpoint: Checkpoint | undefined;
  readonly pace: Pace;
}

/** False: the turn was used up by folding removals in. Others have theirs before the rest. */
async function writeBatch(
  store: Store,
  kind: Kind,
  { batch, claim, checkpoint, pace }: Writing,
): Promise<boolean> {
  const { client, names, rules, removals } = store;
  const index = names[kind];
  const target = { client, index, rules, visible: claim.began.generation, before: () => claim.renew() };
  // First: hidden records must not be merged with incoming ones.
  const folded = await foldOverlays(store, kind, claim, performance.now() + client.patience.foldMs);
  if (!folded.isWhole) {
    if (folded.hasMoved) await publish(store, kind, claim, { folded });
    return false;
  }
  let { hides } = claim.began;
  /** Overlays that were added under this claim. */
  let since: readonly Overlay[] = [];
  let version: number | null = null;
  /** Takes back what the list of removals refuses by now. */
  const check = async () => {
    version = removals.version();
    batch.leaveOut((records) => removals.refused(records));
    await batch.write(target);
  };
  const began = performance.now();
  await check();
  for (;;) {
    while (removals.version() !== version) await check();
    const isLeft = claim.began.phase === 'refreshing' || folded.numbers.length > 0;
    if (!batch.hasUnseen && !isLeft) {
      await claim.end((now) => withCheckpoint(now, checkpoint));
      return true;
    }
    const written = performance.now();
    await claim.refreshing();
    await refreshIndex(client, index);
    const change = batch.change(store, since);
    const there = await countDocuments(client, index, { match_all: {} });
    let next: Manifest = claim.began;
    const isPublished = await claim.publish((now) => {
      next = withoutFolded(now, folded);
      if (now.hides === hides) {
        const sum = carriedOn(now.sum, change);
        // The index has other records than the sum: a snapshot was restored, for example.
        const isWrong = since.length === 0 && sum.short === null && sum.records !== there;
        const shown = { ...next, sum: isWrong ? unknownSum() : sum };
        return withErasing(withCheckpoint(shown, checkpoint), batch.takenBack);
      }
      return null;
    });
    if (isPublished) {
      await forgetFolded(store, kind, folded);
      const shownMs = performance.now() - written;
      pace.note({ records: batch.records, writtenMs: written - began, shownMs });
      return true;
    }
    // Not before: it may be called more than once.
    ({ hides } = next);
    since = await readOverlays(store, kind, next.overlays);
    await check();
  }
}

function withCheckpoint(manifest: Manifest, checkpoint: Checkpoint | undefined): Manifest {
  if (checkpoint === undefined) return manifest;
  const { source, state } = checkpoint;
  const { [source]: _, ...others } = manifest.checkpoints;
  return { ...manifest, checkpoints: state === null ? others : { ...others, [source]: state } };
}
