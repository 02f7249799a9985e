// Which names this server answers to. A page of somebody else's whose name was made to lead here (DNS rebinding) would
// otherwise be let in by the browser as if it were ours.

import { isIP } from 'node:net';
import { ServiceError } from '../errors.ts';
import { quoted } from '../text/quoted.ts';

export interface HostSettings {
  /** `COLLOQUY_PUBLIC_URL`; null: none. */
  readonly publicUrl: string | null;
  /** `COLLOQUY_ALLOWED_HOSTS`: names without a port, in lower case; `*`: any. Absent or empty: none. */
  readonly allowedHosts?: readonly string[];
}

export class AllowedHosts {
  /** null: any. */
  readonly #names: ReadonlySet<string> | null;

  constructor({ publicUrl, allowedHosts = [] }: HostSettings) {
    const own = publicUrl === null ? [] : [nameOf(new URL(publicUrl).host)];
    const names = [...own, ...allowedHosts];
    this.#names = names.length === 0 || names.includes('*') ? null : new Set(names);
  }

  /**
   * Throws `misdirected_request`. Addresses and `localhost` are always allowed, since no name server decides where
   * they lead; so is a request that names no host, which no browser sends.
   */
  check(host: string | undefined): void {
    if (this.#names === null || host === undefined || host === '') return;
    const name = nameOf(host);
    if (this.#names.has(name) || name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return;
    throw new ServiceError(
      'misdirected_request',
      `header \`Host\`: expected a name that this server answers to, found ${quoted(name)}; ` +
        'its operator lists them in `COLLOQUY_ALLOWED_HOSTS`',
    );
  }
}

/** Without the port and a final dot, in lower case. */
function nameOf(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}
