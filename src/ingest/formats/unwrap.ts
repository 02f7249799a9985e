// From one JSON value of a source to the objects in it that should be records: API listings and comment trees,
// collections, whole answers, scraped threads, arrays, or the object itself. Iterative, so that a value may be nested
// to any depth.

import { isRow, type Row } from '../normalise/cells.ts';
import type { Naming } from '../normalise/field-names.ts';
import {
  isCommunityRow,
  type NormaliseOptions,
  normalise,
  normaliseCommunity,
} from '../normalise/normalise.ts';
import { type Outcome, rejected, skipped } from '../normalise/outcome.ts';
import { threadRows } from './thread.ts';

/** Passes the outcome of every object in the value to `take`, in the order of the source. */
export function unwrap(value: unknown, options: NormaliseOptions, take: (outcome: Outcome) => void): void {
  const open: unknown[] = [value];
  if (isPlainRecord(value)) {
    take(normalise(value, options));
    if (!isRow(value.replies)) return;
    open[0] = value.replies;
  }
  while (open.length > 0) {
    const current = open.pop();
    const inner = Array.isArray(current) ? current : isRow(current) ? contentsOf(current) : null;
    if (inner === null) take(isRow(current) ? outcomeOf(current, options) : rejected('not_a_record'));
    else for (let i = inner.length - 1; i >= 0; i--) open.push(inner[i]);
    const replies = inner === null && isRow(current) && isRow(current.data) ? current.data.replies : null;
    if (isRow(replies)) open.push(replies);
  }
}

/** The common case, a line of a dump, recognised without looking further. */
function isPlainRecord(value: unknown): value is Row {
  return (
    isRow(value) && value.id !== undefined && value.data === undefined && value.display_name === undefined
  );
}

/** What a wrapper contains: a listing's children, an API answer's `data`; null if the object is not a wrapper. */
function contentsOf(row: Row): readonly unknown[] | null {
  if (row.kind === 'Listing' && isRow(row.data)) {
    return Array.isArray(row.data.children) ? row.data.children : [];
  }
  // `things` and `json.data.things`: what /api/morechildren answers.
  if (isRow(row.json) && isRow(row.json.data) && Array.isArray(row.json.data.things)) {
    return row.json.data.things;
  }
  if (row.id !== undefined) return null;
  // A collection of posts: the listing in it, or the posts as a list.
  if (isRow(row.sorted_links) || Array.isArray(row.sorted_links)) return [row.sorted_links];
  return Array.isArray(row.data) ? row.data : threadRows(row);
}

function outcomeOf(row: Row, options: NormaliseOptions): Outcome {
  if (typeof row.kind === 'string' && isRow(row.data)) return thing(row.kind, row.data, options);
  return isCommunityRow(row) ? normaliseCommunity(row) : normalise(row, options);
}

/** A thing of the site's API: https://www.reddit.com/dev/api/ ("fullnames"). */
function thing(type: string, data: Row, options: NormaliseOptions): Outcome {
  switch (type) {
    case 't1':
      return normalise(data, { ...options, kind: options.kind ?? 'comment' });
    case 't3':
      return normalise(data, { ...options, kind: options.kind ?? 'post' });
    case 't5':
      return normaliseCommunity(data);
    case 'more':
      return skipped('placeholder');
    default:
      return skipped('other_thing');
  }
}

/**
 * True if the value contains at least one object of a known shape, usable as a record or not; also true for an answer
 * without records, like the one after the last page.
 */
export function isReadable(value: unknown, columns?: Naming['columns']): boolean {
  let found = isEmptyAnswer(value);
  unwrap(value, { kind: null, permalinkBase: '', columns }, (outcome) => {
    found ||= outcome.kind !== 'rejected' || outcome.reason !== 'not_a_record';
  });
  return found;
}

function isEmptyAnswer(value: unknown): boolean {
  if (!isRow(value)) return Array.isArray(value) && value.length === 0;
  const isAnswer = value.kind === 'Listing' || ('total_count' in value && 'sort_key' in value);
  return isAnswer && contentsOf(value)?.length === 0;
}
