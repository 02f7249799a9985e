// The work on one block: parse, normalise, rate. Pure and the same in the main thread and in a worker.

import { addClaim, type CommunityClaim } from '../model/claims.ts';
import type { StoredComment, StoredPost } from '../model/record.ts';
import type { RecordBatch } from '../model/record-batch.ts';
import { packRecords } from '../packing/packed-records.ts';
import {
  type Block,
  MAX_VALUE_BYTES,
  type Reject,
  rejectText,
  type SourcePosition,
} from './formats/block.ts';
import { NOT_JSON, parseJson } from './formats/json.ts';
import { unwrap } from './formats/unwrap.ts';
import type { NormaliseOptions } from './normalise/normalise.ts';
import type { Outcome } from './normalise/outcome.ts';
import { count, type Rejection, type Skip, type Tally } from './normalise/reasons.ts';
import { rate } from './sentiment/rate.ts';

/** What a block came to. */
export interface BlockResult {
  readonly posts: StoredPost[];
  readonly comments: StoredComment[];
  readonly communities: CommunityClaim[];
  /** One a community at most. */
  readonly claims: readonly CommunityClaim[];
  /** Objects that should be records, whatever became of them. */
  readonly read: number;
  readonly skipped: Tally<Skip>;
  readonly rejected: Tally<Rejection>;
  /** At most REJECTS_KEPT; the tally has them all. */
  readonly rejects: readonly Reject[];
  /** Records with a text that was cut. */
  readonly cut: number;
  /** Behind the block. */
  readonly end: SourcePosition;
  /** Bytes of the block: about how much the records weigh. */
  readonly bytes: number;
}

/** The same as threads hand it to each other. */
export interface PackedResult extends Omit<BlockResult, 'posts' | 'comments'> {
  readonly posts: RecordBatch;
  readonly comments: RecordBatch;
}

export function packed(result: BlockResult): PackedResult {
  return { ...result, posts: packRecords(result.posts), comments: packRecords(result.comments) };
}

/** Rejects of one block that keep their text: what a file full of noise may cost. */
const REJECTS_KEPT = 1000;
const LINE_FEED = 10;

export function workOn(block: Block, options: NormaliseOptions): BlockResult {
  const collector = new Collector(block);
  const data = Buffer.from(block.data.buffer, block.data.byteOffset, block.data.length);
  let start = 0;
  for (let index = 0; start < data.length; index++) {
    const found = data.indexOf(LINE_FEED, start);
    const end = found < 0 ? data.length : found;
    const value = data.subarray(start, end);
    start = end + 1;
    if (isBlank(value)) continue;
    const line = typeof block.lines === 'number' ? block.lines + index : (block.lines[index] ?? 0);
    workOnValue(value, line, options, collector);
  }
  return collector.result();
}

function workOnValue(bytes: Buffer, line: number, options: NormaliseOptions, into: Collector): void {
  const isTooLong = bytes.length > MAX_VALUE_BYTES;
  const value = isTooLong ? NOT_JSON : parseJson(bytes);
  if (value === NOT_JSON)
    into.reject({ line, reason: isTooLong ? 'too_long' : 'bad_json', text: rejectText(bytes) });
  else {
    unwrap(value, options, (outcome) => {
      into.take(outcome, line, bytes);
    });
  }
}

/** Blanks, carriage returns, NULs: what an empty line may hold. */
function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) {
    if (byte > 0x20) return false;
  }
  return true;
}

class Collector {
  readonly #block: Block;
  readonly #posts: StoredPost[] = [];
  readonly #comments: StoredComment[] = [];
  readonly #communities: CommunityClaim[] = [];
  readonly #claims = new Map<string, CommunityClaim>();
  readonly #skipped: Tally<Skip> = {};
  readonly #rejected: Tally<Rejection> = {};
  readonly #rejects: Reject[] = [];
  #read = 0;
  #cut = 0;

  constructor(block: Block) {
    this.#block = block;
    for (const reject of block.rejects) this.reject(reject);
  }

  take(outcome: Outcome, line: number, bytes: Buffer): void {
    switch (outcome.kind) {
      case 'rejected':
        this.reject({ line, reason: outcome.reason, text: rejectText(bytes) });
        return;
      case 'skipped':
        count(this.#skipped, outcome.reason);
        break;
      case 'community':
        this.#communities.push(outcome.claim);
        break;
      case 'record':
        if (outcome.record.kind === 'post') this.#posts.push(outcome.record);
        else this.#comments.push(rated(outcome.record));
        if (outcome.claim !== null) addClaim(this.#claims, outcome.claim);
        if (outcome.isCut) this.#cut++;
        break;
    }
    this.#read++;
  }

  reject(reject: Reject): void {
    this.#read++;
    count(this.#rejected, reject.reason);
    if (this.#rejects.length < REJECTS_KEPT) this.#rejects.push(reject);
  }

  result(): BlockResult {
    return {
      posts: this.#posts,
      comments: this.#comments,
      communities: this.#communities,
      claims: [...this.#claims.values()],
      read: this.#read,
      skipped: this.#skipped,
      rejected: this.#rejected,
      rejects: this.#rejects,
      cut: this.#cut,
      end: this.#block.end,
      bytes: this.#block.data.length,
    };
  }
}

/** A comment that came with a rating keeps it; a withdrawn one has none. */
function rated(comment: StoredComment): StoredComment {
  if (comment.ratings.length > 0 || comment.withdrawn) return comment;
  return { ...comment, sentiment: rate(comment.body) };
}
