import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { randomOf } from '../../../test/generators/random.ts';
import { type Coding, chooseCoding, compress } from './representation.ts';

/** 25 records of 40 words, of which few are frequent, as in a language. */
function shortPage(): string {
  const words = Array.from({ length: 2_000 }, (_, i) =>
    ((i + 37) * 104_729).toString(36).slice(0, 2 + (i % 7)),
  );
  const random = randomOf(1);
  const records = Array.from({ length: 25 }, (_, i) => ({
    id: (40_000_000_000 + i * 977).toString(36),
    created_utc: 1_600_000_000 - i * 17,
    permalink: `https://www.reddit.com/r/cats/comments/${(i * 31_337).toString(36)}/`,
    body: Array.from({ length: 40 }, () => words[Math.floor(2_000 ** random()) - 1]).join(' '),
    score: Math.floor(random() * 97),
  }));
  return JSON.stringify(records);
}

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
    ['*', 'gzip'],
    ['br, *', 'br'],
    ['gzip;q=0, *', 'br'],
    ['*;q=0.5, gzip', 'gzip'],
    ['gzip;q=0', null],
    ['*;q=0', null],
    ['zstd;q=0, *', 'gzip'],
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
  it('zstd was larger than gzip on a short page, and brotli hardly smaller', async () => {
    const body = Buffer.from(shortPage());
    const bytes = async (coding: Coding) => Buffer.concat(await compress([body], coding)).length;
    const gzip = await bytes('gzip');
    assert.ok((await bytes('zstd')) < gzip * 0.99);
    assert.ok((await bytes('br')) < gzip * 0.98);
  });

  for (const coding of ['gzip', 'br', 'zstd'] as const) {
    it(`${coding} comes back as it was, and smaller on its way`, async () => {
      const body = Buffer.from('{"a":"ä😀"}'.repeat(500));
      const large = Buffer.from('{"a":"ä😀"}'.repeat(10_000));
      for (const pieces of [[body], [large], [body.subarray(0, 3000), body.subarray(3000)]]) {
        const whole = Buffer.concat(pieces);
        const compressed = Buffer.concat(await compress(pieces, coding));
        assert.ok(compressed.length < whole.length / 10);
        assert.deepEqual(readers[coding](compressed), whole);
      }
    });
  }
});
