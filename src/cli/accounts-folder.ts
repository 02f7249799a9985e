// Opens the accounts of the data folder given to a command.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Accounts } from '../accounts/accounts.ts';
import type { SecurityEvent } from '../accounts/security-log.ts';
import { type Config, isSocketPath } from '../config.ts';
import { UsageError } from '../errors.ts';
import { expectDataFolder, expectPlaceForData } from '../folder/data-folder.ts';
import { LogLines } from '../log.ts';
import { quoted } from '../text/quoted.ts';

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

/** The address of the running server of a data folder: a flag may have given it another port. */
const LISTENING = '.listening';

/** Writes the note for `publicAddress`; the result deletes it. */
export function noteListening({ dataFolder }: Config, address: string): Disposable {
  const file = join(dataFolder, LISTENING);
  writeFileSync(file, address);
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

/** The address at which people reach the server, without a final slash. */
export function publicAddress({ dataFolder, publicUrl, host, port }: Config): string {
  if (publicUrl !== null) return publicUrl;
  // Only the proxy in front of it knows.
  if (isSocketPath(host)) return 'http://localhost';
  try {
    return readFileSync(join(dataFolder, LISTENING), 'utf8');
  } catch {
    // No server is running.
  }
  // An address that means "every address" cannot be opened.
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** null: no file is set. Throws a UsageError if it cannot be written. */
export function openSecurityFile({ securityLog }: Pick<Config, 'securityLog'>): LogLines | null {
  if (securityLog === null) return null;
  try {
    return new LogLines(securityLog);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `setting \`COLLOQUY_SECURITY_LOG\`: expected a file that can be written, found ${quoted(securityLog)} (${code})`,
      { cause: error },
    );
  }
}

export async function noteSecurity(config: Pick<Config, 'securityLog'>, event: SecurityEvent): Promise<void> {
  await using lines = openSecurityFile(config);
  lines?.write({ ...event });
}
