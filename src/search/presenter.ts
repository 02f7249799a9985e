// The presenter: stored records → what a caller gets: the API's fields, the community object, absolute links.

import {
  type Community,
  type CommunityEvidence,
  type CommunityKnowledge,
  communityObject,
} from '../model/community.ts';
import type { Kind, StoredComment, StoredPost, StoredRecord } from '../model/record.ts';

/** A post as the API gives it: the fields of contract 5.7, in that order. */
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

/** A comment as the API gives it: the fields of contract 5.8, in that order. */
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

/** A record of this kind as the API gives it. */
export type RecordOf<K extends Kind> = { readonly post: PostRecord; readonly comment: CommentRecord }[K];

/** What is known beside the records. A community that nothing is known of is absent. */
export interface Surroundings {
  /** What the records of both kinds say of their communities. */
  readonly evidence: ReadonlyMap<string, CommunityEvidence>;
  /** What people and dumps said of them. */
  readonly knowledge: ReadonlyMap<string, CommunityKnowledge>;
  /** Stands before a permalink that is stored without a host. */
  readonly permalinkBase: string;
}

/** In the same order. An id of the community that the record itself gives comes before all others. */
export function presentRecords(
  records: readonly StoredRecord[],
  { evidence, knowledge, permalinkBase }: Surroundings,
): (PostRecord | CommentRecord)[] {
  return records.map((record) => {
    const named = { name: record.community, id: record.communityId };
    return presentRecord(record, presentCommunity(named, { evidence, knowledge }), permalinkBase);
  });
}

/** A community as a record names it: `id` is empty where the record gives none. */
export function presentCommunity(
  { name, id }: { readonly name: string; readonly id: string },
  { evidence, knowledge }: Pick<Surroundings, 'evidence' | 'knowledge'>,
): Community {
  const known = communityObject(name, knowledge.get(name), evidence.get(name));
  return id === '' ? known : { id, name, nsfw: known.nsfw };
}

export function presentRecord(
  record: StoredRecord,
  community: Community,
  permalinkBase: string,
): PostRecord | CommentRecord {
  const absolute = (address: string) => (address.startsWith('/') ? permalinkBase + address : address);
  return record.kind === 'post'
    ? presentPost(record, community, absolute)
    : presentComment(record, community, absolute);
}

export function isOfKind<K extends Kind>(record: PostRecord | CommentRecord, kind: K): record is RecordOf<K> {
  return record.type === kind;
}

function presentPost(
  post: StoredPost,
  subreddit: Community,
  absolute: (address: string) => string,
): PostRecord {
  return {
    type: 'post',
    id: post.id,
    subreddit,
    created_utc: post.created,
    permalink: absolute(post.permalink),
    domain: post.domain,
    title: post.title,
    selftext: post.selftext,
    url: post.url === null ? null : absolute(post.url),
    score: post.score,
  };
}

function presentComment(
  comment: StoredComment,
  subreddit: Community,
  absolute: (address: string) => string,
): CommentRecord {
  return {
    type: 'comment',
    id: comment.id,
    subreddit,
    created_utc: comment.created,
    permalink: absolute(comment.permalink),
    body: comment.body,
    sentiment: comment.sentiment,
    score: comment.score,
  };
}
