// A caller that closes the connection before it has its answer: its question is not worked on any more.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import type { Answer, Question } from '../../src/model/engine.ts';
import { post } from '../helpers.ts';
import { openService } from './service.ts';

describe('a caller that hangs up', () => {
  for (const path of ['/api/v1/search/posts?query=cats', '/api/v1/search/comments?query=']) {
    it(`was still answered: ${path}`, async () => {
      await using service = await openService([post({ id: '1', title: 'cats' })], []);
      const asked = Promise.withResolvers<AbortSignal | undefined>();
      service.engine.ask = (_question: Question, signal?: AbortSignal) => {
        asked.resolve(signal);
        return new Promise<Answer>((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
        });
      };
      const server = await service.build();
      await server.listen({ host: '127.0.0.1', port: 0 });
      const { port } = server.server.address() as { port: number };
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.keys.good}\r\n\r\n`);
      const signal = await asked.promise;
      assert.equal(signal?.aborted, false);
      socket.destroy();
      await once(signal!, 'abort');
    });
  }

  it('whose answer has been sent aborts nothing', async () => {
    await using service = await openService([post({ id: '1', title: 'cats' })], []);
    const { ask } = service.engine;
    let given: AbortSignal | undefined;
    service.engine.ask = (question, signal) => {
      given = signal;
      return ask.call(service.engine, question, signal);
    };
    const server = await service.build();
    const headers = { authorization: `Bearer ${service.keys.good}` };
    const response = await server.inject({ url: '/api/v1/search/posts?query=cats', headers });
    assert.equal(response.statusCode, 200);
    await server.close();
    assert.equal(given?.aborted, false);
  });
});
