// The keys of a segment's dictionary: a letter for the kind of thing, then the thing. Everything that a query can ask
// for is a posting list under one of these keys. Values that are not asked for by key are numbered for columns, and the
// names among them are written so that few of them need be made.

import { Buffer } from 'node:buffer';
import { siteKeys, tokensOf } from '../../../model/query.ts';
import type { Kind, StoredRecord } from '../../../model/record.ts';
import { isPair, tokenClass } from './pairs.ts';
import { BANDS } from './score-bands.ts';

/** A band of scores (score-bands.ts), by its two-digit number. */
export const BAND = 'b';
export const COMMUNITY = 'c';
/** The record's own id. */
export const ID = 'i';
/** The post that a comment belongs to. */
export const POST = 'o';
/** Two neighbouring tokens that pairs.ts picks, with a NUL between them. */
export const PAIR = 'p';
/** A domain or what it is a subdomain of (`siteKeys`). */
export const SITE = 's';
export const TOKEN = 't';

export function pairKey(first: string, second: string): string {
  return `${PAIR}${first}\0${second}`;
}

/** The key that `post:<id>` asks for. */
export function postKey(kind: Kind, id: string): string {
  return (kind === 'post' ? ID : POST) + id;
}

/** The post a record belongs to, if that is indexed under a key of its own; otherwise ''. */
export function postOf(record: StoredRecord): string {
  return record.kind === 'comment' ? record.post : '';
}

/**
 * Every key under which a record must be listed, found the plain way; `check` compares the lists with it. Each once,
 * in no order. Pairs only if `withPairs`.
 */
export function recordKeys(record: StoredRecord, withPairs: boolean): Set<string> {
  const keys = new Set([ID + record.id, COMMUNITY + record.community]);
  const post = postOf(record);
  if (post !== '') keys.add(POST + post);
  for (const site of siteKeys(record)) keys.add(SITE + site);
  for (const { min, max, name } of BANDS)
    if (record.score >= min && record.score <= max) keys.add(BAND + name);
  for (const held of tokensOf(record)) {
    for (const [i, token] of held.entries()) {
      keys.add(TOKEN + token);
      const next = held[i + 1];
      if (!withPairs || next === undefined) continue;
      if (isPair(tokenClass(token), tokenClass(next))) keys.add(pairKey(token, next));
    }
  }
  return keys;
}

/** Gives numbers to values, as columns contain them, in the order of first occurrence. */
export class Numbering<T> {
  readonly values: T[] = [];
  readonly #numbers = new Map<string, number>();

  /** `key` says when two values are the same. */
  number(key: string, value: T): number {
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.values.length;
      this.values.push(value);
      this.#numbers.set(key, number);
    }
    return number;
  }
}

const QUOTE = 0x22;
const ESCAPE = 0x5c;

let starts = new Uint32Array(1 << 10);

/**
 * Names as a segment has them (segment-columns.ts) are strings in JSON. Each has one way to be written, so that names
 * are equal where their bytes are, and most of them are compared and numbered without being made. Where each string
 * in these bytes of JSON begins, behind its quote, in their order; valid until the next call.
 */
export function stringStarts(bytes: Uint8Array): Uint32Array {
  let found = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== QUOTE) continue;
    if (found === starts.length) starts = grown(starts);
    starts[found++] = at + 1;
    at = stringEnd(bytes, at + 1);
  }
  return starts.subarray(0, found);
}

function grown(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(numbers.length * 2);
  more.set(numbers);
  return more;
}

/** Where the string that begins here ends: at its quote. */
export function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at]; byte !== QUOTE; byte = bytes[at]) at += byte === ESCAPE ? 2 : 1;
  return at;
}

/** The name that begins there. */
export function nameAt(bytes: Uint8Array, start: number): string {
  const { buffer, byteOffset } = bytes;
  const written = Buffer.from(buffer, byteOffset + start, stringEnd(bytes, start) - start).toString();
  // Hardly one has an escape; the others stand there as they are.
  return written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written;
}

/** False: the name that begins there is in lower case. */
export function mayHaveCapitals(bytes: Uint8Array, start: number): boolean {
  for (let at = start; bytes[at] !== QUOTE; at++) {
    const byte = bytes[at]!;
    if ((byte >= 0x41 && byte <= 0x5a) || byte >= 0x80 || byte === ESCAPE) return true;
  }
  return false;
}

/** As it is written, with the quote behind it. */
export function writtenName(name: string): Uint8Array {
  return Buffer.from(JSON.stringify(name)).subarray(1);
}

/** FNV-1a of Fowler, Noll and Vo, with 32 bits. */
const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** A hash of a name as it is written, from `start` to before `end`; its high bits are mixed into the lowest ones. */
export function writtenHash(bytes: Uint8Array, start: number, end: number): number {
  let hash = OFFSET_BASIS | 0;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, PRIME);
  return hash ^ (hash >>> 15);
}

/**
 * Whether the name that begins there begins with this text in lower case, whatever its own case. null: that cannot be
 * told from its bytes, since it has an escape there or a letter outside ASCII.
 */
export function writtenBegins(bytes: Uint8Array, start: number, prefix: string): boolean | null {
  for (let i = 0; i < prefix.length; i++) {
    const byte = bytes[start + i]!;
    if (byte >= 0x80 || byte === ESCAPE) return null;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (byte === QUOTE || lower !== prefix.charCodeAt(i)) return false;
  }
  return true;
}
