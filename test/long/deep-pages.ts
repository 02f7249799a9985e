// `npm run test:long -- deep-pages [--records 300000] [--page 10000] [--limit 25]`: what a page far behind costs
// against the first one, in processor time of one run, for common words in every order. Ends with 1 where the
// slowest of 20 askings in a hundred is above twice that of the first page.

import { parseArgs } from 'node:util';
import { syntheticComments } from '../../bench/corpus.ts';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { ORDERS, type Order } from '../../src/model/pages.ts';
import { SearchService } from '../../src/search/search-service.ts';
import { percentile, surroundings } from '../chaos/figures.ts';
import { temporaryFolder } from '../helpers.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '300000' },
    page: { type: 'string', default: '10000' },
    limit: { type: 'string', default: '25' },
  },
});
const limit = Number(values.limit);
const depth = Number(values.page) * limit;
/** Each is found more often than `depth` in the corpus of the default size. */
const QUERIES = ['', '-zzzz', '-/r/nothing'];
const ASKED = 100;
const MOST = 2;

using folder = temporaryFolder();
// In this thread, so that its processor time is that of the answers.
await using engine = await openEmbeddedEngine(folder.path, { rules: { keepOriginals: false }, workers: 0 });
for (const batch of syntheticComments(Number(values.records), { batch: 20_000, communities: 500 })) {
  await engine.index('comment', packRecords(batch));
}
const settings = { impliedWindow: 'off', permalinkBase: '', queryTimeoutMs: 60_000 } as const;
const search = new SearchService(engine, { knowledgeOf: () => new Map() }, settings);
process.stdout.write(`${surroundings()}\n`);
for (const query of QUERIES) {
  for (const order of ORDERS) {
    const cursor = await cursorAt(query, order);
    await times(query, order, null);
    await times(query, order, cursor);
    const [first, far] = [await times(query, order, null), await times(query, order, cursor)];
    const ratio = far / first;
    process.stdout.write(
      `${(query || '(everything)').padEnd(14)} ${order.padEnd(8)} first ${first.toFixed(2)} ms, ` +
        `page ${values.page} ${far.toFixed(2)} ms: ${ratio.toFixed(2)} times\n`,
    );
    if (ratio > MOST) process.exitCode = 1;
  }
}

/** The cursor behind `depth` records. */
async function cursorAt(query: string, order: Order): Promise<string> {
  let after: string | null = null;
  for (let seen = 0; seen < depth; ) {
    const { envelope } = await search.search({ kind: 'comment', query, order, limit: 1_000, after });
    if (envelope.sort_key.length === 0)
      throw new Error(`\`${query}\` finds ${envelope.total_count}, fewer than ${depth}`);
    seen += envelope.data.length;
    after = String(envelope.sort_key[0]);
  }
  return after!;
}

/** The 95th percentile, in milliseconds of processor time. */
async function times(query: string, order: Order, after: string | null): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < ASKED; i++) {
    const began = process.cpuUsage();
    await search.search({ kind: 'comment', query, order, limit, after });
    const { user, system } = process.cpuUsage(began);
    taken.push((user + system) / 1_000);
  }
  return percentile(taken, 0.95);
}
