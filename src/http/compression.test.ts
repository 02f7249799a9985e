import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type Coding, chooseCoding, compress } from './compression.ts';

describe('content coding', () => {
  const rows: readonly [header: string | undefined, coding: Coding | null][] = [
    [undefined, null],
    ['', null],
    ['identity', null],
    ['deflate', null],
    ['gzip', 'gzip'],
    ['GZip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip; q=0.5 , br ; q=0.8', 'br'],
    ['*', 'zstd'],
    ['*;q=0.5, gzip', 'gzip'],
    ['gzip;q=0', null],
    ['*;q=0', null],
    ['zstd;q=0, *', 'br'],
    ['identity;q=1, gzip;q=0.5', null],
    ['identity;q=0', null],
    ['gzip;q=2', null],
    ['gzip;q=x', null],
    ['gzip;level=1', 'gzip'],
  ];
  for (const [header, coding] of rows) {
    it(`Accept-Encoding: ${header ?? '(none)'} → ${coding ?? 'as it is'}`, () =>
      assert.equal(chooseCoding(header), coding));
  }

  const readers: Readonly<Record<Coding, (bytes: Buffer) => Buffer>> = {
    gzip: gunzipSync,
    br: brotliDecompressSync,
    zstd: zstdDecompressSync,
  };
  for (const coding of ['gzip', 'br', 'zstd'] as const) {
    it(`${coding} comes back as it was, and smaller on its way`, async () => {
      const body = Buffer.from('{"a":"ä😀"}'.repeat(500));
      const compressed = await compress(body, coding);
      assert.ok(compressed.length < body.length / 10);
      assert.deepEqual(readers[coding](compressed), body);
    });
  }
});
