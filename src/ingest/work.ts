// The work on one block: parse, normalise, select, rate. Pure and the same in the main thread and in a worker.

import { packRecords } from '../engines/packing/packed-records.ts';
import { addClaim, type CommunityClaim } from '../model/community.ts';
import type { Query } from '../model/query.ts';
import type { RecordBatch, StoredComment, StoredPost } from '../model/record.ts';
import type { TimeSpan } from '../model/timeline.ts';
import type { Block, SourcePosition } from './formats/block.ts';
import type { NormaliseOptions } from './normalise/normalise.ts';
import { type BlockTally, takeObjects } from './objects.ts';
import { Selection } from './selection/selection.ts';
import { rate } from './sentiment/vader.ts';

export interface PackedResult extends Readonly<BlockTally> {
  readonly posts: RecordBatch;
  readonly comments: RecordBatch;
  readonly communities: CommunityClaim[];
  readonly claims: readonly CommunityClaim[];
  readonly cut: number;
  /** Unix seconds of the first and the last record, by creation; null: there is none. */
  readonly span: TimeSpan | null;
  readonly end: SourcePosition;
  /** Bytes of the block, or of its selected lines: about the memory of the records. */
  readonly bytes: number;
  /** Bytes of the block that were not selected. */
  readonly passedBytes: number;
}

export interface WorkOptions extends NormaliseOptions {
  /** Only records that match it are taken in; absent or null: all. */
  readonly where?: Query | null;
}

/** Rejects of one block that keep their text: a file full of noise must not fill the memory. */
const REJECTS_KEPT = 1000;

export function blockWork(options: WorkOptions): (block: Block) => PackedResult {
  const { where = null, community = null } = options;
  const selection = where === null ? null : new Selection(where, community);
  return (block) => {
    const [posts, comments]: [StoredPost[], StoredComment[]] = [[], []];
    const communities: CommunityClaim[] = [];
    const claims = new Map<string, CommunityClaim>();
    let [first, last] = [Infinity, -Infinity];
    let cut = 0;
    let selectedBytes = 0;
    const tally = takeObjects(block, options, {
      ...{ selection, rejectsKept: REJECTS_KEPT },
      keep(kept, line) {
        if (kept.kind === 'community') {
          communities.push(kept.claim);
          return;
        }
        selectedBytes += line.bytes.length;
        first = Math.min(first, kept.record.created);
        last = Math.max(last, kept.record.created);
        if (kept.record.kind === 'post') posts.push(kept.record);
        else comments.push(rated(kept.record));
        if (kept.claim !== null) addClaim(claims, kept.claim);
        if (kept.isCut) cut++;
      },
    });
    const bytes = selection === null ? block.data.length : selectedBytes;
    return {
      ...{ ...tally, posts: packRecords(posts), comments: packRecords(comments), communities },
      ...{ claims: [...claims.values()], cut, span: first <= last ? { first, last } : null },
      ...{ end: block.end, bytes },
      passedBytes: Math.max(0, block.data.length - bytes),
    };
  };
}

/** A comment that came with a rating keeps it; a withdrawn one has none. */
function rated(comment: StoredComment): StoredComment {
  if (comment.ratings.length > 0 || comment.withdrawn) return comment;
  return { ...comment, sentiment: rate(comment.body) };
}
