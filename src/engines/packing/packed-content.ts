// Hashes and facts that a segment stores of a packed record, read from its bytes. Building the record first, with a
// string for each field, takes twice as long.

import { contentHash, fingerprintMix, type Hash64, HashInput } from '../../model/hash.ts';
import type { Kind } from '../../model/record.ts';
import { ByteReader } from './bytes.ts';
import { PackedHead, readPacked } from './packed-records.ts';
import { PERMALINK, ROW, type RowParts } from './record-codec.ts';

const COMMENTS = Buffer.from('/comments/');
const SLASH = 0x2f;
const SMALL_R = 0x72;

export class PackedContent {
  /** Unix seconds, as in the record. */
  retrieved = 0;
  sentiment: number | null = null;
  isWithdrawn = false;
  /** A comment that does not say what it answers. */
  isParentUnknown = false;
  content: Hash64 = { high: 0, low: 0 };
  mix: Hash64 = { high: 0, low: 0 };
  readonly #input = new HashInput();
  readonly #head = new PackedHead();

  /**
   * Reads the record that begins at `place`. `parts`: those of its row; `rest`: where these end (RowParts.read leaves
   * its reader there).
   */
  read(kind: Kind, bytes: Buffer, place: number, parts: RowParts, rest: number): void {
    const { flags } = parts;
    const isRare = (flags & ROW.rare) !== 0 || (flags & ROW.more) === ROW.more;
    if (isRare || !this.#readUsual(kind, bytes, place, parts, rest)) {
      this.#readWhole(kind, bytes, place);
    }
  }

  #readWhole(kind: Kind, bytes: Buffer, place: number): void {
    const record = readPacked(new ByteReader(bytes, place), kind);
    this.retrieved = record.retrieved;
    this.sentiment = record.kind === 'post' ? null : record.sentiment;
    this.isWithdrawn = record.withdrawn;
    this.isParentUnknown = record.kind === 'comment' && record.parent === '';
    this.content = contentHash(record);
    this.mix = fingerprintMix(record.created, record.score, record.community, this.content);
  }

  /** Adds the bytes that `contentHash` adds, in its order. False: the record is unusual. */
  #readUsual(kind: Kind, bytes: Buffer, place: number, parts: RowParts, rest: number): boolean {
    const input = this.#input;
    const head = this.#head;
    const reader = new ByteReader(bytes, place);
    head.read(reader);
    const name = textAt(reader);
    const nameEnd = reader.at;
    const communityId = textAt(reader);
    const communityIdEnd = reader.at;
    const adult = reader.byte();
    const isPost = kind === 'post';
    const domain = isPost ? textAt(reader) : 0;
    const domainEnd = reader.at;
    this.retrieved = parts.retrieved;
    this.isWithdrawn = (parts.flags & ROW.withdrawn) !== 0;
    input.clear();
    input.byte(isPost ? 0 : 1);
    input.byte(this.isWithdrawn ? 1 : 0);
    input.float64(head.created);
    input.utf8(bytes, parts.idStart, parts.idEnd);
    input.utf8(bytes, name, nameEnd);
    input.utf8(bytes, communityId, communityIdEnd);
    reader.at = parts.permalinkStart;
    if (!this.#addPermalink(isPost, reader, parts, name, nameEnd)) return false;
    reader.at = rest;
    if (isPost) {
      input.utf8(bytes, domain, domainEnd);
      for (let i = 0; i < 2; i++) input.utf8(bytes, parts.textStarts[i]!, parts.textEnds[i]!);
      if (parts.hasUrl) addText(input, reader);
      else input.text(null);
      input.byte(adult === 0 ? 2 : adult - 1);
      this.sentiment = null;
      this.isParentUnknown = false;
    } else {
      input.utf8(bytes, parts.postStart, parts.postEnd);
      this.#addAnswered(reader, parts);
    }
    this.content = input.hash();
    this.#mix(bytes, name, nameEnd);
    return true;
  }

  /** Adds parent, text and rating of a comment. The reader is at the rating. */
  #addAnswered(reader: ByteReader, { flags, postStart, postEnd, textStarts, textEnds }: RowParts): void {
    const input = this.#input;
    const { bytes } = reader;
    this.sentiment = flags & ROW.unrated ? null : tenThousandths(reader);
    const start = input.length;
    if (flags & ROW.withParent) addText(input, reader);
    else if (flags & ROW.answersPost) input.utf8(bytes, postStart, postEnd);
    else input.utf8(bytes, 0, 0);
    this.isParentUnknown = input.length - start === LENGTH_BYTES;
    input.utf8(bytes, textStarts[0]!, textEnds[0]!);
    input.byte(this.sentiment === null ? 0 : 1);
    if (this.sentiment !== null) input.float64(this.sentiment);
  }

  #mix(bytes: Buffer, name: number, nameEnd: number): void {
    const input = this.#input;
    input.clear();
    input.uint32(this.content.low);
    input.uint32(this.content.high);
    input.float64(this.#head.created);
    input.float64(this.#head.score);
    input.utf8(bytes, name, nameEnd);
    this.mix = input.hash();
  }

  /** As `readPermalink`. False: the name has capitals and letters outside ASCII. */
  #addPermalink(
    isPost: boolean,
    reader: ByteReader,
    parts: RowParts,
    name: number,
    nameEnd: number,
  ): boolean {
    const input = this.#input;
    const { bytes } = reader;
    const { idStart, idEnd } = parts;
    const shape = reader.byte();
    if (shape === PERMALINK.verbatim) {
      addText(input, reader);
      return true;
    }
    let capitals = reader.varint();
    const start = input.beginText();
    input.byte(SLASH);
    input.byte(SMALL_R);
    input.byte(SLASH);
    for (let i = name; i < nameEnd; i++) {
      const byte = bytes[i]!;
      if (byte >= 0x80 && capitals > 0) return false;
      input.byte(capitals % 2 === 1 ? byte - 0x20 : byte);
      if (capitals > 0) capitals = Math.floor(capitals / 2);
    }
    input.raw(COMMENTS, 0, COMMENTS.length);
    if (shape & PERMALINK.withPost) addRaw(input, reader);
    else if (isPost) input.raw(bytes, idStart, idEnd);
    else input.raw(bytes, parts.postStart, parts.postEnd);
    if (shape & PERMALINK.withSlug) {
      input.byte(SLASH);
      addRaw(input, reader);
    }
    input.byte(SLASH);
    if (!isPost) {
      input.raw(bytes, idStart, idEnd);
      input.byte(SLASH);
    }
    input.endText(start);
    return true;
  }
}

/** Bytes of the length of a hashed text. */
const LENGTH_BYTES = 4;

/** Where the text at the reader begins; leaves the reader after it. */
function textAt(reader: ByteReader): number {
  const length = reader.varint();
  const start = reader.at;
  reader.at += length;
  return start;
}

function addText(input: HashInput, reader: ByteReader): void {
  const start = textAt(reader);
  input.utf8(reader.bytes, start, reader.at);
}

/** Without the length. */
function addRaw(input: HashInput, reader: ByteReader): void {
  const start = textAt(reader);
  input.raw(reader.bytes, start, reader.at);
}

function tenThousandths(reader: ByteReader): number {
  const whole = reader.byte() | (reader.byte() << 8);
  return ((whole << 16) >> 16) / 10_000;
}
