// A data folder with an index in it, and what a server on it is asked.

import { randomNumbers, syntheticComments, syntheticVocabulary } from '../../bench/corpus.ts';
import { queryClasses } from '../../bench/queries.ts';
import { Accounts } from '../../src/accounts/accounts.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { printQuery } from '../../src/search/language/syntax.ts';
import { openEngine } from './folder-state.ts';

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
