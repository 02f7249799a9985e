// What a comment answers: the post it belongs to, and its parent, the post or another comment.

import { threadOf } from './addresses.ts';
import { type Row, textCell } from './cells.ts';
import { isId } from './community-names.ts';

/**
 * Id of the post that a comment belongs to, by the first that says it: `link_id`, `post_id`, the permalink (as stored,
 * null if missing), a parent that is a post. Empty if none does.
 */
export function postOf(row: Row, permalink: string | null): string {
  for (const cell of [row.link_id, row.post_id]) {
    const text = textCell(cell) ?? '';
    const id = text.startsWith('t3_') ? text.slice(3) : text;
    if (isId(id)) return id;
  }
  const thread = permalink === null ? '' : threadOf(permalink);
  if (thread !== '') return thread;
  const { prefix, id } = parentCell(row.parent_id);
  return prefix === 't3_' && isId(id) ? id : '';
}

/**
 * Id of what the comment `id` of this post answers: `post` at the top level. Empty if it is missing or no id, and for
 * what cannot be: the comment itself, another post than its own.
 */
export function answeredBy(row: Row, id: string, post: string): string {
  const parent = parentCell(row.parent_id);
  if (!isId(parent.id)) return '';
  // A comment whose id is also that of the post would be read as the post.
  if (parent.id === post) return parent.prefix === 't1_' ? '' : post;
  return parent.prefix === 't3_' || parent.id === id ? '' : parent.id;
}

/**
 * A number is the id of a comment, written in decimal instead of base 36, as by Pushshift's API of 2022 and 2023
 * (https://github.com/voussoir/timesearch/issues/19). Records of our own API have no prefix.
 */
function parentCell(cell: unknown): { readonly prefix: string; readonly id: string } {
  if (typeof cell === 'number') {
    return { prefix: 't1_', id: Number.isSafeInteger(cell) && cell >= 0 ? cell.toString(36) : '' };
  }
  const text = textCell(cell) ?? '';
  const isFull = text.startsWith('t1_') || text.startsWith('t3_');
  return isFull ? { prefix: text.slice(0, 3), id: text.slice(3) } : { prefix: '', id: text };
}
