// Records as they stand in files of every format, read back; and what should stand there, from an engine that scans.

import assert from 'node:assert/strict';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import type { Compression, Format } from '../../src/features/export/parameters.ts';
import { namesOn, type SearchEngine } from '../../src/model/engine.ts';
import type { Order } from '../../src/model/pages.ts';
import type { Query } from '../../src/model/query.ts';
import type { Kind, StoredRecord } from '../../src/model/record.ts';
import { type CommentRecord, type PostRecord, presentRecords } from '../../src/search/presenter.ts';
import { strictCsv } from '../export-shaping.ts';

const PERMALINK_BASE = 'https://www.reddit.com';

/** Every match, as a caller gets it, in order; nothing is known but what the records say. */
export async function expectedRecords(
  engine: SearchEngine,
  kind: Kind,
  query: Query,
  order: Order,
): Promise<(PostRecord | CommentRecord)[]> {
  const records: StoredRecord[] = [];
  for await (const batch of engine.scan(kind, query, order)) records.push(...batch);
  const page = { order, limit: 1_000_000, after: null };
  const { evidence = new Map() } = await engine.ask({ kind, query, page, evidence: true });
  assert.ok(evidence.size <= namesOn({ records, next: null, hasMore: false, isShort: false }).size);
  return presentRecords(records, { evidence, knowledge: new Map(), permalinkBase: PERMALINK_BASE });
}

export function unpacked(bytes: Buffer, compress: Compression): Buffer {
  switch (compress) {
    case 'none':
      return bytes;
    case 'gzip':
      return gunzipSync(bytes);
    case 'zstd':
      return zstdDecompressSync(bytes);
  }
}

/** `subreddit` as three fields. Of formats of text every value is a text, null an empty one. */
export type FlatRecord = Readonly<Record<string, unknown>>;

export function flat(record: object): FlatRecord {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]): [string, unknown][] =>
      name === 'subreddit'
        ? Object.entries(value as object).map(([part, inside]) => [`subreddit.${part}`, inside])
        : [[name, value]],
    ),
  );
}

function asTexts(record: FlatRecord): FlatRecord {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, value === null ? '' : String(value)]),
  );
}

/** What a spreadsheet would run or could not hold is written in another way. */
function asSheet(record: FlatRecord): FlatRecord {
  const fitting = (text: string) =>
    (/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text).slice(0, 32_767);
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, typeof value === 'string' ? fitting(value) : value]),
  );
}

/** Throws where the bytes do not hold exactly these records in this order. */
export async function assertHolds(
  bytes: Buffer,
  format: Format,
  expected: readonly object[],
  where: string,
): Promise<void> {
  switch (format) {
    case 'ndjson': {
      const lines = expected.map((record) => `${JSON.stringify(record)}\n`);
      assert.equal(bytes.toString('utf8'), lines.join(''), where);
      return;
    }
    case 'csv':
      assert.deepEqual(rowsOf(bytes, '\n'), expected.map(flat).map(asTexts), where);
      return;
    case 'csv-excel':
      assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf], where);
      assert.deepEqual(
        rowsOf(bytes.subarray(3), '\r\n'),
        expected.map(flat).map(asSheet).map(asTexts),
        where,
      );
      return;
    case 'parquet':
      assert.deepEqual(await parquetRows(bytes), expected.map(flat), where);
      return;
  }
}

/** Integers of 64 bits as numbers: none of ours is beyond 2^53. */
async function parquetRows(bytes: Buffer): Promise<FlatRecord[]> {
  const rows = await parquetReadObjects({
    file: Uint8Array.from(bytes).buffer,
    compressors: { ZSTD: (page: Uint8Array) => zstdDecompressSync(page) },
    // Its own would drop a byte order mark.
    parsers: { ...DEFAULT_PARSERS, stringFromBytes: (text) => text && Buffer.from(text).toString() },
  });
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
    ),
  );
}

/** In records of text, the columns in the order of the head. */
function rowsOf(bytes: Buffer, rowEnd: '\n' | '\r\n'): FlatRecord[] {
  const [head = [], ...rows] = strictCsv(bytes.toString('utf8'), rowEnd);
  return rows.map((row) => {
    assert.equal(row.length, head.length);
    return Object.fromEntries(head.map((name, i) => [name, row[i]]));
  });
}
