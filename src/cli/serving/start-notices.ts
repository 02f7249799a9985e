// Warnings at the start of a server with more rights than it needs, or with data that others may enter; and notices
// about proxies that settings suggest but do not name.

import { type Config, isSocketPath } from '../../config.ts';
import { opennessOf } from '../../folder/data-folder.ts';
import { isLoopback } from '../../http/requests/caller.ts';
import { quoted } from '../../text/quoted.ts';
import { shellWord } from '../command-line.ts';

/**
 * One line if the superuser serves strangers, and one if others may enter the data folder. Both are only warnings: a
 * container may have no other user, and the folder may be meant so.
 */
export function warningsOf(config: Config, uid = process.getuid?.()): readonly string[] {
  const { dataFolder } = config;
  const mode = opennessOf(dataFolder);
  return [
    ...(uid === 0 && servesStrangers(config)
      ? [
          'This server runs as root. Give it a user of its own, so that a fault in it is not one of the machine.',
        ]
      : []),
    ...(mode === null
      ? []
      : [
          `The data folder ${quoted(dataFolder)} is open to others (mode ${mode}); this keeps them out: ` +
            `chmod -R go= ${shellWord(dataFolder)}`,
        ]),
  ];
}

/** Whether it is on the network, or behind something that is. */
function servesStrangers({ host, publicUrl, trustedProxies }: Config): boolean {
  return isSocketPath(host) || !isLoopback(host) || publicUrl !== null || trustedProxies.length > 0;
}

/** Lines for the operator; empty if there is nothing to say. */
export function proxyNotice({
  publicUrl,
  trustedProxies,
  host,
}: Pick<Config, 'publicUrl' | 'trustedProxies' | 'host'>): string {
  // This server speaks no TLS itself, and trusts whoever connects to a socket.
  if (isSocketPath(host) || !publicUrl?.startsWith('https:') || trustedProxies.length > 0) return '';
  return (
    'COLLOQUY_PUBLIC_URL starts with https://, so there is a proxy in front of this server, but ' +
    'COLLOQUY_TRUSTED_PROXIES names none.\n' +
    'Limits count everybody behind it as one, and `/metrics` is closed unless it has a token. For a proxy on this\n' +
    'machine, set it to 127.0.0.1\n'
  );
}
