// The command of an operation: its flags are the parameters, its output the answer for people or in one of its forms.

import { Argument, Command, Option } from 'commander';
import { type App, openApp } from '../app.ts';
import { UsageError } from '../errors.ts';
import { KIND_NAMES, type Kind } from '../model/record.ts';
import { type Answered, formatsOf, linesOf, type Operation } from '../operation/operation.ts';
import { type ParameterTable, readParameter } from '../operation/parameters.ts';
import type { TextFormat } from '../operation/text-forms.ts';
import { commandLine, tellDropped } from './command-line.ts';
import {
  camel,
  configWith,
  dataOption,
  firstSmall,
  flagName,
  flagOf,
  readFlags,
  tellArrival,
  timeoutOption,
} from './options.ts';

/** Flags by name, in Commander's spelling; `data`, `timeout` and `format` are those of all such commands. */
interface Flags {
  readonly data?: string;
  readonly timeout?: number;
  readonly format?: string;
  readonly json?: boolean;
  readonly since?: string;
  readonly after?: string;
  /** Chosen for programs alone. */
  readonly fields?: string;
}

/** `kinds`: the operation of each kind; or one that is not of a kind. */
export function operationCommand(kinds: readonly Operation[]): Command {
  // Comments may have parameters that posts have not.
  const told = kinds.at(-1)!;
  const { parameters, command } = told;
  const command_ = new Command(told.name).description(
    firstSmall(told.summary.replaceAll('{kind}s', 'posts or comments')),
  );
  if (told.kind !== undefined)
    command_.addArgument(new Argument('<kind>').choices(kinds.map(({ kind }) => KIND_NAMES[kind!])));
  if (told.part !== undefined) {
    const { description } = told.part.schema as { readonly description: string };
    command_.addArgument(new Argument(`<${told.part.name}>`, firstSmall(description)));
  }
  const hasQuery = 'query' in parameters;
  const takesSeveral = parameters.query?.readAll !== undefined;
  if (hasQuery) {
    const words = takesSeveral ? 'queries, each one argument' : 'the query, as one or several arguments';
    command_.argument('[query...]', `${words}; without one, every record`, []);
  }
  for (const [name, parameter] of Object.entries(parameters))
    if (name !== 'query' && name !== 'format')
      command_.addOption(flagOf(name, parameter, command!.standard?.[name]));
  return command_
    .addOption(
      new Option('--format <form>', 'print the answer of the API in this form').choices(formatsOf(told)),
    )
    .option('--json', 'the same as --format json')
    .addOption(timeoutOption())
    .addOption(dataOption())
    .addHelpText('after', helpOf(told))
    .action(async (...given: unknown[]) => {
      const flags = given.at(-2) as Flags;
      const rest = [...given];
      const named = told.kind === undefined ? undefined : rest.shift();
      const pathParts = told.part === undefined ? {} : { [told.part.name]: rest.shift() as string };
      const operation = kinds.find(({ kind }) => kind !== undefined && KIND_NAMES[kind] === named) ?? told;
      const queries = hasQuery ? (rest[0] as string[]) : [];
      const texts = takesSeveral ? queries : [queries.join(' ')];
      const next = await run(operation, texts.length === 0 ? [''] : texts, pathParts, flags);
      if (next === null) return;
      const typed = [
        told.name,
        ...(named === undefined ? [] : [named as string]),
        ...Object.values(pathParts),
      ];
      process.stderr.write(`More: ${nextLine(typed, queries, flags, next)}\n`);
    });
}

/** Returns what `after` is for the next page; null: there is none. */
async function run(
  operation: Operation,
  queries: readonly string[],
  pathParts: Readonly<Record<string, string>>,
  flags: Flags,
): Promise<number | null> {
  const values = valuesOf(operation, queries, flags);
  if (flags.fields !== undefined && !flags.json && flags.format === undefined)
    throw new UsageError('`--fields`: expected `--format` with it, found none');
  // The setting is for servers; here nobody else is waiting.
  const config = { ...configWith(flags), queryTimeoutMs: flags.timeout ?? Infinity };
  await using app = await openApp(config, { sample: true, toRead: true });
  const answered = await operation.run(app, values, { accountId: null, ownAddress: null, pathParts });
  await tell(app, answered, flags);
  process.stdout.write(textOf(operation, answered, values, flags.json ? 'json' : flags.format));
  const { next = null } = answered.answer as { readonly next?: number | null };
  return answered.next ?? next;
}

async function tell(app: App, { answer, implied, dropped, arrival }: Answered, flags: Flags): Promise<void> {
  const line = (words: string) => process.stderr.write(`(${words})\n`);
  const { total_count: total } = answer as { readonly total_count?: number };
  if (app.isSample()) line('the invented sample: nothing has been imported yet');
  else if (total === 0 && (await app.engine.isEmpty()))
    line(`nothing has been imported yet; next: ${commandLine(['import', 'FILE'], flags.data)}`);
  if (implied != null) line(`${implied} was added, because \`before:\` on its own searches one day only`);
  if (dropped !== undefined) tellDropped(dropped);
  // Of the first page: that of a later one has passed what came in meanwhile.
  if (arrival !== undefined && flags.since !== undefined && flags.after === undefined)
    tellArrival({ since: arrival }, arrival);
}

/** The command as typed, for what comes behind this answer. */
function nextLine(typed: readonly string[], queries: readonly string[], flags: Flags, next: number): string {
  const { data, after: _, ...others } = flags as Readonly<Record<string, string | number | boolean>>;
  const given = Object.entries(others).map(([name, value]) =>
    // In one word: a value may begin with a minus.
    value === true ? flagOfKey(name) : `${flagOfKey(name)}=${value}`,
  );
  const end = queries.some((word) => word.startsWith('-')) ? ['--'] : [];
  const flag = data === undefined ? [] : ['--data', String(data)];
  return commandLine([...typed, ...given, '--after', String(next), ...flag, ...end, ...queries]);
}

function flagOfKey(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function textOf(
  operation: Operation,
  { answer, text }: Answered,
  values: Parameters<Operation['run']>[1],
  form: string | undefined,
): string {
  if (form === undefined) return operation.command!.print(answer, values);
  if (form === 'json') return `${text === undefined ? JSON.stringify(answer) : [...text].join('')}\n`;
  return [...linesOf(operation, answer, values, form as TextFormat).text].join('');
}

/** Throws a UsageError that names the flag. */
function valuesOf({ parameters, kind, command }: Operation, queries: readonly string[], flags: Flags) {
  const { query, format, ...others }: ParameterTable = parameters;
  const values = {
    ...(query !== undefined && { query: readParameter(query, 'query', queries) }),
    ...(format !== undefined && { format: 'json' }),
    ...readFlags(others, flags, command!.standard),
  };
  const own = new Set(Object.keys(parameters).map(camel));
  const strange = Object.keys(flags).filter((flag) => !COMMON.includes(flag) && !own.has(flag));
  if (strange.length > 0)
    throw new UsageError(
      `\`${flagName(strange[0]!)}\`: expected it with \`comments\`, found \`${KIND_NAMES[kind as Kind]}\``,
    );
  return values as Parameters<Operation['run']>[1];
}

const COMMON = ['data', 'timeout', 'format', 'json'];

function helpOf({ command, parameters }: Operation): string {
  const { examples, notes } = command!;
  const query = 'query' in parameters ? 'Put a query that begins with a minus after --.' : null;
  const words = [notes, query].filter((part) => part != null).join(' ');
  return `\n${words === '' ? '' : `${words}\n`}Examples:\n${examples.map((line) => `  colloquy ${line}`).join('\n')}`;
}
