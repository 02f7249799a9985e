// A command of the user's, run by the shell, with lines on its standard input.

import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Takes lines until there are no more; then waits for the command to end. Resolves to why it failed, null: it did
 * not. A command need not read its input to the end. What it prints goes where ours goes.
 */
export async function runWithLines(command: string, lines: AsyncIterable<string>): Promise<string | null> {
  const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'] });
  const ended = new Promise<string | null>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (code, signal) => {
      if (signal !== null) resolve(`ended by ${signal}`);
      else resolve(code === 0 ? null : `exit code ${code}`);
    });
  });
  let isOpen = true;
  const closed = new Promise<void>((resolve) => {
    // It reads no more: whether that is a failure, its exit code says.
    child.stdin.on('error', () => resolve());
    child.stdin.once('close', () => resolve());
  }).then(() => {
    isOpen = false;
  });
  for await (const line of lines) {
    if (!isOpen) break;
    if (!child.stdin.write(line)) await Promise.race([once(child.stdin, 'drain').catch(() => null), closed]);
  }
  child.stdin.end();
  return await ended;
}
