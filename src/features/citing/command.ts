// `colloquy cite`: saves the current result of a query, so that others can verify it, and verifies citations.

import { readFileSync } from 'node:fs';
import { Argument, Command } from 'commander';
import { openApp } from '../../app.ts';
import { publicAddress } from '../../cli/accounts-folder.ts';
import { tellDropped } from '../../cli/command-line.ts';
import { printJson, table } from '../../cli/listing.ts';
import { type CommonFlags, configWith, dataOption } from '../../cli/options.ts';
import type { Config } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { KINDS } from '../../model/record.ts';
import { readableTime } from '../../model/time.ts';
import { quoted } from '../../text/quoted.ts';
import { citationJson, kindsOf, NoCitation, readClaim } from './claim.ts';
import { checkJson } from './operation.ts';
import { check, cite } from './service.ts';
import { citationsOf } from './store.ts';
import { checkWords, citationPage, citationWords, totalOf } from './words.ts';

interface CiteFlags extends CommonFlags {
  readonly note?: string;
  readonly verify?: string;
  readonly list?: boolean;
  readonly remove?: string;
}

const OTHERS = ['verify', 'list', 'remove'] as const;

/** Maximum size of a citation file; the months and sources of decades need far less. */
const MAX_FILE_BYTES = 64 << 20;

export function citeCommand(): Command {
  return new Command('cite')
    .description('keep what a query finds, so that it can be cited; check what somebody has cited')
    .addArgument(new Argument('[kind]', 'what to cite').choices(['posts', 'comments', 'both']))
    .argument('[query]', 'the query; empty for all records')
    .option('--note <text>', 'a note that is shown with it')
    .option('--verify <file>', 'hold a citation, as JSON, against this index; - for standard input')
    .option('--list', 'list the citations that are kept')
    .option('--remove <id>', 'forget a citation')
    .option('--json', 'print the result as JSON')
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
With --verify, it exits with 0 if the index has the same, 1 if not. Put a query that begins with a minus after --.
  colloquy cite comments "solar /r/energy after:2020-01-01" --note "Table 2"
  colloquy cite comments solar --json > solar.json
  colloquy cite --verify solar.json`,
    )
    .action(async (kinds: string | undefined, query: string | undefined, flags: CiteFlags) => {
      expectOneWish(kinds, query, flags);
      // The timeout protects other users of a server; the command line has none.
      const config = { ...configWith(flags), queryTimeoutMs: Infinity };
      if (flags.verify !== undefined) process.exitCode = await verify(config, flags.verify, flags);
      else if (flags.list) await list(config, flags);
      else if (flags.remove !== undefined) await remove(config, flags.remove);
      else await keep(config, kinds!, query!, flags);
    });
}

function expectOneWish(kinds: string | undefined, query: string | undefined, flags: CiteFlags): void {
  const others = OTHERS.filter((name) => flags[name] !== undefined);
  if (others.length > 1)
    throw new UsageError(`expected one of \`--${others.join('` and `--')}\`, found both`);
  const [other] = others;
  if (other !== undefined && (kinds !== undefined || flags.note !== undefined)) {
    throw new UsageError(`\`--${other}\`: expected no query and no note beside it, found one`);
  }
  if (other === undefined && (kinds === undefined || query === undefined)) {
    throw new UsageError('expected `posts`, `comments` or `both`, and a query, found none');
  }
}

async function keep(config: Config, kinds: string, query: string, flags: CiteFlags): Promise<void> {
  await using app = await openApp(config, { toChange: true });
  const wish = {
    query,
    kinds: KINDS.filter((kind) => kinds === 'both' || kinds === `${kind}s`),
    note: flags.note ?? null,
  };
  const { citation, dropped } = await cite(app, wish);
  tellDropped(dropped);
  if (flags.json) return printJson(citationJson(citation));
  process.stdout.write(`${citationWords(citation, publicAddress(config) + citationPage(citation.id))}\n`);
}

/** Returns the exit code: 0 if the result is the same, 1 if not. Throws a UsageError if the file has no citation. */
async function verify(config: Config, file: string, flags: CiteFlags): Promise<0 | 1> {
  const claim = readFile(file);
  await using app = await openApp(config, { toRead: true });
  const kept = citationsOf(app.catalogue).get(claim.id);
  const found = await check(app, kept ?? claim);
  if (flags.json) printJson(checkJson(claim, found));
  else process.stdout.write(checkWords(claim, found));
  return found.isSame ? 0 : 1;
}

function readFile(file: string): ReturnType<typeof readClaim> {
  const name = file === '-' ? 'standard input' : quoted(file);
  let bytes: Buffer;
  try {
    bytes = readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    const words = `expected a file with a citation, cannot read ${name}: ${(error as Error).message}`;
    throw new UsageError(words, { cause: error });
  }
  if (bytes.length > MAX_FILE_BYTES) {
    throw new UsageError(`${name}: expected at most ${MAX_FILE_BYTES} bytes, found ${bytes.length}`);
  }
  try {
    return readClaim(bytes.toString('utf8'));
  } catch (error) {
    if (!(error instanceof NoCitation)) throw error;
    throw new UsageError(`${name}: ${error.message}`, { cause: error });
  }
}

async function list(config: Config, flags: CiteFlags): Promise<void> {
  await using app = await openApp(config, { toRead: true });
  const all = citationsOf(app.catalogue).all();
  if (flags.json) return printJson(all.map(citationJson));
  const rows = all.map(({ id, answer, origin }) => [
    id,
    readableTime(origin.time),
    kindsOf(answer.kinds)
      .map(([kind, { total }]) => totalOf(kind, total))
      .join(', '),
    answer.query === '' ? '(all records)' : answer.query,
    origin.note ?? '',
  ]);
  process.stdout.write(table(['id', 'made (UTC)', 'found', 'query', 'note'], rows));
}

async function remove(config: Config, id: string): Promise<void> {
  await using app = await openApp(config, { toChange: true });
  if (!citationsOf(app.catalogue).remove(id)) {
    throw new UsageError(`expected the id of a citation (\`cite --list\`), found ${quoted(id)}`);
  }
}
