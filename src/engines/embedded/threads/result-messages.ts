// Results of a thread as messages: the long lists of an answer are sent as flat lists of values, which costs both
// threads less than objects (engines/packing/flat-records.ts). Everything else is sent as it is.

import type { Transferable } from 'node:worker_threads';
import type { WordUses } from '../../../model/analyses.ts';
import type { Community, CommunityEvidence } from '../../../model/community.ts';
import type { BreakdownBucket, BreakdownRow, OneAnswer, TimelineBucket } from '../../../model/engine.ts';
import type { ThreadPlace } from '../../../model/pages.ts';
import type { StoredRecord } from '../../../model/record.ts';
import { type FlatRecords, flatRecords, recordsOfFlat } from '../../packing/flat-records.ts';
import type { Answering } from './answering-calls.ts';

/** How a part of a result is sent, and what is made of it. */
interface Form<Result = never, Sent = never> {
  flatten(result: Result): unknown;
  restore(sent: Sent): unknown;
}

type Value = string | number | boolean | null;

/** Of a list: the values of its items, one item behind the other. `itemOf` takes as many as each has. */
function byValues<Item, Values extends readonly Value[]>(
  valuesOf: (item: Item) => Values,
  itemOf: (...values: Values) => Item,
) {
  return {
    flatten: (items: Iterable<Item>): readonly Value[] => {
      const flat: Value[] = [];
      for (const item of items) flat.push(...valuesOf(item));
      return flat;
    },
    restore: (flat: readonly Value[]): Item[] => {
      const items: Item[] = [];
      for (let at = 0; at < flat.length; at += itemOf.length) {
        items.push(itemOf(...(flat.slice(at, at + itemOf.length) as unknown as Values)));
      }
      return items;
    },
  };
}

type Whole = Readonly<Record<string, unknown>>;

/** Of an object: these of its parts in forms of their own, where they are there. */
function within(parts: Readonly<Record<string, Form>>): Form<Whole, Whole> {
  const changed = (whole: Whole, way: keyof Form) => {
    const copy: Record<string, unknown> = { ...whole };
    for (const [name, form] of Object.entries(parts)) {
      if (copy[name] !== undefined) copy[name] = form[way](copy[name] as never);
    }
    return copy;
  };
  return {
    flatten: (whole) => changed(whole, 'flatten'),
    restore: (whole) => changed(whole, 'restore'),
  };
}

function each({ flatten, restore }: Form<Whole, Whole>): Form<readonly Whole[], readonly Whole[]> {
  return { flatten: (all) => all.map(flatten), restore: (all) => all.map(restore) };
}

const RECORDS: Form<readonly StoredRecord[] | null, FlatRecords | null> = {
  flatten: (records) => records && flatRecords(records),
  restore: (sent) => sent && recordsOfFlat(sent),
};
const PAIRS = byValues<readonly [string, CommunityEvidence], [string, string, number, number]>(
  ([name, { id, judgedPosts, adultPosts }]) => [name, id, judgedPosts, adultPosts],
  (name, id, judgedPosts, adultPosts) => [name, { id, judgedPosts, adultPosts }],
);
const EVIDENCE = { ...PAIRS, restore: (flat: readonly Value[]) => new Map(PAIRS.restore(flat)) };
const COMMUNITIES = byValues<Community, [string, string, boolean]>(
  ({ id, name, nsfw }) => [id, name, nsfw],
  (id, name, nsfw) => ({ id, name, nsfw }),
);
const NAMES = byValues<BreakdownRow, [string, number]>(
  ({ name, count }) => [name, count],
  (name, count) => ({ name, count }),
);
const TIMES = byValues<TimelineBucket, [number, number]>(
  ({ start, count }) => [start, count],
  (start, count) => ({ start, count }),
);
const PLACES = byValues<ThreadPlace, [number | null, number]>(
  ({ depth, level }) => [depth, level],
  (depth, level) => ({ depth, level }),
);
const WORDS = byValues<WordUses, [string, number, number]>(
  ({ word, count, of }) => [word, count, of],
  (word, count, of) => ({ word, count, of }),
);

/** Names and counts; or rows without their buckets, and these apart; else as they are. */
type FlatRows = { readonly pairs: readonly Value[] } | RowsAndCells | readonly BreakdownRow[];
/** Starts and counts; as they are where buckets have more. */
type FlatBuckets = { readonly pairs: readonly Value[] } | readonly TimelineBucket[];

const ROWS: Form<readonly BreakdownRow[], FlatRows> = {
  flatten: (rows) =>
    rows.every(hasTwoFields) ? { pairs: NAMES.flatten(rows) } : (rowsAndCells(rows) ?? rows),
  restore: (rows) => {
    if ('cells' in rows) return rowsWithCells(rows);
    return 'pairs' in rows ? NAMES.restore(rows.pairs) : rows;
  },
};
const BUCKETS: Form<readonly TimelineBucket[], FlatBuckets> = {
  flatten: (buckets) => (buckets.every(hasTwoFields) ? { pairs: TIMES.flatten(buckets) } : buckets),
  restore: (buckets) => ('pairs' in buckets ? TIMES.restore(buckets.pairs) : buckets),
};

const ANSWER = within({
  printed: within({ communities: COMMUNITIES }),
  page: within({ records: RECORDS }),
  evidence: EVIDENCE,
  breakdowns: each(within({ rows: ROWS })),
  timeline: within({ buckets: BUCKETS }),
  thread: within({ places: PLACES }),
  words: within({ words: WORDS }),
});

const FORMS: { readonly [M in keyof Answering]?: Form } = {
  ...{ ask: ANSWER, askAll: within({ answers: each(ANSWER) }), nextBatch: RECORDS },
  records: within({ records: RECORDS, evidence: EVIDENCE }),
};

function formOf(method: string): Form<unknown, unknown> | undefined {
  return Object.hasOwn(FORMS, method)
    ? (FORMS[method as keyof Answering] as Form<unknown, unknown> | undefined)
    : undefined;
}

/** What is sent of what a call gave, and what of that goes with the message instead of being copied. */
export function sentOf(method: string, result: unknown): [sent: unknown, handedOver: Transferable[]] {
  const form = formOf(method);
  const printed = method === 'ask' ? (result as OneAnswer).printed : undefined;
  return [form?.flatten(result) ?? result, printed === undefined ? [] : [printed.bytes.buffer]];
}

/** What a call gave, of what was sent. */
export function resultOf(method: string, sent: unknown): unknown {
  return formOf(method)?.restore(sent) ?? sent;
}

interface RowsAndCells {
  readonly rows: readonly Omit<BreakdownRow, 'by'>[];
  /** The number of buckets of each row. */
  readonly lengths: Uint32Array;
  /** Start and count of each bucket, row by row, and `of` if they have it. */
  readonly cells: Float64Array;
  readonly haveOf: boolean;
}

/** null where not all have buckets of the same form. */
function rowsAndCells(rows: readonly BreakdownRow[]): RowsAndCells | null {
  const haveOf = rows[0]?.by?.[0]?.of !== undefined;
  const width = haveOf ? 3 : 2;
  const lengths = Uint32Array.from(rows, ({ by = [] }) => by.length);
  const cells = new Float64Array(width * lengths.reduce((sum, length) => sum + length, 0));
  const others: Omit<BreakdownRow, 'by'>[] = [];
  let at = 0;
  for (const { by, ...row } of rows) {
    if (by === undefined) return null;
    for (const { start, count, of } of by) {
      if ((of !== undefined) !== haveOf) return null;
      cells[at] = start;
      cells[at + 1] = count;
      if (of !== undefined) cells[at + 2] = of;
      at += width;
    }
    others.push(row);
  }
  return { rows: others, lengths, cells, haveOf };
}

function rowsWithCells({ rows, lengths, cells, haveOf }: RowsAndCells): BreakdownRow[] {
  let at = 0;
  return rows.map((row, i) => {
    const by: BreakdownBucket[] = [];
    for (let left = lengths[i]!; left > 0; left--) {
      const [start, count] = [cells[at]!, cells[at + 1]!];
      by.push(haveOf ? { start, count, of: cells[at + 2]! } : { start, count });
      at += haveOf ? 3 : 2;
    }
    return { ...row, by };
  });
}

/** Of a row its name and its count, of a bucket its start and its count: those two are never absent. */
function hasTwoFields(one: BreakdownRow | TimelineBucket): boolean {
  return Object.keys(one).length === 2;
}
