// Content codings of answers: gzip, Brotli and zstd, as `Accept-Encoding` asks (RFC 9110, 12.5.3).

import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import { AtOnce } from '../requests/turns.ts';
import { letGo } from './bytes-under-way.ts';

export type Coding = 'zstd' | 'br' | 'gzip';

/** A body of fewer bytes is sent as it is: compressing it would save less than a packet. */
export const MIN_COMPRESSED_BYTES = 1024;

/** In our order of preference, for callers who name several with equal weight. */
const CODINGS: readonly Coding[] = ['zstd', 'br', 'gzip'];
/** In our order for codings that the caller only allows by `*`: first the one everybody can read. */
const UNNAMED: readonly Coding[] = ['gzip', 'br', 'zstd'];
const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' };

/** Compressing a large body leaves at least half of the processors to those who answer. */
const places = new AtOnce(Math.max(1, Math.min(4, availableParallelism() >> 1)));
/** Bytes that a compressor gives at once. */
const CHUNK_BYTES = 131_072;

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);
const zstdAsync = promisify(zstdCompress);

/** The coding to use; null: none, even if the caller forbids that, since an answer is better than a 406. */
export function chooseCoding(acceptEncoding: string | undefined): Coding | null {
  if (acceptEncoding === undefined) return null;
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    weights.set(ALIASES[name] ?? name, weightOf(parameters));
  }
  const weight = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0;
  const named = CODINGS.filter((coding) => weights.has(coding));
  const candidates = [...named, ...UNNAMED.filter((coding) => !weights.has(coding))];
  const best = candidates.reduce((chosen, coding) => (weight(coding) > weight(chosen) ? coding : chosen));
  return weight(best) > 0 && weight(best) >= (weights.get('identity') ?? 0) ? best : null;
}

/** A weight that cannot be read counts as 0. */
function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  if (given === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(given) ? Number(given.slice(2)) : 0;
}

/**
 * How much is spent on a body. `small`: the lowest levels whose answers are smaller than those of gzip's default.
 * `quick`: for pages, which somebody waits for: half the time, and up to a tenth more bytes
 * (`npm run bench -- codings PAGE.html`).
 */
export type Effort = 'small' | 'quick';

/**
 * Bodies of at most so many bytes are compressed on the event loop, which each holds for a millisecond or so: to hand
 * one to another thread and take it back costs the loop up to half of that, and whoever waits as much again.
 */
const MOST_ON_LOOP: Readonly<Record<Effort, number>> = { small: 32_768, quick: 98_304 };

const LEVELS: Readonly<Record<Effort, Readonly<Record<Coding, number>>>> = {
  small: { gzip: 6, zstd: 6, br: 5 },
  quick: { gzip: 3, zstd: 3, br: 4 },
};

/**
 * The body of these pieces. Several large ones are compressed in turns, piece by piece; each piece is let go of then,
 * where it has memory of its own.
 */
export async function compress(
  pieces: readonly Buffer[],
  coding: Coding,
  effort: Effort = 'small',
): Promise<readonly Buffer[]> {
  const level = LEVELS[effort][coding];
  if (pieces.length === 1) {
    const [body] = pieces as readonly [Buffer];
    if (body.length <= MOST_ON_LOOP[effort]) return [compressOnLoop(body, coding, level)];
    return [await compressWhole(body, coding, level)];
  }
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  const compressor = compressorOf(coding, bytes, level);
  const compressed: Buffer[] = [];
  compressor.on('data', (some: Buffer) => compressed.push(some));
  const write = promisify((piece: Buffer, done: (error?: Error | null) => void) =>
    compressor.write(piece, done),
  );
  for (const piece of pieces) {
    await places.run(() => write(piece));
    letGo(piece);
  }
  await places.run(() => once(compressor.end(), 'end'));
  return compressed;
}

function compressOnLoop(body: Buffer, coding: Coding, level: number): Buffer {
  switch (coding) {
    case 'gzip':
      return gzipSync(body, { level });
    case 'br':
      return brotliCompressSync(body, brotliOf(body.length, level));
    case 'zstd':
      return zstdCompressSync(body, zstdOf(level));
  }
}

function compressWhole(body: Buffer, coding: Coding, level: number): Promise<Buffer> {
  switch (coding) {
    case 'gzip':
      return gzipAsync(body, { level });
    case 'br':
      return brotliAsync(body, brotliOf(body.length, level));
    case 'zstd':
      return zstdAsync(body, zstdOf(level));
  }
}

function compressorOf(coding: Coding, bytes: number, level: number): Transform {
  const chunks = { chunkSize: CHUNK_BYTES };
  switch (coding) {
    case 'gzip':
      return createGzip({ level, ...chunks });
    case 'br':
      return createBrotliCompress({ ...brotliOf(bytes, level), ...chunks });
    case 'zstd':
      return createZstdCompress({ ...zstdOf(level), ...chunks });
  }
}

function zstdOf(level: number) {
  return { params: { [constants.ZSTD_c_compressionLevel]: level } };
}

function brotliOf(bytes: number, quality: number) {
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
    },
  };
}
