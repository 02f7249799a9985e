// The command line: every command, and the one place where errors become exit codes.
// 0 done; 1 failed while working; 2 wrong usage or bad input.

import { Command, CommanderError } from 'commander';
import { isRunByNpm, readConfig } from '../config.ts';
import { ServiceError, StorageError, storageError, UsageError } from '../errors.ts';
import { IndexDamage } from '../model/damage.ts';
import { EngineLimit, EngineUnavailable } from '../model/engine-errors.ts';
import { programName, withTypedCommands, withTypedExamples } from './command-line.ts';
import { COMMANDS } from './commands.ts';
import { programVersion } from './version.ts';

/** How often to check the parent, if it cannot tell us that it ends. */
const PARENT_CHECK_MS = 250;

// Only their owner may read the files we make: records, keys and rejected lines are nobody else's business.
process.umask(0o077);
endWithParent();
endWithReader();
process.exitCode = await run(process.argv.slice(2));

/** Returns the exit code. */
async function run(words: readonly string[]): Promise<number> {
  let data: string | undefined;
  const program = new Command(programName())
    .description('Search every post and comment of a discussion site: exact, complete, fast.')
    .addHelpText('after', '\nStart here:\n  colloquy serve\n  colloquy import RC_2005-12.zst\n')
    .helpCommand(false)
    .option('-V, --version', 'print the versions of Colloquy and Node, and the engine')
    .on('option:version', tellVersion)
    .hook('preAction', (_, called) => {
      data = (called.opts() as { readonly data?: string }).data;
    });
  const wanted = Object.entries(COMMANDS).filter(([name]) => name === words[0]);
  for (const [, load] of wanted.length > 0 ? wanted : Object.entries(COMMANDS)) {
    program.addCommand(await load());
  }
  prepare(program);
  try {
    await program.parseAsync(words, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return exitCodeOf(error, data);
  }
}

/** Throws errors instead of exiting, and prints them in one line that says how to get help. */
function prepare(command: Command): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => process.stdout.write(withTypedExamples(text)),
    outputError: (text, write) => {
      const line = text
        .trim()
        .replace(/^error: /, '')
        .replace(/\s*\n\s*/g, ' ');
      write(`colloquy: ${line} (try: ${programName()} ${pathOf(command)}--help)\n`);
    },
  });
  for (const sub of command.commands) prepare(sub);
}

/** Ends the parsing, because there is nothing else to do. */
function tellVersion(): never {
  const { colloquy, node } = programVersion();
  process.stdout.write(`colloquy ${colloquy} (Node ${node}, engine ${readConfig().engine})\n`);
  throw new CommanderError(0, 'commander.version', '');
}

function pathOf(command: Command): string {
  return command.parent === null ? '' : `${pathOf(command.parent)}${command.name()} `;
}

/** `data` is the folder given to `--data`, for the commands that messages name. */
function exitCodeOf(error: unknown, data: string | undefined): number {
  // Commander has already printed its own message; help and version are not errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const isNewer = error instanceof IndexDamage && error.isNewer;
  const isRefused = error instanceof EngineLimit || (error instanceof ServiceError && error.status < 500);
  if (isNewer || error instanceof UsageError || isRefused) {
    process.stderr.write(`colloquy: ${withTypedCommands(error.message, data)}\n`);
    return 2;
  }
  return failed(storageError(error, (error as NodeJS.ErrnoException).path ?? 'data folder'), data);
}

/** Errors that a different command line cannot mend. */
function failed(error: unknown, data: string | undefined): number {
  const { message, stack } = error as Error;
  const isTold = [ServiceError, StorageError, EngineUnavailable].some((type) => error instanceof type);
  process.stderr.write(`colloquy: ${isTold ? withTypedCommands(message, data) : (stack ?? String(error))}\n`);
  return 1;
}

/**
 * The process that started this one may die without a signal. bin/colloquy.mjs under a foreign Node keeps a
 * channel open, which then closes; npm runs a shell that does not pass SIGTERM on, and leaves us to another
 * parent.
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
