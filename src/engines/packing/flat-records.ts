// Records as a list of their values, for threads that hand each other objects: the structured clone reads and writes
// the name of every field of every object, which takes two to four times as long as the values themselves.
//
//   a record    id, community, communityId, created, permalink, score, retrieved, withdrawn, lent (null: none), then
//   post        domain, title, selftext, url, adult
//   comment     body, sentiment, post, parent, ratings (null: none)

import type { GivenRating, Kind, Lent, StoredComment, StoredPost, StoredRecord } from '../../model/record.ts';

export interface FlatRecords {
  readonly kind: Kind;
  readonly values: readonly unknown[];
}

/** Values of one record, of either kind. */
const WIDTH = 14;
const NO_LENT: readonly Lent[] = [];
const NO_RATINGS: readonly GivenRating[] = [];

/** The records must be of one kind. */
export function flatRecords(records: readonly StoredRecord[]): FlatRecords {
  const values: unknown[] = [];
  for (const record of records) {
    const { id, community, communityId, created, permalink, score, retrieved, withdrawn, lent } = record;
    values.push(id, community, communityId, created, permalink, score, retrieved, withdrawn);
    values.push(lent.length === 0 ? null : lent);
    if (record.kind === 'post') {
      values.push(record.domain, record.title, record.selftext, record.url, record.adult);
    } else {
      const { body, sentiment, post, parent, ratings } = record;
      values.push(body, sentiment, post, parent, ratings.length === 0 ? null : ratings);
    }
  }
  return { kind: records[0]?.kind ?? 'post', values };
}

/** The records of `flatRecords`, in their order. */
export function recordsOfFlat({ kind, values }: FlatRecords): StoredRecord[] {
  const records: StoredRecord[] = [];
  const read = kind === 'post' ? postAt : commentAt;
  for (let at = 0; at < values.length; at += WIDTH) records.push(read(values, at));
  return records;
}

function postAt(values: readonly unknown[], at: number): StoredPost {
  return {
    kind: 'post',
    id: values[at] as string,
    community: values[at + 1] as string,
    communityId: values[at + 2] as string,
    created: values[at + 3] as number,
    permalink: values[at + 4] as string,
    score: values[at + 5] as number,
    retrieved: values[at + 6] as number,
    withdrawn: values[at + 7] as boolean,
    lent: (values[at + 8] as readonly Lent[] | null) ?? NO_LENT,
    domain: values[at + 9] as string,
    title: values[at + 10] as string,
    selftext: values[at + 11] as string,
    url: values[at + 12] as string | null,
    adult: values[at + 13] as boolean | null,
  };
}

function commentAt(values: readonly unknown[], at: number): StoredComment {
  return {
    kind: 'comment',
    id: values[at] as string,
    community: values[at + 1] as string,
    communityId: values[at + 2] as string,
    created: values[at + 3] as number,
    permalink: values[at + 4] as string,
    score: values[at + 5] as number,
    retrieved: values[at + 6] as number,
    withdrawn: values[at + 7] as boolean,
    lent: (values[at + 8] as readonly Lent[] | null) ?? NO_LENT,
    body: values[at + 9] as string,
    sentiment: values[at + 10] as number | null,
    post: values[at + 11] as string,
    parent: values[at + 12] as string,
    ratings: (values[at + 13] as readonly GivenRating[] | null) ?? NO_RATINGS,
  };
}
