// The reference: all of the OpenAPI document as pages of ours, one for each endpoint, complete without script.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { endpointPage, REFERENCE_PATH } from '../../src/http/addresses.ts';
import { eachIn, readable, siteOfTests } from './site.ts';

interface Answer {
  readonly description: string;
  readonly headers?: Record<string, unknown>;
  readonly content?: Record<string, { examples?: Record<string, { value: unknown }> }>;
}

interface Endpoint {
  readonly security?: object[];
  readonly parameters?: { name: string; description: string }[];
  readonly responses: Record<string, Answer>;
}

interface Document {
  readonly paths: Record<string, { readonly get: Endpoint }>;
  readonly components: { schemas: Record<string, { properties?: Record<string, { description?: string }> }> };
}

describe('the reference', () => {
  const { get: bodyOf, inject, build } = siteOfTests();
  let document: Document;
  /** Of each endpoint, by its path. */
  const bodies = new Map<string, string>();

  before(async () => {
    document = (await inject('/api/v1/openapi.json')).json<Document>();
    for (const path of Object.keys(document.paths)) bodies.set(path, await bodyOf(endpointPage(path), {}));
  });

  const plain = (text: string) => text.replaceAll('`', '').replace(/\s+/g, ' ');

  it('has a page for every endpoint, with each parameter, answer, header and example', () => {
    assert.ok(bodies.size >= 28);
    for (const [path, { get }] of Object.entries(document.paths)) {
      const own = readable(bodies.get(path)!);
      assert.match(own, new RegExp(` GET(?:, HEAD)? ${RegExp.escape(path)} `));
      assert.match(own, (get.security ?? []).length === 0 ? /Needs no key\./ : /Needs a key\./);
      for (const { name, description } of get.parameters ?? []) {
        assert.ok(bodies.get(path)!.includes(`<div id="parameter-${name}">`), `${path} ${name}`);
        assert.ok(own.includes(`${name} `) && own.includes(plain(description)), `${path} ${name}`);
      }
      assert.ok(Object.keys(get.responses).length > 0);
      for (const [status, { description, headers, content }] of Object.entries(get.responses)) {
        assert.ok(own.includes(`${status} ${plain(description)}`), `${path} ${status}`);
        for (const header of Object.keys(headers ?? {})) assert.ok(own.includes(header), header);
        for (const [type, { examples }] of Object.entries(content ?? {})) {
          assert.ok(own.includes(type), type);
          for (const { value } of Object.values(examples ?? {})) {
            const text = JSON.stringify(value, null, 2).replace(/\s+/g, ' ');
            assert.ok(own.includes(text), `${path} ${status} ${text}`);
          }
        }
      }
    }
  });

  it('describes on the page every field of what an endpoint answers, and each link within it leads somewhere', () => {
    const told = new Set<string>();
    for (const body of bodies.values()) {
      const own = readable(body);
      for (const name of eachIn(body, /<h3 id="schema-(\w+)">/g)) {
        told.add(name);
        const { properties = {} } = document.components.schemas[name]!;
        for (const [field, { description = '' }] of Object.entries(properties))
          assert.ok(own.includes(field) && own.includes(plain(description)), `${name}.${field}`);
      }
      for (const id of eachIn(body, / href="#([^"]+)"/g)) assert.ok(body.includes(` id="${id}"`), id);
    }
    const untold = Object.keys(document.components.schemas).filter((name) => !told.has(name));
    assert.deepEqual(untold, ['Problem'], 'docs/errors describes problems');
  });

  it('fields of objects without a name stand inside the field that holds them', () => {
    const timeline = readable(bodies.get('/api/v1/timeline/posts')!);
    assert.match(timeline, /Fields of series.*Fields of buckets.*start integer.*count integer/);
  });

  it('names limits and defaults, required parameters first', () => {
    const words = readable(bodies.get('/api/v1/search/posts')!);
    assert.match(words, /order_by string.*?one of newest, oldest, top, emptydefault newest/);
    assert.match(words, /limit integer.*?0 to 1,000default 100/);
    assert.match(words, /Parameters #query string required.*?at most 4,096 characters/);
    const thread = readable(bodies.get('/api/v1/thread/{post}')!);
    assert.match(thread, /Parameters #post string required in the path/);
  });

  it('has a request to every endpoint in five languages, all on the page without script', () => {
    for (const [path, body] of bodies) {
      const shown = body
        .split('<div class="programs">')[1]!
        .split(/<form|<\/div><\/div>\s*<(?:p|div) class="(?:hint run|block)"/)[0]!;
      for (const name of ['curl', 'python', 'r', 'duckdb', 'javascript']) {
        assert.equal(shown.split(`<div class="program ${name}">`).length, 2, `${path} ${name}`);
        assert.ok(body.includes(` id="language-${name}"`));
      }
      assert.equal(body.match(/<input type="radio" name="language"/g)!.length, 5);
      assert.equal(body.match(/<input type="radio"[^>]* checked>/g)!.length, 1);
    }
  });

  it('brings no script, style or policy of its own, as Swagger UI did', async () => {
    const { headers, body } = await inject(endpointPage('/api/v1/search/posts'));
    const other = await inject('/docs');
    assert.equal(headers['content-security-policy'], other.headers['content-security-policy']);
    const loaded = (markup: string) => markup.match(/<(?:script|link rel="stylesheet")[^>]*>/g);
    assert.deepEqual(loaded(body), loaded(other.body));
  });

  it('its examples name the address that people reach the server at', async () => {
    const elsewhere = await build({ publicUrl: 'https://search.example' });
    const { body } = await elsewhere.inject(endpointPage('/api/v1/counts/comments'));
    assert.match(body, /https:\/\/search\.example\/api\/v1\/counts\/comments\?query=/);
  });

  it('the first page lists every endpoint; unknown names are 404', async () => {
    const body = await bodyOf(REFERENCE_PATH, {});
    for (const path of bodies.keys()) assert.ok(body.includes(`<a href="${endpointPage(path)}">`), path);
    await bodyOf(`${REFERENCE_PATH}/json`, {}, 404);
  });

  it('stays out of the OpenAPI document, as all pages do', () => {
    for (const path of Object.keys(document.paths))
      assert.match(path, /^\/(?:api\/v1\/|healthz$|livez$|readyz$)/);
  });
});
