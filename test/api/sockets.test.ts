// Requests that no client library would send: malformed, smuggling, oversized, slow. Each gets a problem document, and
// the connection is closed, so that what follows on it is never taken for another request.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { ofTests } from '../of-tests.ts';
import { idsOf } from './asking.ts';
import { COMMENTS, POSTS } from './corpus.ts';
import { listen } from './export-client.ts';
import { openService } from './service.ts';
import { exchange, type RawAnswer } from './socket.ts';

const PATH = '/api/v1/search/posts?query=cats';
const HOST = 'Host: localhost\r\n';
const CLOSE = 'Connection: close\r\n';

/** A request without a key, whose address, names and values of headers are so many bytes together. */
function headOf(bytes: number, shortHeaders: number): string {
  const fixed = '/healthz' + 'Hostlocalhost' + 'Connectionclose' + 'Xaaaaaaa'.repeat(shortHeaders) + 'Y';
  const short = 'X: aaaaaaa\r\n'.repeat(shortHeaders);
  return `GET /healthz HTTP/1.1\r\n${HOST}${CLOSE}${short}Y: ${'a'.repeat(bytes - fixed.length)}\r\n\r\n`;
}

const statusesOf = (answers: readonly RawAnswer[]) => answers.map(({ status }) => status);

describe('requests byte by byte', async () => {
  const service = ofTests(await openService(POSTS, COMMENTS));
  const port = await listen(await service.build());
  const key = `Authorization: Bearer ${service.keys.good}\r\n`;

  /** A request of good form; `head` stands between the request line and the end. `{key}` is filled in. */
  const get = (head: string, line = `GET ${PATH} HTTP/1.1`) => `${line}\r\n${head}\r\n`;
  const keyed = (head: string, line?: string) => get(`{key}${head}`, line);
  const filled = (text: string) => text.replaceAll('{key}', key);

  const rows: readonly (readonly [
    status: number,
    code: string | null,
    Readonly<Record<string, string | Buffer>>,
  ])[] = [
    [
      200,
      null,
      {
        'a request of good form': keyed(HOST + CLOSE),
        'HTTP/1.0 without a Host': keyed('', `GET ${PATH} HTTP/1.0`),
        'the absolute form of the address': keyed(HOST + CLOSE, `GET http://localhost${PATH} HTTP/1.1`),
        'an expectation that is not known': keyed(`${HOST}${CLOSE}Expect: tea\r\n`),
        'a chunked body, small': `${keyed(`${HOST}${CLOSE}Transfer-Encoding: chunked\r\n`)}3\r\nabc\r\n0\r\n\r\n`,
        'a head of 98,304 bytes in one header': headOf(98_304, 0),
        'a head of 98,304 bytes in 6,001 headers': headOf(98_304, 6000),
      },
    ],
    [
      400,
      'malformed_request',
      {
        'no Host': get(''),
        'two Hosts': keyed(HOST + HOST),
        'two Hosts that differ in case': keyed(`${HOST}HOST: other\r\n`),
        'a Host that is none': keyed('Host: a/b\r\n'),
        'a Host with a user': keyed('Host: a@b\r\n'),
        'two Content-Lengths': `${keyed(`${HOST}Content-Length: 3\r\nContent-Length: 4\r\n`)}abcd`,
        'two Content-Lengths in one header': `${keyed(`${HOST}Content-Length: 3, 3\r\n`)}abc`,
        'Content-Length with a sign': `${keyed(`${HOST}Content-Length: +3\r\n`)}abc`,
        'Content-Length and Transfer-Encoding': `${keyed(`${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`)}0\r\n\r\n`,
        'Transfer-Encoding that is not known': `${keyed(`${HOST}Transfer-Encoding: xchunked\r\n`)}0\r\n\r\n`,
        'Transfer-Encoding that ends in another': `${keyed(`${HOST}Transfer-Encoding: chunked, identity\r\n`)}0\r\n\r\n`,
        'two Transfer-Encodings': `${keyed(`${HOST}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n`)}0\r\n\r\n`,
        'a chunk size that is none': `${keyed(`${HOST}Transfer-Encoding: chunked\r\n`)}zz\r\n`,
        'bare line feeds': keyed(HOST).replaceAll('\r', ''),
        'a bare carriage return in a header': keyed(`${HOST}X: a\rb\r\n`),
        'NUL in a header': keyed(`${HOST}X: a\0b\r\n`),
        'NUL in the address': get(HOST, `GET ${PATH}\0 HTTP/1.1`),
        'a space in the address': get(HOST, `GET ${PATH} x HTTP/1.1`),
        'a space before the colon of a header': keyed(`${HOST}X : a\r\n`),
        'a folded header': keyed(`${HOST}X: a\r\n b\r\n`),
        'a header without a name': keyed(`${HOST}: a\r\n`),
        'another protocol': 'SSH-2.0-client\r\n\r\n',
        'HTTP/2 without asking': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        'TLS on a plain port': Buffer.from('16030100a5010000a10303', 'hex'),
        noise: Buffer.from(Array.from({ length: 64 }, (_, i) => (i * 151 + 7) % 256)),
        'a fragment in the address': keyed(HOST + CLOSE, `GET ${PATH}#x HTTP/1.1`),
      },
    ],
    [
      401,
      'invalid_key',
      {
        'two keys': keyed(`{key}${HOST}${CLOSE}`),
      },
    ],
    [
      405,
      'method_not_allowed',
      {
        'a method that Node knows': get(HOST + CLOSE, `PROPFIND ${PATH} HTTP/1.1`),
        'a method that nobody knows': get(HOST, `BREW ${PATH} HTTP/1.1`),
        'a method in lower case': get(HOST, `get ${PATH} HTTP/1.1`),
      },
    ],
    [
      404,
      'not_found',
      {
        'a method that nobody knows, elsewhere': get(HOST, 'BREW /nope HTTP/1.1'),
        CONNECT: get(HOST, 'CONNECT example.org:80 HTTP/1.1'),
      },
    ],
    [
      413,
      'body_too_large',
      {
        'a chunked body, too large': `${keyed(`${HOST}Transfer-Encoding: chunked\r\n`)}11170\r\n${'a'.repeat(70_000)}\r\n0\r\n\r\n`,
        'a body announced too large': keyed(`${HOST}Content-Length: 65537\r\n`),
      },
    ],
    [
      414,
      'uri_too_long',
      {
        'an address of 66 kB': keyed(HOST + CLOSE, `GET ${PATH}${'a'.repeat(66_000)} HTTP/1.1`),
        'an address of 100 kB': keyed(HOST, `GET ${PATH}${'a'.repeat(100_000)} HTTP/1.1`),
      },
    ],
    [
      431,
      'headers_too_large',
      {
        'a head of 98,305 bytes in one header': headOf(98_305, 0),
        'a head of 98,305 bytes in 6,001 headers': headOf(98_305, 6000),
        'a header of 1 MB': keyed(`${HOST}X: ${'a'.repeat(2 ** 20)}\r\n`),
      },
    ],
  ];
  const cases = rows.flatMap(([status, code, of]) =>
    Object.entries(of).map(([rule, bytes]) => ({ rule, bytes, status, code })),
  );
  for (const { rule, bytes, status, code } of cases) {
    it(`${rule} → ${code ?? status}`, async () => {
      const answers = await exchange(port, typeof bytes === 'string' ? filled(bytes) : bytes);
      assert.deepEqual(statusesOf(answers), [status]);
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

  it('OPTIONS * → 404', async () => {
    const answers = await exchange(port, filled(get(HOST + CLOSE, 'OPTIONS * HTTP/1.1')));
    assert.deepEqual(statusesOf(answers), [404]);
  });

  describe('raw UTF-8 in the address was 400', () => {
    /** As bytes go over the wire: `text` is latin1. */
    const raw = (text: string) => Buffer.from(filled(text), 'latin1');
    const utf8 = (text: string) => Buffer.from(text).toString('latin1');
    const line = (query: string, path = '/api/v1/search/posts') => `GET ${path}?query=${query} HTTP/1.1`;

    it('it is read as if it stood in percent-encoding', async () => {
      for (const [query, ids] of [
        ['café', ['rock1']],
        ['日本,-нет', ['rock1']],
        ['%E6%97%A5本', ['rock1']],
      ] as const) {
        const [answer, ...more] = await exchange(port, raw(keyed(HOST, line(utf8(query)))));
        assert.equal(answer?.status, 200, `${answer?.body}`);
        assert.deepEqual(idsOf(JSON.parse(answer!.body).data), ids);
        assert.equal(answer?.headers.connection, 'close');
        assert.deepEqual(more, []);
      }
    });

    it('bytes that are no UTF-8 are bad_encoding, in words', async () => {
      const [answer] = await exchange(port, raw(keyed(HOST, line('caf\xe9'))));
      assert.equal(answer?.status, 400);
      const { code, detail } = JSON.parse(answer!.body);
      assert.equal(code, 'bad_encoding');
      assert.match(detail, /`query`: expected UTF-8.*found bytes that are no UTF-8/);
    });

    it('in a path: 404', async () => {
      const [answer] = await exchange(port, raw(get(HOST, line('a', utf8('/é')))));
      assert.equal(answer?.status, 404);
    });

    it('beside another fault of the address: that one', async () => {
      const [answer] = await exchange(port, raw(get(HOST, line(`${utf8('é')}\0`))));
      assert.equal(JSON.parse(answer!.body).code, 'malformed_request');
    });

    it('behind a request that was answered, and whether or not it comes in one packet', async () => {
      const bytes = raw(keyed(HOST) + keyed(HOST, line(utf8('日本'))));
      const received = await new Promise<string>((resolve) => {
        const socket = connect(port, '127.0.0.1');
        let text = '';
        const end = bytes.indexOf('\r\n\r\n') + 4;
        socket.write(bytes.subarray(0, end));
        socket.once('data', () => {
          const rest = bytes.subarray(end);
          // In the middle of the address, behind the first of its raw bytes.
          socket.write(rest.subarray(0, 36));
          setTimeout(() => socket.write(rest.subarray(36)), 50);
        });
        socket.on('data', (chunk) => {
          text += chunk.toString('latin1');
        });
        socket.on('close', () => resolve(text));
      });
      assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200'], received);
    });

    it('one that does not come to its end in time is request_timeout', async () => {
      const hasty = await service.build();
      const at = await listen(hasty);
      hasty.server.headersTimeout = 1;
      const [answer, ...more] = await exchange(at, raw(`GET /?query=${utf8('é')}`));
      assert.equal(JSON.parse(answer!.body).code, 'request_timeout');
      assert.deepEqual(more, []);
    });

    it('its length is that of its percent-encoding', async () => {
      const [answer] = await exchange(port, raw(keyed(HOST, line(utf8('é').repeat(12_000)))));
      assert.equal(JSON.parse(answer!.body).code, 'uri_too_long');
    });
  });

  it('a canonical query of 4,096 characters of four bytes was 414', async () => {
    const query = Array.from({ length: 64 }, () => '😀'.repeat(63)).join(',');
    assert.equal([...query].length, 4_095);
    const address = `/api/v1/search/posts?query=${encodeURIComponent(query)}`;
    assert.ok(address.length > 40_960);
    const [answer] = await exchange(port, filled(keyed(HOST + CLOSE, `GET ${address} HTTP/1.1`)));
    assert.equal(answer?.status, 200, `${answer?.body.slice(0, 300)}`);
  });

  it('what is hidden behind a refused request is not answered', async () => {
    const hidden = filled(keyed(HOST + CLOSE));
    const outer = `POST ${PATH} HTTP/1.1\r\n${HOST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const answers = await exchange(port, `${outer}0\r\n\r\n${hidden}`);
    assert.deepEqual(statusesOf(answers), [400]);
  });

  it('requests one behind the other are answered in their order, a malformed one last', async () => {
    const good = filled(keyed(HOST));
    const answers = await exchange(port, `${good}${good}BREW /nope HTTP/1.1\r\n${HOST}\r\n`);
    assert.deepEqual(statusesOf(answers), [200, 200, 404]);
  });

  it('a request that does not come to its end in time is request_timeout', async () => {
    const hasty = await service.build();
    hasty.server.headersTimeout = 1;
    const answers = await exchange(await listen(hasty), 'GET / HTTP/1.1\r\nHost:');
    assert.equal(answers[0]?.status, 400);
    assert.equal(JSON.parse(answers[0]!.body).code, 'request_timeout');
  });

  it('a request that lay unread while the event loop was held up was request_timeout', async () => {
    const held = await service.build();
    held.server.headersTimeout = 100;
    const at = await listen(held);
    const opened = once(held.server, 'connection');
    const socket = connect(at, '127.0.0.1');
    await Promise.all([opened, once(socket, 'connect')]);
    socket.write(filled(keyed(HOST + CLOSE)));
    // Until the request is late, and Node has looked for such: it looks each second, before it reads.
    for (const until = performance.now() + 1_200; performance.now() < until; );
    let received = '';
    for await (const piece of socket) received += piece;
    assert.match(received, /^HTTP\/1\.1 200 /);
  });

  it('a caller that goes away in the middle of a body harms nobody', async () => {
    await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(filled(keyed(`${HOST}Transfer-Encoding: chunked\r\n`)));
        socket.write('3\r\nab', () => socket.resetAndDestroy());
      });
      socket.on('close', resolve);
    });
    const answers = await exchange(port, filled(keyed(HOST + CLOSE)));
    assert.equal(answers[0]?.status, 200);
  });
});
