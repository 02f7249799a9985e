// Stands between an engine and a node, and loses what a test wants lost.

import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Listening, listen } from './one-node.ts';

/** A request of the engine, as it comes by. */
export interface Passing {
  readonly method: string;
  /** With the query behind it. */
  readonly path: string;
  /** Bytes of what is sent with it, as it says itself. */
  readonly length: number;
  /** How many came before it. */
  readonly number: number;
}

export type Verdict =
  | 'pass'
  /** The node does what it is asked, and its answer never arrives: the connection breaks. */
  | 'lose answer'
  /** As `lose answer`, with most of the answer before the break. */
  | 'cut answer'
  /** Nothing arrives anywhere, and the connection stays. */
  | 'hold'
  /** Told in place of the node, which may be asked. */
  | ((body: string, ask: (body: string) => Promise<Answer>) => Promise<Answer>);

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** In front of the node at `target`. A request waits until it is judged. */
export async function startProxy(
  target: string,
  judge: (passing: Passing) => Verdict | Promise<Verdict>,
): Promise<Listening> {
  let number = 0;
  return await listen(async (incoming, response) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const length = Number(headers['content-length'] ?? 0);
    const verdict = await judge({ method, path, length, number: number++ });
    if (verdict === 'hold') return;
    forward(target, incoming, response, verdict).catch(() => response.destroy());
  });
}

async function forward(
  target: string,
  incoming: IncomingMessage,
  response: ServerResponse,
  verdict: Verdict,
): Promise<void> {
  const { method, url = '/' } = incoming;
  const { 'content-length': _, ...headers } = incoming.headers;
  const ask = async (asked: Buffer) => {
    const withLength = { ...headers, 'content-length': asked.length };
    const onward = request(new URL(url, target), { method, headers: withLength, agent: false });
    onward.end(asked);
    const [found] = (await once(onward, 'response')) as [IncomingMessage];
    return { answer: found, body: await buffer(found) };
  };
  // Before anything is sent: who asks may have given up, and half a request would keep its connection for ever.
  const asked = await buffer(incoming);
  if (typeof verdict === 'function') {
    const told = await verdict(`${asked}`, async (text) => {
      const { answer, body } = await ask(Buffer.from(text));
      return { status: answer.statusCode ?? 502, body: `${body}` };
    });
    response.writeHead(told.status, { 'content-type': 'application/json' }).end(told.body);
    return;
  }
  const { answer, body } = await ask(asked);
  if (verdict === 'lose answer') {
    response.destroy();
    return;
  }
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  if (verdict === 'cut answer') response.write(body.subarray(0, -20), () => response.destroy());
  else response.end(body);
}
