// From the bytes of a file to its content: recognises containers by their first bytes, never by name, and unpacks
// nested ones (a zstd inside a gzip) as streams.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '../../errors.ts';
import { BrokenSource, brokenOff, drain, HeadedBytes, type Vouched } from './byte-source.ts';
import { gunzip } from './gzip.ts';
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

/** Characters of a program's error output that are kept. */
const COMPLAINT = 200;
/**
 * The most that a bzip2 block unpacks to: 900,000 bytes, of which 5 may stand for 259. Each block is checked before the
 * next.
 */
const BZIP2_BLOCK = 900_000 * 52;

/** The content of `input`. Throws a UsageError if the program is not installed. */
async function* throughProgram(
  input: AsyncIterable<Buffer>,
  name: 'bzip2' | 'xz',
  vouched: Vouched,
): AsyncGenerator<Buffer> {
  const child = spawn(name, ['-d', '-c'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const started = once(child, 'spawn');
  const ended = once(child, 'close');
  ended.catch(() => undefined);
  try {
    await started;
  } catch (error) {
    const message = `expected the program \`${name}\`, which unpacks this file, found none on this machine`;
    throw new UsageError(message, { cause: error });
  }
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(0, COMPLAINT);
  });
  // The program may end before it has read everything; its own error output says why.
  let given = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of input) {
      given += chunk.length;
      yield chunk;
    }
  }
  const feeding = pipeline(Readable.from(counted()), child.stdin).catch(() => undefined);
  let unpacked = 0;
  try {
    for await (const chunk of drain(child.stdout)) {
      unpacked += chunk.length;
      if (name === 'bzip2') vouched.bytes = Math.max(0, unpacked - BZIP2_BLOCK);
      yield chunk;
    }
    const [exitCode] = await ended;
    if (exitCode === 0) vouched.bytes = unpacked;
    // bzip2 warns of bytes that it does not read.
    if (exitCode !== 0 || complaint !== '') throw broken(name, given, complaint);
  } finally {
    child.kill();
    await feeding;
  }
}

function broken(name: string, bytes: number, complaint: string): BrokenSource {
  if (/unexpected/i.test(complaint)) return brokenOff(name, bytes);
  const what = complaint
    .trim()
    .split('\n')[0]!
    .replace(/^\w+: (?:\(stdin\): )?|\.$/g, '');
  return new BrokenSource(`the ${name} data is damaged: ${what || 'the program failed without saying why'}`);
}
