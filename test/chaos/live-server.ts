// A data folder with an index in it, and a server on it as a process of its own.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { randomNumbers, syntheticComments, syntheticVocabulary } from '../../bench/corpus.ts';
import { queryClasses } from '../../bench/queries.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { printQuery } from '../../src/search/language/print-query.ts';
import { openEngine } from './folder-state.ts';
import { Client } from './open-loop.ts';

export const program = fileURLToPath(new URL('../../bin/colloquy.mjs', import.meta.url));
export const COMMUNITIES = 5_000;
const ORDERS = ['newest', 'oldest', 'top'];

/** Fills a folder with synthetic comments. */
export async function fillFolder(folder: string, records: number): Promise<void> {
  await using engine = await openEngine(folder);
  for (const batch of syntheticComments(records, { batch: 20_000, communities: COMMUNITIES })) {
    await engine.index('comment', packRecords(batch));
  }
}

/** Queries of all classes of the benchmark, in a fixed random order, as paths of the API. */
export async function searchPaths(folder: string): Promise<string[]> {
  await using engine = await openEngine(folder);
  const classes = await queryClasses(engine, syntheticVocabulary(COMMUNITIES));
  const random = randomNumbers(11);
  return classes
    .flatMap(({ queries }) => queries)
    .map((query, i) => {
      const search = new URLSearchParams({ query: printQuery(query), order_by: ORDERS[i % 3]!, limit: '25' });
      return { path: `/api/v1/search/comments?${search}`, place: random() };
    })
    .sort((a, b) => a.place - b.place)
    .map(({ path }) => path);
}

export interface Server extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number;
}

export async function startServer(folder: string): Promise<Server> {
  const words = [program, 'keys', 'create', '--account', 'live@example.org', '--data', folder];
  const key = execFileSync(process.execPath, words, { stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim();
  const child = spawn(process.execPath, [program, 'serve', '--port', '0', '--data', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.includes('ready: ')) break;
  }
  const address = /ready: (http:\S+)/.exec(text)?.[1];
  if (address === undefined) throw new Error(`the server did not start: ${text}`);
  const client = new Client(address, key);
  return {
    client,
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Resident memory of a process in MiB; NaN where the system does not say. */
export function memoryOf(pid: number): number {
  try {
    return Math.round(
      Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024,
    );
  } catch {
    return Number.NaN;
  }
}
