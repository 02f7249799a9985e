// How hints name a command: as the one that runs was typed, so that a line can be pasted.

import { basename, dirname, isAbsolute, relative } from 'node:path';
import { isOnPath } from '../config.ts';

/** Characters that no shell takes for its own. */
const PLAIN_WORD = /^[\w@%+=:,./\\-]+$/;

/**
 * A line to paste: `node bin/colloquy.mjs search posts '' --data /srv/x`. `words` are the command and its arguments,
 * each quoted where it must be; `data` is the folder as `--data` gave it, undefined where the flag was not used.
 */
export function commandLine(words: readonly string[], data?: string): string {
  const flag = data === undefined ? [] : ['--data', data];
  return [programName(), ...[...words, ...flag].map(shellWord)].join(' ');
}

/** `colloquy` where a shell finds it under this name, else the way to the file that was started. */
export function programName(script = process.argv[1] ?? 'colloquy', folder = process.cwd()): string {
  // Links that npm makes into a folder of programs have no ending.
  const isProgram = !/\.\w+$/.test(script);
  if (isProgram && isOnPath(dirname(script))) return basename(script);
  const fromHere = relative(folder, script);
  const isBelow = !fromHere.startsWith('..') && !isAbsolute(fromHere);
  const path = isBelow ? fromHere : script;
  return isProgram ? shellWord(isBelow ? `./${path}` : path) : `node ${shellWord(path)}`;
}

/** Messages of every layer and help name commands as `colloquy check`: the same text with lines to paste instead. */
export function withTypedCommands(text: string, data?: string): string {
  return text.replace(
    /`colloquy ([^`]*)`/g,
    (_, words: string) => `\`${commandLine(words.split(' '), data)}\``,
  );
}

/** The examples of a help, each on a line of its own or behind a pipe. */
export function withTypedExamples(help: string): string {
  return help.replace(
    /(^ {2}|\$\(|\| )colloquy (?=[a-z])/gm,
    (_, before: string) => `${before}${programName()} `,
  );
}

function shellWord(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  return process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
