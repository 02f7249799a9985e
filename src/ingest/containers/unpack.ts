// From the bytes of a file to its content: recognises containers by their first bytes, never by name, and unpacks
// nested ones (a zstd inside a gzip) as streams.

import { Readable } from 'node:stream';
import { constants, createZstdDecompress } from 'node:zlib';
import { UsageError } from '../../errors.ts';
import { BrokenSource } from './broken.ts';
import { drain } from './drain.ts';
import { gunzip } from './gzip.ts';
import { HeadedBytes } from './head.ts';
import { throughProgram } from './program.ts';

/** What the user should know about a container, besides its content; one line each. */
export type Notes = string[];

/** Nested containers; more of them are a trap. */
const MAX_LAYERS = 4;
/** Dumps are written with a window of 2^31 bytes; zstd refuses more than 2^27 unless told. */
const WINDOW_LOG_MAX = 31;
const OUTPUT_CHUNK = 128 * 1024;
/** How many first bytes `containerOf` examines. */
export const HEAD_BYTES = 16;

export type Container = 'zstd' | 'gzip' | 'bzip2' | 'xz' | 'zip' | 'plain';

/**
 * The content of `bytes`. If a container is damaged, ends with an error that says how. The containers go to
 * `containers`, the outermost first.
 */
export async function unpack(
  bytes: AsyncIterable<Buffer>,
  notes: Notes,
  containers: Container[] = [],
): Promise<HeadedBytes> {
  const headed = new HeadedBytes(bytes);
  const container = containerOf(await headed.head(HEAD_BYTES));
  if (container === 'plain') return headed;
  if (containers.length === MAX_LAYERS) {
    await headed.close();
    throw new UsageError(`expected at most ${MAX_LAYERS} nested containers, found more`);
  }
  containers.push(container);
  switch (container) {
    case 'zstd':
      return unpack(unzstd(headed, notes), notes, containers);
    case 'gzip':
      return unpack(
        gunzip(headed, OUTPUT_CHUNK, (note) => notes.push(note)),
        notes,
        containers,
      );
    case 'bzip2':
    case 'xz':
      return unpack(throughProgram(headed, container), notes, containers);
    case 'zip':
      await headed.close();
      throw new UsageError('expected a zip archive as a file, found one inside another container');
  }
}

/** By the magic numbers of the formats (zstd also by those of its skippable frames, RFC 8878 section 3.1). */
export function containerOf(head: Buffer): Container {
  if (head.length < 4) return 'plain';
  const first = head.readUInt32LE(0);
  if (first === 0xfd2fb528 || (first & 0xfffffff0) >>> 0 === 0x184d2a50) return 'zstd';
  if ((first & 0xffffff) === 0x088b1f) return 'gzip';
  if (/^BZh[1-9](?:1AY&SY|\x17rE8P\x90)/.test(head.toString('latin1', 0, 10))) return 'bzip2';
  if (head.toString('latin1', 0, 6) === '\xfd7zXZ\0') return 'xz';
  if (first === 0x04034b50 || first === 0x06054b50) return 'zip';
  return 'plain';
}

/** Counts the bytes read, because the decompressor silently ignores input after its end. */
async function* unzstd(input: AsyncIterable<Buffer>, notes: Notes): AsyncGenerator<Buffer> {
  const decompress = createZstdDecompress({
    chunkSize: OUTPUT_CHUNK,
    params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG_MAX },
  });
  let given = 0;
  let isAllGiven = false;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of input) {
      given += chunk.length;
      yield chunk;
    }
    isAllGiven = true;
  }
  const source = Readable.from(counted(), { objectMode: true, highWaterMark: 1 });
  source.on('error', (error) => decompress.destroy(error));
  source.pipe(decompress);
  try {
    yield* drain(decompress);
    const left = given - decompress.bytesWritten;
    if (left > 0 || !isAllGiven) {
      notes.push(
        `the zstd data ends at byte ${decompress.bytesWritten}, and something else follows: not read`,
      );
    }
  } catch (error) {
    throw brokenZstd(error, decompress.bytesWritten);
  } finally {
    source.destroy();
    decompress.destroy();
  }
}

function brokenZstd(error: unknown, at: number): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') {
    return new BrokenSource(`the zstd data ends after ${at} bytes: the file is incomplete`, {
      cause: error,
    });
  }
  if (code?.startsWith('Z') === true) {
    return new BrokenSource(`the zstd data is damaged near byte ${at}: ${message}`, { cause: error });
  }
  return error;
}
