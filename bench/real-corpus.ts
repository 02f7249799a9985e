// Real comments for the benchmark: an NDJSON file of comments, plain or zstd, in the shape of the public dumps. Only
// what the engine needs is taken over; lines that are no comment are passed over.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { constants, createZstdDecompress } from 'node:zlib';
import type { StoredComment } from '../src/model/record.ts';
import { tokens } from '../src/text/tokenizer.ts';
import type { Vocabulary } from './corpus.ts';

export async function* realComments(file: string, batchSize: number): AsyncGenerator<StoredComment[]> {
  const bytes = createReadStream(file);
  const input = file.endsWith('.zst')
    ? bytes.pipe(createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 31 } }))
    : bytes;
  let batch: StoredComment[] = [];
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const comment = commentOf(JSON.parse(line) as Record<string, unknown>);
    if (comment === null) continue;
    batch.push(comment);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function commentOf(row: Record<string, unknown>): StoredComment | null {
  const { id, subreddit, body } = row;
  if (typeof id !== 'string' || typeof subreddit !== 'string' || typeof body !== 'string') return null;
  const community = subreddit.toLowerCase();
  const post = String(row.link_id ?? '').replace('t3_', '');
  return {
    kind: 'comment',
    id,
    community,
    communityId: String(row.subreddit_id ?? '').replace('t5_', ''),
    created: Math.min(4_294_967_295, Math.max(0, Math.floor(Number(row.created_utc) || 0))),
    permalink: String(row.permalink ?? `/r/${subreddit}/comments/${post || '_'}/_/${id}/`),
    score: Math.floor(Number(row.score) || 0),
    retrieved: Math.max(0, Math.floor(Number(row.retrieved_on) || 0)),
    withdrawn: body === '[deleted]' || body === '[removed]',
    lent: [],
    body: body.replaceAll('\0', '').toWellFormed(),
    sentiment: null,
    post,
    parent: String(row.parent_id ?? '').replace(/^t[13]_/, ''),
    ratings: [],
  };
}

/** Words and communities by how often they come, counted over some batches. */
export function vocabularyOf(comments: readonly StoredComment[]): Vocabulary {
  const words = new Map<string, number>();
  const communities = new Map<string, number>();
  let first = Infinity;
  let last = -Infinity;
  for (const { body, community, created } of comments) {
    for (const token of tokens(body)) words.set(token, (words.get(token) ?? 0) + 1);
    communities.set(community, (communities.get(community) ?? 0) + 1);
    first = Math.min(first, created);
    last = Math.max(last, created);
  }
  const ranked = (counts: ReadonlyMap<string, number>) =>
    [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const byRank = ranked(words);
  const characters = byRank.filter((word) => /^\p{Script=Han}$/u.test(word));
  const names = ranked(communities);
  return {
    terms: byRank.length,
    term: (rank) => byRank[rank % byRank.length]!,
    // Without enough characters the class is one of few matches.
    cjkCharacter: (rank) => characters[rank % Math.max(1, characters.length)] ?? '日',
    communities: names.length,
    community: (rank) => names[rank % names.length]!,
    first,
    seconds: last - first,
  };
}
