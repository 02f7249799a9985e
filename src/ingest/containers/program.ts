// Containers that the system's own tools unpack: bzip2 and xz.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '../../errors.ts';
import { BrokenSource, brokenOff, drain, type Vouched } from './byte-source.ts';

/** Characters of a program's error output that are kept. */
const COMPLAINT = 200;
/**
 * The most that a bzip2 block unpacks to: 900,000 bytes, of which 5 may stand for 259. Each block is checked before the
 * next.
 */
const BZIP2_BLOCK = 900_000 * 52;

/** The content of `input`. Throws a UsageError if the program is not installed. */
export async function* throughProgram(
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
