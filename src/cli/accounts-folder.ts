// Opens the accounts of the data folder that a command was given.

import { existsSync } from 'node:fs';
import { Accounts } from '../accounts/accounts.ts';
import type { Config } from '../config.ts';
import { UsageError } from '../errors.ts';

/** Makes the folder where there is none. */
export function openAccounts(config: Config): Accounts {
  return Accounts.open(config.dataFolder);
}

/** For commands that only look or take away: a folder that is not there was misspelt. Throws a UsageError. */
export function openExistingAccounts(config: Config): Accounts {
  if (!existsSync(config.dataFolder)) {
    throw new UsageError(
      `expected a data folder at \`${config.dataFolder}\`, found none; \`colloquy keys create\` makes one`,
    );
  }
  return Accounts.open(config.dataFolder);
}

/** Where people reach the server, without a slash at its end. */
export function publicAddress({ publicUrl, host, port }: Config): string {
  if (publicUrl !== null) return publicUrl;
  // Addresses that mean "every address" are none to go to.
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
