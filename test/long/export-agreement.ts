// `npm run test:long -- export-agreement [queries] [seed]`: exports of random queries over random corpora, ties of
// thousands among them (500 where no number is named), through HTTP: in each order, as NDJSON, CSV, CSV for
// spreadsheets and Parquet, plain and compressed, read back and compared with what the reference engine scans. Ends at
// the first difference.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import {
  COMPRESSIONS,
  type Compression,
  canCompress,
  FORMATS,
  type Format,
} from '../../src/exporting/formats.ts';
import { ORDERS } from '../../src/model/pages.ts';
import type { Query } from '../../src/model/query.ts';
import { KINDS, type Kind, type StoredRecord } from '../../src/model/record.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { printQuery } from '../../src/search/language/print-query.ts';
import { exported, listen } from '../api/export-client.ts';
import { assertHolds, expectedRecords, unpacked } from '../api/export-records.ts';
import { openService } from '../api/service.ts';
import { queryVocabulary } from '../engine-agreement.ts';
import { queryArbitrary } from '../generators/queries.ts';
import { recordArbitrary } from '../generators/records.ts';
import { temporaryFolder } from '../helpers.ts';
import { openReferenceEngine } from '../reference/reference-engine.ts';

const wanted = Number(process.argv[2] ?? 500);
const firstSeed = Number(process.argv[3] ?? 1);

/** Different records of a corpus, and how many each becomes: ties of one second and score. */
const SHAPES = [
  { seeds: 200, copies: 1 },
  { seeds: 60, copies: 10 },
  { seeds: 3, copies: 1_500 },
] as const;
const QUERIES_OF_CORPUS = 25;

const FILES = (Object.keys(FORMATS) as Format[]).flatMap((format) =>
  (Object.keys(COMPRESSIONS) as Compression[])
    .filter((compress) => canCompress(format, compress))
    .map((compress) => ({ format, compress })),
);

/** A `before:` alone would be refused. */
function closed({ items }: Query): Query {
  const isOpen = items.some(({ kind }) => kind === 'before') && !items.some(({ kind }) => kind === 'after');
  return isOpen ? { items: [...items, { kind: 'after', time: 0 }] } : { items };
}

function corpus(kind: Kind, seed: number): StoredRecord[] {
  const { seeds, copies } = SHAPES[seed % SHAPES.length]!;
  const records = fc.sample(recordArbitrary(kind), { numRuns: seeds, seed });
  return records.flatMap((record, i) =>
    Array.from({ length: copies }, (_, n) => ({ ...record, id: `${i}x${n}` }) as StoredRecord),
  );
}

let compared = 0;
let files = 0;
for (let seed = firstSeed; compared < wanted; seed++) {
  const kind = KINDS[seed % 2]!;
  const records = corpus(kind, seed);
  const [posts, comments] = kind === 'post' ? [records, []] : [[], records];
  await using service = await openService(posts as never, comments as never, (folder) =>
    openEmbeddedEngine(folder, { rules: { keepOriginals: false }, workers: 0 }),
  );
  using folder = temporaryFolder();
  await using reference = await openReferenceEngine(folder.path, { rules: { keepOriginals: false } });
  await reference.index(kind, packRecords(records));
  const port = await listen(await service.build());
  const queries = fc.sample(queryArbitrary(queryVocabulary), { numRuns: QUERIES_OF_CORPUS, seed });
  for (const [i, given] of queries.entries()) {
    if (compared >= wanted) break;
    const query = closed(given);
    for (const [n, order] of ORDERS.entries()) {
      const expected = await expectedRecords(reference, kind, query, order);
      // Every format for every query, each with another compression by turns.
      for (const format of Object.keys(FORMATS) as Format[]) {
        const choices = FILES.filter((file) => file.format === format);
        const { compress } = choices[(i + n) % choices.length]!;
        const search = new URLSearchParams({ query: printQuery(query), order_by: order, format, compress });
        const what = `${kind}s?${search}`;
        const answer = await exported(port, what, { key: service.keys.good });
        const where = `seed ${seed}: ${what}`;
        assert.deepEqual([answer.status, answer.isWhole], [200, true], where);
        assert.equal(answer.headers['colloquy-total-count'], String(expected.length), where);
        assert.equal(answer.trailers['colloquy-count'], String(expected.length), where);
        await assertHolds(unpacked(answer.body, compress), format, expected, where);
        files++;
      }
    }
    compared++;
  }
  process.stderr.write(`${compared} queries, ${files} files\n`);
}
process.stdout.write(
  `${compared} queries in each order, ${files} files: all hold what the reference engine scans\n`,
);
