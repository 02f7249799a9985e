// `colloquy saved`: the saved searches of an account, with the addresses of their feeds.

import { Argument, Command, Option } from 'commander';
import type { Accounts } from '../../accounts/accounts.ts';
import { openApp } from '../../app.ts';
import { noteSecurity, openExistingAccounts, publicAddress } from '../../cli/accounts-folder.ts';
import { printJson, table } from '../../cli/listing.ts';
import {
  type CommonFlags,
  configWith,
  dataOption,
  expectUnderComments,
  timeoutOption,
} from '../../cli/options.ts';
import { UsageError } from '../../errors.ts';
import { ORDERS, type Order } from '../../model/pages.ts';
import { KIND_NAMES } from '../../model/record.ts';
import { readableTime } from '../../model/time.ts';
import { readUnder } from '../../search/asking.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';
import { oneLine, quoted } from '../../text/quoted.ts';
import { feedAddress, NO_FEED_HOST, tagHost } from './addresses.ts';
import { type SavedList, savedList } from './operation.ts';
import { type SavedSearch, savedOf } from './store.ts';

interface AccountOptions extends CommonFlags {
  readonly account: string;
  readonly timeout?: number;
}

interface AddOptions extends AccountOptions {
  readonly orderBy: Order;
  readonly under?: string;
  readonly feed?: boolean;
}

const SHOWN_QUERY = 60;

export function savedCommand(): Command {
  return new Command('saved')
    .description('saved searches of an account: add, list, remove')
    .addHelpText('after', '\nExample:\n  colloquy saved list --account ann@example.org')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(removeCommand());
}

function accountOption(): Option {
  return new Option('--account <email>', 'the account whose saved searches they are').makeOptionMandatory();
}

function addCommand(): Command {
  return new Command('add')
    .description('save a search; with --feed, print the address of its feed, once')
    .argument('<name>', 'a name to recognise it by')
    .addArgument(new Argument('<kind>', 'what to search').choices(['posts', 'comments']))
    .argument('[query...]', 'the query, as one or several arguments; without one, every record', [])
    .addOption(accountOption())
    .addOption(
      new Option('--order, --order-by <order>', 'order of the results').choices(ORDERS).default('newest'),
    )
    .option('--under <query>', 'only comments of posts that match this query')
    .option('--feed', 'make a feed; anyone with its address can read the results')
    .option('--json', 'print JSON: the saved search and the address of its feed, or null')
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
Put a query that begins with a minus after --. A before: needs an after:.
  colloquy saved add inverters comments "the inverter" /r/solarpower --account ann@example.org --feed`,
    )
    .action(async (name: string, kinds: string, words: string[], options: AddOptions) => {
      const config = configWith(options);
      const { echo: query } = interpretWithoutWindow(words.join(' '));
      expectUnderComments(options.under, kinds);
      const under = readUnder(options.under ?? null)?.echo ?? null;
      if (options.feed === true && tagHost(config.publicUrl) === null) throw new UsageError(NO_FEED_HOST);
      await using accounts = await openExistingAccounts(config);
      const account = accountOf(accounts, options);
      const kind = kinds === 'posts' ? 'post' : 'comment';
      const saved = savedOf(accounts).add(account, { name, kind, query, under, order: options.orderBy });
      let address: string | null = null;
      if (options.feed === true) {
        const token = savedOf(accounts).makeFeed(account, saved.id)!;
        await noteSecurity(config, { security: 'feed_made', account, saved: saved.id });
        address = `${config.publicUrl}${feedAddress(token, 'atom')}`;
      }
      if (options.json) printJson({ ...asJson(savedOf(accounts).of(account, saved.id)!), address });
      else if (address !== null) process.stdout.write(`${address}\n`);
      process.stderr.write(afterwards(saved, address));
    });
}

function listCommand(): Command {
  return new Command('list')
    .description('list the saved searches of an account, with what each finds')
    .addOption(accountOption())
    .option('--json', 'print the answer of the API')
    .addOption(timeoutOption())
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
NEW is what came in since its owner looked at it on the page; -: never looked.
Example:
  colloquy saved list --account ann@example.org --json`,
    )
    .action(async (options: AccountOptions) => {
      const config = { ...configWith(options), queryTimeoutMs: options.timeout ?? Infinity };
      await using app = await openApp(config, { toRead: true });
      const accountId = accountOf(app.accounts, options);
      const list = await savedList(app, { accountId, ownAddress: publicAddress(config), pathParts: {} });
      if (options.json) printJson(list);
      else if (list.saved.length > 0) process.stdout.write(asTable(list));
      else process.stderr.write('no saved searches yet\n');
    });
}

function removeCommand(): Command {
  return new Command('remove')
    .description('remove a saved search with its feed, at once, even in a running server')
    .argument('<id>', 'the number shown by `saved list`')
    .option('--json', 'print the saved search as in `saved list --json`, without its figures')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy saved remove 3')
    .action(async (text: string, options: CommonFlags) => {
      const config = configWith(options);
      await using accounts = await openExistingAccounts(config);
      const saved = savedById(accounts, text);
      const { accountId: account, id, feed } = saved;
      savedOf(accounts).remove(account, id);
      if (feed !== null) await noteSecurity(config, { security: 'feed_revoked', account, saved: id });
      if (options.json) printJson(asJson(saved));
      process.stderr.write(`removed the saved search ${id}, ${quoted(saved.name)}\n`);
    });
}

function accountOf(accounts: Accounts, { account }: AccountOptions): number {
  const id = accounts.idOf(account);
  if (id !== null) return id;
  throw new UsageError(`expected an account (see \`colloquy accounts list\`), found ${quoted(account)}`);
}

function asJson({ id, name, kind, query, under, order, created, seen, feed }: SavedSearch) {
  const asked = { query, ...(under === null ? {} : { under }) };
  const told = { type: 'saved_search', kind: KIND_NAMES[kind], ...asked, id, name, order_by: order };
  return { ...told, created, seen, feed };
}

function asTable({ saved }: SavedList): string {
  const rows = saved.map(({ id, name, kind, query, under, order_by, total_count, new: fresh, feed }) => [
    ...[String(id), oneLine(name, SHOWN_QUERY), kind],
    ...[oneLine(under === undefined ? query : `${query} --under ${under}`, SHOWN_QUERY), order_by],
    ...[numberOr(total_count, '?'), numberOr(fresh, total_count === null ? '?' : '-')],
    feed === null ? 'no' : `since ${readableTime(feed.made)}`,
  ]);
  return table(['ID', 'NAME', 'KIND', 'QUERY', 'ORDER', 'RESULTS', 'NEW', 'FEED'], rows);
}

function numberOr(count: number | null, otherwise: string): string {
  return count === null ? otherwise : count.toLocaleString('en');
}

/** Omits the address, because standard error often ends up in a log. */
function afterwards({ id, name }: SavedSearch, address: string | null): string {
  const saved = `saved search ${id}, ${quoted(name)}`;
  if (address === null) return `${saved}\n`;
  return `${saved}, with a feed
Keep its address now: it is shown only this once. It ends in .atom; with .json it gives JSON Feed.
`;
}

/** Finds it in any account. Throws a UsageError if there is none. */
export function savedById(accounts: Accounts, text: string): SavedSearch {
  const found = /^\d{1,15}$/.test(text) ? savedOf(accounts).byId(Number(text)) : null;
  if (found !== null) return found;
  throw new UsageError(
    `expected the id of a saved search (see \`colloquy saved list\`), found ${quoted(text)}`,
  );
}
