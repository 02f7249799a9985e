// The security log of the command line and of servers: in the file that is set. What a command does is on its terminal
// already, so without a file it notes nothing.

import type { SecurityEvent } from '../accounts/security-log.ts';
import type { Config } from '../config.ts';
import { UsageError } from '../errors.ts';
import { type LogLines, openLogLines } from '../log.ts';
import { quoted } from '../text/quoted.ts';

/** null: no file is set. Throws a UsageError where it cannot be written. */
export function openSecurityFile({ securityLog }: Pick<Config, 'securityLog'>): LogLines | null {
  if (securityLog === null) return null;
  try {
    return openLogLines(securityLog);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `setting \`COLLOQUY_SECURITY_LOG\`: expected a file that can be written, found ${quoted(securityLog)} (${code})`,
      { cause: error },
    );
  }
}

/** Notes what a command has done. */
export async function noteSecurity(config: Pick<Config, 'securityLog'>, event: SecurityEvent): Promise<void> {
  await using lines = openSecurityFile(config);
  lines?.write({ ...event });
}
