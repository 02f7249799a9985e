// Records as bytes, which threads hand to each other instead of objects: those would be copied field by field.
//
//   pack      records, one after the other
//   record    u32 length of what follows, varint created, varint score (held to 32 bits; zigzag: 0, −1, 1, −2 …),
//             place: text community, text id of the community, u8 adult (0 not said, 1 no, 2 yes),
//             post: text domain; then the row (record-codec.ts) to the end

import { Buffer } from 'node:buffer';
import { type Kind, NO_RECORDS, type RecordBatch, type StoredRecord } from '../../model/record.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { columnScore, readRecord, writeRecord } from './record-codec.ts';

/** One pack, or none if there are no records. Throws a TypeError for a record that lacks a text. */
export function packRecords(records: readonly StoredRecord[]): RecordBatch {
  if (records.length === 0) return NO_RECORDS;
  const writer = new ByteWriter((records.length + 1) * USUAL_BYTES);
  for (const record of records) writePacked(writer, record);
  return { count: records.length, parts: [shared(writer)] };
}

export function joinBatches(batches: readonly RecordBatch[]): RecordBatch {
  return {
    count: batches.reduce((sum, { count }) => sum + count, 0),
    parts: batches.flatMap(({ parts }) => parts),
  };
}

/** The records of a batch, in their order. Throws an Error if a record is cut off, or their number is not `count`. */
export function recordsOf(kind: Kind, { count, parts }: RecordBatch): readonly StoredRecord[] {
  const records: StoredRecord[] = [];
  for (const part of parts) {
    const reader = new ByteReader(part);
    while (!reader.atEnd) {
      expectWhole(reader);
      records.push(readPacked(reader, kind));
    }
  }
  if (records.length !== count) {
    throw new Error(`expected ${count} packed records, found ${records.length}`);
  }
  return records;
}

/** The reader must be at a record, and stays there. */
function expectWhole(reader: ByteReader): void {
  const { at, bytes } = reader;
  const end = endOf(reader);
  reader.at = at;
  // NaN if the length itself is cut off.
  if (!(end <= bytes.length)) throw new Error('expected packed records, found one that breaks off');
}

export function writePacked(writer: ByteWriter, record: StoredRecord): void {
  writer.reserve(LENGTH_BYTES);
  const start = writer.length;
  writer.length += LENGTH_BYTES;
  writer.varint(record.created);
  const score = Math.trunc(columnScore(record.score));
  writer.varint(score < 0 ? -2 * score - 1 : 2 * score);
  writer.text(record.community);
  writer.text(record.communityId);
  const adult = record.kind === 'post' ? record.adult : null;
  writer.byte(adult === null ? 0 : adult ? 2 : 1);
  if (record.kind === 'post') writer.text(record.domain);
  writeRecord(writer, record);
  writer.bytes.writeUInt32LE(writer.length - start - LENGTH_BYTES, start);
}

export function readPacked(reader: ByteReader, kind: Kind): StoredRecord {
  const head = new PackedHead();
  head.read(reader);
  const { created, score } = head;
  const community = reader.text();
  const communityId = reader.text();
  const adult = adultOf(reader.byte());
  const domain = kind === 'post' ? reader.text() : '';
  const columns = { created, score, community, communityId, adult, domain };
  return readRecord(reader, kind, columns);
}

/** The fields before a record's place. The reader must be at the record, and is left at its place. */
export class PackedHead {
  created = 0;
  score = 0;
  end = 0;

  read(reader: ByteReader): void {
    this.end = endOf(reader);
    this.created = reader.varint();
    const zigzag = reader.varint();
    this.score = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
  }
}

/** The creation time of the record that begins at `place`. */
export function createdAt(bytes: Buffer, place: number): number {
  return new ByteReader(bytes, place + LENGTH_BYTES).varint();
}

/** The row (record-codec.ts) of the record that begins at `place`. */
export function packedRow(kind: Kind, bytes: Buffer, place: number): Buffer {
  const reader = new ByteReader(bytes, place);
  const end = endOf(reader);
  skipHead(reader, kind);
  return bytes.subarray(reader.at, end);
}

/** Where the id of a record is, and where the next record begins. The reader must be at the record. */
export function idPlace(
  reader: ByteReader,
  kind: Kind,
): { readonly start: number; readonly end: number; readonly next: number } {
  const next = endOf(reader);
  skipHead(reader, kind);
  reader.byte();
  const length = reader.varint();
  return { start: reader.at, end: reader.at + length, next };
}

/** Skips everything between the length and the row. */
function skipHead(reader: ByteReader, kind: Kind): void {
  reader.varint();
  reader.varint();
  reader.skipText();
  reader.skipText();
  reader.byte();
  if (kind === 'post') reader.skipText();
}

function endOf(reader: ByteReader): number {
  const { bytes, at } = reader;
  const length =
    bytes[at]! + bytes[at + 1]! * 0x100 + bytes[at + 2]! * 0x1_0000 + bytes[at + 3]! * 0x100_0000;
  reader.at = at + LENGTH_BYTES;
  return reader.at + length;
}

export function adultOf(byte: number): boolean | null {
  return byte === 0 ? null : byte === 2;
}

const LENGTH_BYTES = 4;
/** Bytes that a record often takes: a pack has this much room at first. */
const USUAL_BYTES = 320;

function shared(writer: ByteWriter): Uint8Array {
  const bytes = Buffer.from(new SharedArrayBuffer(writer.length));
  bytes.set(writer.written());
  return bytes;
}
