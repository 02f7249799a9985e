// Hidden copies: what removals took out of the records of a kind, kept in an index of its own until it is brought back
// (restore.ts) or erased (purge.ts). Only who has the claim of the kind writes here.

import type { Kind, StoredRecord } from '../../../model/record.ts';
import type { Hidden } from '../../../model/removals.ts';
import { type Version, writeAll } from '../cluster/bulk.ts';
import type { RecordSource } from '../cluster/documents.ts';
import {
  closePit,
  countDocuments,
  type FoundIn,
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

export type HiddenCopy = FoundIn<HiddenDocument>;

type Reached = Pick<Store, 'client' | 'names'>;
/** Runs before each request that writes. */
type Before = () => Promise<unknown>;

/**
 * The copy that a document of a record is, hidden by these, which are not none. The same again for the same document.
 */
export function hiddenDocument(
  { source, at }: FoundIn<RecordSource>,
  by: readonly Overlay[],
): HiddenDocument {
  const { r, a } = source;
  const post = r.kind === 'post' ? r.id : r.post;
  return {
    ...{ id: r.id, community: r.community, post, copy: copyOf(r.id, at) },
    ...{ by: sorted(by.map(({ removal }) => removal)), time: by[0]!.time, r, a },
  };
}

/** Writes what was not hidden yet; makes the index where it is not there. */
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
    // Whoever goes on with it is not kept by what is done.
    const query = { bool: { filter: [copyQuery(what)], must_not: [{ term: { by: overlay.removal } }] } };
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

/** Gives these copies other removals; one without any goes. */
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

/** Those that match, in pages, by their ids, of one id in the order of hiding. */
export async function* hiddenCopies(
  store: Reached,
  kind: Kind,
  query: Dsl,
): AsyncGenerator<readonly HiddenCopy[]> {
  const index = indexOf(store, kind);
  if (!(await refreshIfThere(store.client, index))) return;
  yield* walkDocuments<HiddenDocument>(store.client, { from: { index }, query, by: 'copy' });
}

/** How many there are for which this holds. */
export async function countHidden(store: Reached, kind: Kind, query: Dsl): Promise<number> {
  const index = indexOf(store, kind);
  return (await refreshIfThere(store.client, index)) ? await countDocuments(store.client, index, query) : 0;
}

/** The largest number of a removal that hides one; 0: none does. */
export async function lastHiding(store: Reached, kind: Kind): Promise<number> {
  const index = indexOf(store, kind);
  return (await refreshIfThere(store.client, index)) ? await largestOf(store.client, index, 'by') : 0;
}

/** All that are hidden now, kept as they are until the walk ends, which every caller must go to. */
export async function holdHidden(
  store: Reached,
  kind: Kind,
): Promise<AsyncGenerator<readonly StoredRecord[]>> {
  const { client } = store;
  const index = indexOf(store, kind);
  await refreshIfThere(client, index);
  const pit = await openPit(client, index);
  return (async function* () {
    if (pit === null) return;
    try {
      const walked = { from: { pit }, query: { match_all: {} }, by: 'copy' };
      for await (const copies of walkDocuments<HiddenDocument>(client, walked)) {
        yield copies.map(({ source }) => source.r);
      }
    } finally {
      await closePit(client, pit);
    }
  })();
}

export function roleOf(kind: Kind): `hidden-${Kind}` {
  return `hidden-${kind}`;
}

function indexOf({ names }: Pick<Store, 'names'>, kind: Kind): string {
  return names[roleOf(kind)];
}

/** What a removal hides, among hidden copies. */
function copyQuery(what: Hidden): Dsl {
  if ('community' in what) return { term: { community: what.community } };
  if ('ids' in what) return { terms: { id: what.ids } };
  return { terms: { post: what.threads.filter((post) => post !== '') } };
}

/** Of one id, up with every write of it. */
function copyOf(id: string, { if_primary_term, if_seq_no }: Version): string {
  return `${id} ${padded(if_primary_term)} ${padded(if_seq_no)}`;
}

function padded(number: number): string {
  return String(number).padStart(16, '0');
}

function sorted(removals: readonly number[]): readonly number[] {
  return [...new Set(removals)].sort((a, b) => a - b);
}
