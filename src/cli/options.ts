// Options that several commands share, and how flags win over settings.

import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { type Config, readConfig, SETTINGS } from '../config.ts';
import { UsageError } from '../errors.ts';

export function dataOption(): Option {
  const place = SETTINGS.dataFolder.fallback;
  return new Option('--data <folder>', `the data folder (default: COLLOQUY_DATA, or ${place})`);
}

/** The settings, overridden by the flags of the command line. Throws a UsageError. */
export function configWith(flags: { readonly data?: string | undefined }): Config {
  const config = readConfig();
  return flags.data === undefined ? config : { ...config, dataFolder: resolve(flags.data) };
}

/** For commands that ask questions: the setting of the same name is for servers. */
export function timeoutOption(): Option {
  return new Option('--timeout <ms>', 'give up after this many milliseconds (default: no limit)').argParser(
    readTimeout,
  );
}

function readTimeout(text: string): number {
  const ms = SETTINGS.queryTimeoutMs.read(text);
  if (ms === undefined) throw new InvalidArgumentError(`expected ${SETTINGS.queryTimeoutMs.expected}.`);
  return ms;
}

/** Throws a UsageError where posts are asked for by the posts that they stand under. */
export function expectUnderComments(under: string | null | undefined, kinds: string): void {
  if (under != null && kinds === 'posts')
    throw new UsageError('`--under`: expected it with `comments`, found `posts`');
}
