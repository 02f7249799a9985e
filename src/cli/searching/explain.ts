// `colloquy explain`: what each item of a query means, and how many records it finds.

import { Argument, Command, Option } from 'commander';
import { csvText } from '../../analysis/asking.ts';
import { type Explanation, explain, explainTable } from '../../analysis/explain.ts';
import { openApp } from '../../app.ts';
import { KIND_NAMES, KINDS } from '../../model/record.ts';
import { tellDropped } from '../command-line.ts';
import { table } from '../listing.ts';
import { configWith, dataOption, timeoutOption } from '../options.ts';

interface ExplainOptions {
  readonly data?: string;
  readonly timeout?: number;
  readonly json?: boolean;
  readonly csv?: boolean;
}

export function explainCommand(): Command {
  return new Command('explain')
    .description('explain what each item of a query means, and how many records it finds')
    .addArgument(new Argument('<kind>', 'what to search').choices(Object.values(KIND_NAMES)))
    .argument('[query...]', 'the query, as one or several arguments', [])
    .addOption(timeoutOption())
    .option('--json', 'print the answer of the API')
    .addOption(new Option('--csv', 'print the table as CSV').conflicts('json'))
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
Put a query that begins with a minus after --:
  colloquy explain comments "the inverter" /r/solarpower score:5
  colloquy explain posts --csv -- -cat site:example.org`,
    )
    .action(async (name: string, words: string[], options: ExplainOptions) => {
      const kind = KINDS.find((one) => KIND_NAMES[one] === name)!;
      const config = configWith(options);
      await using app = await openApp(config, { sample: true, toRead: true });
      const { engine } = app;
      // The setting is for servers; here nobody else is waiting.
      const context = { engine, queryTimeoutMs: options.timeout ?? Infinity };
      const { answer, dropped } = await explain(context, { kind, query: words.join(' ') }, config);
      if (app.isSample()) process.stderr.write('(the invented sample: nothing has been imported yet)\n');
      if (answer.implied !== undefined) {
        const { item, so_far } = answer.implied;
        const found = `${so_far.toLocaleString('en')} ${name}`;
        process.stderr.write(
          `(a search adds ${item}, because \`before:\` on its own searches one day only: ${found})\n`,
        );
      }
      tellDropped(dropped);
      if (options.json) process.stdout.write(`${JSON.stringify(answer)}\n`);
      else if (options.csv) process.stdout.write(csvText(explainTable(answer)));
      else process.stdout.write(asTable(answer));
    });
}

const HEADINGS = ['ITEM', 'ALONE', 'WITHOUT', 'SO FAR', 'FINDS A RECORD THAT'];

function asTable({ kind, query, total_count: total, items }: Explanation): string {
  const matches = total === 1 ? `${kind.slice(0, -1)} matches` : `${kind} match`;
  const rows = items.map(({ item, alone, without, so_far, means }) => [
    item,
    ...[alone, without, so_far].map((count) => count.toLocaleString('en')),
    means,
  ]);
  const head = `${total.toLocaleString('en')} ${matches} ${query || '(everything)'}\n`;
  return rows.length === 0 ? head : `${head}\n${table(HEADINGS, rows)}`;
}
