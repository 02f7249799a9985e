// What a server says at start if its settings tell of a proxy, and not which.

import { type Config, isSocketPath } from '../config.ts';

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
    'COLLOQUY_TRUSTED_PROXIES names none:\n' +
    'limits count everybody behind it as one, and `/metrics` is closed unless it has a token. For a proxy on this\n' +
    'machine, set it to 127.0.0.1\n'
  );
}
