// Which indices there are, and how they are made. The posts, the comments, what removals hide of each, and one that
// controls all: the manifest of each kind, removals that are not folded in yet, who writes.

import { MAX_POSTS_UNDER } from '../../../model/query.ts';
import type { Kind } from '../../../model/record.ts';
import { type OpenSearchClient, OpenSearchRefusal, type OpenSearchSettings, pathOf } from './client.ts';

/** Of a mapping; an index of a later one is neither written nor read. */
const FIRST_VERSION = 1;
/** Of the mapping of records: arrivals are counted, ranks are kept. */
const RECORD_VERSION = 3;

/** How far apart the positions of two texts of a record are: more than the tokens of a phrase. */
const TEXT_GAP = 100;

/** Hidden copies have indices of their own, so that they can be erased with all of their files. */
export type IndexRole = 'control' | Kind | HiddenRole;

type HiddenRole = `hidden-${Kind}`;

export type IndexNames = Readonly<Record<IndexRole, string>>;

export function indexNames({ prefix }: Pick<OpenSearchSettings, 'prefix'>): IndexNames {
  return {
    control: `${prefix}-control`,
    post: `${prefix}-posts`,
    comment: `${prefix}-comments`,
    'hidden-post': `${prefix}-hidden-posts`,
    'hidden-comment': `${prefix}-hidden-comments`,
  };
}

export interface Mapping {
  readonly dynamic?: string;
  /** Absent: not an index of ours. */
  readonly _meta?: { readonly colloquy?: number };
  readonly _source?: { readonly includes: readonly string[] };
  readonly properties?: Readonly<Record<string, object>>;
}

export interface IndexBody {
  /** Without `index.` in front of their names. */
  readonly settings: { readonly index: Readonly<Record<string, unknown>> };
  readonly mappings: Mapping;
}

const META = { colloquy: FIRST_VERSION };

/**
 * The documents of records (documents.ts).
 *
 *   t        tokens of the searched texts, joined by blanks: an entry a text
 *   created  Unix seconds
 *   key      order of ids
 *   score    as it is; rank: as it ranks
 *   cid      order of the community's id; absent where no id is known
 *   sites, domains  what finds it, and what counts it, as keywords (documents.ts)
 *   post     of a comment: the post it belongs to; of a post: its own id
 *   orphan   true: a comment of which it is not known what it answers; absent otherwise
 *   undated  true: it is not known when it came in; absent otherwise
 *   m0…m3    what it adds to the fingerprint, 16 bits each, the lowest first
 *   q0, q1   its rank in samples of the default seed: the upper and the lower 32 bits, each less 2^31
 *   g        generation that it is part of
 *   n        number of its arrival; absent where it is not known
 *   came     when that was, Unix seconds; absent as n
 *   age      seconds from its creation to the hour in which it came in (model/pages.ts); absent as n
 *   r        the record; a: how it came in (documents.ts); b: the batch that wrote it
 */
function recordMapping(): Mapping {
  const stored = { type: 'keyword', index: false, doc_values: false };
  const mix = { type: 'integer', index: false };
  return {
    dynamic: 'strict',
    _meta: { colloquy: RECORD_VERSION },
    _source: { includes: ['r', 'a', 'b', 'g'] },
    properties: {
      t: {
        ...{ type: 'text', analyzer: 'whitespace', norms: false, index_options: 'positions' },
        position_increment_gap: TEXT_GAP,
      },
      created: { type: 'long' },
      key: { type: 'keyword', index: false },
      score: { type: 'long' },
      rank: { type: 'integer', index: false },
      community: { type: 'keyword' },
      cid: { type: 'keyword', index: false },
      adult: { type: 'boolean' },
      sites: { type: 'keyword', doc_values: false },
      domains: { type: 'keyword', index: false },
      post: { type: 'keyword', doc_values: false },
      orphan: { type: 'boolean' },
      undated: { type: 'boolean' },
      ...{ m0: mix, m1: mix, m2: mix, m3: mix, q0: mix, q1: mix },
      g: { type: 'long', doc_values: false },
      n: { type: 'long' },
      ...{ came: { type: 'long', index: false }, age: { type: 'long' } },
      r: { type: 'object', enabled: false },
      a: { type: 'long', index: false, doc_values: false },
      b: stored,
    },
  };
}

/** What controls both kinds. Documents of several sorts, told apart by their ids and by `what`. */
const CONTROL_MAPPING: Mapping = {
  dynamic: 'strict',
  _meta: META,
  properties: {
    what: { type: 'keyword' },
    kind: { type: 'keyword' },
    time: { type: 'long' },
    body: { type: 'object', enabled: false },
  },
};

/**
 * What removals hide of a kind (removing/hidden.ts).
 *
 *   id, community, post  of the record; a post stands under its own id
 *   copy                 the copy of the record, up in the order of hiding
 *   by                   numbers of the removals that hide it
 *   time                 when it was hidden first, Unix seconds
 *   r, a                 as in a document of a record
 */
const HIDDEN_MAPPING: Mapping = {
  dynamic: 'strict',
  _meta: META,
  properties: {
    id: { type: 'keyword' },
    community: { type: 'keyword' },
    post: { type: 'keyword' },
    copy: { type: 'keyword', index: false },
    by: { type: 'long' },
    time: { type: 'long' },
    r: { type: 'object', enabled: false },
    a: { type: 'long', index: false, doc_values: false },
  },
};

const COMMON = {
  refresh_interval: '-1',
  // What is acknowledged is on disk: with `async` a batch that is shown could be lost with the power.
  'translog.durability': 'request',
};

/** An index of hidden copies has a shard for so many of the records: few records are removed. */
const RECORDS_PER_HIDDEN = 16;

export function shardsOf({ shards }: Pick<OpenSearchSettings, 'shards'>, kind: Kind): number {
  return typeof shards === 'number' ? shards : shards[kind];
}

/** A purge must be able to take every deleted document out of every segment. */
const ERASABLE = { 'merge.policy.expunge_deletes_allowed': 0 };

const OF_RECORDS = {
  ...ERASABLE,
  codec: 'best_compression',
  'sort.field': ['created', 'key'],
  'sort.order': ['desc', 'desc'],
  max_terms_count: MAX_POSTS_UNDER + 1,
  // The bounds that a breakdown is proven by (answering/breakdowns.ts) leave out what slices of a shard leave out.
  'search.concurrent_segment_search.mode': 'none',
};

export function indexBody(settings: OpenSearchSettings, index: IndexRole): IndexBody {
  const bodyOf = (number_of_shards: number, own: object, mappings: Mapping): IndexBody => {
    const common = { ...COMMON, number_of_shards, number_of_replicas: settings.replicas };
    return { settings: { index: { ...common, ...own } }, mappings };
  };
  if (index === 'control') return bodyOf(1, {}, CONTROL_MAPPING);
  if (index === 'post' || index === 'comment') {
    return bodyOf(shardsOf(settings, index), OF_RECORDS, recordMapping());
  }
  const records = shardsOf(settings, index === 'hidden-post' ? 'post' : 'comment');
  return bodyOf(Math.ceil(records / RECORDS_PER_HIDDEN), ERASABLE, HIDDEN_MAPPING);
}

/** The cluster tells its nodes of it, one after the other: half a minute is its own limit for that. */
const MAKING_MS = 60_000;

/** Makes the index where none of that name is there. */
export async function makeIndex(
  client: OpenSearchClient,
  settings: OpenSearchSettings,
  index: IndexRole,
): Promise<void> {
  const name = indexNames(settings)[index];
  const body = indexBody(settings, index);
  try {
    await client.request({ method: 'PUT', path: pathOf(name), body }, { tryMs: MAKING_MS, isOfWriter: true });
  } catch (error) {
    const isThere = error instanceof OpenSearchRefusal && error.type === 'resource_already_exists_exception';
    if (!isThere) throw error;
  }
}
