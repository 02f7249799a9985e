// A service that the tests of one `describe` ask, whose answers are held against the OpenAPI document.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { AnswerSchemas } from './answer-schemas.ts';
import { openService, type Service } from './service.ts';

export const openEmbedded = (folder: string) =>
  openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 1 });

export class Api {
  service!: Service;
  server!: FastifyInstance;
  #schemas!: AnswerSchemas;

  /** It is there from the tests' `before` to their `after`. */
  constructor(...contents: Parameters<typeof openService>) {
    before(async () => {
      this.service = await openService(...contents);
      this.server = await this.service.build();
      this.#schemas = new AnswerSchemas((await this.server.inject('/api/v1/openapi.json')).json());
    });
    after(() => this.service[Symbol.asyncDispose]());
  }

  /** With a key. `path`: a whole address, or what stands behind `/api/v1/`. */
  get(path: string, headers: Readonly<Record<string, string>> = {}, on = this.server) {
    const url = /^(?:\/|http)/.test(path) ? path : `/api/v1/${path}`;
    return on.inject({ url, headers: { authorization: `Bearer ${this.service.keys.good}`, ...headers } });
  }

  /** Page by page along `Link`. */
  async *pages(path: string) {
    for (let address: string | null = path; address !== null; ) {
      const answer: LightMyRequestResponse = await this.get(address);
      assert.equal(answer.statusCode, 200, answer.body);
      yield answer;
      address = nextOf(answer);
    }
  }

  /** Throws where the answer is no 200, or not as the document says. */
  async answer(path: string) {
    const response = await this.get(path);
    assert.equal(response.statusCode, 200, response.body);
    this.#check(path, response);
    return response.json();
  }

  /** Returns the problem. Throws where it is another one, or not as the document says. */
  async refused(path: string, status: number, code: string, on = this.server) {
    const response = await this.get(path, {}, on);
    assert.deepEqual([response.statusCode, response.json().code], [status, code], response.body);
    this.#check(path, response);
    return response.json();
  }

  /** That who has the answer is told so. */
  async expectUnchanged(path: string): Promise<void> {
    const { etag, link } = (await this.get(path)).headers;
    const again = await this.get(path, { 'if-none-match': String(etag) });
    assert.deepEqual([again.statusCode, again.body, again.headers.link], [304, '', link], path);
  }

  /** That nobody has it without a key, that HEAD has its head, and a 304 who has it. */
  async expectKeyTagAndHead(path: string): Promise<void> {
    const url = `/api/v1/${path}`;
    assert.equal((await this.server.inject(url)).statusCode, 401);
    const { etag } = (await this.get(path)).headers;
    const headers = { authorization: `Bearer ${this.service.keys.good}` };
    const head = await this.server.inject({ method: 'HEAD', url, headers });
    assert.deepEqual([head.statusCode, head.body, head.headers.etag], [200, '', etag]);
    await this.expectUnchanged(path);
  }

  /** A server whose questions have no time. */
  slow(): Promise<FastifyInstance> {
    return this.service.build({ searchSettings: { queryTimeoutMs: 0 } });
  }

  #check(path: string, { statusCode, headers, body }: LightMyRequestResponse): void {
    const pattern = `/api/v1/${path.split('?')[0]!.replace(/^thread\/.*/, 'thread/{post}')}`;
    const type = String(headers['content-type']).split(';')[0]!;
    assert.deepEqual(this.#schemas.faults(pattern, statusCode, type, JSON.parse(body)), [], path);
  }
}

/** The address behind `rel="next"`; null where there is none. */
export function nextOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): string | null {
  return headers.link === undefined ? null : /^<([^>]*)>; rel="next"$/.exec(String(headers.link))![1]!;
}

export const idsOf = (records: readonly { readonly id: string }[]): string[] => records.map(({ id }) => id);
