// What each content coding makes of answers of the API, and what it costs: bytes and CPU time of every level, in one
// run. `npm run bench -- codings FILE.ndjson.zst` takes its records from a dump; without one, invented text.
// `npm run bench -- codings PAGE.html` tells the same of a page that was saved.

import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { brotliCompressSync, constants, createZstdDecompress, gzipSync, zstdCompressSync } from 'node:zlib';

const PAGES = [25, 100, 1000] as const;
const ROUNDS: Readonly<Record<number, number>> = { 25: 200, 100: 60, 1000: 8 };

const codings: readonly (readonly [name: string, make: (body: Buffer) => Buffer])[] = [
  ...[1, 3, 4, 5, 6, 9].map(
    (level) => [`gzip ${level}`, (body: Buffer) => gzipSync(body, { level })] as const,
  ),
  ...[1, 3, 4, 5, 6, 7, 9].map(
    (quality) =>
      [
        `br ${quality}`,
        (body: Buffer) =>
          brotliCompressSync(body, {
            params: {
              [constants.BROTLI_PARAM_QUALITY]: quality,
              [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
              [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
            },
          }),
      ] as const,
  ),
  ...[1, 3, 5, 6, 7, 8, 9, 11].map(
    (level) =>
      [
        `zstd ${level}`,
        (body: Buffer) => zstdCompressSync(body, { params: { [constants.ZSTD_c_compressionLevel]: level } }),
      ] as const,
  ),
];

const file = process.argv[2];
if (file?.endsWith('.html')) compare(readFileSync(file), file, 100);
else {
  const bodies = await readBodies(file);
  for (const size of PAGES) {
    compare(Buffer.from(envelope(bodies.slice(0, size))), `${size} records`, ROUNDS[size]!);
  }
}

function compare(page: Buffer, what: string, rounds: number): void {
  console.log(
    `\n${what}, ${page.length} bytes\n\n| coding | bytes | of the body | CPU, ms |\n|---|---|---|---|`,
  );
  for (const [name, make] of codings) {
    make(page);
    const before = process.cpuUsage();
    for (let i = 0; i < rounds; i++) make(page);
    const { user, system } = process.cpuUsage(before);
    const { length } = make(page);
    const ms = (user + system) / 1000 / rounds;
    console.log(
      `| ${name} | ${length} | ${((100 * length) / page.length).toFixed(1)} % | ${ms.toFixed(2)} |`,
    );
  }
}

async function readBodies(file: string | undefined): Promise<string[]> {
  const texts: string[] = [];
  if (file === undefined) {
    for (let i = 0; i < 1000; i++)
      texts.push(`Comment ${i} about ${(i * 7919) % 997} and ${(i * 31) % 89}. `.repeat(4));
    return texts;
  }
  const lines = createInterface({
    input: createReadStream(file).pipe(
      createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 31 } }),
    ),
  });
  let number = 0;
  for await (const line of lines) {
    const { body } = JSON.parse(line) as { body?: unknown };
    if (typeof body === 'string' && number++ % 50 === 0) texts.push(body);
    if (texts.length === 1000) break;
  }
  return texts;
}

function envelope(texts: readonly string[]): string {
  const data = texts.map((body, i) => {
    const id = (40_000_000_000 + i * 977).toString(36);
    const name = ['askreddit', 'science', 'energy', 'cats'][i % 4]!;
    return {
      type: 'comment',
      id,
      subreddit: { id: '2qh1i', name, nsfw: false },
      created_utc: 1_600_000_000 - i * 17,
      permalink: `https://www.reddit.com/r/${name}/comments/${(i * 31_337).toString(36)}/_/${id}/`,
      body,
      sentiment: Math.round(Math.sin(i) * 10_000) / 10_000,
      score: (i * i) % 97,
    };
  });
  return JSON.stringify({ type: 'comment', total_count: 123_456, data, query: 'cats', sort_key: [[1]] });
}
