// The work on one block: parse, normalise, select, rate. Pure and the same in the main thread and in a worker.

import { packRecords } from '../engines/packing/packed-records.ts';
import { addClaim, type CommunityClaim } from '../model/community.ts';
import type { Query } from '../model/query.ts';
import type { RecordBatch, StoredComment, StoredPost, StoredRecord } from '../model/record.ts';
import { type Block, type Reject, rejectText, type SourcePosition } from './formats/block.ts';
import type { NormaliseOptions } from './normalise/normalise.ts';
import { count, type Outcome, type Rejection, type Skip, type Tally } from './normalise/outcome.ts';
import { type BlockLine, type ObjectTaker, takeObjects } from './objects.ts';
import { isSelected, type Selection, selectionOf } from './selection/selection.ts';
import { rate } from './sentiment/vader.ts';

interface BlockResult {
  readonly posts: StoredPost[];
  readonly comments: StoredComment[];
  readonly communities: CommunityClaim[];
  readonly claims: readonly CommunityClaim[];
  /** Objects that should be records, whatever became of them. */
  readonly read: number;
  readonly skipped: Tally<Skip>;
  readonly rejected: Tally<Rejection>;
  /** At most REJECTS_KEPT; the tally has them all. */
  readonly rejects: readonly Reject[];
  readonly cut: number;
  /** Unix seconds of the first and the last record, by creation; null: there is none. */
  readonly span: TimeSpan | null;
  readonly end: SourcePosition;
  /** Bytes of the block, or of what a selection takes of it: about how much the records weigh. */
  readonly bytes: number;
  /** Bytes of the block that a selection has no use for. */
  readonly passedBytes: number;
}

export interface TimeSpan {
  readonly first: number;
  readonly last: number;
}

export interface PackedResult extends Omit<BlockResult, 'posts' | 'comments'> {
  readonly posts: RecordBatch;
  readonly comments: RecordBatch;
}

export function packed(result: BlockResult): PackedResult {
  return { ...result, posts: packRecords(result.posts), comments: packRecords(result.comments) };
}

export interface WorkOptions extends NormaliseOptions {
  /** Only records that match it are taken in; absent or null: all. */
  readonly where?: Query | null;
}

export function importWork(options: WorkOptions): (block: Block) => PackedResult {
  const selection = selectionOf(options);
  return (block) => packed(workOn(block, options, selection));
}

/** Rejects of one block that keep their text: what a file full of noise may cost. */
const REJECTS_KEPT = 1000;

/** `selection` null: every record is taken in. */
export function workOn(
  block: Block,
  options: NormaliseOptions,
  selection: Selection | null = null,
): BlockResult {
  const collector = new Collector(block, selection);
  takeObjects(block, options, selection, collector);
  return collector.result();
}

class Collector implements ObjectTaker {
  readonly #block: Block;
  readonly #selection: Selection | null;
  readonly #posts: StoredPost[] = [];
  readonly #comments: StoredComment[] = [];
  readonly #communities: CommunityClaim[] = [];
  readonly #claims = new Map<string, CommunityClaim>();
  readonly #skipped: Tally<Skip> = {};
  readonly #rejected: Tally<Rejection> = {};
  readonly #rejects: Reject[] = [];
  #read = 0;
  #cut = 0;
  /** Of the lines of the records that the selection takes. */
  #selectedBytes = 0;

  constructor(block: Block, selection: Selection | null) {
    this.#block = block;
    this.#selection = selection;
    for (const reject of block.rejects) this.reject(reject);
  }

  passOver(): void {
    this.#read++;
    count(this.#skipped, 'where');
  }

  take(outcome: Outcome, { bytes, number }: BlockLine): void {
    if (outcome.kind === 'rejected') {
      this.reject({ line: number, reason: outcome.reason, text: rejectText(bytes) });
    } else if (!isSelected(outcome, this.#selection)) {
      this.passOver();
    } else {
      this.#read++;
      this.#keep(outcome, bytes.length);
    }
  }

  #keep(outcome: Exclude<Outcome, { kind: 'rejected' }>, bytes: number): void {
    switch (outcome.kind) {
      case 'skipped':
        count(this.#skipped, outcome.reason);
        break;
      case 'community':
        this.#communities.push(outcome.claim);
        break;
      case 'record':
        this.#selectedBytes += bytes;
        if (outcome.record.kind === 'post') this.#posts.push(outcome.record);
        else this.#comments.push(rated(outcome.record));
        if (outcome.claim !== null) addClaim(this.#claims, outcome.claim);
        if (outcome.isCut) this.#cut++;
        break;
      default:
        outcome satisfies never;
    }
  }

  reject(reject: Reject): void {
    this.#read++;
    count(this.#rejected, reject.reason);
    if (this.#rejects.length < REJECTS_KEPT) this.#rejects.push(reject);
  }

  result(): BlockResult {
    const bytes = this.#selection === null ? this.#block.data.length : this.#selectedBytes;
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
      span: spanOf([this.#posts, this.#comments]),
      end: this.#block.end,
      bytes,
      passedBytes: Math.max(0, this.#block.data.length - bytes),
    };
  }
}

function spanOf(kinds: readonly (readonly StoredRecord[])[]): TimeSpan | null {
  let [first, last] = [Infinity, -Infinity];
  for (const { created } of kinds.flat()) {
    first = Math.min(first, created);
    last = Math.max(last, created);
  }
  return first <= last ? { first, last } : null;
}

/** A comment that came with a rating keeps it; a withdrawn one has none. */
function rated(comment: StoredComment): StoredComment {
  if (comment.ratings.length > 0 || comment.withdrawn) return comment;
  return { ...comment, sentiment: rate(comment.body) };
}
