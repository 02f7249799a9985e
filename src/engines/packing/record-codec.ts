// How a record is stored: everything except what its segment's columns contain (created, score, place, a
// post's domain).
//
//   u8 flags, text id, varint retrieved,
//   post:     permalink, text title, text selftext, text url where there is one
//   comment:  text post, permalink, text body, sentiment where rated (i16 as two bytes of
//             ten-thousandths, or f64), ratings
//   both:     what is answered, and what was lent
//   last, where its flag says so, f64 score (beyond 32 bits)
//
// A text is a varint length in bytes and UTF-8.
//
// What a comment answers, and which facts other copies lent: the two high bits of the flags say what of it the row has.
//
//   0    a comment whose parent is unknown, a post
//   64   the parent is the post
//   128  text parent
//   192  u8 more; text parent where the two low bits of `more` are 2; a lent fact as often as its other bits say
//
// The two low bits of `more` are those that the flags would have: 0, 1 or 2. A lent fact:
//
//   u8 fact (its place in FACTS) + 4 where the lender is withdrawn, f64 retrieved, f64 score, varint hash
//
// Permalinks are stored without the parts that the record contains anyway. Most have one of these shapes,
// with some capitals in the community:
//
//   /r/<Community>/comments/<id of the post>/<slug>/            posts
//   /r/<Community>/comments/<id of the post>/<slug>/<id>/       comments
//
//   u8 0, text                                        any other
//   u8 shape, varint capitals, text post, text slug   bit n of `capitals`: letter n of the name is a capital
//
// `shape` is a sum: 1 always, 2 with a slug, 4 with a post (left out if it is the post's own id, or the post
// that the comment belongs to).

import {
  FACTS,
  type GivenRating,
  type Kind,
  type Lent,
  type StoredComment,
  type StoredPost,
  type StoredRecord,
} from '../../model/record.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';

const SHIFT = 6;
const ANSWERS_POST = 1;
const WITH_PARENT = 2;
const MORE = 3;

const LENT_WITHDRAWN = 4;
const NOTHING: readonly Lent[] = [];

function factFlags(record: StoredRecord): number {
  return (record.lent.length > 0 ? MORE : parentState(record)) << SHIFT;
}

function writeFacts(writer: ByteWriter, record: StoredRecord): void {
  const { lent } = record;
  const state = parentState(record);
  if (lent.length > 0) writer.byte(state | (lent.length << 2));
  if (record.kind === 'comment' && state === WITH_PARENT) writer.text(record.parent);
  for (const { fact, withdrawn, retrieved, score, hash } of lent) {
    writer.byte(FACTS.indexOf(fact) | (withdrawn ? LENT_WITHDRAWN : 0));
    writer.float64(retrieved);
    writer.float64(score);
    writer.varint(hash);
  }
}

interface ReadFacts {
  readonly parent: string;
  readonly lent: readonly Lent[];
}

/** `post` is the post of a comment. */
export function readFacts(reader: ByteReader, flags: number, post: string): ReadFacts {
  const state = flags >>> SHIFT;
  const more = state === MORE ? reader.byte() : state;
  const parentBits = more & 3;
  const parent = parentBits === ANSWERS_POST ? post : parentBits === WITH_PARENT ? reader.text() : '';
  const lent = more >>> 2 === 0 ? NOTHING : Array.from({ length: more >>> 2 }, () => readLent(reader));
  return { parent, lent };
}

function readLent(reader: ByteReader): Lent {
  const head = reader.byte();
  return {
    fact: FACTS[head & 3]!,
    withdrawn: (head & LENT_WITHDRAWN) !== 0,
    retrieved: reader.float64(),
    score: reader.float64(),
    hash: reader.varint(),
  };
}

function parentState(record: StoredRecord): number {
  if (record.kind === 'post' || record.parent === '') return 0;
  return record.parent === record.post ? ANSWERS_POST : WITH_PARENT;
}

const VERBATIM = 0;
const SHAPED = 1;
const WITH_SLUG = 2;
const WITH_POST = 4;

/** Bits of a whole number that fit into a varint. */
const MAX_CAPITALS = 52;

function writePermalink(writer: ByteWriter, record: StoredRecord): void {
  const { permalink, community, id } = record;
  const nameEnd = 3 + community.length;
  if (!permalink.startsWith('/r/') || !permalink.startsWith('/comments/', nameEnd)) {
    writeVerbatim(writer, permalink);
    return;
  }
  const capitals = capitalsOf(permalink.slice(3, nameEnd), community);
  const isPost = record.kind === 'post';
  const postStart = nameEnd + 10;
  const postEnd = permalink.indexOf('/', postStart);
  const post = permalink.slice(postStart, postEnd);
  const end = permalink.length - (isPost ? 1 : id.length + 2);
  const tail = isPost ? '/' : `/${id}/`;
  if (capitals < 0 || postEnd < 0 || (isPost && post !== id) || !permalink.endsWith(tail) || end < postEnd) {
    writeVerbatim(writer, permalink);
    return;
  }
  const isOtherPost = !isPost && post !== record.post;
  writer.byte(SHAPED | (end > postEnd ? WITH_SLUG : 0) | (isOtherPost ? WITH_POST : 0));
  writer.varint(capitals);
  if (isOtherPost) writer.text(post);
  if (end > postEnd) writer.text(permalink.slice(postEnd + 1, end));
}

/** Facts that are elsewhere in the record: `post` is the post of a comment, null for a post. */
interface PermalinkContext {
  readonly community: string;
  readonly post: string | null;
  readonly id: string;
}

export function readPermalink(reader: ByteReader, { community, post, id }: PermalinkContext): string {
  const shape = reader.byte();
  if (shape === VERBATIM) return reader.text();
  const name = capitalised(community, reader.varint());
  const thread = shape & WITH_POST ? reader.text() : (post ?? id);
  const slug = shape & WITH_SLUG ? `/${reader.text()}` : '';
  return `/r/${name}/comments/${thread}${slug}${post === null ? '/' : `/${id}/`}`;
}

function skipPermalink(reader: ByteReader): void {
  const shape = reader.byte();
  if (shape === VERBATIM) reader.skipText();
  else {
    reader.varint();
    if (shape & WITH_POST) reader.skipText();
    if (shape & WITH_SLUG) reader.skipText();
  }
}

function writeVerbatim(writer: ByteWriter, permalink: string): void {
  writer.byte(VERBATIM);
  writer.text(permalink);
}

/** −1: the spelling differs from `name` in more than capitals. */
function capitalsOf(spelling: string, name: string): number {
  if (spelling === name) return 0;
  let capitals = 0;
  for (let i = 0; i < name.length; i++) {
    const unit = spelling.charCodeAt(i);
    if (unit === name.charCodeAt(i)) continue;
    const isCapital = unit >= 0x41 && unit <= 0x5a && unit + 0x20 === name.charCodeAt(i);
    if (!isCapital || i >= MAX_CAPITALS) return -1;
    capitals += 2 ** i;
  }
  return capitals;
}

function capitalised(name: string, capitals: number): string {
  if (capitals === 0) return name;
  let spelling = '';
  for (let i = 0, rest = capitals; i < name.length; i++, rest = Math.floor(rest / 2)) {
    spelling += rest % 2 === 1 ? String.fromCharCode(name.charCodeAt(i) - 0x20) : name[i];
  }
  return spelling;
}

export const WITHDRAWN = 1;
export const NULL_URL = 2;
const UNRATED = 2;
export const RATINGS = 4;
/** The sentiment is no whole number of ten-thousandths. */
const EXACT_SENTIMENT = 8;
export const WIDE_SCORE = 16;
/** The time of retrieval is no whole number from 0 to 2^53 − 1. */
const WIDE_RETRIEVED = 32;

export interface ColumnFields {
  readonly created: number;
  /** Limited to 32 bits. */
  readonly score: number;
  readonly community: string;
  readonly communityId: string;
  readonly adult: boolean | null;
  /** A post's own domain. */
  readonly domain: string;
}

/** The score as in the column. */
export function columnScore(score: number): number {
  return Math.max(LEAST_SCORE, Math.min(GREATEST_SCORE, score));
}

/** Whether the score may be beyond that in the column: the row then has it. */
export function isHeldScore(column: number): boolean {
  return column === LEAST_SCORE || column === GREATEST_SCORE;
}

const LEAST_SCORE = -0x80000000;
const GREATEST_SCORE = 0x7fffffff;

export function writeRecord(writer: ByteWriter, record: StoredRecord): void {
  const wideScore = columnScore(record.score) !== record.score;
  const wideRetrieved = !Number.isSafeInteger(record.retrieved) || record.retrieved < 0;
  writer.byte(
    (record.withdrawn ? WITHDRAWN : 0) |
      (wideScore ? WIDE_SCORE : 0) |
      (wideRetrieved ? WIDE_RETRIEVED : 0) |
      factFlags(record) |
      (record.kind === 'comment' ? commentFlags(record) : record.url === null ? NULL_URL : 0),
  );
  writer.text(record.id);
  if (wideRetrieved) writer.float64(record.retrieved);
  else writer.varint(record.retrieved);
  if (record.kind === 'post') {
    writePermalink(writer, record);
    writer.text(record.title);
    writer.text(record.selftext);
    if (record.url !== null) writer.text(record.url);
  } else {
    writer.text(record.post);
    writePermalink(writer, record);
    writer.text(record.body);
    writeSentiment(writer, record.sentiment);
    if (record.ratings.length > 0) writeRatings(writer, record.ratings);
  }
  writeFacts(writer, record);
  if (wideScore) writer.float64(record.score);
}

export function readId(reader: ByteReader): string {
  reader.byte();
  return reader.text();
}

export function readAnswered(reader: ByteReader): Pick<StoredComment, 'id' | 'post' | 'parent'> {
  const flags = reader.byte();
  const id = reader.text();
  readRetrieved(reader, flags);
  const post = reader.text();
  skipPermalink(reader);
  reader.skipText();
  readSentiment(reader, flags);
  if (flags & RATINGS) readRatings(reader);
  return { id, post, parent: readFacts(reader, flags, post).parent };
}

/** Where the indexed parts of a row are, as offsets in its bytes. */
export class RowParts {
  idStart = 0;
  idEnd = 0;
  /** The post of a comment; empty for a post. */
  postStart = 0;
  postEnd = 0;
  /** Title and selftext of a post, the body of a comment. */
  readonly textStarts = [0, 0];
  readonly textEnds = [0, 0];
  texts = 0;
  /** For a post: whether it has an address. */
  hasUrl = false;

  /** `reader` must be at the row, and is left after its last text. */
  read(reader: ByteReader, kind: Kind): void {
    const flags = reader.byte();
    let length = reader.varint();
    this.idStart = reader.at;
    this.idEnd = reader.at += length;
    readRetrieved(reader, flags);
    length = kind === 'comment' ? reader.varint() : 0;
    this.postStart = reader.at;
    this.postEnd = reader.at += length;
    skipPermalink(reader);
    this.hasUrl = (flags & NULL_URL) === 0;
    this.texts = kind === 'comment' ? 1 : 2;
    for (let i = 0; i < this.texts; i++) {
      length = reader.varint();
      this.textStarts[i] = reader.at;
      this.textEnds[i] = reader.at += length;
    }
  }
}

export function readRetrieved(reader: ByteReader, flags: number): number {
  return flags & WIDE_RETRIEVED ? reader.float64() : reader.varint();
}

export function readRecord(reader: ByteReader, kind: Kind, columns: ColumnFields): StoredRecord {
  const flags = reader.byte();
  const id = reader.text();
  const retrieved = readRetrieved(reader, flags);
  const withdrawn = (flags & WITHDRAWN) !== 0;
  const { created, community, communityId } = columns;
  // Without a spread, which took 4 µs for the 25 records of a page.
  if (kind === 'post') {
    const permalink = readPermalink(reader, { community, post: null, id });
    const title = reader.text();
    const selftext = reader.text();
    const url = flags & NULL_URL ? null : reader.text();
    const { lent } = readFacts(reader, flags, '');
    const { domain, adult } = columns;
    return {
      kind,
      id,
      community,
      communityId,
      created,
      permalink,
      score: flags & WIDE_SCORE ? reader.float64() : columns.score,
      retrieved,
      withdrawn,
      lent,
      domain,
      title,
      selftext,
      url,
      adult,
    } satisfies StoredPost;
  }
  const post = reader.text();
  const permalink = readPermalink(reader, { community, post, id });
  const body = reader.text();
  const sentiment = readSentiment(reader, flags);
  const ratings = flags & RATINGS ? readRatings(reader) : [];
  const { parent, lent } = readFacts(reader, flags, post);
  return {
    kind,
    id,
    community,
    communityId,
    created,
    permalink,
    score: flags & WIDE_SCORE ? reader.float64() : columns.score,
    retrieved,
    withdrawn,
    lent,
    body,
    sentiment,
    post,
    parent,
    ratings,
  } satisfies StoredComment;
}

function commentFlags({ sentiment, ratings }: StoredComment): number {
  return (
    (sentiment === null ? UNRATED : isTenThousandths(sentiment) ? 0 : EXACT_SENTIMENT) |
    (ratings.length > 0 ? RATINGS : 0)
  );
}

function isTenThousandths(value: number): boolean {
  return Math.abs(value) <= 3 && Math.round(value * 10_000) / 10_000 === value && !Object.is(value, -0);
}

function writeSentiment(writer: ByteWriter, sentiment: number | null): void {
  if (sentiment === null) return;
  if (!isTenThousandths(sentiment)) {
    writer.float64(sentiment);
    return;
  }
  const whole = Math.round(sentiment * 10_000) & 0xffff;
  writer.byte(whole & 0xff);
  writer.byte(whole >>> 8);
}

export function readSentiment(reader: ByteReader, flags: number): number | null {
  if (flags & UNRATED) return null;
  if (flags & EXACT_SENTIMENT) return reader.float64();
  const whole = reader.byte() | (reader.byte() << 8);
  return ((whole << 16) >> 16) / 10_000;
}

function writeRatings(writer: ByteWriter, ratings: readonly GivenRating[]): void {
  writer.varint(ratings.length);
  for (const { bodyHash, rating } of ratings) {
    writer.varint(bodyHash);
    writer.byte(rating === null ? 0 : 1);
    if (rating !== null) writer.float64(rating);
  }
}

export function readRatings(reader: ByteReader): GivenRating[] {
  return Array.from({ length: reader.varint() }, () => ({
    bodyHash: reader.varint(),
    rating: reader.byte() === 0 ? null : reader.float64(),
  }));
}
