// Where and how a record names its community: a name, a name with `r/` or `u/` in front, or an object.

import { withoutPrefix } from '../../model/community.ts';
import { communityInOwnAddress, communityInPermalink } from './addresses.ts';
import { cleanText, isRow, type Row, textCell } from './cells.ts';

interface NamedCommunity {
  readonly spelling: string;
  /** Without `t5_`; empty if missing or not an id. */
  readonly id: string;
}

/** Other fields that name it: those of the site's API, and those of objects flattened by a data frame. */
const OTHER_FIELDS = [
  'subreddit_name_prefixed',
  'subreddit.display_name',
  'subreddit.display_name_prefixed',
  'subreddit.name',
];

/**
 * The community that the record `id` names, by a field, its permalink or its own address; or else `otherwise`; null if
 * there is neither. A `subreddit` of null means that the record has none, whatever its other fields contain.
 */
export function communityOf(row: Row, recordId: string, otherwise: string | null): NamedCommunity | null {
  const { subreddit } = row;
  const id = communityIdOf(isRow(subreddit) ? subreddit.id : (row.subreddit_id ?? row['subreddit.id']));
  const spelling = isRow(subreddit)
    ? objectSpelling(subreddit)
    : subreddit === undefined
      ? (firstSpelling(row, OTHER_FIELDS) ?? communityInAddresses(row, recordId))
      : communitySpelling(subreddit);
  if (spelling !== null) return { spelling, id };
  return otherwise === null ? null : { spelling: otherwise, id };
}

function communityInAddresses({ permalink, url }: Row, id: string): string | null {
  const inPermalink = typeof permalink === 'string' ? communityInPermalink(permalink) : null;
  const named = inPermalink ?? (typeof url === 'string' ? communityInOwnAddress(url, id) : null);
  return named === null ? null : communitySpelling(named);
}

/**
 * True for the community object of the API's own records and of datasets. In the site's own objects, which have a
 * `display_name`, `name` is the id.
 */
export function isOwnObject(subreddit: unknown): subreddit is Row {
  return isRow(subreddit) && textCell(subreddit.display_name) === null;
}

function objectSpelling(community: Row): string | null {
  return firstSpelling(community, ['display_name', 'display_name_prefixed', 'name']);
}

function firstSpelling(row: Row, fields: readonly string[]): string | null {
  for (const field of fields) {
    const spelling = communitySpelling(row[field]);
    if (spelling !== null) return spelling;
  }
  return null;
}

/** The name without a leading `/r/`, `u_name` for `/u/name`; null if missing. */
export function communitySpelling(cell: unknown): string | null {
  const name = textCell(cell);
  if (name === null) return null;
  return withoutPrefix(cleanText(name)) || null;
}

/** Letters, digits, `_` and `-`, 1 to 64 of them: an id of a record or a community. */
export function isId(text: string): boolean {
  if (text.length === 0 || text.length > 64) return false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80 || IN_IDS[unit] === 0) return false;
  }
  return true;
}

const IN_IDS = Uint8Array.from({ length: 0x80 }, (_, unit) =>
  /[A-Za-z0-9_-]/.test(String.fromCharCode(unit)) ? 1 : 0,
);

/** Without `t5_`; empty if missing or not an id. */
export function communityIdOf(cell: unknown): string {
  const text = textCell(cell) ?? '';
  const id = text.startsWith('t5_') ? text.slice(3) : text;
  return isId(id) ? id : '';
}
