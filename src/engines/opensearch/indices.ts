// Which indices there are, and how they are made. The posts, the comments, and one that controls both: the manifest of
// each kind, removals that are not folded in yet, hidden copies, who writes.

import { StorageError } from '../../errors.ts';
import { MAX_POSTS_UNDER } from '../../model/query.ts';
import type { Kind } from '../../model/record.ts';
import { type OpenSearchClient, OpenSearchRefusal, pathOf } from './client.ts';
import type { OpenSearchSettings } from './settings.ts';

/** Of the mapping; an index of another one is not written. */
export const MAPPING_VERSION = 1;

/** How far apart the positions of two texts of a record are: more than the tokens of a phrase. */
export const TEXT_GAP = 100;

export interface IndexNames {
  readonly control: string;
  readonly post: string;
  readonly comment: string;
}

export function indexNames({ prefix }: Pick<OpenSearchSettings, 'prefix'>): IndexNames {
  return { control: `${prefix}-control`, post: `${prefix}-posts`, comment: `${prefix}-comments` };
}

const META = { colloquy: MAPPING_VERSION };

/**
 * The documents of records (documents.ts).
 *
 *   t        tokens of the searched texts, joined by blanks: an entry a text
 *   created  Unix seconds
 *   key      order of ids
 *   score    as it is; rank: as it ranks
 *   cid      order of the community's id; absent where no id is known
 *   post     of a comment: the post it belongs to; of a post: its own id
 *   orphan   true: a comment of which it is not known what it answers; absent otherwise
 *   undated  true: it is not known when it came in; absent otherwise
 *   m0…m3    what it adds to the fingerprint, 16 bits each, the lowest first
 *   g        generation that it is part of
 *   r        the record; a: when it came in, Unix seconds; b: the batch that wrote it
 */
function recordMapping(): object {
  const stored = { type: 'keyword', index: false, doc_values: false };
  const mix = { type: 'integer', index: false };
  return {
    dynamic: 'strict',
    _meta: META,
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
      ...{ m0: mix, m1: mix, m2: mix, m3: mix },
      g: { type: 'long', doc_values: false },
      r: { type: 'object', enabled: false },
      a: { type: 'long', index: false, doc_values: false },
      b: stored,
    },
  };
}

/**
 * What controls both kinds. Documents of several sorts, told apart by their ids and by `what` (control.ts, hidden.ts).
 * `body` is nobody's to search.
 */
function controlMapping(): object {
  return {
    dynamic: 'strict',
    _meta: META,
    properties: {
      what: { type: 'keyword' },
      kind: { type: 'keyword' },
      /** Of a hidden copy: its record's id, community, post; the removals that hide it; when it was first hidden. */
      id: { type: 'keyword' },
      community: { type: 'keyword' },
      post: { type: 'keyword' },
      by: { type: 'long' },
      time: { type: 'long' },
      body: { type: 'object', enabled: false },
    },
  };
}

const COMMON = { refresh_interval: '-1' };

function recordSettings({ shards, replicas }: OpenSearchSettings): object {
  return {
    ...COMMON,
    number_of_shards: shards,
    number_of_replicas: replicas,
    codec: 'best_compression',
    'sort.field': ['created', 'key'],
    'sort.order': ['desc', 'desc'],
    max_terms_count: MAX_POSTS_UNDER + 1,
    // A purge must be able to take every deleted document out of every segment.
    'merge.policy.expunge_deletes_allowed': 0,
  };
}

/** Makes the index where it is not there. Throws a StorageError where one of that name is not ours. */
export async function makeIndex(
  client: OpenSearchClient,
  settings: OpenSearchSettings,
  index: Kind | 'control',
): Promise<void> {
  const name = indexNames(settings)[index];
  const body =
    index === 'control'
      ? {
          settings: { index: { ...COMMON, number_of_shards: 1, number_of_replicas: settings.replicas } },
          mappings: controlMapping(),
        }
      : { settings: { index: recordSettings(settings) }, mappings: recordMapping() };
  try {
    await client.request({ method: 'PUT', path: pathOf(name), body });
  } catch (error) {
    const isThere = error instanceof OpenSearchRefusal && error.type === 'resource_already_exists_exception';
    if (!isThere) throw error;
  }
  await expectOurs(client, name);
}

interface MappingReply {
  readonly [index: string]: { readonly mappings: { readonly _meta?: { readonly colloquy?: number } } };
}

/** Whether there is an index of that name. Throws a StorageError where it is not ours, or of another version. */
export async function expectOurs(client: OpenSearchClient, name: string): Promise<boolean> {
  const { status, body } = await client.request<MappingReply>(
    { method: 'GET', path: `${pathOf(name)}/_mapping` },
    { expect: [404] },
  );
  if (status === 404) return false;
  const version = Object.values(body)[0]?.mappings._meta?.colloquy;
  if (version === MAPPING_VERSION) return true;
  const found = version === undefined ? 'one that something else made' : `one of version ${version}`;
  throw new StorageError(
    `index \`${name}\`: expected an index of Colloquy, version ${MAPPING_VERSION}, found ${found}; ` +
      'set another `COLLOQUY_OPENSEARCH_PREFIX`',
  );
}
