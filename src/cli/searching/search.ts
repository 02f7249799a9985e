// `colloquy search`: the API's answer on the command line.

import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { type App, openApp } from '../../app.ts';
import { UsageError } from '../../errors.ts';
import type { Row } from '../../exporting/columns.ts';
import type { TextFormat } from '../../exporting/formats.ts';
import { openTextForm } from '../../exporting/text-forms.ts';
import { ORDERS, type Order } from '../../model/pages.ts';
import type { Kind } from '../../model/record.ts';
import { type CommentRecord, type PostRecord, readFields } from '../../search/presenter.ts';
import { sinceOf } from '../../search/question-options.ts';
import { type Envelope, MAX_LIMIT } from '../../search/search-service.ts';
import { commandLine, tellDropped } from '../command-line.ts';
import { linesOfRecords } from '../listing.ts';
import {
  configWith,
  dataOption,
  expectUnderComments,
  sinceOption,
  tellArrival,
  timeoutOption,
} from '../options.ts';

interface SearchOptions {
  readonly data?: string;
  readonly orderBy: Order;
  readonly limit: number;
  readonly after?: string;
  readonly timeout?: number;
  readonly fields?: string;
  readonly under?: string;
  readonly since?: number;
  readonly format?: 'json' | TextFormat;
  readonly json?: boolean;
}

const DEFAULT_LINES = 10;

export function searchCommand(): Command {
  return new Command('search')
    .description('search, with the same answers as the API')
    .addArgument(new Argument('<kind>', 'what to search').choices(['posts', 'comments']))
    .argument('[query...]', 'the query, as one or several arguments; without one, every record', [])
    .addOption(
      new Option('--order, --order-by <order>', 'order of the records').choices(ORDERS).default('newest'),
    )
    .option('--limit <n>', `number of records, 0 to ${MAX_LIMIT}`, readLimit, DEFAULT_LINES)
    .option('--after <cursor>', 'the number in the last `sort_key`, for the next page')
    .addOption(timeoutOption())
    .option('--under <query>', 'only comments of posts that match this query')
    .addOption(sinceOption())
    .addOption(
      new Option('--format <form>', 'print the envelope of the API; or its records alone').choices([
        'json',
        'csv',
        'csv-excel',
        'ndjson',
      ]),
    )
    .option('--json', 'the same as --format json')
    .option('--fields <names>', 'with --format: only these fields of each record, separated by commas')
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
Put a query that begins with a minus after --:
  colloquy search comments "the inverter" /r/solarpower score:5
  colloquy search posts --order top --json -- -cat site:example.org`,
    )
    .action(async (kinds: string, words: string[], { json, ...given }: SearchOptions) => {
      const options = json ? ({ ...given, format: 'json' } as const) : given;
      const { format } = options;
      if (options.fields !== undefined && format === undefined)
        throw new UsageError('`--fields`: expected `--format` with it, found none');
      expectUnderComments(options.under, kinds);
      const kind: Kind = kinds === 'posts' ? 'post' : 'comment';
      // The setting is for servers; here nobody else is waiting.
      const config = { ...configWith(options), queryTimeoutMs: options.timeout ?? Infinity };
      await using app = await openApp(config, { sample: true, toRead: true });
      const request = { kind, query: words.join(' '), order: options.orderBy };
      const { limit, after = null, fields = null, under = null } = options;
      const { envelope, implied, dropped, arrival, hasMore } = await app.search.search({
        ...request,
        ...{ limit, after, fields, under },
        ...sinceOf(options),
      });
      if (app.isSample()) process.stderr.write('(the invented sample: nothing has been imported yet)\n');
      else if (envelope.total_count === 0) await tellEmpty(app, options);
      if (implied !== null)
        process.stderr.write(
          `(${implied} was added, because \`before:\` on its own searches one day only)\n`,
        );
      tellDropped(dropped);
      if (after === null) tellArrival(options, arrival);
      if (format === 'json') {
        process.stdout.write(`${JSON.stringify(envelope)}\n`);
        return;
      }
      if (format === undefined) process.stdout.write(asLines(envelope, kinds));
      else {
        const form = openTextForm(format, kind, readFields(fields, kind));
        process.stdout.write(form.head);
        for (const record of envelope.data) process.stdout.write(form.line(record as Row));
      }
      const cursor = envelope.sort_key[0]?.[0];
      if (hasMore && cursor !== undefined) {
        const stream = format === undefined ? process.stdout : process.stderr;
        stream.write(`Next page: ${nextPage(kinds, words, options, cursor)}\n`);
      }
    });
}

/** If nothing was found, the data folder may be empty. */
async function tellEmpty({ engine }: App, { data }: SearchOptions): Promise<void> {
  if (!(await engine.isEmpty())) return;
  process.stderr.write(`(nothing has been imported yet; next: ${commandLine(['import', 'FILE'], data)})\n`);
}

/** The command as typed, with another cursor. */
function nextPage(
  kinds: string,
  words: readonly string[],
  { orderBy, limit, under, since, format, fields, data }: SearchOptions,
  cursor: number,
): string {
  const flags = [
    ...(orderBy === 'newest' ? [] : ['--order', orderBy]),
    ...(limit === DEFAULT_LINES ? [] : ['--limit', String(limit)]),
    // In one word: the query may begin with a minus.
    ...(under === undefined ? [] : [`--under=${under}`]),
    ...(since === undefined ? [] : ['--since', String(since)]),
    ...(format === undefined ? [] : ['--format', format]),
    ...(fields === undefined ? [] : ['--fields', fields]),
    ...['--after', String(cursor), ...(data === undefined ? [] : ['--data', data])],
  ];
  const end = words.some((word) => word.startsWith('-')) ? ['--'] : [];
  return commandLine(['search', kinds, ...flags, ...end, ...words]);
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (!(limit <= MAX_LIMIT)) throw new InvalidArgumentError(`expected 0 to ${MAX_LIMIT}.`);
  return limit;
}

/** How many records match, then a line for each, as on the search page. */
function asLines(envelope: Envelope, kinds: string): string {
  // Whole: fields are chosen with `--format` alone.
  const records = envelope.data as readonly (PostRecord | CommentRecord)[];
  const found = envelope.total_count;
  const matches = found === 1 ? `${kinds.slice(0, -1)} matches` : `${kinds} match`;
  const under = envelope.under === undefined ? '' : `, under posts that match ${envelope.under}`;
  const total = `${found.toLocaleString('en')} ${matches} ${envelope.query || '(everything)'}${under}\n`;
  return total + linesOfRecords(records);
}
