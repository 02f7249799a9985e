// Opens the accounts of the data folder that a command was given.

import { Accounts } from '../accounts/accounts.ts';
import type { Config } from '../config.ts';
import { expectDataFolder, expectPlaceForData } from '../folder/data-folder.ts';

/** Makes the folder where there is none. Throws a UsageError where it holds something else. */
export async function openAccounts(config: Config): Promise<Accounts> {
  await expectPlaceForData(config);
  return Accounts.open(config.dataFolder);
}

/** For commands that change what is there: a folder that is not was misspelt. Throws a UsageError. */
export async function openExistingAccounts(config: Config): Promise<Accounts> {
  await expectDataFolder(config);
  return Accounts.open(config.dataFolder);
}

/** For commands that only look. Throws a UsageError. */
export async function openAccountsToRead(config: Config): Promise<Accounts> {
  await expectDataFolder(config);
  return Accounts.openToRead(config.dataFolder);
}

/** Where people reach the server, without a slash at its end. */
export function publicAddress({ publicUrl, host, port }: Config): string {
  if (publicUrl !== null) return publicUrl;
  // Addresses that mean "every address" are none to go to.
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
