// Runs command lines one after the other, each as in a process of its own but for its start: see one-process.ts.

import { Readable } from 'node:stream';
import { runCommand } from '../src/cli/run.ts';
import { FEATURES } from '../src/features.ts';
import type { CommandCall, CommandResult } from './one-process.ts';

process.umask(0o077);
process.on('disconnect', () => process.exit());
process.on('message', async (call: CommandCall) => process.send!(await result(call)));

async function result({ words, input, program, settings, cwd }: CommandCall): Promise<CommandResult> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, settings);
  process.chdir(cwd);
  process.argv = [process.execPath, program, ...words];
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true });
  process.exitCode = undefined;
  const out = caught(process.stdout);
  const told = caught(process.stderr);
  try {
    const code = await runCommand(words, FEATURES);
    return { code, stdout: out.text(), stderr: told.text() };
  } finally {
    out.release();
    told.release();
  }
}

/** What is written to a stream from now on. */
function caught(stream: NodeJS.WriteStream): { text(): string; release(): void } {
  const parts: Buffer[] = [];
  const { write } = stream;
  stream.write = (part: string | Uint8Array, ...others: readonly unknown[]) => {
    parts.push(typeof part === 'string' ? Buffer.from(part) : Buffer.from(part));
    const done = others.find((value) => typeof value === 'function');
    if (done !== undefined) process.nextTick(done as () => void);
    return true;
  };
  return {
    text: () => Buffer.concat(parts).toString(),
    release: () => {
      stream.write = write;
    },
  };
}
