// What a server says at its start where it runs with more rights than it needs, or its data with fewer walls.
//
// What a server says at start if its settings tell of a proxy, and not which.

import { type Config, isSocketPath } from '../../config.ts';
import { opennessOf } from '../../folder/data-folder.ts';
import { isLoopback } from '../../http/requests/caller.ts';
import { quoted } from '../../text/quoted.ts';
import { shellWord } from '../command-line.ts';

/**
 * One line for each: that the superuser serves strangers, and that others may enter the data folder. It is told
 * and not refused: in a container there may be no other user, and the folder may be as somebody wants it.
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

/** On the network, or behind something that is. */
function servesStrangers({ host, publicUrl, trustedProxies }: Config): boolean {
  return isSocketPath(host) || !isLoopback(host) || publicUrl !== null || trustedProxies.length > 0;
}

/** Lines for the operator; empty if there is nothing to say. */
export function proxyNotice({
  publicUrl,
  trustedProxies,
  host,
}: Pick<Config, 'publicUrl' | 'trustedProxies' | 'host'>): string {
  // This server speaks no TLS itself, and believes whoever connects to a socket.
  if (isSocketPath(host) || !publicUrl?.startsWith('https:') || trustedProxies.length > 0) return '';
  return (
    'COLLOQUY_PUBLIC_URL starts with https://, so there is a proxy in front of this server, but ' +
    'COLLOQUY_TRUSTED_PROXIES names none.\n' +
    'Limits count everybody behind it as one, and `/metrics` is closed unless it has a token. For a proxy on this\n' +
    'machine, set it to 127.0.0.1\n'
  );
}
