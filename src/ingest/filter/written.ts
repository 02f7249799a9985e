// How a record is written where its line cannot stand as it is: a row of CSV that becomes JSON, or JSON that
// becomes CSV. An import of what is written gives the same record, but for ratings, which no import of it
// would take for given.

import type { StoredComment, StoredRecord } from '../../model/record.ts';

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
  return COLUMNS.map((column) => cell(fields[column] ?? '')).join(',');
}

function cell(value: string | number | boolean): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
