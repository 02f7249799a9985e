// A caller that closes the connection before it has its answer: its question is not worked on any more.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import type { Question } from '../../src/model/engine.ts';
import { comment, post } from '../helpers.ts';
import { listen } from './export-client.ts';
import { openService } from './service.ts';

/** Of each request, so many questions are answered before those that its caller does not wait for. */
const REQUESTS: readonly (readonly [path: string, answered: number])[] = [
  ['/api/v1/search/posts?query=cats', 0],
  ['/api/v1/search/comments?query=', 0],
  ['/search?query=cats', 0],
  // Both kinds are counted before a query that finds more is looked for.
  ['/search?query=cats+dogs', 2],
  ['/breakdown?query=cats&field=domain', 0],
  ['/record/posts/1', 0],
  ['/record/comments/c', 0],
  // The comment, then its post, then how many comments the thread has.
  ['/record/comments/c', 1],
  ['/record/comments/c', 2],
  ['/thread/1', 0],
  ['/thread/1', 1],
  ['/api/v1/thread/1', 0],
  ['/api/v1/thread/1', 1],
  ['/suggest?item=/r/c', 0],
  ['/suggest?item=/r/c', 1],
];

/** The time that the index covers: asked once a minute for every caller, so none of them gives it up. */
function isOfEverybody({ query, page }: Question): boolean {
  return query.items.length === 0 && page !== undefined && 'limit' in page && page.limit === 1;
}

describe('a caller that hangs up', () => {
  for (const [path, answered] of REQUESTS) {
    it(`was still answered: ${path}, behind ${answered} answers`, async () => {
      await using service = await openService(
        [post({ id: '1', title: 'cats' })],
        [comment({ id: 'c', post: '1', body: 'dogs' })],
      );
      const { ask, askAll } = service.engine;
      const asked = Promise.withResolvers<AbortSignal | undefined>();
      let questions = 0;
      const unless = <T>(answer: () => Promise<T>, signal?: AbortSignal) => {
        if (questions++ < answered) return answer();
        asked.resolve(signal);
        return new Promise<T>((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
        });
      };
      service.engine.ask = (question, signal) => {
        const answer = () => ask.call(service.engine, question, signal);
        return isOfEverybody(question) ? answer() : unless(answer, signal);
      };
      service.engine.askAll = (questions, options, signal) =>
        unless(() => askAll.call(service.engine, questions, options, signal), signal);
      const server = await service.build({ archive: {} });
      const socket = connect(await listen(server), '127.0.0.1');
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
    const socket = connect(await listen(server), '127.0.0.1');
    const [atServer] = (await once(server.server, 'connection')) as [Socket];
    const head = `Host: x\r\nAuthorization: Bearer ${service.keys.good}\r\n\r\n`;
    const signals: (AbortSignal | undefined)[] = [];
    // The connection stays, and brings the next request: neither that nor its end concerns what was answered.
    for (let request = 0; request < 2; request++) {
      socket.write(`GET /api/v1/search/posts?query=cats HTTP/1.1\r\n${head}`);
      let received = '';
      while (!received.includes('"title":"cats"')) received += (await once(socket, 'data')).toString();
      assert.match(received, /^HTTP\/1\.1 200 /);
      signals.push(given);
    }
    const closed = once(atServer, 'close');
    socket.destroy();
    await closed;
    for (const signal of signals) assert.equal(signal?.aborted, false);
  });
});
