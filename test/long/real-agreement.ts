// Agreement of the embedded engine with the reference engine on an index of real records, with queries made of their
// own words: what small random corpora cannot reach (large vocabularies, full chunks, long posting lists).
//
//   node test/long/real-agreement.ts DATA_FOLDER [queries] [seed]

import assert from 'node:assert/strict';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { openReferenceEngine } from '../../src/engines/reference/reference-engine.ts';
import type { Question } from '../../src/model/engine.ts';
import { ORDERS, pageRequest } from '../../src/model/order.ts';
import type { Query, QueryItem, Word } from '../../src/model/query.ts';
import { KINDS, type Kind, type StoredRecord, searchedTexts } from '../../src/model/record.ts';
import { siteKeys } from '../../src/model/sites.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { tokens } from '../../src/text/tokenizer.ts';
import { temporaryFolder } from '../helpers.ts';

const [folder, wanted = '300', seed = '1'] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write(
    'expected a data folder: node test/long/real-agreement.ts DATA_FOLDER [queries] [seed]\n',
  );
  process.exit(2);
}
const rules = { keepOriginals: false };
let state = Number(seed);

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
    const query: Query = { items: Array.from({ length: 1 + below(3) }, () => randomItem(pick(records))) };
    const order = pick(ORDERS);
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

/** An item that finds (or leaves out) this record, or one like it. */
function randomItem(record: StoredRecord): QueryItem {
  const negated = below(4) === 0;
  switch (below(8)) {
    case 0:
      return { kind: 'community', name: record.community, negated };
    case 1:
      return {
        kind: 'score',
        min: record.score - below(3),
        max: below(2) === 0 ? null : record.score + below(50),
      };
    case 2:
      return { kind: 'after', time: record.created - below(5_000_000) };
    case 3: {
      const keys = siteKeys(record);
      if (keys.length > 0) return { kind: 'site', domain: pick(keys), negated };
    }
  }
  const held = tokens(pick(searchedTexts(record)));
  if (held.length === 0) return { kind: 'community', name: record.community, negated };
  const words = Array.from({ length: 1 + below(2) }, () => randomWord(held));
  return { kind: 'words', words, negated };
}

function randomWord(held: readonly string[]): Word {
  const at = below(held.length);
  const token = held[at]!;
  const phrase = held.slice(at, at + 2 + below(3));
  if (below(2) === 0 && phrase.length > 1) return { kind: 'phrase', tokens: phrase, typed: phrase.join(' ') };
  if (below(5) === 0 && token.length > 4)
    return { kind: 'prefix', prefix: token.slice(0, 4), typed: token.slice(0, 4) };
  return { kind: 'term', token, typed: token };
}

function pick<T>(from: readonly T[]): T {
  return from[below(from.length)]!;
}

/** A whole number from 0 up to `end`, by mulberry32 (Tommy Ettinger, public domain). */
function below(end: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
}
