// Options that several commands share, how flags win over settings, and how people write the name of a community.

import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { type Config, readConfig, SETTINGS } from '../config.ts';
import { UsageError } from '../errors.ts';
import { FIELD_NAMES, plainName } from '../ingest/normalise/field-names.ts';
import { communityKey, isCommunityName, withoutPrefix } from '../model/community.ts';
import { MAX_SINCE } from '../search/options.ts';
import { quoted } from '../text/quoted.ts';

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

/** Names of columns and keys for a field; may be given several times. */
export function columnOption(): Option {
  const words = 'the column or key that is this field, such as `id=post_number`; may be repeated';
  return new Option('--column <field=name>', words).argParser(readColumn);
}

function readColumn(text: string, others = new Map<string, string>()): Map<string, string> {
  const [field = '', name = ''] = text.split(/=(.*)/s);
  if (!FIELD_NAMES.includes(field)) {
    throw new InvalidArgumentError(`expected one of these in front of \`=\`: ${FIELD_NAMES.join(', ')}.`);
  }
  if (plainName(name) === '') throw new InvalidArgumentError('expected the name of a column behind `=`.');
  return new Map([...others, [plainName(name), field]]);
}

export function sinceOption(): Option {
  return new Option('--since <arrival>', SINCE_WORDS).argParser(readSince);
}

export const SINCE_WORDS =
  'only what came in behind this arrival; standard error tells the one for the next run (begin with 0)';

function readSince(text: string): number {
  const since = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (!(since <= MAX_SINCE)) throw new InvalidArgumentError(`expected 0 to ${MAX_SINCE}.`);
  return since;
}

/** Tells the arrival on standard error, if `--since` was given. */
export function tellArrival({ since }: { readonly since?: number }, arrival: number): void {
  if (since !== undefined) process.stderr.write(`(what comes in later: --since ${arrival})\n`);
}

/** Throws a UsageError for posts under posts. */
export function expectUnderComments(under: string | null | undefined, kinds: string): void {
  if (under != null && kinds === 'posts')
    throw new UsageError('`--under`: expected it with `comments`, found `posts`');
}

/** `name`, `r/name`, `/r/name/`, `/u/name` (the community `u_name`), in lower case. Throws a UsageError. */
export function communityName(text: string): string {
  const name = withoutPrefix(text.replace(/\/$/, ''));
  if (!isCommunityName(name)) {
    throw new UsageError(
      `expected the name of one community such as \`energy\` or \`/r/energy\`, found ${quoted(text)}`,
    );
  }
  return communityKey(name);
}
