// The presenter: turns stored records into the API's fields, the community object and absolute links, or into the
// chosen fields (contract 5.11). It also prints them as JSON, with communities as the records know them. An engine
// loads that into its search threads (model/export.ts).

import { parameterFault } from '../errors.ts';
import {
  type Community,
  type CommunityEvidence,
  type CommunityKnowledge,
  communityObject,
} from '../model/community.ts';
import type { FoundRecords, PrintedRecords, PrintOptions } from '../model/export.ts';
import type { Kind, StoredRecord } from '../model/record.ts';
import { type ArrivalTime, isoTime } from '../model/time.ts';
import { quoted } from '../text/quoted.ts';

/** Fields that a response has only if they are chosen. */
interface FurtherFields {
  /** `created_utc` in ISO 8601. */
  readonly created: string;
  /** Unix seconds at which the copy was taken; null if the source does not say. */
  readonly retrieved_utc: number | null;
  readonly arrived_utc: ArrivalTime;
}

interface FurtherCommentFields extends FurtherFields {
  /** Of its post, without prefix; null if the source had none. */
  readonly post_id: string | null;
  /** Of its parent, without prefix: `post_id` at the top level; null if the source had none. */
  readonly parent_id: string | null;
}

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

/** The default fields: those of the interface. */
export const DEFAULT_FIELDS: Readonly<Record<Kind, readonly string[]>> = {
  post: FIELD_NAMES.post.slice(0, FIELD_NAMES.post.indexOf('created')),
  comment: FIELD_NAMES.comment.slice(0, FIELD_NAMES.comment.indexOf('created')),
};

/**
 * The names of a list, each once, in order of first occurrence; null: nothing is chosen. Throws `bad_fields`, which
 * lists the names that records of this kind do not have. `further`: additional fields in this response.
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
  const expected = `fields of a ${kind} (${quotedAll(known)})`;
  throw parameterFault('bad_fields', 'fields', expected, quotedAll(unknown));
}

export function needsArrived(names: readonly string[] | null): boolean {
  return names?.includes('arrived_utc') === true;
}

/**
 * `whole` is the record as the API gives it, made from `stored`. `names` are of its kind; `arrived` is used if
 * `needsArrived` says so. `further`: its additional fields in this response.
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

/** A post as the API gives it: the fields of contract 5.1, in that order. */
export interface PostRecord {
  readonly type: 'post';
  readonly id: string;
  readonly subreddit: Community;
  readonly created_utc: number;
  readonly permalink: string;
  readonly domain: string;
  readonly title: string;
  readonly selftext: string;
  readonly url: string | null;
  readonly score: number;
}

/** A comment as the API gives it: the fields of contract 5.1, in that order. */
export interface CommentRecord {
  readonly type: 'comment';
  readonly id: string;
  readonly subreddit: Community;
  readonly created_utc: number;
  readonly permalink: string;
  readonly body: string;
  readonly sentiment: number | null;
  readonly score: number;
}

export type RecordOf<K extends Kind> = { readonly post: PostRecord; readonly comment: CommentRecord }[K];

/** What is known besides the records. Unknown communities are absent. */
interface Surroundings {
  readonly evidence: ReadonlyMap<string, CommunityEvidence>;
  readonly knowledge: ReadonlyMap<string, CommunityKnowledge>;
  readonly permalinkBase: string;
}

/** In the same order. The record's own community id takes precedence. */
export function presentRecords(
  records: readonly StoredRecord[],
  { evidence, knowledge, permalinkBase }: Surroundings,
): (PostRecord | CommentRecord)[] {
  return records.map((record) => {
    const named = { name: record.community, id: record.communityId };
    return presentRecord(record, presentCommunity(named, { evidence, knowledge }), permalinkBase);
  });
}

/** A community as a record names it: `id` is empty if the record has none. */
function presentCommunity(
  { name, id }: { readonly name: string; readonly id: string },
  { evidence, knowledge }: Pick<Surroundings, 'evidence' | 'knowledge'>,
): Community {
  const known = communityObject(name, knowledge.get(name), evidence.get(name));
  return id === '' ? known : { id, name, nsfw: known.nsfw };
}

function presentRecord(
  record: StoredRecord,
  subreddit: Community,
  permalinkBase: string,
): PostRecord | CommentRecord {
  const absolute = (address: string) => (address.startsWith('/') ? permalinkBase + address : address);
  const { id, created: created_utc, score } = record;
  const permalink = absolute(record.permalink);
  if (record.kind === 'comment') {
    const { body, sentiment } = record;
    return { type: 'comment', id, subreddit, created_utc, permalink, body, sentiment, score };
  }
  const { domain, title, selftext } = record;
  const url = record.url === null ? null : absolute(record.url);
  return { type: 'post', id, subreddit, created_utc, permalink, domain, title, selftext, url, score };
}

export function isOfKind<K extends Kind>(record: PostRecord | CommentRecord, kind: K): record is RecordOf<K> {
  return record.type === kind;
}

/** Address of this module, for an engine. */
export const RECORD_PRINTER = import.meta.url;

const UTF8 = new TextEncoder();

/** Precedes each community, and occurs in no text: quotation marks are escaped there. */
const NAME = '"subreddit":';
const BEFORE = Buffer.from(`${NAME}{`);

const NO_EVIDENCE: Surroundings['evidence'] = new Map();
const NO_KNOWLEDGE: Surroundings['knowledge'] = new Map();
const NOWHERE = new Uint32Array(0);

type Named = Pick<PrintedRecords, 'of' | 'communities'>;

/** The JSON of these records as a list, without its brackets. */
export function printRecords(found: FoundRecords, { fields, permalinkBase }: PrintOptions): PrintedRecords {
  const { records, arrived } = found;
  const { of, communities } = communitiesOf(found);
  const whole = records.map((record, i) => {
    const presented = presentRecord(record, communities[of[i]!]!, permalinkBase);
    return fields === null ? presented : chooseFields(presented, record, fields, arrived?.[i] ?? null);
  });
  const bytes = UTF8.encode(JSON.stringify(whole).slice(1, -1));
  if (fields !== null && !fields.includes('subreddit'))
    return { bytes, places: NOWHERE, of: NOWHERE, communities: [] };
  return { bytes, places: placesIn(bytes, records.length), of, communities };
}

function placesIn(bytes: Uint8Array<ArrayBuffer>, count: number): Uint32Array {
  const text = Buffer.from(bytes.buffer);
  const places = new Uint32Array(count);
  let at = 0;
  for (let i = 0; i < count; i++) {
    at = text.indexOf(BEFORE, at) + NAME.length;
    places[i] = at;
  }
  return places;
}

function communitiesOf({ records, evidence = NO_EVIDENCE }: FoundRecords): Named {
  const surroundings = { evidence, knowledge: NO_KNOWLEDGE };
  const of = new Uint32Array(records.length);
  const communities: Community[] = [];
  const ids: string[] = [];
  const numbers = new Map<string, number>();
  for (let i = 0; i < records.length; i++) {
    const { community: name, communityId: id } = records[i]!;
    let key = name;
    let number = numbers.get(key);
    if (number !== undefined && ids[number] !== id) {
      key = `${name} ${id}`;
      number = numbers.get(key);
    }
    if (number === undefined) {
      number = communities.push(presentCommunity({ name, id }, surroundings)) - 1;
      ids.push(id);
      numbers.set(key, number);
    }
    of[i] = number;
  }
  return { of, communities };
}
