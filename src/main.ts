// The command line as a process: its exit code, and what ends it besides its work.

import { runCommand } from './cli/run.ts';
import { isRunByNpm } from './config.ts';
import { FEATURES } from './features.ts';

/** How often to check the parent, if it cannot tell us that it ends. */
const PARENT_CHECK_MS = 250;

// Only their owner may read the files we make: records, keys and rejected lines are nobody else's business.
process.umask(0o077);
endWithParent();
endWithReader();
process.exitCode = await runCommand(process.argv.slice(2), FEATURES);

/**
 * The process that started this one may die without a signal. bin/colloquy.mjs under a foreign Node keeps a channel
 * open, which then closes; npm runs a shell that does not pass SIGTERM on, and leaves us to another parent.
 */
function endWithParent(): void {
  const end = () => process.kill(process.pid, 'SIGTERM');
  if (process.channel !== undefined) {
    process.once('disconnect', end);
    process.channel?.unref();
  } else if (isRunByNpm()) {
    const parent = process.ppid;
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      end();
    }, PARENT_CHECK_MS);
    timer.unref();
  }
}

/**
 * `colloquy … | head`: once nobody reads the results any more, there is nothing left to do; progress may go
 * unread. The exit code is 0 unless the command has set another.
 */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
