// `colloquy datasets`: the matches of a query, published as files under a name.

import { Argument, Command, InvalidArgumentError } from 'commander';
import { type App, openApp } from '../../../app.ts';
import { commandLine, onStopSignal, tellDropped } from '../../../cli/command-line.ts';
import { printJson, table } from '../../../cli/listing.ts';
import { type CommonFlags, configWith, dataOption, wholeNumberOf } from '../../../cli/options.ts';
import { gigabytes, type ProgressBar } from '../../../cli/progress.ts';
import { UsageError } from '../../../errors.ts';
import { count, counted } from '../../../http/views/format.ts';
import { KIND_NAMES, KINDS, type Kind } from '../../../model/record.ts';
import { readableTime, unixNow } from '../../../model/time.ts';
import { quoted } from '../../../text/quoted.ts';
import { exportBar, showProgress } from '../command.ts';
import { basePlan, type MakingProgress, makeDataset } from './maker.ts';
import { type ShownDataset, shelfOf } from './shelf.ts';
import {
  countsOf,
  DATASET_FORMATS,
  DATASET_NAME,
  DATASET_NAME_WORDS,
  type Dataset,
  type DatasetDefinition,
  type DatasetFormat,
  datasetsOf,
  type Edition,
  recordsOf,
  sumOf,
} from './store.ts';

interface PublishFlags extends CommonFlags {
  readonly title?: string;
  readonly licence?: string;
  readonly formats: readonly DatasetFormat[];
  readonly splitEvery?: number;
}

const KINDS_OF: Readonly<Record<string, readonly Kind[]>> = {
  posts: ['post'],
  comments: ['comment'],
  both: KINDS,
};

const MAX_SPLIT = 999_999_999;

export function datasetsCommand(): Command {
  return new Command('datasets')
    .description('publish, list, rebuild and remove data sets: the matches of a query as files')
    .addHelpText(
      'after',
      '\nExample:\n  colloquy datasets publish solar comments /r/solarpower --licence CC-BY-4.0',
    )
    .addCommand(publishCommand())
    .addCommand(listCommand())
    .addCommand(rebuildCommand())
    .addCommand(removeCommand());
}

function publishCommand(): Command {
  return new Command('publish')
    .description('make files of every match of a query, and serve them under a name')
    .argument('<name>', DATASET_NAME_WORDS, readName)
    .addArgument(new Argument('<kind>', 'what to publish').choices(Object.keys(KINDS_OF)))
    .argument('[query...]', 'the query, as one or several arguments; without one, every record', [])
    .option('--title <text>', 'a title for people (default: the name)')
    .option('--licence <name>', 'the licence to state (default: none, and the card says so)')
    .option(
      '--formats <list>',
      'formats, separated by commas',
      readFormats,
      DATASET_FORMATS as readonly DatasetFormat[],
    )
    .option(
      '--split-every <n>',
      `begin another file after n records, 1 to ${MAX_SPLIT}`,
      wholeNumberOf(1, MAX_SPLIT),
    )
    .option('--json', 'print what was published as JSON')
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
A \`before:\` needs an \`after:\`. If it is interrupted, run the same command to continue. Put a query that begins with a minus after --.
  colloquy datasets publish solar comments "the inverter" /r/solarpower --title "Solar power" --licence CC-BY-4.0
  colloquy datasets publish year-2024 both after:2024-01-01 before:2025-01-01 --formats parquet --split-every 1000000`,
    )
    .action(async (name: string, kinds: string, words: string[], flags: PublishFlags) => {
      await using app = await openApp(configWith(flags), { toChange: true });
      const definition = await define(app, name, KINDS_OF[kinds]!, words.join(' '), flags);
      const there = datasetsOf(app.catalogue).define(definition, unixNow());
      if (there !== null) throw new UsageError(alreadyThere(there, definition, flags.data));
      await makeEdition(app, name, flags);
    });
}

/** Throws if the query is invalid, and a UsageError if nothing matches. */
async function define(app: App, name: string, kinds: readonly Kind[], query: string, flags: PublishFlags) {
  const { title, licence, formats, splitEvery } = flags;
  const asked = {
    ...{ name, kinds, query, title: title?.trim() || null, licence: licence?.trim() || null },
    ...{ formats, splitEvery: splitEvery ?? null },
  };
  const plans = kinds.map((kind) => basePlan(asked, kind));
  tellDropped(plans[0]!.dropped);
  await app.engine.refresh();
  let matches = 0;
  for (const { request } of plans) matches += (await app.engine.ask(request)).total;
  if (matches === 0) {
    const found = (await app.engine.isEmpty()) ? 'that nothing has been imported yet' : 'no match';
    throw new UsageError(`expected a query that matches something, found ${found}`);
  }
  return { ...asked, query: plans[0]!.query };
}

function alreadyThere({ state, ...there }: Dataset, wanted: DatasetDefinition, data: string | undefined) {
  const { name } = wanted;
  const next = (words: string) => `\`${commandLine(['datasets', words, name], data)}\``;
  if (state !== 'new') {
    return `expected a name that is free, found a data set \`${name}\`: ${next('rebuild')} rebuilds it, ${next('remove')} removes it`;
  }
  const names = Object.keys(wanted) as (keyof DatasetDefinition)[];
  const other = names.filter((key) => JSON.stringify(there[key]) !== JSON.stringify(wanted[key]));
  return (
    `expected the command that was interrupted for \`${name}\`, found another (${other.join(', ')}): ` +
    `repeat that one, or begin again after ${next('remove')}`
  );
}

function listCommand(): Command {
  return new Command('list')
    .description('list every data set, with its size and state')
    .option('--json', 'as JSON, with the files of each')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy datasets list --json')
    .action(async (flags: CommonFlags) => {
      await using app = await openApp(configWith(flags), { toRead: true });
      const all = shelfOf(app).all();
      if (flags.json) printJson(all.map(asJson));
      else if (all.length > 0) process.stdout.write(table(HEADINGS, all.map(asRow)));
      else process.stderr.write('there are no data sets\n');
    });
}

const HEADINGS = ['name', 'state', 'records', 'files', 'bytes', 'made (UTC)', 'query'];

function asRow({ dataset, edition }: ShownDataset): string[] {
  const of = (text: (edition: Edition) => string) => (edition === null ? '–' : text(edition));
  return [
    dataset.name,
    stateOf({ dataset, edition }),
    of(({ tables }) => count(sumOf(tables, 'records'))),
    of(({ files }) => String(files.length)),
    of(({ files }) => count(sumOf(files, 'bytes'))),
    of(({ made }) => readableTime(made)),
    `${dataset.kinds.map((kind) => KIND_NAMES[kind]).join(' and ')}: ${dataset.query === '' ? 'everything' : dataset.query}`,
  ];
}

function asJson({ dataset, edition }: ShownDataset) {
  const { name, kinds, query, title, licence, formats, splitEvery, created } = dataset;
  return {
    ...{ name, state: stateOf({ dataset, edition }), kinds: kinds.map((kind) => KIND_NAMES[kind]) },
    ...{ query, title, licence },
    ...{ formats, split_every: splitEvery, created, made: edition?.made ?? null },
    edition: edition?.number ?? null,
    records: edition === null ? null : recordsOf(edition),
    files: (edition?.files ?? []).map(({ name: file, bytes, sha256 }) => ({ name: file, bytes, sha256 })),
  };
}

/** `unfinished`: its first edition was interrupted. */
function stateOf({ dataset, edition }: ShownDataset): string {
  if (dataset.state === 'new') return 'unfinished';
  return edition === null ? 'withdrawn' : dataset.state;
}

function rebuildCommand(): Command {
  return new Command('rebuild')
    .description(
      'rebuild the files of a data set from what the index has now; the old ones are served until then',
    )
    .argument('<name>', 'the data set', readName)
    .option('--json', 'print what was published as JSON')
    .addOption(dataOption())
    .addHelpText(
      'after',
      '\nIf it is interrupted, run the same command to continue. Example:\n  colloquy datasets rebuild solar',
    )
    .action(async (name: string, flags: CommonFlags) => {
      await using app = await openApp(configWith(flags), { toChange: true });
      expectThere(app, name);
      await makeEdition(app, name, flags);
    });
}

function removeCommand(): Command {
  return new Command('remove')
    .description('delete a data set and its files; the index keeps its records')
    .argument('<name>', 'the data set', readName)
    .option('--json', 'print the result as JSON')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy datasets remove solar')
    .action(async (name: string, flags: CommonFlags) => {
      await using app = await openApp(configWith(flags), { toChange: true });
      expectThere(app, name);
      shelfOf(app).remove(name);
      if (flags.json) printJson({ name, removed: true });
      else process.stdout.write(`${name}: removed, and its files with it\n`);
    });
}

/** Throws a UsageError that lists the existing names. */
function expectThere({ catalogue }: App, name: string): void {
  const all = datasetsOf(catalogue).all();
  if (all.some((dataset) => dataset.name === name)) return;
  const names = all.map((dataset) => `\`${dataset.name}\``).join(', ');
  const known = names === '' ? 'there is none yet' : `there are ${names}`;
  throw new UsageError(`expected the name of a data set, found \`${name}\`: ${known}`);
}

function readName(text: string): string {
  if (DATASET_NAME.test(text)) return text;
  throw new InvalidArgumentError(`expected ${DATASET_NAME_WORDS}, found ${quoted(text)}.`);
}

function readFormats(text: string): readonly DatasetFormat[] {
  const given = text.split(',').map((name) => name.trim());
  const unknown = given.filter((name) => !DATASET_FORMATS.some((known) => known === name));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(
      `expected some of ${DATASET_FORMATS.join(', ')}, found ${unknown.map((name) => quoted(name)).join(', ')}.`,
    );
  }
  return DATASET_FORMATS.filter((known) => given.includes(known));
}

/** Tells what was published; if it was stopped, that, with exit code 1. */
async function makeEdition(app: App, name: string, flags: CommonFlags): Promise<void> {
  using stop = onStopSignal();
  using progress = new MakingBar();
  try {
    const edition = await makeDataset(app, name, {
      signal: stop.signal,
      onProgress: (now) => progress.show(now),
    });
    progress[Symbol.dispose]();
    const { dataset } = shelfOf(app).get(name);
    const { tables, files } = edition;
    const size = gigabytes(sumOf(files, 'bytes'));
    const words = `${name}: ${countsOf(tables)} in ${counted(files.length, 'file')}, ${size}`;
    if (flags.json) printJson(asJson({ dataset, edition }));
    else process.stdout.write(`${words}\n${shelfOf(app).folderOf(dataset)}\n`);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    progress.endWith('stopped: what was read so far is kept, and the same command continues from there');
    process.exitCode = 1;
  }
}

/** One bar for each step and kind: reading the index, then writing the files. */
class MakingBar implements Disposable {
  #bar: ProgressBar | null = null;
  #step = '';

  show({ step, kind, done, total }: MakingProgress): void {
    if (this.#step !== `${step} ${kind}`) {
      this.#bar?.[Symbol.dispose]();
      this.#bar = exportBar();
      this.#step = `${step} ${kind}`;
    }
    showProgress(this.#bar!, { done, total }, `${step} ${kind}s: `);
  }

  endWith(line: string): void {
    (this.#bar ?? exportBar()).endWith(line);
  }

  [Symbol.dispose](): void {
    this.#bar?.[Symbol.dispose]();
  }
}
