// Requests that no client library would send: malformed, smuggling, oversized, slow. Each gets a problem document, and
// the connection is closed, so that what follows on it is never taken for another request.

import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { COMMENTS, POSTS } from './corpus.ts';
import { openService, type Service } from './service.ts';
import { exchange } from './socket.ts';

const PATH = '/api/v1/search/posts?query=cats';
const HOST = 'Host: localhost\r\n';
const CLOSE = 'Connection: close\r\n';

/** A request without a key, whose address, names and values of headers are so many bytes together. */
function headOf(bytes: number, shortHeaders: number): string {
  const fixed = '/healthz' + 'Hostlocalhost' + 'Connectionclose' + 'Xaaaaaaa'.repeat(shortHeaders) + 'Y';
  const short = 'X: aaaaaaa\r\n'.repeat(shortHeaders);
  return `GET /healthz HTTP/1.1\r\n${HOST}${CLOSE}${short}Y: ${'a'.repeat(bytes - fixed.length)}\r\n\r\n`;
}

type Row = readonly [rule: string, bytes: string | Buffer, status: number, code: string | null];

describe('requests byte by byte', () => {
  let service: Service;
  let server: FastifyInstance;
  let port: number;
  let key: string;

  before(async () => {
    service = await openService(POSTS, COMMENTS);
    server = await service.build();
    await server.listen({ port: 0, host: '127.0.0.1' });
    port = (server.server.address() as AddressInfo).port;
    key = `Authorization: Bearer ${service.keys.good}\r\n`;
  });
  after(() => service[Symbol.asyncDispose]());

  /** A request of good form; `head` stands between the request line and the end. `{key}` is filled in. */
  const get = (head: string, line = `GET ${PATH} HTTP/1.1`) => `${line}\r\n${head}\r\n`;
  const keyed = (head: string, line?: string) => get(`{key}${head}`, line);

  const rows: readonly Row[] = [
    ['a request of good form', keyed(HOST + CLOSE), 200, null],
    ['HTTP/1.0 without a Host', keyed('', `GET ${PATH} HTTP/1.0`), 200, null],
    [
      'the absolute form of the address',
      keyed(HOST + CLOSE, `GET http://localhost${PATH} HTTP/1.1`),
      200,
      null,
    ],
    ['OPTIONS *', get(HOST + CLOSE, 'OPTIONS * HTTP/1.1'), 204, null],
    ['an expectation that is not known', keyed(`${HOST}${CLOSE}Expect: tea\r\n`), 200, null],
    [
      'a chunked body, small',
      `${keyed(`${HOST}${CLOSE}Transfer-Encoding: chunked\r\n`)}3\r\nabc\r\n0\r\n\r\n`,
      200,
      null,
    ],
    ['a head of 65,536 bytes in one header', headOf(65_536, 0), 200, null],
    ['a head of 65,536 bytes in 6,001 headers', headOf(65_536, 6000), 200, null],

    ['no Host', get(''), 400, 'malformed_request'],
    ['two Hosts', keyed(HOST + HOST), 400, 'malformed_request'],
    ['two Hosts that differ in case', keyed(`${HOST}HOST: other\r\n`), 400, 'malformed_request'],
    ['a Host that is none', keyed('Host: a/b\r\n'), 400, 'malformed_request'],
    ['a Host with a user', keyed('Host: a@b\r\n'), 400, 'malformed_request'],
    [
      'two Content-Lengths',
      `${keyed(`${HOST}Content-Length: 3\r\nContent-Length: 4\r\n`)}abcd`,
      400,
      'malformed_request',
    ],
    [
      'two Content-Lengths in one header',
      `${keyed(`${HOST}Content-Length: 3, 3\r\n`)}abc`,
      400,
      'malformed_request',
    ],
    ['Content-Length with a sign', `${keyed(`${HOST}Content-Length: +3\r\n`)}abc`, 400, 'malformed_request'],
    [
      'Content-Length and Transfer-Encoding',
      `${keyed(`${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`)}0\r\n\r\n`,
      400,
      'malformed_request',
    ],
    [
      'Transfer-Encoding that is not known',
      `${keyed(`${HOST}Transfer-Encoding: xchunked\r\n`)}0\r\n\r\n`,
      400,
      'malformed_request',
    ],
    [
      'Transfer-Encoding that ends in another',
      `${keyed(`${HOST}Transfer-Encoding: chunked, identity\r\n`)}0\r\n\r\n`,
      400,
      'malformed_request',
    ],
    [
      'two Transfer-Encodings',
      `${keyed(`${HOST}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n`)}0\r\n\r\n`,
      400,
      'malformed_request',
    ],
    [
      'a chunk size that is none',
      `${keyed(`${HOST}Transfer-Encoding: chunked\r\n`)}zz\r\n`,
      400,
      'malformed_request',
    ],
    ['bare line feeds', keyed(HOST).replaceAll('\r', ''), 400, 'malformed_request'],
    ['a bare carriage return in a header', keyed(`${HOST}X: a\rb\r\n`), 400, 'malformed_request'],
    ['NUL in a header', keyed(`${HOST}X: a\0b\r\n`), 400, 'malformed_request'],
    ['NUL in the address', get(HOST, `GET ${PATH}\0 HTTP/1.1`), 400, 'malformed_request'],
    ['a blank in the address', get(HOST, `GET ${PATH} x HTTP/1.1`), 400, 'malformed_request'],
    ['raw UTF-8 in the address', get(HOST, `GET ${PATH}é HTTP/1.1`), 400, 'malformed_request'],
    ['a blank before the colon of a header', keyed(`${HOST}X : a\r\n`), 400, 'malformed_request'],
    ['a folded header', keyed(`${HOST}X: a\r\n b\r\n`), 400, 'malformed_request'],
    ['a header without a name', keyed(`${HOST}: a\r\n`), 400, 'malformed_request'],
    ['another protocol', 'SSH-2.0-client\r\n\r\n', 400, 'malformed_request'],
    ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'malformed_request'],
    ['TLS on a plain port', Buffer.from('16030100a5010000a10303', 'hex'), 400, 'malformed_request'],
    [
      'noise',
      Buffer.from(Array.from({ length: 64 }, (_, i) => (i * 151 + 7) % 256)),
      400,
      'malformed_request',
    ],
    ['two keys', keyed(`{key}${HOST}${CLOSE}`), 401, 'invalid_key'],
    ['a fragment in the address', keyed(HOST + CLOSE, `GET ${PATH}#x HTTP/1.1`), 400, 'malformed_request'],

    ['a method that Node knows', get(HOST + CLOSE, `PROPFIND ${PATH} HTTP/1.1`), 405, 'method_not_allowed'],
    ['a method that nobody knows', get(HOST, `BREW ${PATH} HTTP/1.1`), 405, 'method_not_allowed'],
    ['a method in lower case', get(HOST, `get ${PATH} HTTP/1.1`), 405, 'method_not_allowed'],
    ['a method that nobody knows, elsewhere', get(HOST, 'BREW /nope HTTP/1.1'), 404, 'not_found'],
    ['CONNECT', get(HOST, 'CONNECT example.org:80 HTTP/1.1'), 404, 'not_found'],

    [
      'a chunked body, too large',
      `${keyed(`${HOST}Transfer-Encoding: chunked\r\n`)}11170\r\n${'a'.repeat(70_000)}\r\n0\r\n\r\n`,
      413,
      'body_too_large',
    ],
    ['a body announced too large', keyed(`${HOST}Content-Length: 65537\r\n`), 413, 'body_too_large'],
    [
      'an address of 50 kB',
      keyed(HOST + CLOSE, `GET ${PATH}${'a'.repeat(50_000)} HTTP/1.1`),
      414,
      'uri_too_long',
    ],
    ['an address of 70 kB', keyed(HOST, `GET ${PATH}${'a'.repeat(70_000)} HTTP/1.1`), 414, 'uri_too_long'],
    ['a head of 65,537 bytes in one header', headOf(65_537, 0), 431, 'headers_too_large'],
    ['a head of 65,537 bytes in 6,001 headers', headOf(65_537, 6000), 431, 'headers_too_large'],
    ['a header of 1 MB', keyed(`${HOST}X: ${'a'.repeat(2 ** 20)}\r\n`), 431, 'headers_too_large'],
  ];
  for (const [rule, bytes, status, code] of rows) {
    it(`${rule} → ${code ?? status}`, async () => {
      const filled = typeof bytes === 'string' ? bytes.replaceAll('{key}', key) : bytes;
      const answers = await exchange(port, filled);
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [status],
      );
      const { headers, body } = answers[0]!;
      assert.equal(headers.connection, 'close');
      if (code !== null) assert.equal(JSON.parse(body).code, code, body);
      if (status >= 400) {
        assert.equal(headers['content-type'], 'application/problem+json');
        assert.equal(JSON.parse(body).request_id, headers['x-request-id']);
      }
      if (status === 405) assert.equal(headers.allow, 'GET, HEAD, OPTIONS');
    });
  }

  it('what is hidden behind a refused request is not answered', async () => {
    const hidden = keyed(HOST + CLOSE).replace('{key}', key);
    const outer = `POST ${PATH} HTTP/1.1\r\n${HOST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const answers = await exchange(port, `${outer}0\r\n\r\n${hidden}`);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400],
    );
  });

  it('requests one behind the other are answered in their order, a malformed one last', async () => {
    const good = keyed(HOST).replace('{key}', key);
    const answers = await exchange(port, `${good}${good}BREW /nope HTTP/1.1\r\n${HOST}\r\n`);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 404],
    );
  });

  it('a request that does not come to its end in time is request_timeout', async () => {
    const hasty = await service.build();
    hasty.server.headersTimeout = 1;
    await hasty.listen({ port: 0, host: '127.0.0.1' });
    const answers = await exchange((hasty.server.address() as AddressInfo).port, 'GET / HTTP/1.1\r\nHost:');
    assert.equal(answers[0]?.status, 400);
    assert.equal(JSON.parse(answers[0]!.body).code, 'request_timeout');
  });

  it('a caller that goes away in the middle of a body harms nobody', async () => {
    const { connect } = await import('node:net');
    await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(keyed(`${HOST}Transfer-Encoding: chunked\r\n`).replace('{key}', key));
        socket.write('3\r\nab', () => socket.resetAndDestroy());
      });
      socket.on('close', resolve);
    });
    const answers = await exchange(port, keyed(HOST + CLOSE).replace('{key}', key));
    assert.equal(answers[0]?.status, 200);
  });
});
