// Removals that are not folded into the index yet. Each is a document in the index that controls; it is in force in every
// process from when the manifest names it until it is folded in (fold.ts): whoever searches leaves out what it hides.

import { randomInt } from 'node:crypto';
import type { Kind, StoredRecord } from '../../model/record.ts';
import { type Hidden, hiddenOf } from '../../model/removals.ts';
import { type OpenSearchClient, pathOf } from './client.ts';
import type { IndexNames } from './indices.ts';
import { multiGet } from './multi-get.ts';

export interface Overlay {
  /** Names it in the manifest; never given twice. */
  readonly number: number;
  /** The number of the removal, which the caller of `hide` chose. */
  readonly removal: number;
  readonly what: Hidden;
  /** Unix seconds of the hiding. */
  readonly time: number;
}

/** Where overlays are: the cluster and the index that controls, which is there. */
export interface OverlayPlace {
  readonly client: OpenSearchClient;
  readonly names: Pick<IndexNames, 'control'>;
}

/** Drawn, so that processes need not agree on the next; that one is drawn twice in the life of an index is unlikely. */
const NUMBERS = 2 ** 48 - 1;
/** Values in one clause: fewer than an index takes by default. */
const MOST_VALUES = 60_000;

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
    // Where the answer to a first try was lost, what it wrote is named by no manifest.
    const { status } = await client.request(call, { expect: [409] });
    if (status !== 409) return overlay;
  }
}

/** Those of these numbers that are there, in their order. One that a manifest named and is gone has been folded in. */
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

/** What they hide among documents of records (documents.ts), for the `must_not` of a search; none: []. */
export function overlayQueries(overlays: readonly Overlay[]): readonly object[] {
  return overlays.flatMap(({ what }) => queriesOf(what, (values) => ({ ids: { values } })));
}

/** As `overlayQueries`, among documents whose field `id` is the id of a record. */
export function copyQueries(overlays: readonly Overlay[]): readonly object[] {
  return overlays.flatMap(({ what }) => queriesOf(what, (values) => ({ terms: { id: values } })));
}

/** Of each of these records, in order, which of the overlays hide it. */
export function hiddenBy(
  records: readonly StoredRecord[],
  overlays: readonly Overlay[],
): readonly (readonly Overlay[])[] {
  const answers = overlays.map(({ what }) => hiddenOf(records, what));
  return records.map((_, i) => overlays.filter((_overlay, j) => answers[j]![i]));
}

/** Whether no record can be meant. */
export function isOfNothing(what: Hidden): boolean {
  return queriesOf(what, (values) => values).length === 0;
}

function queriesOf(what: Hidden, ofIds: (ids: readonly string[]) => object): readonly object[] {
  if ('community' in what) return [{ term: { community: what.community } }];
  if ('ids' in what) return parted(what.ids).map(ofIds);
  return parted(what.threads).map((post) => ({ terms: { post } }));
}

/** Without "", which names nothing: of a comment whose post is not known it stands for that. */
function parted(names: readonly string[]): readonly (readonly string[])[] {
  const wanted = [...new Set(names)].filter((name) => name !== '');
  const parts: string[][] = [];
  for (let at = 0; at < wanted.length; at += MOST_VALUES) parts.push(wanted.slice(at, at + MOST_VALUES));
  return parts;
}

function idOf(kind: Kind, number: number): string {
  return `overlay-${kind}-${number}`;
}
