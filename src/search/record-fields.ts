// The fields of a record that a caller may choose, by their names. Contract 5.11.

import { ServiceError } from '../errors.ts';
import type { Kind, StoredRecord } from '../model/record.ts';
import { type ArrivalTime, isoTime } from '../model/time.ts';
import { quoted } from '../text/quoted.ts';
import type { CommentRecord, PostRecord } from './presenter.ts';

/** Fields that an answer has only where they are chosen. */
interface FurtherFields {
  /** `created_utc` in ISO 8601. */
  readonly created: string;
  /** Unix seconds at which the copy was taken; null where the source does not say. */
  readonly retrieved_utc: number | null;
  readonly arrived_utc: ArrivalTime;
}

interface FurtherCommentFields extends FurtherFields {
  /** Of the post it belongs to, without prefix; null where the source had none. */
  readonly post_id: string | null;
  /** Of what it answers, without prefix: `post_id` at the top level; null where the source had none. */
  readonly parent_id: string | null;
}

/** Some fields of a record, in the order chosen. */
export type ChosenFields = Readonly<Record<string, unknown>>;

/** Those of the interface in its order, then the others. */
export const FIELD_NAMES = {
  post: [
    ...(['type', 'id', 'subreddit', 'created_utc', 'permalink', 'domain', 'title', 'selftext'] as const),
    ...(['url', 'score', 'created', 'retrieved_utc', 'arrived_utc'] as const),
  ],
  comment: [
    ...(['type', 'id', 'subreddit', 'created_utc', 'permalink', 'body', 'sentiment', 'score'] as const),
    ...(['created', 'post_id', 'parent_id', 'retrieved_utc', 'arrived_utc'] as const),
  ],
} as const satisfies {
  readonly post: readonly (keyof PostRecord | keyof FurtherFields)[];
  readonly comment: readonly (keyof CommentRecord | keyof FurtherCommentFields)[];
};

/** What a caller gets who chooses nothing: the fields of the interface. */
export const DEFAULT_FIELDS: Readonly<Record<Kind, readonly string[]>> = {
  post: FIELD_NAMES.post.slice(0, FIELD_NAMES.post.indexOf('created')),
  comment: FIELD_NAMES.comment.slice(0, FIELD_NAMES.comment.indexOf('created')),
};

/**
 * The names of a list, each once, where it is first; null: nothing is chosen. Throws `bad_fields`, which names
 * every one that records of this kind do not have. `further`: what they have in this answer besides.
 */
export function readFields(
  given: string | null,
  kind: Kind,
  further: readonly string[] = [],
): readonly string[] | null {
  if (given === null || given === '') return null;
  const names = [...new Set(given.split(','))];
  const known: readonly string[] = [...FIELD_NAMES[kind], ...further];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return names;
  const quotedAll = (list: readonly string[]) => list.map((name) => quoted(name)).join(', ');
  throw new ServiceError(
    'bad_fields',
    `parameter \`fields\`: expected fields of a ${kind} (${quotedAll(known)}), found ${quotedAll(unknown)}`,
  );
}

/** Whether what was chosen needs to know when records came in. */
export function needsArrived(names: readonly string[] | null): boolean {
  return names?.includes('arrived_utc') === true;
}

/**
 * `whole` is the record as the API gives it, and `stored` what it was made of. `names` are of its kind; `arrived` is
 * looked at where `needsArrived` says so. `further`: what it has in this answer besides.
 */
export function chooseFields(
  whole: PostRecord | CommentRecord,
  stored: StoredRecord,
  names: readonly string[],
  arrived: ArrivalTime,
  further: ChosenFields = {},
): ChosenFields {
  const all: ChosenFields = { ...whole, ...furtherFields(stored, arrived), ...further };
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}

function furtherFields(stored: StoredRecord, arrived_utc: ArrivalTime): FurtherFields | FurtherCommentFields {
  const created = isoTime(stored.created);
  const retrieved_utc = stored.retrieved === 0 ? null : stored.retrieved;
  if (stored.kind === 'post') return { created, retrieved_utc, arrived_utc };
  const [post_id, parent_id] = [stored.post || null, stored.parent || null];
  return { created, retrieved_utc, arrived_utc, post_id, parent_id };
}
