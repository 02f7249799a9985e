// Opens the accounts of the data folder given to a command.

import { Accounts } from '../accounts/accounts.ts';
import { type Config, isSocketPath } from '../config.ts';
import { expectDataFolder, expectPlaceForData } from '../folder/data-folder.ts';

/** Makes the folder if it does not exist. Throws a UsageError if it contains something else. */
export async function openAccounts(config: Config): Promise<Accounts> {
  await expectPlaceForData(config);
  return Accounts.open(config.dataFolder);
}

/**
 * For commands that change existing data: throws a UsageError if the folder does not exist, since its name
 * was mistyped.
 */
export async function openExistingAccounts(config: Config): Promise<Accounts> {
  await expectDataFolder(config);
  return Accounts.open(config.dataFolder);
}

/** For commands that only read. Throws a UsageError. */
export async function openAccountsToRead(config: Config): Promise<Accounts> {
  await expectDataFolder(config);
  return Accounts.openToRead(config.dataFolder);
}

/** The address at which people reach the server, without a final slash. */
export function publicAddress({ publicUrl, host, port }: Config): string {
  if (publicUrl !== null) return publicUrl;
  // Only the proxy in front of it knows.
  if (isSocketPath(host)) return 'http://localhost';
  // An address that means "every address" cannot be opened.
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
