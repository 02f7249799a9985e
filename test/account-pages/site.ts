// A server with its pages and accounts for the tests, with clocks that tests set; and a browser without script for it.

import assert from 'node:assert/strict';
import { argon2Sync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { newTotpSecret, stepAt, totpCode } from '../../src/features/account/second-factors.ts';
import { COMMENTS, POSTS } from '../api/corpus.ts';
import { type BuildOptions, openService, type Service } from '../api/service.ts';
import { type Clock, stopClock } from '../clock.ts';
import { decode } from '../page/site.ts';

export interface TestSite extends Pick<Service, 'accounts' | 'engine' | 'folder'>, AsyncDisposable {
  readonly clock: Clock;
  readonly server: FastifyInstance;
  /** A browser of its own, at an address of its own. */
  browser(options?: BrowserOptions): Browser;
  /** The status of a search by this key. */
  ask(key: string): Promise<number>;
}

/** The clocks stand still unless a test moves them. */
export async function openSite(options: BuildOptions = {}): Promise<TestSite> {
  const clock = stopClock(1_800_000_000);
  const service = await openService(POSTS, COMMENTS);
  const { accounts, engine, folder } = service;
  const server = await service.build(options);
  let browsers = 0;
  return {
    ...{ server, accounts, engine, folder, clock },
    browser: (of = {}) => new Browser(server, { address: `192.0.2.${++browsers}`, ...of }),
    ask: async (key) => {
      const headers = { authorization: `Bearer ${key}` };
      return (await server.inject({ url: '/api/v1/search/posts?query=cats', headers })).statusCode;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

export interface BrowserOptions {
  readonly address?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** As the browser sees it; http://localhost:80 is what the server is asked by. */
  readonly origin?: string;
}

export interface Form {
  readonly action: string;
  readonly method: string;
  /** Hidden fields and those with a value. */
  readonly fields: Fields;
}

export type Fields = Readonly<Record<string, string>>;

/** Keeps cookies, sends `Origin` with forms, and follows redirects where told to. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #server: FastifyInstance;
  readonly #address: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #origin: string;

  constructor(server: FastifyInstance, options: BrowserOptions) {
    this.#server = server;
    this.#address = options.address ?? '192.0.2.1';
    this.#headers = options.headers ?? {};
    this.#origin = options.origin ?? 'http://localhost:80';
  }

  async get(path: string, headers: Fields = {}): Promise<LightMyRequestResponse> {
    return this.#ask('GET', path, headers);
  }

  /** As if a form were sent; `origin` null sends none. */
  async post(
    path: string,
    fields: Fields,
    { origin = this.#origin, ...headers }: { readonly origin?: string | null } & Fields = {},
  ): Promise<LightMyRequestResponse> {
    const type = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
    const sent = origin === null ? type : { ...type, origin };
    return this.#ask('POST', path, sent, new URLSearchParams(fields).toString());
  }

  /** Opens the page, fills the form of this action in, and sends it. */
  async submit(page: string, action: string, fields: Fields = {}): Promise<LightMyRequestResponse> {
    const { body } = await this.get(page);
    return this.post(action, { ...fieldsOf(body, action), ...fields });
  }

  /** The page that a redirect leads to. */
  async follow(response: LightMyRequestResponse): Promise<LightMyRequestResponse> {
    return this.get(String(response.headers.location));
  }

  /** Registers and is signed in. */
  async register(email: string, password = PASSWORD): Promise<LightMyRequestResponse> {
    return this.submit('/register', '/register', { email, password });
  }

  async signIn(email: string, password = PASSWORD): Promise<LightMyRequestResponse> {
    return this.submit('/sign-in', '/sign-in', { email, password });
  }

  /** The page that shows a new key, and the key. */
  async makeKey(fields: Fields): Promise<{ readonly body: string; readonly key: string }> {
    const { statusCode, body } = await this.submit('/account/keys', '/account/keys', fields);
    assert.equal(statusCode, 200);
    return { body, key: /value="(clq_[0-9A-Za-z]{38})"/.exec(body)![1]! };
  }

  async #ask(
    method: 'GET' | 'POST',
    path: string,
    headers: Fields,
    payload?: string,
  ): Promise<LightMyRequestResponse> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const response = await this.#server.inject({
      method,
      url: path,
      remoteAddress: this.#address,
      headers: { ...this.#headers, ...headers, ...(cookie === '' ? {} : { cookie }) },
      ...(payload === undefined ? {} : { payload }),
    });
    for (const { name, value, maxAge } of response.cookies as {
      name: string;
      value: string;
      maxAge?: number;
    }[]) {
      if (maxAge === 0) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }
}

export const PASSWORD = 'correct horse battery';

/** An account with PASSWORD, of whose hash hardly anything has to be computed: for many tries at it. */
export function addQuickAccount(site: TestSite, email: string): void {
  credentialsOf(site.accounts).createAccount(email);
  makeQuick(site, email);
}

/** Gives an account PASSWORD by such a hash, until somebody signs in: the hash is made anew then. */
export function makeQuick({ folder }: TestSite, email: string): void {
  const nonce = randomBytes(16);
  const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
  const tag = argon2Sync('argon2id', { message: PASSWORD, nonce, ...cost });
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  const database = new DatabaseSync(join(folder, 'accounts.db'));
  try {
    const stored = `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash}`;
    database.prepare('UPDATE accounts SET password = ? WHERE email = ?').run(stored, email);
  } finally {
    database.close();
  }
}

/** Turns the second factor of an account on. */
export function secondFactorOf(
  { accounts, clock }: TestSite,
  accountId: number,
): { readonly secret: Uint8Array; readonly recoveryCodes: readonly string[]; code(): string } {
  const secret = newTotpSecret();
  const codeAt = (seconds: number) => totpCode(secret, stepAt(seconds));
  const { secondFactors } = credentialsOf(accounts);
  const recoveryCodes = secondFactors.turnOn(accountId, secret, codeAt(clock.seconds))!;
  return { secret, recoveryCodes, code: () => codeAt(clock.seconds) };
}

/** The secret behind the text that a page shows. */
export function totpSecretOf(text: string): Uint8Array {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = text
    .replace(/\s/g, '')
    .replace(/./g, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'));
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
}

/** What is between the header and the footer, for messages of tests. */
export function mainOf(body: string): string {
  return /<main\b.*<\/main>/s.exec(body)?.[0] ?? body.slice(0, 2000);
}

/** The fields of the form of this action. */
export function fieldsOf(body: string, action: string): Fields {
  const form = formsOf(body).find((found) => found.action === action);
  return form?.fields ?? assert.fail(`no form ${action} in ${mainOf(body)}`);
}

/** Every form of a page. */
export function formsOf(body: string): Form[] {
  return [...body.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, head = '', inside = '']) => {
    const inputs = [...inside.matchAll(/<input\b([^>]*)>/g)].map(([, attributes = '']) => attributes);
    const pairs = inputs.map((attributes) => [attribute(attributes, 'name'), attribute(attributes, 'value')]);
    const selects = [...inside.matchAll(/<select\b([^>]*)>.*?<option value="([^"]*)" selected>/gs)];
    return {
      action: attribute(head, 'action'),
      method: attribute(head, 'method') || 'get',
      fields: Object.fromEntries([
        ...pairs.filter(([name, value]) => name !== '' && value !== ''),
        ...selects.map(([, attributes = '', value = '']) => [attribute(attributes, 'name'), value]),
      ]),
    };
  });
}

function attribute(text: string, name: string): string {
  return decode(new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(text)?.[1] ?? '');
}

/** Everything in accounts.db, to see that nothing has changed. */
export function contentOf({ folder }: TestSite): string {
  const database = new DatabaseSync(join(folder, 'accounts.db'), { readOnly: true });
  try {
    const tables = 'accounts keys links sessions second_factors recovery_codes saved_searches';
    const rowsOf = (table: string) => database.prepare(`SELECT * FROM ${table} ORDER BY 1`).all();
    return JSON.stringify(tables.split(' ').map(rowsOf));
  } finally {
    database.close();
  }
}

export interface KnownRoute {
  readonly method: string;
  /** `/account/keys/:id/revoke`. */
  readonly path: string;
}

/** Every route that the router has, from its own listing. */
export async function routesOf({ server }: Pick<TestSite, 'server'>): Promise<KnownRoute[]> {
  await server.ready();
  const lines = server.printRoutes({ commonPrefix: false }).split('\n');
  const above: string[] = [];
  return lines.flatMap((line) => {
    const found = /^((?:[│ ] {3})*)(?:├── |└── )(\S+)(?: \(([A-Z, ]+)\))?$/.exec(line);
    if (found === null) return [];
    const [, indent = '', piece = '', methods = ''] = found;
    const depth = indent.length / 4;
    above.splice(depth, above.length, piece);
    const path = above.join('').replace(/^\/\//, '/');
    return methods === '' ? [] : methods.split(', ').map((method) => ({ method, path }));
  });
}
