// The reference: all of the OpenAPI document as a page of ours, complete without script.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { decode, openSite, readable, SIGNED_IN, type TestSite } from './site.ts';

const PATH = '/docs/reference';

interface Document {
  readonly paths: Record<
    string,
    {
      get: {
        operationId: string;
        security?: object[];
        parameters?: { name: string; description: string }[];
        responses: Record<
          string,
          {
            description: string;
            headers?: Record<string, unknown>;
            content?: Record<string, { examples?: Record<string, { value: unknown }> }>;
          }
        >;
      };
    }
  >;
  readonly components: { schemas: Record<string, { properties?: Record<string, { description?: string }> }> };
}

describe('the reference', () => {
  let site: TestSite;
  let server: FastifyInstance;
  let body: string;
  let words: string;
  let document: Document;

  before(async () => {
    site = await openSite();
    server = await site.build();
    ({ body } = await server.inject(PATH));
    words = readable(body);
    document = (await server.inject('/api/v1/openapi.json')).json<Document>();
  });
  after(() => site?.[Symbol.asyncDispose]());

  const plain = (text: string) => text.replaceAll('`', '').replace(/\s+/g, ' ');

  it('holds every endpoint, parameter, answer, header and example of the document', () => {
    const operations = Object.entries(document.paths);
    assert.ok(operations.length >= 2);
    for (const [path, { get }] of operations) {
      const section = body.slice(body.indexOf(`<h2 id="${get.operationId}">`));
      const own = readable(section.slice(0, section.indexOf('<h2 ', 4)));
      assert.match(own, /^\S.* GET(?:, HEAD)? \//);
      assert.ok(own.includes(`${path}${(get.security ?? []).length === 0 ? '' : ' · with a key'}`), path);
      for (const { name, description } of get.parameters ?? []) {
        assert.ok(own.includes(`${name} `) && own.includes(plain(description)), name);
      }
      assert.ok(Object.keys(get.responses).length > 0);
      for (const [status, { description, headers, content }] of Object.entries(get.responses)) {
        assert.ok(own.includes(`${status} ${plain(description)}`), status);
        for (const header of Object.keys(headers ?? {})) assert.ok(own.includes(header), header);
        for (const [type, { examples }] of Object.entries(content ?? {})) {
          assert.ok(own.includes(type), type);
          for (const { value } of Object.values(examples ?? {})) {
            const text = JSON.stringify(value, null, 2).replace(/\s+/g, ' ');
            assert.ok(own.includes(text), `${status} ${text}`);
          }
        }
      }
    }
  });

  it('holds every field of every shape, and each link to a shape leads to it', () => {
    for (const [name, { properties = {} }] of Object.entries(document.components.schemas)) {
      const section = body.slice(body.indexOf(`<h2 id="schema-${name}">`));
      const end = section.indexOf('<h2 ', 4);
      const own = readable(end === -1 ? section : section.slice(0, end));
      for (const [field, { description = '' }] of Object.entries(properties)) {
        assert.ok(own.includes(field) && own.includes(plain(description)), `${name}.${field}`);
      }
    }
    const anchors = [...body.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => decode(id!));
    assert.ok(anchors.length > 20);
    for (const id of anchors) assert.ok(body.includes(` id="${id}"`), id);
  });

  it('names limits and defaults', () => {
    assert.match(words, /order_by stringone of newest, oldest, top, emptydefault newest/);
    assert.match(words, /limit integer0 to 1,000default 100/);
    assert.match(words, /query requiredstringat most 4,096 characters/);
  });

  it('brings no script, style or policy of its own, as Swagger UI did', async () => {
    const { headers } = await server.inject(PATH);
    const other = await server.inject('/docs');
    assert.equal(headers['content-security-policy'], other.headers['content-security-policy']);
    assert.deepEqual(
      [...body.matchAll(/<(?:script|link rel="stylesheet")[^>]*>/g)].map(([tag]) => tag.split(' ')[1]),
      ['rel="stylesheet"', 'type="module"'],
    );
  });

  it('its examples name the address that people reach the server at', async () => {
    const elsewhere = await site.build({
      settings: { publicUrl: 'https://search.example' },
    });
    const page = await elsewhere.inject({ url: PATH, headers: SIGNED_IN });
    assert.match(page.body, /https:\/\/search\.example\/api\/v1\/search\/comments\?query=/);
  });

  it('has GET and HEAD; other methods are 405, paths below it 404', async () => {
    const status = async (method: 'HEAD' | 'POST' | 'GET', url: string) =>
      (await server.inject({ method, url })).statusCode;
    assert.equal(await status('HEAD', PATH), 200);
    assert.equal(await status('POST', PATH), 405);
    assert.equal(await status('GET', `${PATH}/json`), 404);
  });

  it('is linked from the documentation and stays out of the OpenAPI document, as all pages do', async () => {
    const docs = await server.inject('/docs');
    assert.match(docs.body, /<nav class="contents"[\s\S]*href="\/docs\/reference"[\s\S]*?<\/nav>/);
    for (const path of Object.keys(document.paths))
      assert.match(path, /^\/(?:api\/v1\/|healthz$|livez$|readyz$)/);
  });
});
