// Targets of removals, the entries that are listed for them, and what completes a removal that a process left when it
// died: the list contains HMACs but no names, so every record of the index is checked against it, and the records give
// the names of the entries that they meet.

import type { Removals } from '../catalogue/removals.ts';
import type { SearchEngine } from '../model/engine.ts';
import type { Query } from '../model/query.ts';
import { KIND_NAMES, KINDS, type Kind, type StoredRecord } from '../model/record.ts';
import {
  chunks,
  type Hidden,
  NAMED_AT_ONCE,
  type Removal,
  type RemovalEntry,
  type RemovalSubject,
} from '../model/removals.ts';

export type Target =
  /** With `withComments` (for posts): also all their comments, present now or imported later. */
  | {
      readonly kind: 'records';
      readonly of: Kind;
      readonly ids: readonly string[];
      readonly withComments: boolean;
    }
  /** Records of both kinds, present now or imported later. Names in lower case. */
  | { readonly kind: 'communities'; readonly names: readonly string[] }
  | {
      readonly kind: 'query';
      readonly query: Query;
      readonly kinds: readonly Kind[];
      readonly withComments: boolean;
    };

/** Each id once. */
export type Ids = Record<Kind, string[]>;

export function subjectOf(target: Target): RemovalSubject {
  if (target.kind === 'records') return KIND_NAMES[target.of];
  return target.kind === 'query' ? 'query' : 'community';
}

export function kindsOf({
  subject,
  withComments,
}: Pick<Removal, 'subject' | 'withComments'>): readonly Kind[] {
  if (subject === 'comments') return ['comment'];
  return subject === 'posts' && !withComments ? ['post'] : KINDS;
}

export function entriesOf(target: Target, ids: Ids): RemovalEntry[] {
  if (target.kind === 'communities') return target.names.map((name) => ({ kind: 'community', name }));
  const entries: RemovalEntry[] = [];
  for (const kind of KINDS) for (const name of ids[kind]) entries.push({ kind, name });
  if (target.withComments) for (const name of ids.post) entries.push({ kind: 'thread', name });
  return entries;
}

/** What to hide, one call after the other. */
export function* hiddenParts(target: Target, ids: Ids): Generator<readonly [kind: Kind, what: Hidden]> {
  if (target.kind === 'communities') {
    for (const community of target.names) for (const kind of KINDS) yield [kind, { community }];
    return;
  }
  for (const kind of KINDS) for (const some of chunks(ids[kind], NAMED_AT_ONCE)) yield [kind, { ids: some }];
  if (!target.withComments) return;
  for (const threads of chunks(ids.post, NAMED_AT_ONCE)) yield ['comment', { threads }];
}

/**
 * Hides what a removal lists of one kind, and counts it; also copies that another removal hides, so that they stay
 * hidden when that one is undone. Reads every record of the kind once, and keeps at most NAMED_AT_ONCE names in memory.
 */
export async function hideListed(
  engine: SearchEngine,
  log: Removals,
  removal: number,
  kind: Kind,
): Promise<void> {
  const entries = log.entriesOf(removal);
  const hide = async (what: Hidden) => log.count(removal, kind, await engine.hide(removal, kind, what));
  // After this, no batch brings in what is listed, so everything can be found.
  await hide({ ids: [] });
  await engine.refresh();
  const [ids, threads, communities] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const names = { post: ids, comment: ids, thread: threads, community: communities };
  const hideNames = async () => {
    if (ids.size > 0) await hide({ ids: [...ids] });
    if (threads.size > 0) await hide({ threads: [...threads] });
    for (const community of communities) await hide({ community });
    for (const hidden of [ids, threads, communities]) hidden.clear();
  };
  /** Hides the names once there are enough for one call. */
  const add = async (records: readonly StoredRecord[]) => {
    for (const { kind: what, name } of entries.met(records)) {
      names[what].add(name);
      // uncovered: a removal of 20,000 names that a dead process left
      if (ids.size + threads.size + communities.size >= NAMED_AT_ONCE) await hideNames();
    }
  };
  for await (const records of engine.scan(kind, { items: [] }, 'newest')) await add(records);
  for await (const records of engine.buried(kind)) await add(records);
  await hideNames();
}
