// Hidden copies: the removed records of a kind, in an index of their own, until they are restored (restore.ts) or
// erased (purge.ts). Only the holder of the kind's claim writes here.

import type { Kind, StoredRecord } from '../../../model/record.ts';
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
import { hiddenBy, type Overlay, partsOf } from '../state/overlays.ts';
import type { Store } from '../state/store.ts';

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

type Reached = Pick<Store, 'client' | 'names'>;
/** Runs before each request that writes. */
type Before = () => Promise<unknown>;

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
  store: Store,
  kind: Kind,
  documents: readonly HiddenDocument[],
  before: Before,
): Promise<void> {
  if (documents.length === 0) return;
  // A purge may have deleted it since it was made last.
  await makeIndex(store.client, store.settings, roleOf(kind));
  const operations = documents.map((document) => ({
    ...({ kind: 'index', id: document.copy } as const),
    document: () => document,
  }));
  await writeAll(store.client, indexOf(store, kind), operations, before);
}

interface HidingAgain {
  readonly overlays: readonly Overlay[];
  readonly before: Before;
  /** As `performance.now`. */
  readonly endBy: number;
}

/** Adds these removals to copies that are hidden already, and refreshes. False: the time ended, with a part done. */
export async function hideAgain(
  store: Reached,
  kind: Kind,
  { overlays, before, endBy }: HidingAgain,
): Promise<boolean> {
  const index = indexOf(store, kind);
  if (!(await refreshIfThere(store.client, index))) return true;
  for (const { overlay, what } of partsOf(overlays)) {
    // Copies that name the removal already are left out: who resumes does not read them again.
    const filter = [hiddenQuery(what, (ids) => ({ terms: { id: ids } }))];
    const query = { bool: { filter, must_not: [{ term: { by: overlay.removal } }] } };
    for await (const copies of walkDocuments<HiddenDocument>(store.client, {
      ...{ from: { index }, query, by: 'copy' },
    })) {
      const naming = hiddenBy(
        copies.map(({ source }) => source.r),
        overlays,
      );
      const changed = copies.flatMap((copy, i) => {
        const by = sorted([...copy.source.by, ...naming[i]!.map(({ removal }) => removal)]);
        return by.length === copy.source.by.length ? [] : [{ copy, by }];
      });
      await changeHidden(store, kind, changed, before);
      if (changed.length > 0 && performance.now() >= endBy) return false;
    }
  }
  return true;
}

/** Replaces the removals of these copies, and deletes a copy that has none left. */
export async function changeHidden(
  store: Reached,
  kind: Kind,
  changes: readonly { readonly copy: HiddenCopy; readonly by: readonly number[] }[],
  before: Before,
): Promise<void> {
  const operations = changes.map(({ copy: { id, source }, by }) =>
    by.length === 0
      ? ({ kind: 'delete', id } as const)
      : ({ kind: 'index', id, document: () => ({ ...source, by }) } as const),
  );
  await writeAll(store.client, indexOf(store, kind), operations, before);
}

/** Matching copies in pages, by id, then in the order of hiding. */
export async function* hiddenCopies(
  store: Reached,
  kind: Kind,
  query: Dsl,
): AsyncGenerator<readonly HiddenCopy[]> {
  const index = indexOf(store, kind);
  if (!(await refreshIfThere(store.client, index))) return;
  yield* walkDocuments<HiddenDocument>(store.client, { from: { index }, query, by: 'copy' });
}

export async function countHidden(store: Reached, kind: Kind, query: Dsl): Promise<number> {
  const index = indexOf(store, kind);
  return (await refreshIfThere(store.client, index)) ? await countDocuments(store.client, index, query) : 0;
}

/** The highest number of a removal with hidden copies; 0: there are none. */
export async function lastHiding(store: Reached, kind: Kind): Promise<number> {
  const index = indexOf(store, kind);
  return (await refreshIfThere(store.client, index)) ? await largestOf(store.client, index, 'by') : 0;
}

/** All hidden copies, in a point in time that is held until the walk ends. Every caller must end it. */
export async function holdHidden(
  store: Reached,
  kind: Kind,
): Promise<AsyncGenerator<readonly StoredRecord[]>> {
  const { client } = store;
  const index = indexOf(store, kind);
  const pit = (await refreshIfThere(client, index)) ? await openPit(client, index) : null;
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
  { client }: Reached,
  pit: string,
  query: Dsl,
  by: 'copy' | 'key',
): AsyncGenerator<readonly StoredRecord[]> {
  for await (const found of walkDocuments<Pick<RecordSource, 'r'>>(client, { from: { pit }, query, by }))
    yield found.map(({ source }) => source.r);
}

export function roleOf(kind: Kind): `hidden-${Kind}` {
  return `hidden-${kind}`;
}

function indexOf({ names }: Pick<Store, 'names'>, kind: Kind): string {
  return names[roleOf(kind)];
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
