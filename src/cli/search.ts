// `colloquy search`: the API's answer on the command line.

import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { openApp } from '../app.ts';
import { ORDERS, type Order } from '../model/order.ts';
import type { Kind } from '../model/record.ts';
import { type Envelope, MAX_LIMIT } from '../search/search-service.ts';
import { configWith, dataOption } from './options.ts';

interface SearchOptions {
  readonly data?: string;
  readonly order: Order;
  readonly limit: number;
  readonly after?: string;
  readonly json?: boolean;
}

const DEFAULT_LINES = 10;

export function searchCommand(): Command {
  return new Command('search')
    .description('search as the API does')
    .addArgument(new Argument('<kind>', 'what to search').choices(['posts', 'comments']))
    .argument('[query...]', 'the query; several words make one; none: every record', [])
    .addOption(new Option('--order <order>', 'order of the records').choices(ORDERS).default('newest'))
    .option('--limit <n>', `records to give, 0 to ${MAX_LIMIT}`, readLimit, DEFAULT_LINES)
    .option('--after <cursor>', 'the number of the last `sort_key`: the next page')
    .option('--json', 'the envelope of the API')
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
A query that begins with a minus goes behind --:
  colloquy search comments "solar panel" /r/energy score:10
  colloquy search posts --order top --json -- -cat site:youtube.com`,
    )
    .action(async (kinds: string, words: string[], options: SearchOptions) => {
      const kind: Kind = kinds === 'posts' ? 'post' : 'comment';
      await using app = await openApp(configWith(options), { sample: true });
      const { envelope, implied } = await app.search.search({
        kind,
        query: words.join(' '),
        order: options.order,
        limit: options.limit,
        after: options.after ?? null,
      });
      if (app.isSample()) process.stderr.write('(the invented sample: nothing is imported yet)\n');
      if (implied !== null)
        process.stderr.write(`(${implied} was added: \`before:\` alone asks for one day)\n`);
      process.stdout.write(options.json ? `${JSON.stringify(envelope)}\n` : asLines(envelope, kinds));
    });
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (!(limit <= MAX_LIMIT)) throw new InvalidArgumentError(`expected 0 to ${MAX_LIMIT}.`);
  return limit;
}

/** A line a record, as the search page writes it, and how to go on. */
function asLines(envelope: Envelope, kinds: string): string {
  const lines = envelope.data.map((record) => {
    const time = new Date(record.created_utc * 1000).toISOString().slice(0, 19).replace('T', ', ');
    const where = `/r/${record.subreddit.name}  ${time}  ${record.score} score`;
    const text = record.type === 'post' ? record.title : record.body;
    return `${where}\n    ${oneLine(text)}\n    ${record.permalink}\n`;
  });
  const total = `${envelope.total_count.toLocaleString('en')} ${kinds} match ${envelope.query || '(everything)'}\n`;
  const cursor = envelope.sort_key[0]?.[0];
  const isMore = cursor !== undefined && envelope.data.length < envelope.total_count;
  return total + lines.join('') + (isMore ? `Next page: --after ${cursor}\n` : '');
}

/** The beginning of a text without line breaks and without characters that steer a terminal. */
function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return line.length <= 200 ? line : `${line.slice(0, 199)}…`;
}
