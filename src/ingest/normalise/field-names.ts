// What tables and other tools call the fields of a record: which column or key fills which field.

import { isMissing, type Row } from './cells.ts';

/** What the operator says about records: the community of those that name none, and the names of fields. */
export interface Naming {
  /** null or absent: such records are rejected. */
  readonly community?: string | null;
  /** The field of each column or key, by its plain name; absent: as the names say. */
  readonly columns?: ReadonlyMap<string, string> | undefined;
}

/** Columns that are read, and the field each fills: `subreddit.` marks the parts of the community object. */
const FIELDS: ReadonlyMap<string, string> = new Map(
  [
    'type id name subreddit created_utc permalink domain url url_overridden_by_dest is_self over_18 promoted',
    'selftext title body link_id post_id parent_id score sentiment retrieved_on retrieved_utc',
    'subreddit.id subreddit.name subreddit.nsfw subreddit.display_name',
  ]
    .flatMap((line) => line.split(' '))
    .map((name): [string, string] => [name, name])
    .concat([
      ['subreddit_id', 'subreddit.id'],
      ['subreddit_name', 'subreddit.name'],
      ['subreddit_nsfw', 'subreddit.nsfw'],
      ['subreddit_display_name', 'subreddit.display_name'],
      ['subreddit.display_name_prefixed', 'subreddit.display_name'],
      ['subreddit_name_prefixed', 'subreddit.display_name'],
    ]),
);

/** What `--column` can name. */
export const FIELD_NAMES = [...FIELDS]
  .filter(([name, to]) => name === to && !name.includes('.'))
  .map(([to]) => to);

/**
 * Other names of fields, used if nothing has the usual name; the first that exists counts. In a table of comments,
 * names with `comment_` come first; in others, names with `post_` or `submission_` come last.
 */
const OTHER_NAMES: readonly (readonly [field: string, names: string])[] = [
  ['id', 'id fullname parsed_id'],
  ['subreddit', 'subreddit community community_name sub_reddit sub'],
  [
    'created_utc',
    'created_utc created created_at created_time created_date timestamp datetime date time utc',
  ],
  ['title', 'title'],
  ['selftext', 'selftext self_text'],
  ['body', 'body text body_text content comment'],
  ['score', 'score upvotes up_votes ups points'],
  ['permalink', 'permalink full_link comment_url comment_link'],
  ['url', 'url link'],
  ['post_id', 'post_id submission_id thread_id'],
  ['parent_id', 'parent_id parent'],
  ['over_18', 'over_18 over18 nsfw is_nsfw'],
  ['type', 'type data_type'],
];
/** Columns in which a table of comments describes posts. */
const OF_POSTS = ['title', 'selftext', 'url', 'url_overridden_by_dest', 'domain', 'is_self'];
export const COMMUNITY_FIELDS = ['subreddit', 'subreddit.name', 'subreddit.display_name'];

/** `Post ID`, `post-id` and `postId` are `post_id`. */
export function plainName(name: string): string {
  const words = name.trim().replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  return words.toLowerCase().replace(/[\s-]+/g, '_');
}

/** The field of each column, empty for one that is not read. */
export function fieldsOf(columns: readonly string[], given: Naming['columns'] = new Map()): string[] {
  const names = columns.map(plainName);
  // A hostile row has hundreds of thousands of names, so each is looked up, none is searched for.
  const places = new Map(names.map((name, i) => [name, i] as const).reverse());
  const namesComments = places.has('comment_id');
  const isOfComments = namesComments || !names.some((name) => /^(?:post_|submission_)?title$/.test(name));
  const isOut = (field: string) => namesComments && OF_POSTS.includes(field);
  const isGiven = (field: string) => [...given].some(([name, to]) => to === field && places.has(name));
  const fields = names.map((name) => {
    const field = FIELDS.get(name) ?? '';
    const isOther = isGiven(field) || isOut(field) || (isOfComments && places.has(`comment_${name}`));
    return given.get(name) ?? (isOther ? '' : field);
  });
  for (const [field, others] of OTHER_NAMES) {
    const has = field === 'subreddit' ? COMMUNITY_FIELDS : [field];
    if (isOut(field) || given.has(field) || has.some((name) => fields.includes(name))) continue;
    const own = others.split(' ');
    const tried = isOfComments
      ? [...own.map((name) => `comment_${name}`), ...own]
      : [...own, ...own.flatMap((name) => [`post_${name}`, `submission_${name}`])];
    // A table of posts without another id calls it `post_id`.
    const isFree = (at: number) => fields[at] === '' || (field === 'id' && fields[at] === 'post_id');
    const at = tried.map((name) => places.get(name)).find((i) => i !== undefined && isFree(i));
    if (at !== undefined) fields[at] = field;
  }
  return fields;
}

/** The row with usual names; the row itself if they do not make it a record. */
export function withUsualNames(row: Row, given: Naming['columns']): Row {
  if (given === undefined && isUsual(row)) return row;
  const keys = Object.keys(row);
  const fields = fieldsOf(keys, given);
  const named = keys.map((key, i) => [fields[i] || (FIELDS.has(key) ? '' : key), row[key]] as const);
  const other = Object.fromEntries(named.filter(([name]) => name !== ''));
  return isUsual(other) ? other : row;
}

function isUsual(row: Row): boolean {
  const hasText = row.title !== undefined || row.body !== undefined || row.selftext !== undefined;
  return hasText && row.created_utc !== undefined && ![row.id, row.name, row.permalink].every(isMissing);
}
