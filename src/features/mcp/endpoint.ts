// `POST /mcp`: the same by Streamable HTTP, for programs with a key. A call is a request of this server to itself, with
// the caller's key and address: limits, admission and removals hold as for that request.

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
import { tooManyRequests } from '../../http/requests/limits.ts';
import type { EndpointDeps } from '../../http/site/site.ts';
import { injected, mcpServer } from './server.ts';
import { type Ask, knownTools } from './tools.ts';

/** What says who asks, and by which address. */
const PASSED_ON = ['authorization', 'host', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

export function addMcpEndpoint(server: FastifyInstance, deps: EndpointDeps): void {
  const { archive, keys, limiter, visitors } = deps;
  const ownerOf = ({ raw }: FastifyRequest) =>
    authenticate(headerValues(raw.rawHeaders, 'authorization'), keys);
  const tools = knownTools((path) => injected(server, path, { host: 'localhost' }));
  const { fetch: answerTo } = createMcpHandler(
    ({ authInfo }) => mcpServer(authInfo?.extra?.ask as Ask, tools, archive.version),
    // Nothing changes that a caller could wait for.
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
      // Before the body is read.
      onRequest: async (request) => {
        ownerOf(request);
        if (!isFromOurPage(request, visitors.of(request).ownAddress))
          throw new ServiceError('forbidden', 'header `Origin`: expected none, or this site, found another');
      },
      handler: async (request, reply) => {
        const message = messageOf(request);
        // What asks nothing of the API counts as a request itself.
        const allowance =
          message?.method === 'tools/call' ? undefined : limiter?.take(callerName(ownerOf(request)));
        if (allowance !== undefined) reply.headers(allowance.headers);
        if (allowance?.allowed === false) throw tooManyRequests(allowance);
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

/** Undefined: it is no JSON, which the protocol has an answer for. Throws where there are several. */
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
