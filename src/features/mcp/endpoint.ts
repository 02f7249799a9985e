// `POST /mcp`: Model Context Protocol over Streamable HTTP, with an API key. A tool call is a request to this server
// itself with the caller's key and address, so limits, admission and removals apply as usual.

import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { problemHandler } from '../../http/answers/problems.ts';
import {
  authenticate,
  callerName,
  callerSignal,
  headerValues,
  isFromOurPage,
  MAX_BODY_BYTES,
} from '../../http/requests/caller.ts';
import type { EndpointDeps } from '../../http/site/site.ts';
import { injected, mcpServer } from './server.ts';
import { type Ask, knownTools } from './tools.ts';

const PASSED_ON = ['authorization', 'host', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

export function addMcpEndpoint(server: FastifyInstance, deps: EndpointDeps): void {
  const { archive, keys, limiter, visitors } = deps;
  const ownerOf = ({ raw }: FastifyRequest) =>
    authenticate(headerValues(raw.rawHeaders, 'authorization'), keys);
  const tools = knownTools((path) => injected(server, path, { host: 'localhost' }));
  const { fetch: answerTo } = createMcpHandler(
    ({ authInfo }) => mcpServer(authInfo?.extra?.ask as Ask, tools, archive.version),
    // No resource changes, so there is nothing to subscribe to.
    { maxSubscriptions: 0, maxRequestBodySize: MAX_BODY_BYTES },
  );
  server.register(async (scope) => {
    scope.setErrorHandler(problemHandler(() => null));
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      async (_: unknown, body: string) => body,
    );
    scope.route({
      ...{ method: 'POST', url: '/mcp', schema: { hide: true }, bodyLimit: MAX_BODY_BYTES },
      // Checks the key and the origin before the body is read.
      onRequest: async (request) => {
        ownerOf(request);
        if (!isFromOurPage(request, visitors.of(request).ownAddress))
          throw new ServiceError('forbidden', 'header `Origin`: expected none, or this site, found another');
      },
      handler: async (request, reply) => {
        const message = messageOf(request);
        // A tool call is counted by its API request; other messages count here.
        if (message?.method !== 'tools/call') limiter?.expect(callerName(ownerOf(request)), reply);
        const signal = callerSignal(reply);
        const headers = request.headers as Record<string, string>;
        const asked = new Request('http://localhost/mcp', {
          ...{ method: 'POST', headers, body: String(request.body), signal },
        });
        const answer = await answerTo(asked, {
          authInfo: { token: '', clientId: '', scopes: [], extra: { ask: askAs(server, request, signal) } },
          ...(message && { parsedBody: message }),
        });
        const type = answer.headers.get('content-type');
        reply
          .code(answer.status)
          .headers({ 'Cache-Control': 'no-store', ...(type && { 'Content-Type': type }) });
        return reply.send(await answer.text());
      },
    });
  });
}

/** Undefined if the body is no JSON object: the protocol library answers that. Throws for a batch. */
function messageOf({ body }: FastifyRequest): { readonly method?: unknown } | undefined {
  let message: unknown;
  try {
    message = JSON.parse(String(body));
  } catch {}
  if (Array.isArray(message))
    throw new ServiceError('malformed_request', 'body: expected one message, found a list');
  return typeof message === 'object' && message !== null ? message : undefined;
}

function askAs(server: FastifyInstance, { headers, raw }: FastifyRequest, gone: AbortSignal): Ask {
  const own = PASSED_ON.filter((name) => name in headers).map((name) => [name, String(headers[name])]);
  const { remoteAddress } = raw.socket;
  return (path, signal = gone) =>
    injected(server, path, Object.fromEntries(own), AbortSignal.any([signal, gone]), remoteAddress);
}
