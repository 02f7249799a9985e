// Agreement of the embedded engine with the reference engine on an index of real records, with queries made of their
// own words: what small random corpora cannot reach (large vocabularies, full chunks, long posting lists).
//
//   npm run test:long -- real-agreement DATA_FOLDER [queries] [seed]

import assert from 'node:assert/strict';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import type { Question } from '../../src/model/engine.ts';
import { ORDERS, pageRequest } from '../../src/model/pages.ts';
import type { Query } from '../../src/model/query.ts';
import { KINDS, type Kind, type StoredRecord } from '../../src/model/record.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { itemOf, pick, randomBelow } from '../generators/real-queries.ts';
import { temporaryFolder } from '../helpers.ts';
import { openReferenceEngine } from '../reference/reference-engine.ts';

const [folder, wanted = '300', seed = '1'] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write(
    'expected a data folder: npm run test:long -- real-agreement DATA_FOLDER [queries] [seed]\n',
  );
  process.exit(2);
}
const rules = { keepOriginals: false };
const below = randomBelow(Number(seed));

await using embedded = await openEmbeddedEngine(folder, { rules });
using other = temporaryFolder();
await using reference = await openReferenceEngine(other.path, { rules });
for (const kind of KINDS) {
  const records: StoredRecord[] = [];
  for await (const batch of embedded.scan(kind, { items: [] }, 'oldest')) {
    await reference.index(kind, packRecords(batch));
    records.push(...batch);
  }
  if (records.length > 0) await compare(kind, records, Number(wanted));
}

async function compare(kind: Kind, records: readonly StoredRecord[], queries: number): Promise<void> {
  let matched = 0;
  for (let n = 0; n < queries; n++) {
    const query: Query = {
      items: Array.from({ length: 1 + below(3) }, () => itemOf(below, pick(below, records))),
    };
    const order = pick(below, ORDERS);
    const size = { limit: 1 + below(200) };
    const page = pageRequest(order, null, size);
    const breakdowns = [
      { field: 'community', size: 20, distinct: true },
      { field: 'domain', size: 20, distinct: true },
    ] as const;
    const question: Question = { kind, query, page, breakdowns, timeline: {} };
    const [own, expected] = [await embedded.ask(question), await reference.ask(question)];
    assert.deepEqual(own, expected, JSON.stringify(query));
    const after = expected.page?.next ?? null;
    if (after !== null) {
      const next: Question = { kind, query, page: pageRequest(order, after, size) };
      assert.deepEqual(await embedded.ask(next), await reference.ask(next), JSON.stringify(query));
    }
    if (expected.total > 0) matched++;
    if (n % 50 === 49) process.stderr.write(`${n + 1} queries on ${kind}s\n`);
  }
  process.stdout.write(
    `${queries} queries on ${records.length} real ${kind}s (${matched} with matches): no difference\n`,
  );
}
