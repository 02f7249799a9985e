// The command line itself: how hints name a command, as the running one was typed, so that the line can be pasted;
// items that a command is given one a line; and Ctrl-C and SIGTERM, of which the first asks for an orderly stop and
// another one ends the process at once.

import { createReadStream } from 'node:fs';
import { basename, dirname, isAbsolute, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { isOnPath, isRunByNpx } from '../config.ts';
import { UsageError } from '../errors.ts';
import type { Dropped } from '../search/language/interpret.ts';

/** Characters that mean nothing special to any shell. */
const PLAIN_WORD = /^[\w@%+=:,./\\-]+$/;

/**
 * A line to paste: `node bin/colloquy.mjs search posts '' --data /srv/x`. `words` are the command and its arguments,
 * each quoted if it must be; `data` is the folder given to `--data`, undefined if the flag was not used.
 */
export function commandLine(words: readonly string[], data?: string): string {
  const flag = data === undefined ? [] : ['--data', data];
  return [programName(), ...[...words, ...flag].map(shellWord)].join(' ');
}

/** `colloquy` if a shell finds it under this name, otherwise the path of the file that was started. */
export function programName(
  script = process.argv[1] ?? 'colloquy',
  folder = process.cwd(),
  byNpx = isRunByNpx(),
): string {
  // The links that npm puts into a folder of programs have no extension.
  const isProgram = !/\.\w+$/.test(script);
  // npx adds that folder to the path of this process alone.
  if (isProgram && byNpx) return `npx ${basename(script)}`;
  if (isProgram && isOnPath(dirname(script))) return basename(script);
  const fromHere = relative(folder, script);
  // A service starts in the root, and whoever reads its log is elsewhere.
  const isBelow = !fromHere.startsWith('..') && !isAbsolute(fromHere) && dirname(folder) !== folder;
  const path = isBelow ? fromHere : script;
  return isProgram ? shellWord(isBelow ? `./${path}` : path) : `node ${shellWord(path)}`;
}

/** Messages and help name commands as `colloquy check`; this makes lines to paste of them. */
export function withTypedCommands(text: string, data?: string): string {
  return text.replace(
    /`colloquy ([^`]*)`/g,
    (_, words: string) => `\`${commandLine(words.split(' '), data)}\``,
  );
}

/** The examples in a command's help, each on a line of its own or after a pipe. */
export function withTypedExamples(help: string): string {
  return help.replace(
    /(^ {2}|\$\(|\| )colloquy (?=[a-z])/gm,
    (_, before: string) => `${before}${programName()} `,
  );
}

export function shellWord(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Words that are searched for without their signs; items that are dropped whole are missing in the interpreted query.
 */
export function tellDropped(dropped: readonly Dropped[]): void {
  for (const { written, searched } of dropped) {
    if (searched !== null)
      process.stderr.write(`(\`${written}\` searches for \`${searched}\`: signs are not indexed)\n`);
  }
}

export interface Item {
  readonly text: string;
  /** `ids.txt:12`; empty for an argument. */
  readonly place: string;
}

export const STANDARD_INPUT = '-';

/** Skips blank lines. Throws a UsageError where it cannot be read. */
export async function* linesOf(file: string): AsyncGenerator<Item> {
  const input = file === STANDARD_INPUT ? process.stdin : createReadStream(file, 'utf8');
  const name = file === STANDARD_INPUT ? 'standard input' : file;
  let line = 0;
  try {
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
      line++;
      // A byte order mark counts as white space.
      if (text.trim() !== '') yield { text: text.trim(), place: `${name}:${line}` };
    }
  } catch (error) {
    throw new UsageError(`expected a file of lines, found ${(error as Error).message}`, { cause: error });
  }
}

/**
 * A second signal within this time is the same request: a terminal sends Ctrl-C to a whole group of
 * processes, and npm and bin/colloquy.mjs pass it on to a process that has already received it.
 */
const SAME_WISH_MS = 1000;

/**
 * Aborts `signal` and calls `stop` once, at the first signal. Dispose of the result to give the signals their usual
 * meaning again.
 */
export function onStopSignal(stop = () => {}): Disposable & { readonly signal: AbortSignal } {
  const stopping = new AbortController();
  let first: number | null = null;
  const listener = () => {
    if (first === null) {
      first = performance.now();
      stop();
      stopping.abort();
    } else if (performance.now() - first > SAME_WISH_MS) {
      process.exit(1);
    }
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return {
    signal: stopping.signal,
    [Symbol.dispose]: () => {
      for (const signal of SIGNALS) process.off(signal, listener);
    },
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
