// Containers that the system's own tools unpack: bzip2 and xz.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '../../errors.ts';
import { BrokenSource } from './broken.ts';
import { drain } from './drain.ts';

/** How much of a program's error output is kept. */
const COMPLAINT = 200;

/** The content of `input`. Throws a UsageError if the program is not installed. */
export async function* throughProgram(
  input: AsyncIterable<Buffer>,
  name: 'bzip2' | 'xz',
): AsyncGenerator<Buffer> {
  const child = spawn(name, ['-d', '-c'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const started = once(child, 'spawn');
  const ended = once(child, 'close');
  ended.catch(() => undefined);
  try {
    await started;
  } catch (error) {
    throw new UsageError(
      `expected the program \`${name}\`, which unpacks this file, found none on this machine`,
      {
        cause: error,
      },
    );
  }
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(0, COMPLAINT);
  });
  // The program may end before it has read everything; its own error output says why.
  const feeding = pipeline(Readable.from(input), child.stdin).catch(() => undefined);
  try {
    yield* drain(child.stdout);
    const [exitCode] = await ended;
    if (exitCode !== 0) throw new BrokenSource(`${name}: ${oneLine(complaint)}`);
  } finally {
    child.kill();
    await feeding;
  }
}

function oneLine(text: string): string {
  return text.trim().split(/\s+/).join(' ') || 'failed without saying why';
}
