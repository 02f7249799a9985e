// `colloquy saved`: the saved searches of an account, with the addresses of their feeds.
//
// A saved search that is named by its id.

import { Argument, Command, Option } from 'commander';
import type { Accounts } from '../../accounts/accounts.ts';
import type { OwnedSearch, SavedSearch } from '../../accounts/saved-searches.ts';
import type { Config } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { feedAddress, NO_FEED_HOST, tagHost } from '../../http/addresses/feeds.ts';
import { ORDERS, type Order } from '../../model/pages.ts';
import { KIND_NAMES } from '../../model/record.ts';
import { readableTime } from '../../model/time.ts';
import { interpretWithoutWindow } from '../../search/language/interpret.ts';
import { oneLine, quoted } from '../../text/quoted.ts';
import { openAccountsToRead, openExistingAccounts } from '../accounts-folder.ts';
import { printJson, table } from '../listing.ts';
import { configWith, dataOption } from '../options.ts';
import { noteSecurity } from '../serving/seen.ts';

interface CommonOptions {
  readonly data?: string;
  readonly json?: boolean;
}

interface AccountOptions extends CommonOptions {
  readonly account: string;
}

interface AddOptions extends AccountOptions {
  readonly order: Order;
  readonly feed?: boolean;
}

/** Characters of a query in the table. */
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
    .addOption(new Option('--order <order>', 'order of the results').choices(ORDERS).default('newest'))
    .option('--feed', 'make the address of a feed: whoever has it reads what the search finds')
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
      if (options.feed === true && tagHost(config.publicUrl) === null) throw new UsageError(NO_FEED_HOST);
      await using accounts = await openExistingAccounts(config);
      const account = accountOf(accounts, options);
      const kind = kinds === 'posts' ? 'post' : 'comment';
      const saved = accounts.saved.add(account, { name, kind, query, order: options.order });
      const address = options.feed === true ? await makeFeed(accounts, config, account, saved) : null;
      if (options.json) printJson({ ...asJson(accounts.saved.byId(saved.id)!), address });
      else if (address !== null) process.stdout.write(`${address}\n`);
      process.stderr.write(afterwards(saved, address));
    });
}

async function makeFeed(
  { saved: searches }: Accounts,
  config: Config,
  account: number,
  { id }: SavedSearch,
): Promise<string> {
  const token = searches.makeFeed(account, id)!;
  await noteSecurity(config, { security: 'feed_made', account, saved: id });
  return `${config.publicUrl}${feedAddress(token, 'atom')}`;
}

function listCommand(): Command {
  return new Command('list')
    .description('list the saved searches of an account')
    .addOption(accountOption())
    .option('--json', 'as JSON: type, id, name, kind, query, order_by, created, seen, feed')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy saved list --account ann@example.org --json')
    .action(async (options: AccountOptions) => {
      await using accounts = await openAccountsToRead(configWith(options));
      const list = accounts.saved.list(accountOf(accounts, options));
      if (options.json) printJson(list.map(asJson));
      else if (list.length > 0) process.stdout.write(asTable(list));
      else process.stderr.write('no saved searches yet\n');
    });
}

function removeCommand(): Command {
  return new Command('remove')
    .description('remove a saved search with its feed, at once, even in a running server')
    .argument('<id>', 'the number shown by `saved list`')
    .option('--json', 'print the saved search as in `saved list --json`')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy saved remove 3')
    .action(async (text: string, options: CommonOptions) => {
      const config = configWith(options);
      await using accounts = await openExistingAccounts(config);
      const saved = savedById(accounts, text);
      await removeSaved(accounts, config, saved);
      if (options.json) printJson(asJson(saved));
      process.stderr.write(`removed the saved search ${saved.id}, ${quoted(saved.name)}\n`);
    });
}

async function removeSaved(accounts: Accounts, config: Config, saved: OwnedSearch): Promise<void> {
  const { accountId: account, id, feed } = saved;
  accounts.saved.remove(account, id);
  if (feed !== null) await noteSecurity(config, { security: 'feed_revoked', account, saved: id });
}

function accountOf(accounts: Accounts, { account }: AccountOptions): number {
  const id = accounts.idOf(account);
  if (id !== null) return id;
  throw new UsageError(`expected an account (see \`colloquy accounts list\`), found ${quoted(account)}`);
}

/** As the API gives it, but for the address of its search. */
function asJson({ id, name, kind, query, order, created, seen, feed }: SavedSearch) {
  const told = { type: 'saved_search', id, name, kind: KIND_NAMES[kind], query, order_by: order };
  return { ...told, created, seen, feed };
}

function asTable(list: readonly SavedSearch[]): string {
  const rows = list.map(({ id, name, kind, query, order, created, feed }) => [
    ...[String(id), oneLine(name, SHOWN_QUERY), KIND_NAMES[kind], oneLine(query, SHOWN_QUERY), order],
    ...[readableTime(created), feed === null ? 'no' : `since ${readableTime(feed.made)}`],
  ]);
  return table(['ID', 'NAME', 'KIND', 'QUERY', 'ORDER', 'CREATED (UTC)', 'FEED'], rows);
}

/** Without the address, because standard error often ends up in a log. */
function afterwards({ id, name }: SavedSearch, address: string | null): string {
  const saved = `saved search ${id}, ${quoted(name)}`;
  if (address === null) return `${saved}\n`;
  return `${saved}, with a feed
Keep its address now: it is shown only this once. It ends in .atom; with .json it gives JSON Feed.
`;
}

/** Whoever's it is. Throws a UsageError where there is none. */
export function savedById({ saved }: Accounts, text: string): OwnedSearch {
  const found = /^\d{1,15}$/.test(text) ? saved.byId(Number(text)) : null;
  if (found !== null) return found;
  throw new UsageError(
    `expected the id of a saved search (see \`colloquy saved list\`), found ${quoted(text)}`,
  );
}
