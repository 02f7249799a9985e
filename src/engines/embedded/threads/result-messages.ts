// Results of a thread as messages. An answer is sent as JSON, which costs both threads less than its objects; its
// records as a flat list of values (engines/packing/flat-records.ts), printed bytes and the buckets of rows as numbers.
// Everything else is sent as it is.

import type { Transferable } from 'node:worker_threads';
import type { BreakdownBucket, BreakdownRow, NamedRecords, OneAnswer } from '../../../model/engine.ts';
import type { PrintedRecords } from '../../../model/export.ts';
import type { StoredRecord } from '../../../model/record.ts';
import { type FlatRecords, flatRecords, recordsOfFlat } from '../../packing/flat-records.ts';

/** An answer, or records by their ids. */
type Found = Omit<OneAnswer, 'total'> & Partial<Pick<NamedRecords, 'records'>>;

interface SentFound {
  /** All that does not stand beside it. */
  readonly json: string;
  readonly records: FlatRecords | undefined;
  /** Without its communities. */
  readonly printed: PrintedRecords | undefined;
  /** By breakdown; null: its rows are in the JSON as they are. */
  readonly cells: readonly (Cells | null)[] | undefined;
}

function flatFound({
  page,
  records = page?.records,
  printed,
  evidence,
  breakdowns,
  ...rest
}: Found): SentFound {
  const cells = breakdowns?.map(({ rows }) => cellsOf(rows));
  const json = JSON.stringify({
    ...rest,
    page: page && { ...page, records: [] },
    evidence: evidence && [...evidence],
    communities: printed?.communities,
    breakdowns: breakdowns?.map((one, i) =>
      cells![i] === null ? one : { ...one, rows: one.rows.map(({ by: _, ...row }) => row) },
    ),
  });
  return {
    ...{ json, records: records && flatRecords(records), cells },
    printed: printed && { ...printed, communities: [] },
  };
}

function foundOf({ json, records: flat, printed, cells }: SentFound): Found {
  const { page, evidence, communities, breakdowns, ...rest } = JSON.parse(json);
  const records = flat && recordsOfFlat(flat);
  return {
    ...rest,
    ...(page ? { page: { ...page, records } } : records && { records }),
    ...(evidence && { evidence: new Map(evidence) }),
    ...(printed && { printed: { ...printed, communities } }),
    ...(breakdowns && {
      breakdowns: (breakdowns as NonNullable<Found['breakdowns']>).map((one, i) =>
        cells![i] === null ? one : { ...one, rows: withCells(one.rows, cells![i]!) },
      ),
    }),
  };
}

/** How a result is sent, and what is made of it. */
interface Form<Result = never, Sent = never> {
  flatten(result: Result): unknown;
  restore(sent: Sent): unknown;
}

const FOUND: Form<Found, SentFound> = { flatten: flatFound, restore: foundOf };
const ALL: Form<{ readonly answers: readonly Found[] }, { readonly answers: readonly SentFound[] }> = {
  flatten: ({ answers, ...rest }) => ({ ...rest, answers: answers.map(flatFound) }),
  restore: ({ answers, ...rest }) => ({ ...rest, answers: answers.map(foundOf) }),
};
const BATCH: Form<readonly StoredRecord[] | null, FlatRecords | null> = {
  flatten: (records) => records && flatRecords(records),
  restore: (sent) => sent && recordsOfFlat(sent),
};
const FORMS = new Map<string, Form>([
  ['ask', FOUND],
  ['askAll', ALL],
  ['records', FOUND],
  ['nextBatch', BATCH],
]);

/** What is sent of what a call gave, and what of that goes with the message instead of being copied. */
export function sentOf(method: string, result: unknown): [sent: unknown, handedOver: Transferable[]] {
  const printed = method === 'ask' ? (result as OneAnswer).printed : undefined;
  const form = FORMS.get(method);
  return [form ? form.flatten(result as never) : result, printed === undefined ? [] : [printed.bytes.buffer]];
}

/** What a call gave, of what was sent. */
export function resultOf(method: string, sent: unknown): unknown {
  const form = FORMS.get(method);
  return form ? form.restore(sent as never) : sent;
}

/** The buckets of rows. */
interface Cells {
  /** The number of buckets of each row. */
  readonly lengths: Uint32Array;
  /** Start and count of each bucket, row by row, and `of` if they have it. */
  readonly numbers: Float64Array;
  readonly haveOf: boolean;
}

/** null where not all have buckets of the same form. */
function cellsOf(rows: readonly BreakdownRow[]): Cells | null {
  if (rows.length === 0) return null;
  const haveOf = rows[0]?.by?.[0]?.of !== undefined;
  const width = haveOf ? 3 : 2;
  const lengths = Uint32Array.from(rows, ({ by = [] }) => by.length);
  const numbers = new Float64Array(width * lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const { by } of rows) {
    if (by === undefined) return null;
    for (const { start, count, of } of by) {
      if ((of !== undefined) !== haveOf) return null;
      numbers[at] = start;
      numbers[at + 1] = count;
      if (of !== undefined) numbers[at + 2] = of;
      at += width;
    }
  }
  return { lengths, numbers, haveOf };
}

function withCells(rows: readonly BreakdownRow[], { lengths, numbers, haveOf }: Cells): BreakdownRow[] {
  let at = 0;
  return rows.map((row, i) => {
    const by: BreakdownBucket[] = [];
    for (let left = lengths[i]!; left > 0; left--) {
      const [start, count] = [numbers[at]!, numbers[at + 1]!];
      by.push(haveOf ? { start, count, of: numbers[at + 2]! } : { start, count });
      at += haveOf ? 3 : 2;
    }
    return { ...row, by };
  });
}
