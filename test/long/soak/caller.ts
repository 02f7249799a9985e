// Callers of the server: programs with a key, visitors without one, and a browser that signs in.

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Headers;
}

/** What an answer said that cannot be. */
export class WrongAnswer extends Error {}

/** The server has refused for want of room, or because the account has as many exports as it may. */
export class Refused extends Error {}

export class Caller {
  readonly address: string;
  readonly #key: string;

  constructor(address: string, key: string) {
    this.address = address;
    this.#key = key;
  }

  /** Throws a Refused at 503 `busy` and 429 `too_many_exports`, a WrongAnswer at any other status but 200. */
  async api(path: string): Promise<Answer> {
    return read(await fetch(this.address + path, { headers: this.#headers() }), path);
  }

  /** A file with its `ETag`; null: it is not there (any more). */
  async file(url: string): Promise<{ readonly bytes: Buffer; readonly tag: string } | null> {
    const response = await fetch(url, { headers: this.#headers() });
    if (response.status !== 200 && response.status !== 404 && response.status !== 410) {
      await read(response, url);
    }
    const bytes = Buffer.from(await response.arrayBuffer());
    return response.status === 200 ? { bytes, tag: response.headers.get('etag') ?? '' } : null;
  }

  async page(path: string): Promise<Answer> {
    return read(await fetch(this.address + path), path);
  }

  /** Takes the first bytes of an answer, waits a little, and hangs up. */
  async cut(path: string, afterMs: number): Promise<void> {
    const gone = new AbortController();
    const response = await fetch(this.address + path, { headers: this.#headers(), signal: gone.signal });
    if (response.status !== 200) await read(response, path);
    await response.body!.getReader().read();
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    gone.abort();
  }

  /** Signs in as a browser does, opens a page and the one of the account, and signs out there. */
  async signInAndOut(email: string, password: string, page: string): Promise<void> {
    const form = await this.page('/sign-in');
    const cookies = new Map<string, string>();
    keep(cookies, form.headers);
    const signedIn = await this.#send('/sign-in', cookies, { token: tokenOf(form.body), email, password });
    if (signedIn.status !== 303) await read(signedIn, 'POST /sign-in');
    keep(cookies, signedIn.headers);
    await this.#open(page, cookies);
    const account = await this.#open('/account', cookies);
    const signOut = account.body.split('action="/sign-out"')[1];
    if (signOut === undefined) throw new WrongAnswer('the page of the account has no form to sign out');
    const signedOut = await this.#send('/sign-out', cookies, { token: tokenOf(signOut) });
    if (signedOut.status !== 303) await read(signedOut, 'POST /sign-out');
  }

  async #open(path: string, cookies: ReadonlyMap<string, string>): Promise<Answer> {
    const headers = { cookie: header(cookies) };
    return read(await fetch(this.address + path, { headers }), `${path} when signed in`);
  }

  async #send(path: string, cookies: Map<string, string>, fields: Record<string, string>): Promise<Response> {
    const response = await fetch(this.address + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: header(cookies), origin: this.address },
      body: new URLSearchParams(fields),
    });
    if (response.status === 303) await response.body?.cancel();
    return response;
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#key}` };
  }
}

async function read(response: Response, path: string): Promise<Answer> {
  const body = await response.text();
  const { status, headers } = response;
  if (status === 503 && /\bbusy\b/i.test(body)) throw new Refused(path);
  if (status === 429 && body.includes('too_many_exports')) throw new Refused(path);
  if (status !== 200) throw new WrongAnswer(`${path}: ${status} ${body.slice(0, 300)}`);
  return { status, body, headers };
}

function keep(cookies: Map<string, string>, headers: Headers): void {
  for (const line of headers.getSetCookie()) {
    const [name, value] = line.split(';')[0]!.split('=');
    cookies.set(name!, value!);
  }
}

function header(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

function tokenOf(html: string): string {
  const token = /name="token" value="([^"]+)"/.exec(html)?.[1];
  if (token === undefined) throw new WrongAnswer('a form without a token');
  return token;
}
