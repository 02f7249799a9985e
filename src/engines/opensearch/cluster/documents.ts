// A record as a document of OpenSearch, and back. What of it is searched for stands in fields of its own (indices.ts),
// its names as keywords and its arrival (contract 20.1) among them; the record itself is kept as it is.

import { createHash } from 'node:crypto';
import { DEFAULT_SEED, hashOfRank, rankKey, rankOf } from '../../../model/analyses.ts';
import type { LastArrival } from '../../../model/engine.ts';
import { contentHash, fingerprintMix, type Hash64 } from '../../../model/hash.ts';
import { ageAt, rankingScore } from '../../../model/pages.ts';
import { breakdownDomains, siteKeys } from '../../../model/query.ts';
import { type StoredRecord, searchedTexts } from '../../../model/record.ts';
import { type ArrivalTime, UNCOUNTED } from '../../../model/time.ts';
import { tokens } from '../../../text/tokenizer.ts';

/** What is kept of a document as it was written. */
export interface RecordSource {
  readonly r: StoredRecord;
  readonly a: CameIn;
  /** The batch that wrote it. */
  readonly b: string;
  /** The generation that it is part of. */
  readonly g: number;
}

const FIRST_LENGTH_CHARACTER = 33;

/** Orders by bytes as `compareIds` does: the length in front. Ids are ASCII, of 64 characters at the most. */
export function idKey(id: string): string {
  return String.fromCharCode(FIRST_LENGTH_CHARACTER + id.length) + id;
}

export function idOfKey(key: string): string {
  return key.slice(1);
}

const DEFAULT_KEY = rankKey(DEFAULT_SEED);
/** An integer of OpenSearch is signed: less by so much, halves of a rank keep their order. */
const RANK_BIAS = 2 ** 31;

/** The `contentHash` of a document with these fields. */
export function contentOf(q0: number, q1: number): Hash64 {
  return hashOfRank(DEFAULT_KEY, { high: q0 + RANK_BIAS, low: q1 + RANK_BIAS });
}

interface Written {
  readonly arrived: CameIn;
  /** Names the call of `index` that writes it. */
  readonly batch: string;
  readonly generation: number;
}

export function documentOf(record: StoredRecord, written: Written): object {
  return { ...fieldsOf(record), ...fieldsOfWrite(record, written) };
}

/** Most of the work of `documentOf`, done before it is known how the record is written; as JSON. */
export function prepareDocument(record: StoredRecord): string {
  return JSON.stringify(fieldsOf(record));
}

/** The document that this was prepared of the record for, as JSON. */
export function documentJson(prepared: string, record: StoredRecord, written: Written): string {
  return `${prepared.slice(0, -1)},${JSON.stringify(fieldsOfWrite(record, written)).slice(1)}`;
}

function fieldsOf(record: StoredRecord): object {
  const { created, score, community, communityId } = record;
  const content = contentHash(record);
  const { low, high } = fingerprintMix(created, score, community, content);
  const rank = rankOf(DEFAULT_KEY, content);
  const texts = searchedTexts(record).map((text) => tokens(text).join(' '));
  return {
    t: texts.filter((text) => text !== ''),
    ...{ created, key: idKey(record.id), score, rank: rankingScore(score), community },
    ...(communityId !== '' && { cid: idKey(communityId) }),
    ...(record.kind === 'post' && record.adult !== null && { adult: record.adult }),
    sites: siteKeys(record).map(keywordOf),
    domains: breakdownDomains(record).map(keywordOf),
    post: record.kind === 'post' ? record.id : record.post,
    ...(record.kind === 'comment' && record.parent === '' && { orphan: true }),
    ...{ m0: low & 0xffff, m1: low >>> 16, m2: high & 0xffff, m3: high >>> 16 },
    ...{ q0: rank.high - RANK_BIAS, q1: rank.low - RANK_BIAS },
    ...({ r: record } satisfies Pick<RecordSource, 'r'>),
  };
}

function fieldsOfWrite({ created }: StoredRecord, { arrived, batch, generation }: Written): object {
  return {
    ...(arrived === null && { undated: true }),
    ...(isCounted(arrived) && { n: arrived[1], came: arrived[0], age: ageAt(created, arrived[0]) }),
    ...({ g: generation, a: arrived, b: batch } satisfies Omit<RecordSource, 'r'>),
  };
}

/** In UTF-16 units, of at most 3 bytes each: below that bound with what stands behind. No query is as long. */
const MAX_UNITS = 8_000;

/** No name has it: texts come in without it. */
const CUT = '\0';

/** A name as a keyword. One beyond OpenSearch's limit, 32,766 bytes, becomes its beginning and a digest. */
export function keywordOf(name: string): string {
  if (name.length <= MAX_UNITS) return name;
  const digest = createHash('sha256').update(name).digest('hex');
  return `${name.slice(0, MAX_UNITS).toWellFormed()}${CUT}${digest}`;
}

/** Whether it stands for a longer name. */
export function isCutKeyword(keyword: string): boolean {
  return keyword.includes(CUT);
}

/** When a record came in (Unix seconds), and its arrival. The time alone: not counted; null: unknown. */
export type CameIn = ArrivalTime | readonly [time: number, arrival: number];

/** The arrival of what comes in with a generation, and so the last one of its view; 0 of the one before all. */
export function arrivalOf(generation: number): LastArrival {
  return generation === 0 ? 0 : UNCOUNTED + generation;
}

/** Of a record that comes in with a generation. */
export function cameInWith(generation: number, time: ArrivalTime): CameIn {
  return time === null ? null : [time, arrivalOf(generation)];
}

export function timeOf(cameIn: CameIn): ArrivalTime {
  return isCounted(cameIn) ? cameIn[0] : cameIn;
}

/** Whether its arrival has a number. */
export function isCounted(cameIn: CameIn): cameIn is readonly [number, number] {
  return typeof cameIn === 'object' && cameIn !== null;
}
