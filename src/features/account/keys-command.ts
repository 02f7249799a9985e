// `colloquy keys`: make, list and revoke API keys.

import { Command } from 'commander';
import type { CreatedKey } from '../../accounts/accounts.ts';
import { type KeyRecord, MAX_KEY_DAYS } from '../../accounts/secrets.ts';
import {
  noteSecurity,
  openAccounts,
  openAccountsToRead,
  openExistingAccounts,
  publicAddress,
} from '../../cli/accounts-folder.ts';
import { commandLine } from '../../cli/command-line.ts';
import { printJson, table } from '../../cli/listing.ts';
import { type CommonFlags, configWith, dataOption, wholeNumberOf } from '../../cli/options.ts';
import { UsageError } from '../../errors.ts';
import { readableTime } from '../../model/time.ts';
import { quoted } from '../../text/quoted.ts';

interface CreateOptions extends CommonFlags {
  readonly account: string;
  readonly name: string;
  readonly expires?: number;
}

export function keysCommand(): Command {
  return new Command('keys')
    .description('API keys: make, list, revoke')
    .addHelpText('after', '\nExample:\n  colloquy keys create --account ann@example.org --name notebook')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand());
}

function createCommand(): Command {
  return new Command('create')
    .description('make a key; it is printed once, with nothing else on standard output')
    .requiredOption('--account <email>', 'the account that owns the key; it is made if it does not exist')
    .option('--name <name>', 'a name to recognise the key by', 'default')
    .option(
      '--expires <days>',
      `days until it expires, 1 to ${MAX_KEY_DAYS} (default: never)`,
      wholeNumberOf(1, MAX_KEY_DAYS),
    )
    .option('--json', 'print the key and its details as JSON')
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
Examples:
  colloquy keys create --account ann@example.org
  COLLOQUY_KEY=$(colloquy keys create --account ann@example.org --name notebook --expires 365)`,
    )
    .action(async (options: CreateOptions) => {
      const config = configWith(options);
      await using accounts = await openAccounts(config);
      const { account: email, name, expires: expiresInDays = null } = options;
      const created = accounts.createKey({ email, name, expiresInDays });
      await noteSecurity(config, { security: 'key_made', key: created.id });
      if (options.json) printJson({ ...asJson(created), key: created.key });
      else process.stdout.write(`${created.key}\n`);
      process.stderr.write(afterwards(created, publicAddress(config), options.data));
    });
}

function listCommand(): Command {
  return new Command('list')
    .description('list every key, including revoked and expired ones')
    .option('--json', 'as JSON: id, account, name, created, last_used, expires, revoked, start')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy keys list --json')
    .action(async (options: CommonFlags) => {
      await using accounts = await openAccountsToRead(configWith(options));
      const keys = accounts.keys.list();
      if (options.json) printJson(keys.map(asJson));
      else if (keys.length > 0) process.stdout.write(asTable(keys));
      else {
        const hint = commandLine(['keys', 'create', '--account', 'you@example.org'], options.data);
        process.stderr.write(`no keys yet; make one: ${hint}\n`);
      }
    });
}

function revokeCommand(): Command {
  return new Command('revoke')
    .description('revoke a key at once, even in a running server')
    .argument('<id>', 'the number shown by `keys list`')
    .option('--json', 'print the revoked key as in `keys list --json`')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy keys revoke 3')
    .action(async (id: string, options: CommonFlags) => {
      const config = configWith(options);
      await using accounts = await openExistingAccounts(config);
      if (!/^\d{1,15}$/.test(id) || !accounts.keys.revoke(Number(id))) {
        throw new UsageError(`expected the id of a key (see \`colloquy keys list\`), found ${quoted(id)}`);
      }
      await noteSecurity(config, { security: 'key_revoked', key: Number(id) });
      const revoked = accounts.keys.list().find((key) => key.id === Number(id))!;
      if (options.json) printJson(asJson(revoked));
      process.stderr.write(`key ${revoked.id} of ${revoked.account} is revoked and no longer accepted\n`);
    });
}

/** The fields that scripts rely on, in this order. Times are Unix seconds, or null. */
function asJson({ id, account, name, start, created, lastUsed, expires, revoked }: KeyRecord) {
  return { id, account, name, created, last_used: lastUsed, expires, revoked, start };
}

function asTable(keys: readonly KeyRecord[]): string {
  const rows = keys.map((key) => [
    String(key.id),
    key.account,
    key.name,
    key.start,
    readableTime(key.created),
    key.lastUsed === null ? 'never' : readableTime(key.lastUsed),
    stateOf(key),
  ]);
  return table(['ID', 'ACCOUNT', 'NAME', 'START', 'CREATED (UTC)', 'LAST USED', 'STATE'], rows);
}

function stateOf({ revoked, expires }: KeyRecord): string {
  if (revoked !== null) return `revoked ${readableTime(revoked)}`;
  if (expires === null) return 'valid';
  return `${expires <= Date.now() / 1000 ? 'expired' : 'expires'} ${readableTime(expires)}`;
}

/** What people need next. Does not contain the key itself, because standard error often ends up in a log. */
function afterwards({ id, account, expires }: CreatedKey, address: string, data?: string): string {
  return `key ${id} of ${account}, ${expires === null ? 'without expiry' : `until ${readableTime(expires)} UTC`}
Keep it now: it is shown only this once. With the server running (${commandLine(['serve'], data)}), try it:
  curl -H "Authorization: Bearer <key>" "${address}/api/v1/search/comments?query=&limit=3"
`;
}
