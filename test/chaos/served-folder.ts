// A data folder with an index in it, and a server on it as a process of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { randomNumbers, syntheticComments, syntheticVocabulary } from '../../bench/corpus.ts';
import { queryClasses } from '../../bench/queries.ts';
import { Accounts } from '../../src/accounts/accounts.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { printQuery } from '../../src/search/language/syntax.ts';
import { openEngine } from './folder-state.ts';

export const program = fileURLToPath(new URL('../../bin/colloquy.mjs', import.meta.url));
const COMMUNITIES = 5_000;
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

export async function makeKey(folder: string, email: string): Promise<string> {
  await using accounts = Accounts.open(folder);
  return accounts.createKey({ email, name: 'key', expiresInDays: null }).key;
}

/** A folder that a process of its own serves. Killed when it is disposed of, where it has not ended. */
export interface ServedFolder extends AsyncDisposable {
  readonly process: ChildProcess;
  /** Without a slash at its end. */
  readonly address: string;
}

/** On a free port of this machine. `start` begins the command line: a program that runs another one. */
export async function serveFolder(
  path: string,
  start: readonly string[] = [],
  settings: NodeJS.ProcessEnv = {},
): Promise<ServedFolder> {
  const serve = [process.execPath, program, 'serve', '--port', '0', '--data', path];
  const [command = '', ...words] = [...start, ...serve];
  const child = spawn(command, words, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...settings },
  });
  let text = '';
  for await (const chunk of child.stdout!) {
    text += chunk;
    const address = /ready: (http:\S+)/.exec(text)?.[1];
    if (address !== undefined) return { process: child, address, [Symbol.asyncDispose]: () => end(child) };
  }
  throw new Error(`not ready: ${text}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
