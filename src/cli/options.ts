// Options that several commands share, those that are parameters of an operation, how flags win over settings, and how
// people write the name of a community.

import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { type Config, readConfig, SETTINGS } from '../config.ts';
import { ServiceError, UsageError } from '../errors.ts';
import { FIELD_NAMES, plainName } from '../ingest/normalise/field-names.ts';
import { communityKey, isCommunityName, withoutPrefix } from '../model/community.ts';
import {
  type Parameter,
  type ParameterTable,
  type ParameterValues,
  readParameter,
} from '../operation/parameters.ts';
import { quoted } from '../text/quoted.ts';

/** The flags of nearly every command. */
export interface CommonFlags {
  readonly data?: string;
  readonly json?: boolean;
}

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

/** Reads a whole number given to a flag. `expected`: for the message. */
export function wholeNumberOf(
  from: number,
  to: number,
  expected = `${from} to ${to}`,
): (text: string) => number {
  return (text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (number >= from && number <= to) return number;
    throw new InvalidArgumentError(`expected ${expected}.`);
  };
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

/** Where the API speaks of its own answers. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  since:
    'only what came in behind this arrival; standard error tells the one for the next run (begin with 0)',
};

/** The flag of a parameter: what its description says first, and what it may be. */
export function flagOf(name: string, { schema }: Parameter<unknown>, standard?: string): Option {
  const {
    description,
    enum: values,
    default: usual,
  } = schema as {
    readonly description: string;
    readonly enum?: readonly string[];
    readonly default?: unknown;
  };
  const first = OWN_WORDS[name] ?? firstSmall(/^.*?(?=\.(?:\s|$)|$)/s.exec(description)![0]);
  const shown = standard ?? usual;
  const option = new Option(
    `${name === 'order_by' ? '--order, ' : ''}${flagName(name)} <${values === undefined ? 'value' : name.replaceAll('_', '-')}>`,
    shown === undefined ? first : `${first} (default: ${shown})`,
  );
  return values === undefined ? option : option.choices(values.filter((value) => value !== ''));
}

/** What the flags of a table say, or `standard` where one is absent. Throws a UsageError that names the flag. */
export function readFlags<Table extends ParameterTable>(
  table: Table,
  flags: object,
  standard: Readonly<Record<string, string | undefined>> = {},
): ParameterValues<Table> {
  const values = Object.entries(table).map(([name, parameter]) => {
    const given = (flags as Readonly<Record<string, string>>)[camel(name)] ?? standard[name];
    try {
      return [name, readParameter(parameter, name, given === undefined ? [] : [given])];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw new UsageError(error.message.replace(/^parameter `(\w+)`/, () => `\`${flagName(name)}\``));
    }
  });
  return Object.fromEntries(values) as ParameterValues<Table>;
}

export function flagName(name: string): string {
  return `--${name.replaceAll('_', '-')}`;
}

export function camel(name: string): string {
  return name.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function firstSmall(words: string): string {
  return /^[A-Z][a-z]/.test(words) || /^A /.test(words) ? words[0]!.toLowerCase() + words.slice(1) : words;
}

/** Tells the arrival on standard error, if `--since` was given. */
export function tellArrival({ since }: { readonly since?: number | string }, arrival: number): void {
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
