// Requests over HTTP on a schedule, whether or not earlier ones are answered. The time of each counts from the moment
// at which it should have begun, so that a stall is not hidden by the requests that waited for it.

import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const GIVE_UP_MS = 60_000;

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** Seconds after which to ask again; 0: not told. */
  readonly retryAfter: number;
}

export class Client implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  readonly #address: string;
  readonly #key: string;

  /** `address` without a slash at its end. */
  constructor(address: string, key: string) {
    this.#address = address;
    this.#key = key;
  }

  ask(path: string): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, headers: { authorization: `Bearer ${this.#key}` } };
      get(this.#address + path, options, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            ...{ status: response.statusCode ?? 0, body: Buffer.concat(pieces).toString() },
            retryAfter: Number(response.headers['retry-after'] ?? 0),
          }),
        );
      }).on('error', reject);
    });
  }

  /** Comes again, up to GIVE_UP_MS long, where a busy server says when. */
  async askUntilServed(path: string): Promise<HttpAnswer> {
    const began = performance.now();
    for (;;) {
      const answer = await this.ask(path);
      const isToCome = answer.status === 503 && answer.retryAfter > 0;
      if (!isToCome || performance.now() - began > GIVE_UP_MS) return answer;
      await sleep(answer.retryAfter * 1000);
    }
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

export interface LoopReport {
  /** Milliseconds, one a request. */
  readonly ms: readonly number[];
  /** Answers other than 200 in the end. */
  readonly failed: number;
}

/** So many requests a second, through the paths over and over, until `isOver`. */
export async function openLoop(
  client: Client,
  paths: readonly string[],
  aSecond: number,
  isOver: () => boolean,
): Promise<LoopReport> {
  const began = performance.now();
  const ms: number[] = [];
  let failed = 0;
  const underWay: Promise<void>[] = [];
  for (let number = 0; !isOver(); number++) {
    const due = began + (number * 1000) / aSecond;
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait);
    const asked = client.askUntilServed(paths[number % paths.length]!).then(
      ({ status }) => {
        ms.push(performance.now() - due);
        if (status !== 200) failed++;
      },
      () => {
        failed++;
      },
    );
    underWay.push(asked);
  }
  await Promise.all(underWay);
  return { ms, failed };
}
