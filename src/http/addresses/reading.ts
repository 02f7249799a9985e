// The addresses of records and threads to be read.

import { ServiceError } from '../../errors.ts';
import type { Kind } from '../../model/record.ts';
import { quoted } from '../../text/quoted.ts';
import { LIST_NAMES, pageAddress, readFirst } from './search.ts';

/** The state of the pages for reading: the search that led there, whose words are marked. */
interface Words {
  readonly query: string | null;
}

export const RECORD_PATHS: Readonly<Record<Kind, string>> = {
  post: `/record/${LIST_NAMES.post}`,
  comment: `/record/${LIST_NAMES.comment}`,
};

export function recordAddress(kind: Kind, id: string, { query }: Words): string {
  return pageAddress(`${RECORD_PATHS[kind]}/${id}`, [['query', query || null]]);
}

/** The search whose words should be marked. Throws `bad_encoding`. */
export function readWords(address: string): string | null {
  return readFirst(address).get('query') || null;
}

/** What answers the same comment is in this order. */
export const THREAD_ORDERS = ['oldest', 'top'] as const;

export type ThreadOrder = (typeof THREAD_ORDERS)[number];

export interface ThreadState extends Words {
  readonly post: string;
  /** How many comments to leave out first; 0: the first page. */
  readonly after: number;
  readonly around: string | null;
  readonly order: ThreadOrder;
}

/** Throws `bad_encoding`, `bad_cursor`. */
export function readThreadState(post: string, address: string): ThreadState {
  const given = readFirst(address);
  return {
    post,
    query: given.get('query') || null,
    after: readAfter(given.get('after') ?? ''),
    around: given.get('around')?.replace(/^t1_/, '') || null,
    order: given.get('order_by') === 'top' ? 'top' : 'oldest',
  };
}

/** Adds `#comment-<id>` for `around`, so that the browser scrolls there. */
export function threadAddress({
  post,
  query = null,
  after = 0,
  around = null,
  order = 'oldest',
}: Partial<ThreadState> & Pick<ThreadState, 'post'>): string {
  const address = pageAddress(`/thread/${post}`, [
    ['query', query || null],
    ['around', around],
    ['order_by', order === 'oldest' ? null : order],
    ['after', after === 0 ? null : after],
  ]);
  return around === null ? address : `${address}#${commentAnchor(around)}`;
}

/** `id` of the comment's element on the page of its thread. */
export function commentAnchor(id: string): string {
  return `comment-${id}`;
}

/** Up to 16 digits, more than any thread has comments: behind its end, a page says so. */
function readAfter(text: string): number {
  if (/^\d{0,16}$/.test(text)) return Number(text);
  throw new ServiceError(
    'bad_cursor',
    `parameter \`after\`: expected a number of comments, found ${quoted(text)}`,
  );
}
