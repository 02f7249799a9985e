// The work of `colloquy filter` on one block. Matching lines stay unchanged if they can; otherwise CSV becomes JSON or
// JSON becomes CSV. Importing them gives the same record, except for ratings.

import type { Block } from '../../../ingest/formats/block.ts';
import type { NormaliseOptions } from '../../../ingest/normalise/normalise.ts';
import { type BlockLine, type BlockTally, takeObjects } from '../../../ingest/objects.ts';
import { Selection } from '../../../ingest/selection/selection.ts';
import type { Query } from '../../../model/query.ts';
import type { StoredRecord } from '../../../model/record.ts';
import { quotedIfNeeded } from '../../../text/quoted.ts';

/** Columns of CSV, for both kinds: those of the other kind are empty. */
export const COLUMNS = [
  ...[
    'type',
    'id',
    'subreddit.id',
    'subreddit.name',
    'created_utc',
    'permalink',
    'domain',
    'title',
    'selftext',
  ],
  ...['url', 'body', 'link_id', 'parent_id', 'score', 'over_18', 'retrieved_utc'],
] as const;

/** The fields of the interface, and what an import reads besides: flat, by the names of the columns. */
function fieldsOf(
  record: StoredRecord,
): Partial<Record<(typeof COLUMNS)[number], string | number | boolean | null>> {
  const { kind, id, communityId, community, created, permalink, score, retrieved } = record;
  const common = { type: kind, id, 'subreddit.id': communityId, 'subreddit.name': community };
  const place = { created_utc: created, permalink };
  const rest = { score, retrieved_utc: retrieved };
  if (record.kind === 'comment') {
    const { post, parent, body } = record;
    const link_id = post === '' ? null : `t3_${post}`;
    const parent_id = parent === '' ? null : parent === post ? `t3_${parent}` : `t1_${parent}`;
    return { ...common, ...place, body, link_id, parent_id, ...rest };
  }
  const { domain, title, selftext, url, adult } = record;
  return { ...common, ...place, domain, title, selftext, url, over_18: adult, ...rest };
}

/** A JSON object with `subreddit` as an object, without line breaks. */
export function asJson(record: StoredRecord): string {
  const { type, id, 'subreddit.id': communityId, 'subreddit.name': name, ...rest } = fieldsOf(record);
  return JSON.stringify({ type, id, subreddit: { id: communityId, name }, ...rest });
}

/** A row of CSV (RFC 4180) in the order of COLUMNS, without its line break; null is empty. */
export function asRow(record: StoredRecord): string {
  const fields = fieldsOf(record);
  return COLUMNS.map((column) => quotedIfNeeded(String(fields[column] ?? ''))).join(',');
}

/**
 * `lines`: lines of JSON as they stand, rows of CSV as objects; `rows`: rows of CSV as they stand; `columns`:
 * every record as a row of COLUMNS.
 */
export type Writing = 'lines' | 'rows' | 'columns';

export interface FilterOptions extends NormaliseOptions {
  readonly where: Query;
  readonly writing: Writing;
}

export interface FilterResult extends Readonly<BlockTally> {
  /** What is to be written; every line has its end. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly matched: number;
  readonly lines: number;
}

const REJECTS_KEPT = 100;
const LINE_FEED = 10;
const LINE_END = Buffer.from('\n');

export function blockWork(options: FilterOptions): (block: Block) => FilterResult {
  const selection = new Selection(options.where, options.community ?? null);
  return (block) => {
    const pieces: Uint8Array[] = [];
    let [matched, lines] = [0, 0];
    /** The last line written: its further records are in it already. */
    let lastLine: BlockLine | null = null;
    const add = (bytes: Uint8Array) => {
      lines++;
      pieces.push(bytes);
      if (bytes.at(-1) !== LINE_FEED) pieces.push(LINE_END);
    };
    const tally = takeObjects(block, options, {
      ...{ selection, rejectsKept: REJECTS_KEPT },
      keep(kept, line) {
        if (kept.kind !== 'record') return;
        matched++;
        const { writing } = options;
        if (writing === 'columns') add(Buffer.from(asRow(kept.record)));
        else if (writing === 'lines' && block.rows !== undefined) add(Buffer.from(asJson(kept.record)));
        else if (line !== lastLine) add(block.rows ? rowAt(block.rows, line.index) : line.bytes);
        lastLine = line;
      },
    });
    return { ...tally, bytes: new Uint8Array(Buffer.concat(pieces)), matched, lines };
  };
}

function rowAt({ bytes, ends }: NonNullable<Block['rows']>, index: number): Uint8Array {
  return bytes.subarray(index === 0 ? 0 : ends[index - 1], ends[index]);
}
