// What the other engines are asked, and how their answers and ours are brought into one shape. The lines that their
// programs read and write: tantivy/src/protocol.rs, lucene/Main.java.

import type { Answer, Question } from '../src/model/engine.ts';
import { isOfTop } from '../src/model/pages.ts';
import {
  breakdownDomains,
  type Conditions,
  conditionsOf,
  type Query,
  siteKeys,
  type Word,
} from '../src/model/query.ts';
import { MAX_TIME, type StoredComment } from '../src/model/record.ts';
import { tokens } from '../src/text/tokenizer.ts';

export type PeerTask =
  | { readonly kind: 'count' }
  | { readonly kind: 'newest' | 'oldest'; readonly limit: number; readonly after: number | null }
  | {
      readonly kind: 'top';
      readonly limit: number;
      readonly after: { readonly score: number; readonly second: number } | null;
    }
  | { readonly kind: 'breakdown'; readonly size: number }
  | { readonly kind: 'whole'; readonly limit: number; readonly size: number };

export interface PeerConditions {
  readonly words: readonly (readonly PeerWord[])[];
  readonly excludedWords: readonly PeerWord[];
  readonly communities: readonly string[] | null;
  readonly excludedCommunities: readonly string[];
  readonly sites: readonly string[] | null;
  readonly excludedSites: readonly string[];
  /** Of every range, null is open. */
  readonly minScore: number | null;
  readonly maxScore: number | null;
  readonly from: number | null;
  readonly to: number | null;
}

type PeerWord =
  | { readonly kind: 'term'; readonly token: string }
  | { readonly kind: 'phrase'; readonly tokens: readonly string[] }
  | { readonly kind: 'prefix'; readonly prefix: string };

export interface PeerRequest {
  readonly task: PeerTask;
  readonly rounds: number;
  readonly queries: readonly PeerConditions[];
}

/** An answer in the shape that both sides have. */
export interface ComparedAnswer {
  readonly total: number;
  /** The records of a page, in order, and how many bytes of JSON they are. */
  readonly page?: { readonly ids: readonly string[]; readonly bytes: number };
  readonly breakdowns?: readonly {
    readonly rows: readonly (readonly [name: string, count: number])[];
    readonly distinct?: number;
  }[];
  readonly timeline?: {
    readonly step: string;
    readonly buckets: readonly (readonly [start: number, count: number])[];
  };
}

export interface PeerResponse {
  readonly answers: readonly { readonly answer: ComparedAnswer; readonly nanoseconds: readonly number[] }[];
}

/** Throws a TypeError for a question that it cannot be asked. */
export function peerTask({ page, breakdowns, timeline }: Partial<Question>): PeerTask {
  if (page?.order === 'sample') throw new TypeError('expected a page in an order, found a sample');
  const size = breakdowns?.[0]?.size ?? 0;
  if (timeline !== undefined && page !== undefined) return { kind: 'whole', limit: page.limit, size };
  if (breakdowns !== undefined) return { kind: 'breakdown', size };
  if (page === undefined) return { kind: 'count' };
  const { order, limit, after } = page;
  if (order === 'top') return { kind: 'top', limit, after };
  if (after === null) return { kind: order, limit, after: null };
  if (isOfTop(after) || after.given !== 'all') throw new TypeError('expected a page behind a whole second');
  return { kind: order, limit, after: after.second };
}

/** Throws a TypeError for a query with conditions that it does not know. */
export function peerConditions(query: Query): PeerConditions {
  const conditions = conditionsOf(query);
  refuseUnknown(conditions);
  const { words, excludedWords, communities, excludedCommunities, sites, excludedSites } = conditions;
  return {
    words: words.map((some) => some.map(peerWord)),
    excludedWords: excludedWords.map(peerWord),
    communities,
    excludedCommunities,
    sites,
    excludedSites,
    minScore: Number.isFinite(conditions.minScore) ? conditions.minScore : null,
    maxScore: Number.isFinite(conditions.maxScore) ? conditions.maxScore : null,
    from: conditions.from > 0 ? conditions.from : null,
    to: conditions.to <= MAX_TIME ? conditions.to : null,
  };
}

function refuseUnknown({ posts, excludedPosts, records, excludedRecords }: Conditions): void {
  if (posts !== null || records !== null || excludedPosts.length + excludedRecords.length > 0)
    throw new TypeError('expected a query without posts and ids');
}

function peerWord(word: Word): PeerWord {
  if (word.kind === 'term') return { kind: 'term', token: word.token };
  if (word.kind === 'phrase') return { kind: 'phrase', tokens: word.tokens };
  return { kind: 'prefix', prefix: word.prefix };
}

/** What a comment is indexed by, as one line without its end. */
export function peerLine(comment: StoredComment): string {
  const { id, created, score, community, body } = comment;
  // Ids are numbers there, and written from them.
  if (Number.parseInt(id, 36).toString(36) !== id)
    throw new TypeError(`expected an id in base 36, found ${id}`);
  const names = [breakdownDomains(comment).join(' '), siteKeys(comment).join(' ')];
  return [id, created, score, community, ...names, tokens(body).join(' '), JSON.stringify(comment)].join(
    '\t',
  );
}

/** `limit`: of the page that was asked for; one of `top` may go on to the end of a tie. */
export function comparedAnswer(answer: Answer, limit = Infinity): ComparedAnswer {
  const { total, page, breakdowns, timeline } = answer;
  const records = page?.records.slice(0, limit);
  return {
    total,
    ...(records && {
      page: {
        ids: records.map(({ id }) => id),
        bytes: records.reduce((sum, record) => sum + Buffer.byteLength(JSON.stringify(record)), 0),
      },
    }),
    ...(breakdowns && {
      breakdowns: breakdowns.map(({ rows, distinct }) => ({
        rows: rows.map(({ name, count }) => [name, count] as const),
        ...(distinct !== undefined && { distinct }),
      })),
    }),
    ...(timeline && {
      timeline: {
        step: timeline.step,
        buckets: timeline.buckets.map(({ start, count }) => [start, count] as const),
      },
    }),
  };
}
