// `colloquy accounts`: make, list and remove accounts, and print the one-time links that set their passwords.

import { Command } from 'commander';
import {
  noteSecurity,
  openAccounts,
  openAccountsToRead,
  openExistingAccounts,
  publicAddress,
} from '../../cli/accounts-folder.ts';
import { commandLine } from '../../cli/command-line.ts';
import { type FeatureEntry, loadFeatures } from '../../cli/feature.ts';
import { printJson, table } from '../../cli/listing.ts';
import { type CommonFlags, configWith, dataOption } from '../../cli/options.ts';
import type { Config } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import type { KeptOfAccount } from '../../http/site/site.ts';
import { counted } from '../../http/views/format.ts';
import { readableTime } from '../../model/time.ts';
import { quoted } from '../../text/quoted.ts';
import { LINK_PATH } from './addresses.ts';
import { credentialsOf, keptByFeatures, type OneTimeLink } from './credentials.ts';
import { listed } from './forms.ts';

export async function accountsCommand(features: readonly FeatureEntry[]): Promise<Command> {
  const kept = await keptByFeatures(await loadFeatures(features));
  return new Command('accounts')
    .description('make, list and remove accounts; make one-time links that set a password')
    .addHelpText('after', '\nExample:\n  colloquy accounts create ann@example.org')
    .addCommand(createCommand())
    .addCommand(resetCommand())
    .addCommand(secondFactorOffCommand())
    .addCommand(endSessionsCommand())
    .addCommand(listCommand())
    .addCommand(removeCommand(kept));
}

function createCommand(): Command {
  return accountCommand(
    'create',
    'make an account and print the one-time link that sets its password',
  ).action(async (email: string, options: CommonFlags) => {
    const config = configWith(options);
    await using accounts = await openAccounts(config);
    const link = credentialsOf(accounts).createAccount(email);
    if (link === null) {
      throw new UsageError(
        `expected an address without an account, found ${quoted(email)}; \`colloquy accounts reset\` makes a new link`,
      );
    }
    await noteSecurity(config, { security: 'account_made' });
    printLink(link, config, options);
  });
}

function resetCommand(): Command {
  return accountCommand(
    'reset',
    'print a new one-time link; until it is used, the old password stays valid',
  ).action(async (email: string, options: CommonFlags) => {
    const config = configWith(options);
    await using accounts = await openExistingAccounts(config);
    const link = credentialsOf(accounts).resetAccount(email) ?? unknownAccount(email);
    await noteSecurity(config, { security: 'link_made' });
    printLink(link, config, options);
  });
}

function secondFactorOffCommand(): Command {
  return accountCommand(
    'second-factor-off',
    'turn the second factor of an account off, for somebody who has lost it; the password stays',
  ).action(async (email: string, options: CommonFlags) => {
    const config = configWith(options);
    await using accounts = await openExistingAccounts(config);
    const wasOn = credentialsOf(accounts).turnOffSecondFactor(email) ?? unknownAccount(email);
    if (wasOn) await noteSecurity(config, { security: 'second_factor_off', account: accounts.idOf(email)! });
    if (options.json) printJson({ email, was_on: wasOn });
    process.stderr.write(
      wasOn
        ? `the second factor of ${email} is off\n`
        : `${email} has no second factor; nothing was changed\n`,
    );
  });
}

function endSessionsCommand(): Command {
  return new Command('end-sessions')
    .description('end the sessions of an account, or of all; whoever was signed in has to sign in again')
    .argument('[email]', "the account's email address")
    .option('--all', 'of every account')
    .option('--json', 'as JSON')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy accounts end-sessions ann@example.org')
    .action(async (email: string | undefined, options: CommonFlags & { readonly all?: boolean }) => {
      if ((email === undefined) !== (options.all === true)) {
        throw new UsageError(
          `expected an address or \`--all\`, found ${email === undefined ? 'neither' : 'both'}`,
        );
      }
      const config = configWith(options);
      await using accounts = await openExistingAccounts(config);
      const ended = accounts.endSessions(email ?? null) ?? unknownAccount(email!);
      const whose = email === undefined ? {} : { account: accounts.idOf(email)! };
      if (ended > 0) await noteSecurity(config, { security: 'sessions_ended', ...whose });
      if (options.json) printJson({ email: email ?? null, sessions: ended });
      process.stderr.write(
        `ended ${counted(ended, 'session')} of ${email ?? 'all accounts'}; keys and passwords stay as they are\n`,
      );
    });
}

function listCommand(): Command {
  return new Command('list')
    .description('list every account')
    .option(
      '--json',
      'print JSON: email, created, has_password, second_factor, keys (not counting revoked ones)',
    )
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy accounts list')
    .action(async (options: CommonFlags) => {
      await using accounts = await openAccountsToRead(configWith(options));
      const list = credentialsOf(accounts).listAccounts();
      if (options.json) {
        printJson(
          list.map(({ email, created, hasPassword, hasSecondFactor, keys }) => {
            return { email, created, has_password: hasPassword, second_factor: hasSecondFactor, keys };
          }),
        );
      } else if (list.length === 0) {
        const hint = commandLine(['accounts', 'create', 'you@example.org'], options.data);
        process.stderr.write(`no accounts yet; make one: ${hint}\n`);
      } else {
        const rows = list.map(({ email, created, hasPassword, hasSecondFactor, keys }) => {
          const states = [hasPassword, hasSecondFactor].map((is) => (is ? 'yes' : 'no'));
          return [email, readableTime(created), ...states, String(keys)];
        });
        process.stdout.write(table(['ACCOUNT', 'CREATED (UTC)', 'PASSWORD', 'SECOND FACTOR', 'KEYS'], rows));
      }
    });
}

function removeCommand(kept: readonly KeptOfAccount[]): Command {
  const gone = kept.filter(({ list }) => list !== undefined);
  const stay = kept.filter(({ removeOf }) => removeOf !== undefined);
  const words = listed(['keys', 'sessions', ...gone.map(({ words: [, many] }) => many)]);
  const command = accountCommand('remove', `remove an account for good, with its ${words}`);
  for (const { name, words: named } of stay) command.option(`--${name}`, `and the ${named[1]} that it made`);
  return command.action(async (email: string, options: CommonFlags & Readonly<Record<string, unknown>>) => {
    const config = configWith(options);
    await using accounts = await openExistingAccounts(config);
    const id = accounts.idOf(email) ?? unknownAccount(email);
    const removed: Record<string, number> = {};
    for (const { name, list } of gone) removed[name] = list!(accounts, id).length;
    // First, since nobody could name the account behind it.
    const chosen = stay.filter(({ name }) => options[name] === true);
    for (const { name, removeOf } of chosen) removed[name] = await removeOf!(config, id);
    const account = credentialsOf(accounts).removeAccount(email) ?? unknownAccount(email);
    await noteSecurity(config, { security: 'account_removed' });
    if (options.json) printJson({ ...account, ...removed });
    const told = ({ name, words: [, many] }: KeptOfAccount) => `its ${many} (${removed[name]})`;
    const with_ = [`its keys (${account.keys})`, `its sessions (${account.sessions})`, ...gone.map(told)];
    process.stderr.write(
      `removed ${account.email}: ${listed(['the account', ...with_])}${chosen.map((one) => `; and ${told(one)}`).join('')}\n`,
    );
  });
}

function accountCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<email>', "the account's email address")
    .option('--json', 'as JSON')
    .addOption(dataOption())
    .addHelpText('after', `\nExample:\n  colloquy accounts ${name} ann@example.org`);
}

function unknownAccount(email: string): never {
  throw new UsageError(`expected an account (see \`colloquy accounts list\`), found ${quoted(email)}`);
}

function printLink({ email, token, expires }: OneTimeLink, config: Config, options: CommonFlags): void {
  const link = `${publicAddress(config)}${LINK_PATH}${token}`;
  if (options.json) printJson({ email, link, expires });
  else process.stdout.write(`${link}\n`);
  process.stderr.write(
    `one-time link to set the password of ${email}; it works once, ` +
      `until ${readableTime(expires)} UTC, while the server is running\n`,
  );
}
