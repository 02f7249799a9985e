// Hidden copies: the removed records of a kind, in an index of their own, until they are restored (restore.ts) or
// erased (purge.ts). Only the holder of the kind's claim writes here.

import type { StoredRecord } from '../../../model/record.ts';
import { hiddenQuery } from '../answering/queries.ts';
import { type Version, writeAll } from '../cluster/bulk.ts';
import type { RecordSource } from '../cluster/documents.ts';
import {
  closePit,
  countDocuments,
  type Found,
  largestOf,
  openPit,
  walkDocuments,
} from '../cluster/documents-walk.ts';
import { makeIndex } from '../cluster/indices.ts';
import { refreshIfThere } from '../cluster/refreshing.ts';
import type { Dsl } from '../cluster/search.ts';
import type { Claim } from '../state/manifest.ts';
import { hiddenBy, type Overlay, partsOf } from '../state/overlays.ts';
import type { KindStore } from '../state/store.ts';

/** As cluster/indices.ts lays it out. */
interface HiddenDocument extends Pick<RecordSource, 'r' | 'a'> {
  readonly id: string;
  readonly community: string;
  readonly post: string;
  readonly copy: string;
  readonly by: readonly number[];
  readonly time: number;
}

export type HiddenCopy = Found<HiddenDocument>;

/** The hidden copy of a document, hidden by these removals, at least one. Equal documents give equal copies. */
export function hiddenDocument({ source, at }: Found<RecordSource>, by: readonly Overlay[]): HiddenDocument {
  const { r, a } = source;
  const post = r.kind === 'post' ? r.id : r.post;
  return {
    ...{ id: r.id, community: r.community, post, copy: copyOf(r.id, at) },
    ...{ by: sorted(by.map(({ removal }) => removal)), time: by[0]!.time, r, a },
  };
}

/** Writes copies that are not there yet. Makes the index if it is missing. */
export async function addHidden(
  { client, settings, kind, hidden }: KindStore,
  claim: Claim,
  documents: readonly HiddenDocument[],
): Promise<void> {
  if (documents.length === 0) return;
  // A purge may have deleted it since it was made last.
  await makeIndex(client, settings, `hidden-${kind}`);
  const operations = documents.map((document) => ({
    ...({ kind: 'index', id: document.copy } as const),
    document: () => document,
  }));
  await writeAll(client, hidden, operations, () => claim.renew());
}

/** What a claim hides, until `endBy` (`performance.now`). */
export interface Hiding {
  readonly overlays: readonly Overlay[];
  readonly claim: Claim;
  readonly endBy: number;
}

/** Adds these removals to copies that are hidden already, and refreshes. False: the time ended, with a part done. */
export async function hideAgain(store: KindStore, { overlays, claim, endBy }: Hiding): Promise<boolean> {
  const { client, hidden: index } = store;
  if (!(await refreshIfThere(client, index))) return true;
  for (const { overlay, what } of partsOf(overlays)) {
    // Copies that name the removal already are left out: who resumes does not read them again.
    const filter = [hiddenQuery(what, (ids) => ({ terms: { id: ids } }))];
    const query = { bool: { filter, must_not: [{ term: { by: overlay.removal } }] } };
    const walked = { from: { index }, query, by: 'copy' };
    for await (const copies of walkDocuments<HiddenDocument>(client, walked)) {
      const naming = hiddenBy(
        copies.map(({ source }) => source.r),
        overlays,
      );
      const changed = copies.flatMap((copy, i) => {
        const by = sorted([...copy.source.by, ...naming[i]!.map(({ removal }) => removal)]);
        return by.length === copy.source.by.length ? [] : [{ copy, by }];
      });
      await changeHidden(store, claim, changed);
      if (changed.length > 0 && performance.now() >= endBy) return false;
    }
  }
  return true;
}

/** Replaces the removals of these copies, and deletes a copy that has none left. */
export async function changeHidden(
  { client, hidden }: KindStore,
  claim: Claim,
  changes: readonly { readonly copy: HiddenCopy; readonly by: readonly number[] }[],
): Promise<void> {
  const operations = changes.map(({ copy: { id, source }, by }) =>
    by.length === 0
      ? ({ kind: 'delete', id } as const)
      : ({ kind: 'index', id, document: () => ({ ...source, by }) } as const),
  );
  await writeAll(client, hidden, operations, () => claim.renew());
}

/** Matching copies in pages, by id, then in the order of hiding. */
export async function* hiddenCopies(
  { client, hidden: index }: KindStore,
  query: Dsl,
): AsyncGenerator<readonly HiddenCopy[]> {
  if (!(await refreshIfThere(client, index))) return;
  yield* walkDocuments<HiddenDocument>(client, { from: { index }, query, by: 'copy' });
}

export async function countHidden({ client, hidden }: KindStore, query: Dsl): Promise<number> {
  return (await refreshIfThere(client, hidden)) ? await countDocuments(client, hidden, query) : 0;
}

/** The highest number of a removal with hidden copies; 0: there are none. */
export async function lastHiding({ client, hidden }: KindStore): Promise<number> {
  return (await refreshIfThere(client, hidden)) ? await largestOf(client, hidden, 'by') : 0;
}

/** All hidden copies, in a point in time that is held until the walk ends. Every caller must end it. */
export async function holdHidden(store: KindStore): Promise<AsyncGenerator<readonly StoredRecord[]>> {
  const { client, hidden } = store;
  const pit = (await refreshIfThere(client, hidden)) ? await openPit(client, hidden) : null;
  return (async function* () {
    if (pit === null) return;
    try {
      yield* recordsIn(store, pit, { match_all: {} }, 'copy');
    } finally {
      await closePit(client, pit);
    }
  })();
}

/** `by`: as `walkDocuments` wants it. */
export async function* recordsIn(
  { client }: KindStore,
  pit: string,
  query: Dsl,
  by: 'copy' | 'key',
): AsyncGenerator<readonly StoredRecord[]> {
  for await (const found of walkDocuments<Pick<RecordSource, 'r'>>(client, { from: { pit }, query, by }))
    yield found.map(({ source }) => source.r);
}

/** Orders the copies of one id by when they were written. */
function copyOf(id: string, { if_primary_term, if_seq_no }: Version): string {
  return `${id} ${padded(if_primary_term)} ${padded(if_seq_no)}`;
}

function padded(number: number): string {
  return String(number).padStart(16, '0');
}

function sorted(removals: readonly number[]): readonly number[] {
  return [...new Set(removals)].sort((a, b) => a - b);
}
