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

type FlatPage = With<Page, { readonly records: FlatRecords }>;
/** Of each community its name, its id, posts judged, posts found adult. */
type FlatEvidence = readonly (string | number)[];
type FlatBreakdown = With<Breakdown, { readonly rows: FlatRows }>;
type FlatTimeline = With<Timeline, { readonly buckets: FlatBuckets }>;
/** Of each row its name and its count; or rows without their buckets, and these apart; else as they are. */
type FlatRows = { readonly pairs: readonly (string | number)[] } | RowsAndCells | readonly BreakdownRow[];

interface RowsAndCells {
  readonly rows: readonly Omit<BreakdownRow, 'by'>[];
  /** Of each row, how many buckets are its own. */
  readonly lengths: Uint32Array;
  /** Of each bucket, row by row, its start and its count; then `of`, where they have it. */
  readonly cells: Float64Array;
  readonly haveOf: boolean;
}

/** Of each bucket its start and its count; as they are where buckets have more. */
type FlatBuckets = { readonly pairs: readonly number[] } | readonly TimelineBucket[];

/** Of each comment on the page its depth and its level. */
type FlatThread = With<ThreadPart, { readonly places: readonly (number | null)[] }>;
/** Of each word itself, its count, and its count in the other sample. */
type FlatWords = With<WordCounts, { readonly words: readonly (string | number)[] }>;

/** Of each community its id, its name, and whether it is nsfw. */
type FlatPrinted = With<PrintedRecords, { readonly communities: readonly (string | boolean)[] }>;

interface FlatParts {
  readonly printed?: FlatPrinted;
  readonly page?: FlatPage;
  readonly evidence?: FlatEvidence;
  readonly breakdowns?: readonly FlatBreakdown[];
  readonly timeline?: FlatTimeline;
  readonly thread?: FlatThread;
  readonly words?: FlatWords;
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
type FlatNamed = With<Named, { readonly records: FlatRecords; readonly evidence?: FlatEvidence }>;
type Together = Omit<Answers, 'index'>;
type FlatTogether = With<Together, { readonly answers: readonly FlatAnswer[] }>;

const NAMED: Form<Named, FlatNamed> = {
  flatten: ({ records, evidence, ...rest }) => ({
    ...rest,
    records: flatRecords(records),
    ...(evidence !== undefined && { evidence: flatEvidence(evidence) }),
  }),
  restore: ({ records, evidence, ...rest }) => ({
    ...rest,
    records: recordsOfFlat(records),
    ...(evidence !== undefined && { evidence: evidenceOfFlat(evidence) }),
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
    ...(printed !== undefined && { printed: flatPrinted(printed) }),
    ...(page !== undefined && { page: { ...page, records: flatRecords(page.records) } }),
    ...(evidence !== undefined && { evidence: flatEvidence(evidence) }),
    ...(breakdowns !== undefined && {
      breakdowns: breakdowns.map((one) => ({ ...one, rows: flatRows(one.rows) })),
    }),
    ...(timeline !== undefined && { timeline: { ...timeline, buckets: flatBuckets(timeline.buckets) } }),
    ...(thread !== undefined && { thread: { ...thread, places: flatPlaces(thread.places) } }),
    ...(words !== undefined && { words: { ...words, words: flatWords(words.words) } }),
  };
}

function answerOfFlat(sent: FlatAnswer): OneAnswer {
  const { page, printed, evidence, breakdowns, timeline, thread, words, ...rest } = sent;
  return {
    ...rest,
    ...(printed !== undefined && { printed: printedOfFlat(printed) }),
    ...(page !== undefined && { page: { ...page, records: recordsOfFlat(page.records) } }),
    ...(evidence !== undefined && { evidence: evidenceOfFlat(evidence) }),
    ...(breakdowns !== undefined && {
      breakdowns: breakdowns.map((one) => ({ ...one, rows: rowsOfFlat(one.rows) })),
    }),
    ...(timeline !== undefined && { timeline: { ...timeline, buckets: bucketsOfFlat(timeline.buckets) } }),
    ...(thread !== undefined && { thread: { ...thread, places: placesOfFlat(thread.places) } }),
    ...(words !== undefined && { words: { ...words, words: wordsOfFlat(words.words) } }),
  };
}

function flatPrinted({ communities, ...printed }: PrintedRecords): FlatPrinted {
  const flat: (string | boolean)[] = [];
  for (const { id, name, nsfw } of communities) flat.push(id, name, nsfw);
  return { ...printed, communities: flat };
}

function printedOfFlat({ communities: flat, ...printed }: FlatPrinted): PrintedRecords {
  const communities: Community[] = [];
  for (let at = 0; at < flat.length; at += 3) {
    const [id, name] = [flat[at] as string, flat[at + 1] as string];
    communities.push({ id, name, nsfw: flat[at + 2] as boolean });
  }
  return { ...printed, communities };
}

function flatEvidence(evidence: ReadonlyMap<string, CommunityEvidence>): FlatEvidence {
  const flat: (string | number)[] = [];
  for (const [name, { id, judgedPosts, adultPosts }] of evidence)
    flat.push(name, id, judgedPosts, adultPosts);
  return flat;
}

function evidenceOfFlat(flat: FlatEvidence): Map<string, CommunityEvidence> {
  const evidence = new Map<string, CommunityEvidence>();
  for (let at = 0; at < flat.length; at += 4) {
    const [judgedPosts, adultPosts] = [flat[at + 2] as number, flat[at + 3] as number];
    evidence.set(flat[at] as string, { id: flat[at + 1] as string, judgedPosts, adultPosts });
  }
  return evidence;
}

function flatRows(rows: readonly BreakdownRow[]): FlatRows {
  if (!rows.every(hasTwoFields)) return rowsAndCells(rows) ?? rows;
  const pairs: (string | number)[] = [];
  for (const { name, count } of rows) pairs.push(name, count);
  return { pairs };
}

function rowsOfFlat(rows: FlatRows): readonly BreakdownRow[] {
  if ('cells' in rows) return rowsWithCells(rows);
  if (!('pairs' in rows)) return rows;
  const { pairs } = rows;
  const whole: BreakdownRow[] = [];
  for (let at = 0; at < pairs.length; at += 2) {
    whole.push({ name: pairs[at] as string, count: pairs[at + 1] as number });
  }
  return whole;
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
  if (!buckets.every(hasTwoFields)) return buckets;
  const pairs: number[] = [];
  for (const { start, count } of buckets) pairs.push(start, count);
  return { pairs };
}

function bucketsOfFlat(buckets: FlatBuckets): readonly TimelineBucket[] {
  if (!('pairs' in buckets)) return buckets;
  const { pairs } = buckets;
  const whole: TimelineBucket[] = [];
  for (let at = 0; at < pairs.length; at += 2) whole.push({ start: pairs[at]!, count: pairs[at + 1]! });
  return whole;
}

/** Of a row its name and its count, of a bucket its start and its count: those two are never absent. */
function hasTwoFields(one: BreakdownRow | TimelineBucket): boolean {
  return Object.keys(one).length === 2;
}

function flatPlaces(places: ThreadPart['places']): FlatThread['places'] {
  const flat: (number | null)[] = [];
  for (const { depth, level } of places) flat.push(depth, level);
  return flat;
}

function placesOfFlat(flat: FlatThread['places']): ThreadPart['places'] {
  const places: ThreadPlace[] = [];
  for (let at = 0; at < flat.length; at += 2) {
    places.push({ depth: flat[at] as number | null, level: flat[at + 1] as number });
  }
  return places;
}

function flatWords(words: readonly WordUses[]): FlatWords['words'] {
  const flat: (string | number)[] = [];
  for (const { word, count, of } of words) flat.push(word, count, of);
  return flat;
}

function wordsOfFlat(flat: FlatWords['words']): WordUses[] {
  const words: WordUses[] = [];
  for (let at = 0; at < flat.length; at += 3) {
    words.push({ word: flat[at] as string, count: flat[at + 1] as number, of: flat[at + 2] as number });
  }
  return words;
}
