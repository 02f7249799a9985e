// How hints name a command: as the running one was typed, so that the line can be pasted.

import { basename, dirname, isAbsolute, relative } from 'node:path';
import { isOnPath, isRunByNpx } from '../config.ts';

/** Characters that mean nothing special to any shell. */
const PLAIN_WORD = /^[\w@%+=:,./\\-]+$/;

/**
 * A line to paste: `node bin/colloquy.mjs search posts '' --data /srv/x`. `words` are the command and its
 * arguments, each quoted if it must be; `data` is the folder given to `--data`, undefined if the flag was not
 * used.
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
