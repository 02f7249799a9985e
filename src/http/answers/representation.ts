// Makes and sends successful answers. JSON is written in pieces, and other requests run in between. Answers have an
// entity tag (RFC 9110, 8.8.3 and 13.1.2), 304, caching headers, and a content coding: gzip, Brotli or zstd, chosen by
// `Accept-Encoding` (12.5.3). Each piece of a large body is freed once it is compressed or sent.

import { createHash, hash as hashWhole } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import { Readable } from 'node:stream';
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
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Community } from '../../model/community.ts';
import { Places, turn } from '../../model/waiting.ts';
import type { PrintedPage } from '../../search/search-service.ts';
import { letGo, nowTakes } from './bytes-under-way.ts';

/** Compressed forms of one body, made on first use. */
export type KeptCodings = Map<Coding, Promise<readonly Buffer[]>>;

interface Representation {
  readonly body: string | readonly Buffer[];
  readonly type: string;
  readonly caching: string;
  /** Request headers besides `Accept-Encoding` that the answer depends on. */
  readonly vary?: readonly string[];
  /** Entity tag; absent: a hash of the body. */
  readonly etag?: string;
  /** Cache for a body that never changes; absent: compressed each time. */
  readonly codings?: KeptCodings;
  /** Absent: `small`. */
  readonly effort?: Effort;
}

/** A cache may store the answer for one caller, and must revalidate it each time. */
export const REVALIDATED = 'private, no-cache';

/** Milliseconds in which a caller must take at least a byte of a waiting answer. */
export const STALLED_ANSWER_MS = 15_000;
/** Slowest pace at which a caller may take an answer, counted from STALLED_ANSWER_MS on. */
export const SLOWEST_BYTES_A_SECOND = 16_384;

export async function sendRepresentation(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, type, caching, vary = [], codings, etag: given, effort }: Representation,
): Promise<FastifyReply> {
  const plain = typeof body === 'string' ? [Buffer.from(body)] : body;
  const etag = given ?? (await etagOf(plain));
  reply.headers({ ETag: etag, 'Cache-Control': caching, Vary: [...vary, 'Accept-Encoding'].join(', ') });
  if (isNoneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.header('Content-Type', type);
  nowTakes(reply.raw, bytesOf(plain));
  const coding =
    bytesOf(plain) < MIN_COMPRESSED_BYTES ? null : chooseCoding(request.headers['accept-encoding']);
  if (coding === null) return sendPieces(request, reply, plain);
  reply.header('Content-Encoding', coding);
  const compressed = codings?.get(coding) ?? compress(plain, coding, effort);
  codings?.set(coding, compressed);
  return sendPieces(request, reply, await compressed);
}

function sendPieces(request: FastifyRequest, reply: FastifyReply, pieces: readonly Buffer[]): FastifyReply {
  const { raw } = reply;
  const bytes = bytesOf(pieces);
  reply.header('Content-Length', bytes);
  nowTakes(raw, bytes);
  if (request.method === 'HEAD') return reply.send();
  if (pieces.length > 1) {
    expectTaking(raw, bytes);
    return reply.send(Readable.from(handedOver(raw, pieces, bytes)));
  }
  reply.send(pieces[0]);
  // Usually the system's buffer has taken the whole answer.
  if (!raw.writableEnded || raw.writableLength > 0) expectTaking(raw, bytes);
  return reply;
}

/** The pieces. Each is freed when the next one is asked for. */
function* handedOver(raw: ServerResponse, pieces: readonly Buffer[], bytes: number): Generator<Buffer> {
  const left = [...pieces];
  let held = bytes;
  for (let piece = left.shift(); piece !== undefined; piece = left.shift()) {
    yield piece;
    held -= piece.length;
    nowTakes(raw, held);
  }
}

/** Closes the connection if the caller takes the answer too slowly or not at all. */
function expectTaking(raw: ServerResponse, bytes: number): void {
  // An injected request has no real socket.
  if (!(raw.socket instanceof Socket)) return;
  // @NOTE without a listener, Node destroys an idle socket. It compares the bytes that wait at two timeouts in a row,
  // so half the time is set.
  raw.setTimeout(STALLED_ANSWER_MS / 2);
  const mostMs = STALLED_ANSWER_MS + (bytes / SLOWEST_BYTES_A_SECOND) * 1000;
  const timer = setTimeout(() => raw.destroy(), mostMs).unref();
  for (const end of ['close', 'finish']) raw.once(end, () => clearTimeout(timer));
}

function bytesOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Weak, since an answer has one form for each content coding. */
export async function etagOf(body: string | readonly Buffer[]): Promise<string> {
  if (typeof body === 'string') return tagOf(hashWhole('sha256', body, 'base64url'));
  if (body.length === 1) return tagOf(hashWhole('sha256', body[0]!, 'base64url'));
  const hash = createHash('sha256');
  for (const [i, piece] of body.entries()) {
    // Other requests run between two pieces.
    if (i > 0) await turn();
    hash.update(piece);
  }
  return tagOf(hash.digest('base64url'));
}

function tagOf(hash: string): string {
  return `W/"${hash.slice(0, 22)}"`;
}

/** Whether `If-None-Match` contains this tag or is `*`. Weak comparison. */
export function isNoneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = etag.replace(/^W\//, '');
  return [...header.matchAll(/"[^"]*"/g)].some(([tag]) => tag === opaque);
}

export type Coding = 'zstd' | 'br' | 'gzip';

/** Smaller bodies are not compressed: it would save less than a packet. */
const MIN_COMPRESSED_BYTES = 1024;

/** Order of preference between codings that the caller weights equally. */
const CODINGS: readonly Coding[] = ['zstd', 'br', 'gzip'];
/** Order of preference between codings that the caller allows only by `*`: the most common first. */
const UNNAMED: readonly Coding[] = ['gzip', 'br', 'zstd'];
const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' };

/** Compressing large bodies takes at most half of the processors. */
const places = new Places(Math.max(1, Math.min(4, availableParallelism() >> 1)));
const CHUNK_BYTES = 131_072;

/** null: no coding, even if the caller refuses that: an answer is better than a 406. */
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

/** An invalid weight counts as 0. */
function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  if (given === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(given) ? Number(given.slice(2)) : 0;
}

/**
 * `small`: fewer bytes than gzip's default. `quick`, for pages: half the time for up to a tenth more bytes
 * (`npm run bench -- codings PAGE.html`).
 */
type Effort = 'small' | 'quick';

/**
 * Bodies up to this size are compressed on the event loop, in about a millisecond. Handing them to another thread would
 * block the loop for half a millisecond and delay the answer by another.
 */
const MOST_ON_LOOP: Readonly<Record<Effort, number>> = { small: 32_768, quick: 98_304 };

const LEVELS: Readonly<Record<Effort, Readonly<Record<Coding, number>>>> = {
  small: { gzip: 6, zstd: 6, br: 5 },
  quick: { gzip: 3, zstd: 3, br: 4 },
};

/** Large bodies take turns, piece by piece. Each piece that owns its memory is freed once it is compressed. */
export async function compress(
  pieces: readonly Buffer[],
  coding: Coding,
  effort: Effort = 'small',
): Promise<readonly Buffer[]> {
  const options = optionsOf(coding, LEVELS[effort][coding], bytesOf(pieces));
  const [onLoop, beside, inTurns] = COMPRESSORS[coding];
  if (pieces.length === 1) {
    const [body] = pieces as readonly [Buffer];
    return [body.length <= MOST_ON_LOOP[effort] ? onLoop(body, options) : await beside(body, options)];
  }
  const compressor = inTurns({ ...options, chunkSize: CHUNK_BYTES });
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

const COMPRESSORS = {
  gzip: [gzipSync, promisify(gzip), createGzip],
  br: [brotliCompressSync, promisify(brotliCompress), createBrotliCompress],
  zstd: [zstdCompressSync, promisify(zstdCompress), createZstdCompress],
} as const;

/** `bytes`: of the whole body. */
function optionsOf(coding: Coding, level: number, bytes: number) {
  if (coding === 'gzip') return { level };
  if (coding === 'zstd') return { params: { [constants.ZSTD_c_compressionLevel]: level } };
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: level,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
    },
  };
}

/** Bytes that are made before other requests run; one record may be longer. */
export const PIECE_BYTES = 262_144;

export function jsonPieces(value: object): Promise<Buffer[]> {
  return inPieces(partsOf(value));
}

/** Joins the parts of a text into pieces. Making a part may take a few milliseconds at most. */
export async function inPieces(parts: Iterable<string>): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < PIECE_BYTES) continue;
    pieces.push(Buffer.from(text));
    text = '';
    await turn();
  }
  pieces.push(Buffer.from(text));
  return pieces;
}

/**
 * Values up to this size are written by one call of JSON.stringify, which is faster than many. JSON escapes a character
 * with six at most, so the result fits in PIECE_BYTES.
 */
const GROUP_UNITS = 32_768;
/** Counted for a number, brace or comma. */
const BESIDE_TEXTS = 8;

function* partsOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || unitsOf(value, GROUP_UNITS) <= GROUP_UNITS) {
    yield JSON.stringify(value);
  } else if (Array.isArray(value)) {
    let separator = '[';
    for (let from = 0; from < value.length; ) {
      const to = endOfGroup(value, from);
      yield separator;
      if (to > from) yield JSON.stringify(value.slice(from, to)).slice(1, -1);
      else yield* partsOf(value[from]);
      separator = ',';
      from = Math.max(to, from + 1);
    }
    yield ']';
  } else {
    let separator = '{';
    for (const [name, one] of Object.entries(value)) {
      if (one === undefined) continue;
      yield `${separator}${JSON.stringify(name)}:`;
      yield* partsOf(one);
      separator = ',';
    }
    yield '}';
  }
}

/** End of the group that starts at `from`; `from` itself if that value is larger than a group. */
function endOfGroup(list: readonly unknown[], from: number): number {
  let left = GROUP_UNITS;
  let to = from;
  for (; to < list.length; to++) {
    left -= unitsOf(list[to], left);
    if (left < 0) break;
  }
  return to;
}

/** Estimated UTF-16 units of its JSON; stops counting above `limit`. */
function unitsOf(value: unknown, limit: number): number {
  if (typeof value === 'string') return value.length + BESIDE_TEXTS;
  let units = BESIDE_TEXTS;
  if (Array.isArray(value)) {
    for (const one of value) {
      units += unitsOf(one, limit - units);
      if (units > limit) break;
    }
  } else if (typeof value === 'object' && value !== null) {
    // Object.values would allocate a list for each of up to a million rows.
    for (const name in value) {
      units += name.length + unitsOf(value[name as keyof typeof value], limit - units);
      if (units > limit) break;
    }
  }
  return units;
}

/**
 * The answer as JSON with these printed records as `data`, in pieces of at most twice PIECE_BYTES. Replaces communities
 * with their latest facts. Frees `page.bytes`.
 */
export async function printedPieces(answer: object, page: PrintedPage): Promise<Buffer[]> {
  const [head, tail] = aroundData(answer);
  const pieces: Buffer[] = [];
  let parts: Buffer[] = [Buffer.from(head)];
  let size = parts[0]!.length;
  for (const part of printedParts(page)) {
    if (size >= PIECE_BYTES) {
      pieces.push(Buffer.concat(parts, size));
      parts = [];
      size = 0;
      await turn();
    }
    parts.push(part);
    size += part.length;
  }
  const last = Buffer.from(tail);
  pieces.push(Buffer.concat([...parts, last], size + last.length));
  letGo(page.bytes);
  return pieces;
}

/** The JSON before the first record and after the last. In JSON, quotes inside texts are escaped, so DATA is unique. */
function aroundData(answer: object): [head: string, tail: string] {
  const text = JSON.stringify({ ...answer, data: [] });
  const end = text.indexOf(DATA) + DATA.length;
  return [text.slice(0, end), text.slice(end)];
}

const DATA = '"data":[';

/** At most PIECE_BYTES each. */
function* printedParts({ bytes, places, of, communities, known }: PrintedPage): Generator<Buffer> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const changes = known.map(
    (whole, i) => whole && ([jsonOf(communities[i]!).length, jsonOf(whole)] as const),
  );
  const hasChanges = changes.some((change) => change !== null);
  let from = 0;
  for (let i = 0; hasChanges && i < places.length; i++) {
    const change = changes[of[i]!]!;
    if (change === null) continue;
    const [printed, whole] = change;
    yield* cut(text, from, places[i]!);
    yield whole;
    from = places[i]! + printed;
  }
  yield* cut(text, from, text.length);
}

function jsonOf(community: Community): Buffer {
  return Buffer.from(JSON.stringify(community));
}

function* cut(text: Buffer, from: number, to: number): Generator<Buffer> {
  for (let at = from; at < to; at += PIECE_BYTES) yield text.subarray(at, Math.min(to, at + PIECE_BYTES));
}
