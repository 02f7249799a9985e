// The work of `colloquy filter` on one block. Matching lines stay unchanged if they can; otherwise CSV becomes JSON or
// JSON becomes CSV. Importing them gives the same record, except for ratings.

import { type Block, type Reject, rejectText } from '../../../ingest/formats/block.ts';
import type { NormaliseOptions } from '../../../ingest/normalise/normalise.ts';
import {
  count,
  type Outcome,
  type Rejection,
  type Skip,
  type Tally,
} from '../../../ingest/normalise/outcome.ts';
import { type BlockLine, type ObjectTaker, takeObjects } from '../../../ingest/objects.ts';
import { isSelected, Selection } from '../../../ingest/selection/selection.ts';
import type { Query } from '../../../model/query.ts';
import type { StoredComment, StoredRecord } from '../../../model/record.ts';
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
    const link_id = record.post === '' ? null : `t3_${record.post}`;
    return { ...common, ...place, body: record.body, link_id, parent_id: parentName(record), ...rest };
  }
  const { domain, title, selftext, url, adult } = record;
  return { ...common, ...place, domain, title, selftext, url, over_18: adult, ...rest };
}

/** With its prefix; null if unknown. */
function parentName({ parent, post }: StoredComment): string | null {
  if (parent === '') return null;
  return parent === post ? `t3_${parent}` : `t1_${parent}`;
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

export interface FilterResult {
  /** What is to be written; every line has its end. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly read: number;
  readonly matched: number;
  /** Lines or rows written: one of JSON may contain several records. */
  readonly lines: number;
  readonly skipped: Tally<Skip>;
  readonly rejected: Tally<Rejection>;
  /** At most REJECTS_KEPT; the tally has them all. */
  readonly rejects: readonly Reject[];
}

export function filterWork(options: FilterOptions): (block: Block) => FilterResult {
  const selection = new Selection(options.where, options.community ?? null);
  return (block) => {
    const writer = new BlockWriter(block, selection, options.writing);
    takeObjects(block, options, selection, writer);
    return writer.result();
  };
}

/** Rejects of one block that are told one by one. */
const REJECTS_KEPT = 100;
const LINE_FEED = 10;
const LINE_END = Buffer.from('\n');

class BlockWriter implements ObjectTaker {
  readonly #block: Block;
  readonly #selection: Selection;
  readonly #writing: Writing;
  readonly #pieces: Uint8Array[] = [];
  /** The line written last; its other records are written with it. */
  #lastLine: BlockLine | null = null;
  readonly #skipped: Tally<Skip> = {};
  readonly #rejected: Tally<Rejection> = {};
  readonly #rejects: Reject[] = [];
  #read = 0;
  #matched = 0;
  #lines = 0;

  constructor(block: Block, selection: Selection, writing: Writing) {
    this.#block = block;
    this.#selection = selection;
    this.#writing = writing;
    for (const reject of block.rejects) this.reject(reject);
  }

  passOver(): void {
    this.#read++;
    count(this.#skipped, 'where');
  }

  reject(reject: Reject): void {
    this.#read++;
    count(this.#rejected, reject.reason);
    if (this.#rejects.length < REJECTS_KEPT) this.#rejects.push(reject);
  }

  take(outcome: Outcome, line: BlockLine): void {
    if (outcome.kind === 'rejected') {
      this.reject({ line: line.number, reason: outcome.reason, text: rejectText(line.bytes) });
    } else if (!isSelected(outcome, this.#selection)) {
      this.passOver();
    } else {
      this.#read++;
      if (outcome.kind === 'skipped') count(this.#skipped, outcome.reason);
      else if (outcome.kind === 'record') this.#write(outcome.record, line);
    }
  }

  result(): FilterResult {
    return {
      bytes: new Uint8Array(Buffer.concat(this.#pieces)),
      read: this.#read,
      matched: this.#matched,
      lines: this.#lines,
      skipped: this.#skipped,
      rejected: this.#rejected,
      rejects: this.#rejects,
    };
  }

  #write(record: StoredRecord, line: BlockLine): void {
    this.#matched++;
    const { rows } = this.#block;
    if (this.#writing === 'columns') this.#add(Buffer.from(asRow(record)));
    else if (rows === undefined) this.#addOnce(line, line.bytes);
    else if (this.#writing === 'rows') this.#addOnce(line, rowAt(rows, line.index));
    else this.#add(Buffer.from(asJson(record)));
  }

  #addOnce(line: BlockLine, bytes: Uint8Array): void {
    if (this.#lastLine !== line) this.#add(bytes);
    this.#lastLine = line;
  }

  #add(bytes: Uint8Array): void {
    this.#lines++;
    this.#pieces.push(bytes);
    if (bytes.at(-1) !== LINE_FEED) this.#pieces.push(LINE_END);
  }
}

function rowAt({ bytes, ends }: NonNullable<Block['rows']>, index: number): Uint8Array {
  return bytes.subarray(index === 0 ? 0 : ends[index - 1], ends[index]);
}
