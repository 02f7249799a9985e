// What a thread found, on its way to the one that asked: the long lists of an answer go as lists of values, which takes
// both threads less than objects do (engines/packing/flat-records.ts). All else goes as it is.

import type { Transferable } from 'node:worker_threads';
import type { WordCounts, WordUses } from '../../../model/analyses.ts';
import type { Community, CommunityEvidence } from '../../../model/community.ts';
import type {
  Answers,
  Breakdown,
  BreakdownBucket,
  BreakdownRow,
  OneAnswer,
  Page,
  Timeline,
  TimelineBucket,
} from '../../../model/engine.ts';
import type { PrintedRecords } from '../../../model/export.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { NamedRecords } from '../../../model/record-link.ts';
import type { ThreadPart, ThreadPlace } from '../../../model/thread.ts';
import { type FlatRecords, flatRecords, recordsOfFlat } from '../../packing/flat-records.ts';
import type { Answering } from './answering-calls.ts';

type With<Whole, Parts> = Omit<Whole, keyof Parts> & Parts;

type Value = string | number | boolean | null;
/** The values of the items, one item behind the other. */
type Flat = readonly Value[];

/** How the items of a list are told by values, as many each as `itemOf` takes. */
class ByValues<Item, Values extends readonly Value[]> {
  readonly #valuesOf: (item: Item) => Values;
  readonly #itemOf: (...values: Values) => Item;

  constructor(valuesOf: (item: Item) => Values, itemOf: (...values: Values) => Item) {
    this.#valuesOf = valuesOf;
    this.#itemOf = itemOf;
  }

  flat(items: Iterable<Item>): Flat {
    const flat: Value[] = [];
    for (const item of items) flat.push(...this.#valuesOf(item));
    return flat;
  }

  items(flat: Flat): Item[] {
    const width = this.#itemOf.length;
    const items: Item[] = [];
    for (let at = 0; at < flat.length; at += width) {
      items.push(this.#itemOf(...(flat.slice(at, at + width) as unknown as Values)));
    }
    return items;
  }
}

const EVIDENCE = new ByValues<readonly [string, CommunityEvidence], [string, string, number, number]>(
  ([name, { id, judgedPosts, adultPosts }]) => [name, id, judgedPosts, adultPosts],
  (name, id, judgedPosts, adultPosts) => [name, { id, judgedPosts, adultPosts }],
);
const COMMUNITIES = new ByValues<Community, [string, string, boolean]>(
  ({ id, name, nsfw }) => [id, name, nsfw],
  (id, name, nsfw) => ({ id, name, nsfw }),
);
const ROWS = new ByValues<BreakdownRow, [string, number]>(
  ({ name, count }) => [name, count],
  (name, count) => ({ name, count }),
);
const BUCKETS = new ByValues<TimelineBucket, [number, number]>(
  ({ start, count }) => [start, count],
  (start, count) => ({ start, count }),
);
const PLACES = new ByValues<ThreadPlace, [number | null, number]>(
  ({ depth, level }) => [depth, level],
  (depth, level) => ({ depth, level }),
);
const WORDS = new ByValues<WordUses, [string, number, number]>(
  ({ word, count, of }) => [word, count, of],
  (word, count, of) => ({ word, count, of }),
);

/** Names and counts; or rows without their buckets, and these apart; else as they are. */
type FlatRows = { readonly pairs: Flat } | RowsAndCells | readonly BreakdownRow[];
/** Starts and counts; as they are where buckets have more. */
type FlatBuckets = { readonly pairs: Flat } | readonly TimelineBucket[];

interface RowsAndCells {
  readonly rows: readonly Omit<BreakdownRow, 'by'>[];
  /** Of each row, how many buckets are its own. */
  readonly lengths: Uint32Array;
  /** Of each bucket, row by row, its start and its count; then `of`, where they have it. */
  readonly cells: Float64Array;
  readonly haveOf: boolean;
}

interface FlatParts {
  readonly printed?: With<PrintedRecords, { readonly communities: Flat }>;
  readonly page?: With<Page, { readonly records: FlatRecords }>;
  readonly evidence?: Flat;
  readonly breakdowns?: readonly With<Breakdown, { readonly rows: FlatRows }>[];
  readonly timeline?: With<Timeline, { readonly buckets: FlatBuckets }>;
  readonly thread?: With<ThreadPart, { readonly places: Flat }>;
  readonly words?: With<WordCounts, { readonly words: Flat }>;
}

type FlatAnswer = With<OneAnswer, FlatParts>;

/** How what a call gives is sent, and what is made of it. */
interface Form<Result, Sent> {
  readonly flatten: (result: Result) => Sent;
  readonly restore: (sent: Sent) => Result;
  /** What of a result goes with the message instead of being copied. Absent: nothing. */
  readonly handedOver?: (result: Result) => Transferable[];
}

type Named = Omit<NamedRecords, 'index'>;
type FlatNamed = With<Named, { readonly records: FlatRecords; readonly evidence?: Flat }>;
type Together = Omit<Answers, 'index'>;
type FlatTogether = With<Together, { readonly answers: readonly FlatAnswer[] }>;

const NAMED: Form<Named, FlatNamed> = {
  flatten: ({ records, evidence, ...rest }) => ({
    ...rest,
    records: flatRecords(records),
    ...(evidence !== undefined && { evidence: EVIDENCE.flat(evidence) }),
  }),
  restore: ({ records, evidence, ...rest }) => ({
    ...rest,
    records: recordsOfFlat(records),
    ...(evidence !== undefined && { evidence: new Map(EVIDENCE.items(evidence)) }),
  }),
};

const TOGETHER: Form<Together, FlatTogether> = {
  flatten: ({ answers, ...rest }) => ({ ...rest, answers: answers.map(flatAnswer) }),
  restore: ({ answers, ...rest }) => ({ ...rest, answers: answers.map(answerOfFlat) }),
};

const BATCH: Form<readonly StoredRecord[] | null, FlatRecords | null> = {
  flatten: (batch) => batch && flatRecords(batch),
  restore: (sent) => sent && recordsOfFlat(sent),
};

const ANSWER: Form<OneAnswer, FlatAnswer> = {
  flatten: flatAnswer,
  restore: answerOfFlat,
  handedOver: ({ printed }) => (printed === undefined ? [] : [printed.bytes.buffer]),
};

const FORMS = {
  ...{ ask: ANSWER, askAll: TOGETHER, records: NAMED, nextBatch: BATCH },
} satisfies { readonly [M in keyof Answering]?: object };

function formOf(method: string): Form<unknown, unknown> | undefined {
  return Object.hasOwn(FORMS, method)
    ? (FORMS[method as keyof typeof FORMS] as unknown as Form<unknown, unknown>)
    : undefined;
}

/** What is sent of what a call gave, and what of that goes with the message. */
export function sentOf(method: string, result: unknown): [sent: unknown, handedOver: Transferable[]] {
  const form = formOf(method);
  return form === undefined ? [result, []] : [form.flatten(result), form.handedOver?.(result) ?? []];
}

/** What a call gave, of what was sent. */
export function resultOf(method: string, sent: unknown): unknown {
  return formOf(method)?.restore(sent) ?? sent;
}

function flatAnswer(answer: OneAnswer): FlatAnswer {
  const { page, printed, evidence, breakdowns, timeline, thread, words, ...rest } = answer;
  return {
    ...rest,
    ...(printed !== undefined && {
      printed: { ...printed, communities: COMMUNITIES.flat(printed.communities) },
    }),
    ...(page !== undefined && { page: { ...page, records: flatRecords(page.records) } }),
    ...(evidence !== undefined && { evidence: EVIDENCE.flat(evidence) }),
    ...(breakdowns !== undefined && {
      breakdowns: breakdowns.map((one) => ({ ...one, rows: flatRows(one.rows) })),
    }),
    ...(timeline !== undefined && { timeline: { ...timeline, buckets: flatBuckets(timeline.buckets) } }),
    ...(thread !== undefined && { thread: { ...thread, places: PLACES.flat(thread.places) } }),
    ...(words !== undefined && { words: { ...words, words: WORDS.flat(words.words) } }),
  };
}

function answerOfFlat(sent: FlatAnswer): OneAnswer {
  const { page, printed, evidence, breakdowns, timeline, thread, words, ...rest } = sent;
  return {
    ...rest,
    ...(printed !== undefined && {
      printed: { ...printed, communities: COMMUNITIES.items(printed.communities) },
    }),
    ...(page !== undefined && { page: { ...page, records: recordsOfFlat(page.records) } }),
    ...(evidence !== undefined && { evidence: new Map(EVIDENCE.items(evidence)) }),
    ...(breakdowns !== undefined && {
      breakdowns: breakdowns.map((one) => ({ ...one, rows: rowsOfFlat(one.rows) })),
    }),
    ...(timeline !== undefined && { timeline: { ...timeline, buckets: bucketsOfFlat(timeline.buckets) } }),
    ...(thread !== undefined && { thread: { ...thread, places: PLACES.items(thread.places) } }),
    ...(words !== undefined && { words: { ...words, words: WORDS.items(words.words) } }),
  };
}

function flatRows(rows: readonly BreakdownRow[]): FlatRows {
  return rows.every(hasTwoFields) ? { pairs: ROWS.flat(rows) } : (rowsAndCells(rows) ?? rows);
}

function rowsOfFlat(rows: FlatRows): readonly BreakdownRow[] {
  if ('cells' in rows) return rowsWithCells(rows);
  return 'pairs' in rows ? ROWS.items(rows.pairs) : rows;
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

function flatBuckets(buckets: readonly TimelineBucket[]): FlatBuckets {
  return buckets.every(hasTwoFields) ? { pairs: BUCKETS.flat(buckets) } : buckets;
}

function bucketsOfFlat(buckets: FlatBuckets): readonly TimelineBucket[] {
  return 'pairs' in buckets ? BUCKETS.items(buckets.pairs) : buckets;
}

/** Of a row its name and its count, of a bucket its start and its count: those two are never absent. */
function hasTwoFields(one: BreakdownRow | TimelineBucket): boolean {
  return Object.keys(one).length === 2;
}
