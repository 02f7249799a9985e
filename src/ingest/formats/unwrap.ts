// From one JSON value of a source to the objects in it that should be records: API listings and comment trees,
// collections, whole answers, scraped threads, arrays, or the object itself. Iterative, so that a value may be nested
// to any depth.

import { communityInPermalink, threadOf } from '../normalise/addresses.ts';
import { isMissing, isRow, type Row, textCell } from '../normalise/cells.ts';
import type { Naming } from '../normalise/field-names.ts';
import {
  isCommunityRow,
  type NormaliseOptions,
  normalise,
  normaliseCommunity,
} from '../normalise/normalise.ts';
import { type Outcome, rejected, skipped } from '../normalise/outcome.ts';

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

// A scraper's JSON of one thread (URS and others): `data.submission_metadata` beside `data.comments`, replies nested.
// The nesting gives each comment the fields of its parent and its post.

/** The post and comments of a thread as separate rows, in the order of the source; null if it is not a thread. */
export function threadRows(row: Row): Row[] | null {
  const holder = holderOf(row);
  if (holder === null) return null;
  const { submission_metadata: submission, comments } = holder.data;
  const retrieved = row.datetime_retrieved;
  const post = postRow(submission, holder.url, retrieved);
  const id = textCell(post.id)?.replace(/^t3_/, '') ?? null;
  const ofComments = {
    subreddit: post.subreddit,
    subreddit_id: post.subreddit_id,
    link_id: id === null ? undefined : `t3_${id}`,
    retrieved_on: retrieved,
  };
  return [post, ...commentRows(Array.isArray(comments) ? comments : [], ofComments)];
}

interface Holder {
  readonly data: Row & { readonly submission_metadata: Row };
  /** Address of the thread, if the scraper's settings contain it. */
  readonly url: unknown;
}

/** In the object itself, in its `data`, or in the `data` of an object in it. */
function holderOf(row: Row): Holder | null {
  for (const outer of [row, ...Object.values(row).filter(isRow)]) {
    const settings = isRow(outer.scrape_settings) ? outer.scrape_settings : {};
    for (const data of [outer.data, outer]) {
      if (isRow(data) && isRow(data.submission_metadata)) {
        return { data: data as Holder['data'], url: settings.url };
      }
    }
  }
  return null;
}

function postRow(submission: Row, url: unknown, retrieved: unknown): Row {
  const permalink = [submission.permalink, url].find((address) => typeof address === 'string') ?? '';
  return {
    ...submission,
    id: submission.id ?? (threadOf(permalink) || undefined),
    subreddit: submission.subreddit ?? communityInPermalink(permalink) ?? undefined,
    over_18: submission.over_18 ?? submission.nsfw,
    retrieved_on: submission.retrieved_on ?? retrieved,
  };
}

/** Depth first, without recursion, so replies may be nested to any depth. A comment's own fields take precedence. */
function commentRows(comments: readonly unknown[], more: Row): Row[] {
  const rows: Row[] = [];
  const open = backwards(comments, more.link_id);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { comment, parent } = next;
    if (!isRow(comment)) {
      rows.push({});
      continue;
    }
    const { replies, data: _, ...own } = comment;
    rows.push(filled(own, { ...more, parent_id: parent }));
    const id = textCell(comment.id);
    const name = id === null ? undefined : `t1_${id.replace(/^t1_/, '')}`;
    for (const reply of backwards(Array.isArray(replies) ? replies : [], name)) open.push(reply);
  }
  return rows;
}

interface Open {
  readonly comment: unknown;
  readonly parent: unknown;
}

function backwards(comments: readonly unknown[], parent: unknown): Open[] {
  return comments.map((comment) => ({ comment, parent })).reverse();
}

function filled(row: Row, more: Row): Row {
  const lacking = Object.entries(more).filter(([field]) => isMissing(row[field]));
  return { ...row, ...Object.fromEntries(lacking) };
}
