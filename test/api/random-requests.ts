// Sends random requests and holds every answer against the OpenAPI document. Used by the test and by the long run.

import assert from 'node:assert/strict';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { AnswerSchemas } from './answer-schemas.ts';
import { type RandomRequest, requestsOf } from './request-generator.ts';
import type { Service } from './service.ts';

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/**
 * Sends `count` requests; returns how many had which status. Throws where an answer is a 5xx or not as the document
 * says.
 */
export async function sendRandomRequests(
  server: FastifyInstance,
  service: Service,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<ReadonlyMap<number, number>> {
  const document = (await server.inject('/api/v1/openapi.json')).json();
  const schemas = new AnswerSchemas(document);
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(requestsOf(document), async (request) => {
      const response = await send(server, service, request);
      statuses.set(response.statusCode, (statuses.get(response.statusCode) ?? 0) + 1);
      assert.ok(response.statusCode < 500, `${response.statusCode} to ${request.address}: ${response.body}`);
      checkAnswer(schemas, request, response);
    }),
    { numRuns: count, seed, endOnFailure: true },
  );
  return statuses;
}

function send(
  server: FastifyInstance,
  { keys }: Service,
  request: RandomRequest,
): Promise<LightMyRequestResponse> {
  const { method, address, key, headers } = request;
  const authorization = key === null ? {} : { authorization: `Bearer ${keys[key]}` };
  return server.inject({ method, url: address, headers: { ...headers, ...authorization } });
}

function checkAnswer(schemas: AnswerSchemas, request: RandomRequest, response: LightMyRequestResponse): void {
  const { statusCode: status, headers } = response;
  assert.match(String(headers['x-request-id']), /^[\da-f-]{36}$/);
  if (request.method === 'HEAD' || status === 204 || status === 304) {
    assert.equal(response.rawPayload.length, 0);
    return;
  }
  const decode = decoders[String(headers['content-encoding'])];
  const bytes = decode === undefined ? response.rawPayload : decode(response.rawPayload);
  const mediaType = String(headers['content-type']).split(';')[0]!;
  // A file of an export is a string to its schema, whatever is in it.
  const isJson = /[/+]json$/.test(mediaType);
  const body: unknown = isJson ? JSON.parse(bytes.toString()) : bytes.toString('latin1');
  assert.deepEqual(schemas.faults(request.path, status, mediaType, body), []);
}
