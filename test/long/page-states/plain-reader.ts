// A reader without script, styles or a browser: requests that follow the links of a page and send its forms.

import assert from 'node:assert/strict';
import { decode, readable } from '../../page/site.ts';
import type { Reader } from './reader.ts';

export class LoadedPage {
  readonly body: string;

  constructor(body: string) {
    this.body = body;
  }

  /** Path and query of its canonical address; null where it names none. */
  canonical(): string | null {
    const named = /<link rel="canonical" href="https?:\/\/[^/"]+([^"]*)"/.exec(this.body)?.[1];
    return named === undefined ? null : decode(named);
  }

  /** What is shown, without how long it took and where its forms for settings return to. */
  content(): string {
    const main = /<main\b[\s\S]*<\/main>/.exec(this.body)![0];
    return main
      .replace(/<p class="took">[\s\S]*?<\/p>/g, '')
      .replace(/(return=|name="token" value=")[^"]*/g, '$1');
  }
}

export class PlainReader implements Reader {
  readonly #base: string;
  readonly #cookies: Map<string, string>;
  #steps = 0;
  #address = '/';
  #page = new LoadedPage('');
  /** What has been filled in, by name. */
  #filled = new Map<string, string>();

  constructor(base: string, cookies: ReadonlyMap<string, string> = new Map()) {
    this.#base = base;
    this.#cookies = new Map(cookies);
  }

  get steps(): number {
    return this.#steps;
  }

  /** As a header. */
  get cookie(): string {
    return [...this.#cookies].map((pair) => pair.join('=')).join('; ');
  }

  /** Another, signed in as this one. */
  anew(): PlainReader {
    return new PlainReader(this.#base, this.#cookies);
  }

  async register(email: string, password: string): Promise<void> {
    await this.visit('/register');
    await this.fill(/^Email address/, email);
    await this.fill(/^Password/, password);
    await this.press(/^Create account$/);
    assert.match(this.#page.body, /My API/);
  }

  async load(path: string): Promise<LoadedPage> {
    return new LoadedPage(await (await this.#ask(path)).text());
  }

  async visit(path: string): Promise<void> {
    await this.#open(await this.#ask(path));
    this.#steps = 0;
  }

  async follow(name: RegExp): Promise<void> {
    const links = [...this.#page.body.matchAll(/<a\b[^>]*? href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g)];
    const [, href] =
      links.find(([, , inside]) => name.test(readable(inside!))) ?? assert.fail(`no link ${name}`);
    this.#steps++;
    await this.#open(await this.#ask(decode(href!)));
  }

  async fill(label: RegExp, text: string): Promise<void> {
    const labels = [...this.#page.body.matchAll(/<label for="([^"]+)"[^>]*>([\s\S]*?)<\/label>/g)];
    const [, id] =
      labels.find(([, , inside]) => label.test(readable(inside!))) ?? assert.fail(`no field ${label}`);
    this.#steps++;
    this.#filled.set(id!, text);
  }

  async press(name: RegExp): Promise<void> {
    await this.#open(await this.#send(name));
  }

  async download(name: RegExp): Promise<string> {
    const response = await this.#send(name);
    assert.match(response.headers.get('content-disposition') ?? '', /^attachment/);
    return response.text();
  }

  address(): string {
    return this.#address;
  }

  async markup(): Promise<string> {
    return this.#page.body;
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** Sends the form that has this button. */
  async #send(name: RegExp): Promise<Response> {
    this.#steps++;
    for (const [, head, inside] of this.#page.body.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)) {
      const buttons = [...inside!.matchAll(/<button\b([^>]*)>([\s\S]*?)<\/button>/g)];
      const button = buttons.find(([, , words]) => name.test(readable(words!)));
      if (button === undefined) continue;
      const pairs = [...this.#fieldsOf(inside!), ...pairOf(button[1]!)];
      const sent = new URLSearchParams(pairs.map(([field, value]) => [field, value]));
      const action = attribute(head!, 'action')!;
      if (attribute(head!, 'method') !== 'post') return this.#ask(`${action}?${sent}`);
      return this.#ask(action, sent);
    }
    return assert.fail(`no button ${name}`);
  }

  /** What a browser would send: the values that are there, chosen or filled in. */
  #fieldsOf(form: string): [string, string][] {
    const inputs = [...form.matchAll(/<input\b([^>]*)>/g)].flatMap(([, head]): [string, string][] => {
      const type = attribute(head!, 'type');
      if ((type === 'radio' || type === 'checkbox') && !/ checked\b/.test(head!)) return [];
      const filled = this.#filled.get(attribute(head!, 'id') ?? '');
      return filled === undefined ? pairOf(head!) : [[attribute(head!, 'name')!, filled]];
    });
    const selects = [...form.matchAll(/<select\b([^>]*)>([\s\S]*?)<\/select>/g)].map(
      ([, head, options]): [string, string] => [
        attribute(head!, 'name')!,
        decode(/<option value="([^"]*)" selected/.exec(options!)?.[1] ?? ''),
      ],
    );
    return [...inputs, ...selects];
  }

  async #open(response: Response): Promise<void> {
    const { pathname, search } = new URL(response.url);
    this.#address = pathname + search;
    this.#page = new LoadedPage(await response.text());
    this.#filled = new Map();
    assert.ok(response.ok, `${response.status} at ${this.#address}`);
  }

  /** Follows redirects, keeping cookies. */
  async #ask(path: string, form?: URLSearchParams): Promise<Response> {
    const address = new URL(path, this.#base);
    const headers = { cookie: this.cookie, ...(form === undefined ? {} : { origin: this.#base }) };
    const body = form === undefined ? {} : { method: 'POST', body: form };
    const response = await fetch(address, { ...body, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      this.#cookies.set(name!, value!);
    }
    const there = response.headers.get('location');
    return there === null ? response : this.#ask(there);
  }
}

/** Name and value of a field or button that has both. */
function pairOf(head: string): [string, string][] {
  const [name, value] = [attribute(head, 'name'), attribute(head, 'value')];
  return name === null ? [] : [[name, value ?? '']];
}

function attribute(head: string, name: string): string | null {
  const value = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(head)?.[1];
  return value === undefined ? null : decode(value);
}
