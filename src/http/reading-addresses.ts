// Addresses of the pages for reading: a record, and a thread.

import type { Kind } from '../model/record.ts';
import { LIST_NAMES, queryString, readParameters } from './addresses.ts';

/** What both pages take: the search that led here, whose words are marked. */
interface Words {
  /** As written; null or empty: none. */
  readonly q: string | null;
}

export const RECORD_PATHS: Readonly<Record<Kind, string>> = {
  post: `/record/${LIST_NAMES.post}`,
  comment: `/record/${LIST_NAMES.comment}`,
};

export function recordAddress(kind: Kind, id: string, { q }: Words): string {
  return withParameters(`${RECORD_PATHS[kind]}/${id}`, [['q', q || null]]);
}

export interface ThreadState extends Words {
  /** Id of the post. */
  readonly post: string;
  /** The cursor; null: the first page. */
  readonly after: string | null;
  /** Id of the comment to open the thread at; null: from the start. */
  readonly around: string | null;
}

/** `#comment-<id>` is added for `around`, so that a browser goes there. */
export function threadAddress({ post, q, after, around }: ThreadState): string {
  const address = withParameters(`/thread/${post}`, [
    ['q', q || null],
    ['around', around],
    ['after', after],
  ]);
  return around === null ? address : `${address}#${commentAnchor(around)}`;
}

/** `id` of the comment's element on the page of its thread. */
export function commentAnchor(id: string): string {
  return `comment-${id}`;
}

export function readThreadState(post: string, address: string): ThreadState {
  const given = readParameters(address);
  return {
    post,
    q: given.get('q') || null,
    after: given.get('after') || null,
    around: given.get('around')?.replace(/^t1_/, '') || null,
  };
}

/** The search whose words are to be marked. Throws `bad_encoding`. */
export function readWords(address: string): string | null {
  return readParameters(address).get('q') || null;
}

function withParameters(path: string, parameters: Parameters<typeof queryString>[0]): string {
  const query = queryString(parameters);
  return query === '' ? path : `${path}?${query}`;
}
