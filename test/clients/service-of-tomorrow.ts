// The service as a later version may be: every object of every answer has a field more, and errors have a new code.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { COMMENTS, POSTS } from '../api/corpus.ts';
import { openService } from '../api/service.ts';
import { ofTomorrow } from '../api/tomorrow.ts';

export interface ServiceOfTomorrow extends AsyncDisposable {
  readonly address: string;
  readonly key: string;
  /** The OpenAPI document of today. */
  readonly document: string;
}

export async function openServiceOfTomorrow(): Promise<ServiceOfTomorrow> {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await openService(POSTS, COMMENTS));
  const today = await service.build();
  const server = createServer(async (request, response) => {
    const { authorization = '' } = request.headers;
    const answer = await today.inject({ url: request.url ?? '/', headers: { authorization } });
    response.writeHead(answer.statusCode, { 'Content-Type': String(answer.headers['content-type']) });
    response.end(JSON.stringify(ofTomorrow(answer.json())));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const owned = opened.move();
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key: service.keys.good,
    document: (await today.inject('/api/v1/openapi.json')).body,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
