// Targets of removals, and the entries that are listed for them.

import type { Query } from '../model/query.ts';
import { KINDS, type Kind } from '../model/record.ts';
import type { RemovalEntry, RemovalSubject } from '../model/removals.ts';

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
  /** The records that match now. */
  | {
      readonly kind: 'query';
      readonly query: Query;
      readonly kinds: readonly Kind[];
      readonly withComments: boolean;
    };

/** Each id once. */
export type Ids = Record<Kind, string[]>;

export function subjectOf(target: Target): RemovalSubject {
  switch (target.kind) {
    case 'records':
      return target.of === 'post' ? 'posts' : 'comments';
    case 'communities':
      return 'community';
    case 'query':
      return 'query';
  }
}

/** The kinds whose records such a removal may hide. */
export function kindsOf(subject: RemovalSubject, withComments: boolean): readonly Kind[] {
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
