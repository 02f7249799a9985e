// A scraper's JSON of one thread (URS and others): `data.submission_metadata` beside `data.comments`, replies nested.
// The nesting gives each comment the fields of its parent and its post.

import { communityInPermalink, threadOf } from '../normalise/addresses.ts';
import { isMissing, isRow, type Row, textCell } from '../normalise/cells.ts';

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
