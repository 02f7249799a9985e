// A command line, run to its end: every command, and the one place where errors become exit codes.
// 0 done; 1 failed while working; 2 wrong usage or bad input.

import { Command, CommanderError } from 'commander';
import { programVersion, readConfig } from '../config.ts';
import { ServiceError, StorageError, storageError, UsageError } from '../errors.ts';
import { EngineLimit, EngineUnavailable, IndexDamage } from '../model/engine-errors.ts';
import { programName, withTypedCommands, withTypedExamples } from './command-line.ts';
import type { Feature, FeatureEntry } from './feature.ts';

/** All by name, in the order of `--help`; loaded when one is called: loading all takes longer than most commands. */
export function commandsOf(
  features: readonly FeatureEntry[],
): Readonly<Record<string, () => Promise<Command>>> {
  const own = features.flatMap(({ commands, load }) =>
    commands.map((name) => [name, async () => commandOf((await load()).feature, name, features)] as const),
  );
  const serve = async () => (await import('./serving/serve.ts')).serveCommand(features);
  const config = async () => (await import('./config-command.ts')).configCommand();
  return { serve, ...Object.fromEntries(own), config };
}

async function commandOf(
  { commands, operations }: Feature,
  name: string,
  features: readonly FeatureEntry[],
): Promise<Command> {
  const all = (await (commands?.[name] ?? operations)?.(features)) ?? [];
  if (all instanceof Command) return all;
  const { operationCommand } = await import('./operation-command.ts');
  return operationCommand(
    all.filter((operation) => operation.name === name && operation.command !== undefined),
  );
}

export async function runCommand(
  words: readonly string[],
  features: readonly FeatureEntry[],
): Promise<number> {
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
  const commands = Object.entries(commandsOf(features));
  const wanted = commands.filter(([name]) => name === words[0]);
  for (const [, load] of wanted.length > 0 ? wanted : commands) {
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
