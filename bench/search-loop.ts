// Searches on a schedule, whether or not earlier ones are answered; the time of each counts from its schedule.

import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface SearchLoop {
  readonly address: string;
  readonly key: string;
  /** Asked in turn. */
  readonly paths: readonly string[];
  readonly aSecond: number;
  /** How long the loop goes on. */
  readonly ms: number;
}

/** Milliseconds, one a search. Throws if one is not answered with 200. */
export async function searchLoop({ address, key, paths, aSecond, ms }: SearchLoop): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const began = performance.now();
  const underWay: Promise<number>[] = [];
  try {
    for (let number = 0; (number * 1000) / aSecond < ms; number++) {
      const due = began + (number * 1000) / aSecond;
      await sleep(Math.max(0, due - performance.now()));
      const asked = ask(agent, address + paths[number % paths.length]!, key);
      underWay.push(asked.then(() => performance.now() - due));
    }
    return await Promise.all(underWay);
  } finally {
    agent.destroy();
  }
}

function ask(agent: Agent, url: string, key: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      if (response.statusCode !== 200)
        reject(new Error(`expected 200, found ${response.statusCode}: ${url}`));
      response.resume().on('end', resolve).on('error', reject);
    }).on('error', reject);
  });
}
