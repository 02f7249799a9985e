// A page of a thread, cut from all comments of its post, before the records of any other page are read.

import { EMPTY_PAGE, type Page } from '../../model/engine.ts';
import {
  MAX_GIVEN_IN_SECOND,
  PageBudget,
  type ThreadComment,
  type ThreadPart,
  type ThreadPlace,
  type ThreadRequest,
  type TimePosition,
} from '../../model/pages.ts';
import type { StoredRecord } from '../../model/record.ts';
import { numbersAround, threadShape } from './thread-shape.ts';

export interface ThreadPage {
  /** `next` is null in the order of the tree: the next page is the one from `start` + its records. */
  readonly page: Page;
  readonly thread: ThreadPart;
  readonly numbers: readonly number[];
}

interface ThreadList {
  readonly comments: readonly ThreadComment[];
  readonly numbers: readonly number[];
  readonly places: readonly ThreadPlace[];
}

/**
 * `comments` from the oldest on, each id once. `recordOf` gives the record with a number; it is asked for those on the
 * page, in order, and for the one that is too large for it.
 */
export function threadPage(
  comments: readonly ThreadComment[],
  request: ThreadRequest,
  recordOf: (number: number) => StoredRecord,
): ThreadPage {
  const list = listOf(comments, request);
  const start = startOf(list, request);
  const { fitting, end, next } = endOf(list, start, request, recordOf);
  const numbers = list.numbers.slice(start, end);
  const records = [...fitting, ...numbers.slice(fitting.length).map(recordOf)];
  const wanted = Math.min(start + request.limit, list.numbers.length);
  const hasMore = request.limit > 0 && end < list.numbers.length;
  const page: Page = numbers.length === 0 ? EMPTY_PAGE : { records, next, hasMore, isShort: end < wanted };
  const places = numbers.map((number) => list.places[number]!);
  return { page, thread: { listed: list.numbers.length, start, places }, numbers };
}

/**
 * The numbers that a page may need, in order, where so many of its comments are within its bytes: theirs, and the rest
 * of a second behind them.
 */
export function numbersWanted(
  comments: readonly ThreadComment[],
  request: ThreadRequest,
  fitting = request.limit,
): readonly number[] {
  const list = listOf(comments, request);
  const start = startOf(list, request);
  const most = Math.min(start + fitting, list.numbers.length);
  const end = request.order === 'tree' || most === start ? most : cutAt(list, most).end;
  return list.numbers.slice(start, end);
}

function listOf(comments: readonly ThreadComment[], { order, around }: ThreadRequest): ThreadList {
  const shape = threadShape(comments);
  const all = order === 'tree' ? shape.order : comments.map((_, number) => number);
  const chosen = around === undefined ? null : numbersAround(comments, shape, around);
  const numbers = chosen === null ? all : all.filter((number) => chosen.has(number));
  return { comments, numbers, places: shape.places };
}

function startOf({ comments, numbers }: ThreadList, request: ThreadRequest): number {
  if (request.order === 'tree') {
    if ('from' in request) return Math.min(request.from, numbers.length);
    const at = numbers.findIndex((number) => comments[number]!.id === request.at);
    return at <= 0 ? 0 : at - (at % request.limit);
  }
  const { after } = request;
  if (after === null) return 0;
  let given = after.given === 'all' ? Infinity : after.given;
  const start = numbers.findIndex((number) => {
    const { created } = comments[number]!;
    return created > after.second || (created === after.second && given-- <= 0);
  });
  return start === -1 ? numbers.length : start;
}

interface PageEnd {
  /** The records from the start on that are within the bytes, `limit` at the most. */
  readonly fitting: readonly StoredRecord[];
  readonly end: number;
  readonly next: TimePosition | null;
}

function endOf(
  list: ThreadList,
  start: number,
  { order, limit, maxBytes }: ThreadRequest,
  recordOf: (number: number) => StoredRecord,
): PageEnd {
  const budget = new PageBudget(maxBytes);
  const fitting: StoredRecord[] = [];
  for (const number of list.numbers.slice(start, start + limit)) {
    const record = recordOf(number);
    if (!budget.fits(record) && fitting.length > 0) break;
    fitting.push(record);
  }
  const end = start + fitting.length;
  return { fitting, ...(order === 'tree' || end === start ? { end, next: null } : cutAt(list, end)) };
}

/** Where a page ends that would end here, behind its first comment, and where the next one goes on. */
function cutAt({ comments, numbers }: ThreadList, wanted: number): Pick<PageEnd, 'end' | 'next'> {
  const createdAt = (at: number) => comments[numbers[at]!]!.created;
  const second = createdAt(wanted - 1);
  let begin = wanted - 1;
  while (begin > 0 && createdAt(begin - 1) === second) begin--;
  const isSplit = wanted < numbers.length && createdAt(wanted) === second;
  const given = wanted - begin;
  if (isSplit && given <= MAX_GIVEN_IN_SECOND) return { end: wanted, next: { second, given } };
  let end = wanted;
  while (end < numbers.length && createdAt(end) === second) end++;
  return { end, next: { second, given: 'all' } };
}
