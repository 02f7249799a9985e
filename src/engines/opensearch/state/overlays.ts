// Overlays: removals that are not folded into the index yet. Each is a document in the control index. From when the
// manifest names it until it is folded in (removing/fold.ts), every search of every process leaves out what it hides.

import { randomInt } from 'node:crypto';
import type { Kind, StoredRecord } from '../../../model/record.ts';
import { chunks, type Hidden, hiddenOf } from '../../../model/removals.ts';
import { DAY, unixNow } from '../../../model/time.ts';
import { pathOf } from '../cluster/client.ts';
import { multiGet, walkDocuments } from '../cluster/documents-walk.ts';
import { refreshIfThere } from '../cluster/refreshing.ts';
import type { Store } from './store.ts';

export interface Overlay {
  /** Names it in the manifest; never given twice. */
  readonly number: number;
  /** The number of the removal, which the caller of `hide` chose. */
  readonly removal: number;
  readonly what: Hidden;
  /** Unix seconds of the hiding. */
  readonly time: number;
}

/** Where overlays are: in the index that controls, which is there. */
type OverlayPlace = Pick<Store, 'client' | 'names'>;

/** Numbers are random, so processes need not agree on the next one. A collision is unlikely. */
const NUMBERS = 2 ** 48 - 1;

/** The manifest names an overlay within this time after it was written, or never: seconds. */
export const NAMED_WITHIN = 600;
/** After this many seconds nobody will name it, even if clocks differ. */
const STRAY_AFTER = DAY;

const NAMES = 500;

interface OverlayDocument {
  readonly body: { readonly overlay: Overlay };
}

/** Writes it under a number of its own. It is in force once the manifest names it. */
export async function writeOverlay(
  { client, names }: OverlayPlace,
  kind: Kind,
  told: Omit<Overlay, 'number'>,
): Promise<Overlay> {
  for (;;) {
    const overlay = { number: randomInt(NUMBERS), ...told };
    const body = { what: 'overlay', kind, time: told.time, body: { overlay } };
    const path = pathOf(names.control, '_doc', idOf(kind, overlay.number));
    const call = { method: 'PUT', path, query: { op_type: 'create' }, body } as const;
    // If the answer to a first try was lost, no manifest names what it wrote.
    const { status } = await client.request(call, { expect: [409] });
    if (status !== 409) return overlay;
  }
}

/** Overlays by number, in order, without the missing ones: those have been folded in. */
export async function readOverlays(
  { client, names }: OverlayPlace,
  kind: Kind,
  numbers: readonly number[],
): Promise<readonly Overlay[]> {
  const ids = numbers.map((number) => idOf(kind, number));
  const found = await multiGet<OverlayDocument>(client, names.control, ids);
  return ids.flatMap((id) => found.get(id)?.source.body.overlay ?? []);
}

/** Once no manifest names them any more. */
export async function deleteOverlays(
  { client, names }: OverlayPlace,
  kind: Kind,
  numbers: readonly number[],
): Promise<void> {
  for (const number of numbers) {
    const path = pathOf(names.control, '_doc', idOf(kind, number));
    await client.request({ method: 'DELETE', path }, { expect: [404] });
  }
}

/** Deletes overlays that a dead process left. `named` must be read now. */
export async function deleteStrayOverlays(
  { client, names }: OverlayPlace,
  kind: Kind,
  named: readonly number[],
): Promise<void> {
  const index = names.control;
  if (!(await refreshIfThere(client, index))) return;
  const before = unixNow() - STRAY_AFTER;
  const filter = [{ term: { what: 'overlay' } }, { term: { kind } }, { range: { time: { lt: before } } }];
  const query = { bool: { filter } };
  for await (const found of walkDocuments<OverlayDocument>(client, { from: { index }, query, by: 'time' })) {
    const numbers = found.map(({ source }) => source.body.overlay.number);
    await deleteOverlays(
      { client, names },
      kind,
      numbers.filter((number) => !named.includes(number)),
    );
  }
}

/** Splits what overlays hide into parts for separate searches: a query with many ids makes each page slow. */
export function* partsOf(
  overlays: readonly Overlay[],
): Generator<{ readonly overlay: Overlay; readonly what: Hidden }> {
  for (const overlay of overlays) {
    const { what } = overlay;
    if ('community' in what) yield { overlay, what };
    else if ('ids' in what) for (const ids of chunks(what.ids, NAMES)) yield { overlay, what: { ids } };
    else for (const threads of chunks(what.threads, NAMES)) yield { overlay, what: { threads } };
  }
}

/** The overlays that hide each record, in the order of the records. */
export function hiddenBy(
  records: readonly StoredRecord[],
  overlays: readonly Overlay[],
): readonly (readonly Overlay[])[] {
  const answers = overlays.map(({ what }) => hiddenOf(records, what));
  return records.map((_, i) => overlays.filter((_overlay, j) => answers[j]![i]));
}

function idOf(kind: Kind, number: number): string {
  return `overlay-${kind}-${number}`;
}
