// What a node may make this server do: answer, and nothing else; and what it costs where it does not.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientOf, listen } from '../../../../test/opensearch/one-node.ts';
import { Circuit, UNANSWERED } from './client.ts';

const REDIRECTS = [300, 301, 302, 303, 307, 308];

describe('a node that names another address', () => {
  it('by a redirect is not followed: what is there is never asked', async () => {
    let asked = 0;
    await using inner = await listen((_request, response) => {
      asked++;
      response.setHeader('Content-Type', 'application/json').end('{"secret":true}');
    });
    let sent = 0;
    await using node = await listen(({ method }, response) => {
      const status = REDIRECTS[sent++ % REDIRECTS.length]!;
      response.writeHead(status, { Location: `${inner.address}/`, 'Content-Type': 'application/json' });
      response.end(method === 'HEAD' ? undefined : '{"redirected":true}');
    });
    await using client = clientOf(node);
    for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const) {
      for (const _ of REDIRECTS) {
        const answer = client.request({ method, path: '/_search' }, { timeoutMs: 500 });
        await assert.rejects(answer, /status 30\d/);
      }
    }
    assert.deepEqual([sent, asked], [4 * REDIRECTS.length, 0]);
  });

  it('by its list of nodes is not asked there either: addresses are those of the setting alone', async () => {
    const paths = new Set<string>();
    await using node = await listen(({ url = '' }, response) => {
      paths.add(url);
      const nodes = { n1: { http: { publish_address: '169.254.169.254:80' }, roles: ['data'] } };
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ nodes }));
    });
    await using client = clientOf(node);
    for (let i = 0; i < 5; i++) await client.request({ method: 'GET', path: '/_nodes' });
    assert.deepEqual([...paths], ['/_nodes']);
  });
});

describe('a node that does not answer', { concurrency: true }, () => {
  /** Milliseconds that a question may take, and between two questions to such a node. */
  const [PATIENCE_MS, PAUSE_MS] = [60, 3_000];

  for (const how of ['hangs', 'hangs up', 'says 503', 'answers nonsense'] as const) {
    it(`and ${how}: questions do not wait for it any more, and go on when it is back`, async () => {
      let isBack = false;
      let sent = 0;
      await using node = await listen((request, response) => {
        sent++;
        response.setHeader('Content-Type', 'application/json');
        if (isBack) response.end('{"back":true}');
        else if (how === 'hangs up') request.socket.destroy();
        else if (how === 'says 503') response.writeHead(503).end('{"error":"no"}');
        else if (how === 'answers nonsense') response.end('{"hits": {"tot');
      });
      await using client = clientOf(node, { askedAgainMs: PAUSE_MS });
      const ask = (timeoutMs = PATIENCE_MS) => client.request({ method: 'GET', path: '/' }, { timeoutMs });
      const unavailable = { name: 'EngineUnavailable' };
      for (let i = 0; i < UNANSWERED; i++) await assert.rejects(ask(), unavailable);
      const sentBefore = sent;
      for (let i = 0; i < 10; i++) {
        await assert.rejects(ask(), {
          ...unavailable,
          message: /several requests in a row, and is asked again/,
        });
      }
      assert.equal(sent, sentBefore, 'nothing is sent meanwhile');
      // An import has the patience that a question has not.
      isBack = true;
      assert.deepEqual((await ask(20 * PAUSE_MS)).body, { back: true });
      assert.deepEqual((await ask(20 * PAUSE_MS)).body, { back: true });
    });
  }
});

it('long answers that arrive together are parsed one in each turn of the event loop', async () => {
  const long = JSON.stringify({ names: Array.from({ length: 10_000 }, (_, i) => `community${i}`) });
  const held: (() => void)[] = [];
  await using node = await listen((_request, response) => {
    response.setHeader('Content-Type', 'application/json');
    held.push(() => response.end(long));
    if (held.length === ASKED) for (const answer of held) answer();
  });
  await using client = clientOf(node);
  let turns = 0;
  let counting = setImmediate(function count() {
    turns++;
    counting = setImmediate(count);
  });
  const seen = await Promise.all(
    Array.from({ length: ASKED }, async () => {
      await client.request({ method: 'GET', path: '/' });
      return turns;
    }),
  );
  clearImmediate(counting);
  assert.equal(new Set(seen).size, ASKED);
});

const ASKED = 16;
const PAUSE_MS = 5_000;

it('a cluster that does not answer is asked once every few seconds after several requests in a row without an answer, until one has one', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const circuit = new Circuit(PAUSE_MS);
  for (let i = 1; i < UNANSWERED; i++) circuit.unanswered();
  assert.equal(circuit.waitMs(), 0);
  circuit.answered();
  for (let i = 0; i < UNANSWERED; i++) {
    assert.equal(circuit.waitMs(), 0);
    circuit.unanswered();
  }
  assert.equal(circuit.waitMs(), PAUSE_MS);
  now += PAUSE_MS - 1;
  assert.equal(circuit.waitMs(), 1);
  now += 1;
  assert.deepEqual([circuit.waitMs(), circuit.waitMs()], [0, PAUSE_MS], 'one is sent, the others are not');
  circuit.unanswered();
  assert.equal(circuit.waitMs(), PAUSE_MS, 'its failure makes no difference');
  now += PAUSE_MS;
  assert.equal(circuit.waitMs(), 0);
  circuit.answered();
  assert.deepEqual([circuit.waitMs(), circuit.waitMs()], [0, 0]);
});
