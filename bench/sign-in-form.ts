// The form for signing in, as a browser without script sends it: over kept connections, from any network that a trusted
// proxy would name.

import { Agent, request } from 'node:http';

export interface Answered {
  readonly status: number;
  /** Seconds; null: not told. */
  readonly retryAfter: number | null;
  readonly cookies: readonly string[];
  readonly ms: number;
}

export class SignInForm implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 512 });
  readonly #address: URL;
  #cookie = '';
  #token = '';

  constructor(address: string) {
    this.#address = new URL('/sign-in', address);
  }

  /** Opens the page once; its token and cookie then hold for every form. */
  async open(): Promise<this> {
    const response = await fetch(this.#address);
    const body = await response.text();
    this.#cookie = (response.headers.getSetCookie()[0] ?? '').split(';')[0]!;
    this.#token = /name="token" value="([^"]+)"/.exec(body)?.[1] ?? '';
    return this;
  }

  /** `cookies`: sent besides that of the form. */
  send(email: string, password: string, network: string, cookies: readonly string[] = []): Promise<Answered> {
    const began = performance.now();
    const body = new URLSearchParams({ token: this.#token, email, password }).toString();
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
      cookie: [this.#cookie, ...cookies].join('; '),
      'x-forwarded-for': network,
    };
    return new Promise((resolve, reject) => {
      request(this.#address, { method: 'POST', agent: this.#agent, headers }, (response) => {
        response.resume();
        response.on('error', reject);
        response.on('end', () => {
          const wait = response.headers['retry-after'];
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: wait === undefined ? null : Number(wait),
            cookies: (response.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]!),
            ms: performance.now() - began,
          });
        });
      })
        .on('error', reject)
        .end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

/** One of 16 million networks; each address of IPv4 is one. */
export function networkOf(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}
