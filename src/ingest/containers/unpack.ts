// From the bytes of a file to its content: recognises containers by their first bytes, never by name, and unpacks
// nested ones (a zstd inside a gzip) as streams.

import { UsageError } from '../../errors.ts';
import { HeadedBytes, type Vouched } from './byte-source.ts';
import { gunzip } from './gzip.ts';
import { throughProgram } from './program.ts';
import { startsFrame, unzstd } from './zstd.ts';

/** Deeper nesting is an attack, such as a zip bomb. */
const MAX_LAYERS = 4;
/** Chunks of 128 KiB cost a quarter more CPU. */
const OUTPUT_CHUNK = 512 * 1024;
export const HEAD_BYTES = 16;

export type Container = 'zstd' | 'gzip' | 'bzip2' | 'xz' | 'zip' | 'plain';

/**
 * The content of `bytes`. If a container is damaged, ends with an error that describes the damage. Adds the containers
 * to `containers`, the outermost first; `vouched` counts the confirmed bytes of the outermost.
 */
export async function unpack(
  bytes: AsyncIterable<Buffer>,
  containers: Container[] = [],
  vouched: Vouched = { bytes: 0 },
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
      return unpack(unzstd(headed, OUTPUT_CHUNK, vouched), containers);
    case 'gzip':
      return unpack(gunzip(headed, OUTPUT_CHUNK, vouched), containers);
    case 'bzip2':
    case 'xz':
      return unpack(throughProgram(headed, container, vouched), containers);
    case 'zip':
      await headed.close();
      throw new UsageError('expected a zip archive as a file, found one inside another container');
  }
}

/** By the magic numbers of the formats. */
export function containerOf(head: Buffer): Container {
  if (head.length < 4) return 'plain';
  if (startsFrame(head)) return 'zstd';
  const first = head.readUInt32LE(0);
  if ((first & 0xffffff) === 0x088b1f) return 'gzip';
  if (/^BZh[1-9](?:1AY&SY|\x17rE8P\x90)/.test(head.toString('latin1', 0, 10))) return 'bzip2';
  if (head.toString('latin1', 0, 6) === '\xfd7zXZ\0') return 'xz';
  if (first === 0x04034b50 || first === 0x06054b50) return 'zip';
  return 'plain';
}
