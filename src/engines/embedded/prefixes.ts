// Prefixes of a query: the docs of every token that begins so, gathered from the dictionaries.

import { Buffer } from 'node:buffer';
import { ServiceError } from '../../errors.ts';
import { ByteReader } from '../../model/bytes.ts';
import { MAX_PREFIX_TOKENS, type Word } from '../../model/query.ts';
import { CHUNK_WORDS } from './chunk.ts';
import type { Deadline } from './deadline.ts';
import { TOKEN } from './keys.ts';
import { decodeChunks, type PostingEntry, readDeltas, readEntry, skipEntry } from './posting-codec.ts';
import { bitsList, type PostingList } from './posting-list.ts';
import type { Segment } from './segment.ts';

/** The list of a prefix in each segment; null where a segment has no such token. */
export type PrefixLists = ReadonlyMap<Segment, PostingList | null>;

/** Throws `prefix_too_broad` for more than MAX_PREFIX_TOKENS different tokens in all segments together. */
export function prefixLists(
  { prefix, typed }: Word & { kind: 'prefix' },
  segments: readonly Segment[],
  deadline: Deadline,
): PrefixLists {
  const tooBroad = () =>
    new ServiceError(
      'prefix_too_broad',
      `expected at most 100,000 different words behind a prefix, found more behind \`${typed}*\``,
    );
  const lists = new Map<Segment, PostingList | null>();
  let tokens = 0;
  for (const segment of segments) {
    const gathered = gather(segment, prefix, deadline);
    if (gathered === 'too many') throw tooBroad();
    tokens += gathered.tokens;
    lists.set(segment, gathered.list);
  }
  // Tokens that several segments hold were counted several times.
  if (tokens > MAX_PREFIX_TOKENS && hasTooMany(segments, prefix, deadline)) throw tooBroad();
  return lists;
}

function hasTooMany(segments: readonly Segment[], prefix: string, deadline: Deadline): boolean {
  const different = new Set<string>();
  for (const segment of segments) {
    for (const { key, reader } of segment.dictionary.walk(TOKEN + prefix)) {
      skipEntry(reader);
      deadline.step();
      different.add(key);
      if (different.size > MAX_PREFIX_TOKENS) return true;
    }
  }
  return false;
}

/** As bits of the whole segment: the lists are many, mostly short, and in no order. */
function gather(
  segment: Segment,
  prefix: string,
  deadline: Deadline,
): { readonly tokens: number; readonly list: PostingList | null } | 'too many' {
  let words: Uint32Array | null = null;
  let tokens = 0;
  let docs = 0;
  for (const reader of segment.dictionary.walkEntries(TOKEN + prefix)) {
    if (++tokens > MAX_PREFIX_TOKENS) return 'too many';
    deadline.step();
    words ??= new Uint32Array(segment.chunks * CHUNK_WORDS);
    docs += addEntry(segment, readEntry(reader), words);
  }
  return { tokens, list: words === null ? null : bitsList(words, docs) };
}

function addEntry(segment: Segment, entry: PostingEntry, words: Uint32Array): number {
  const docs = entryDocs(segment, entry);
  for (const doc of docs) words[doc >>> 5]! |= 1 << (doc & 31);
  return docs.length;
}

/** Every docId of an entry, up. */
export function entryDocs(segment: Segment, entry: PostingEntry): Uint32Array {
  if (entry.kind === 'inline') return entry.docs;
  const bytes = Buffer.allocUnsafeSlow(entry.length);
  segment.source.readInto(bytes, entry.offset, entry.length);
  const docs = new Uint32Array(entry.count);
  if (entry.kind === 'deltas') readDeltas(new ByteReader(bytes), docs, entry.count);
  else decodeChunks(bytes, docs, segment.docs);
  return docs;
}
