// `npm run test:long -- opensearch-real [FILE…] [--queries 200] [--seed 1]`: the engine in OpenSearch, 3 shards on
// a node of its own, against the embedded engine, both with all records of these dumps (none named: those that
// lie beside the project): random queries made of their own words, up to four pages of each in every order, with
// breakdowns, timelines, evidence and `under`. Ends at the first difference.
//
// With `--corpora 200`: the agreement with the reference engine on so many random corpora instead
// (engine-agreement.ts).

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { importSources } from '../../src/ingest/importer.ts';
import type { Answer, BreakdownRequest, Question, SearchEngine } from '../../src/model/engine.ts';
import type { LimitReached } from '../../src/model/engine-errors.ts';
import { ORDERS, pageRequest } from '../../src/model/pages.ts';
import type { Query } from '../../src/model/query.ts';
import { KINDS, type Kind, type StoredRecord } from '../../src/model/record.ts';
import { TIMELINE_STEPS } from '../../src/model/timeline.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { answerOf, compareOnCorpus, SHAPES } from '../engine-agreement.ts';
import { itemOf, pick, randomBelow } from '../generators/real-queries.ts';
import { temporaryFolder } from '../helpers.ts';
import { freshSettings, openSearchHarness } from '../opensearch/harness.ts';
import { ownCluster } from '../opensearch/own-cluster.ts';
import { wholeStats } from '../whole-stats.ts';

const CORPUS = ['comments_550k', 'posts_190k', 'threads_146k'].map((name) =>
  fileURLToPath(new URL(`../../../shared/data/corpus/${name}.ndjson.zst`, import.meta.url)),
);
const RULES = { keepOriginals: false };
const BATCH = 10_000;
const PAGES = 4;
/** Of how many records of a kind queries are made. */
const SAMPLE = 5_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    queries: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    corpora: { type: 'string' },
  },
});
const sources = positionals.length > 0 ? positionals : CORPUS;
const below = randomBelow(Number(values.seed));

if (values.corpora !== undefined) {
  await compareCorpora(Number(values.corpora), Number(values.seed));
} else if (sources.every((source) => existsSync(source))) {
  await compareReal();
} else {
  process.stdout.write('skipped: the real dumps (../shared/data) are not here, and no other is named\n');
}

async function compareCorpora(corpora: number, firstSeed: number): Promise<void> {
  await using cluster = await ownCluster({ heap: '1500m' });
  const harness = openSearchHarness(cluster.addresses);
  let compared = 0;
  for (let done = 0; done < corpora; done++) {
    const seed = firstSeed + done;
    compared += await compareOnCorpus(harness, SHAPES[seed % SHAPES.length]!, seed);
    if (done % 10 === 9) progress(`${compared} queries on ${done + 1} corpora`);
  }
  process.stdout.write(`${compared} queries on ${corpora} corpora: no difference\n`);
}

async function compareReal(): Promise<void> {
  await using cluster = await ownCluster({ heap: '1500m' });
  using folder = temporaryFolder();
  await using catalogue = Catalogue.open(join(folder.path, 'data'));
  const { removals } = catalogue;
  await using embedded = await openEmbeddedEngine(join(folder.path, 'data'), { rules: RULES, removals });
  const report = await importSources(
    sources,
    {
      ...{ engine: embedded, catalogue, permalinkBase: 'https://www.reddit.com' },
      ...{ rejectsFolder: join(folder.path, 'rejects'), input: Readable.from([]) },
    },
    { kind: null, restart: false, workers: 1 },
  );
  progress(`embedded: ${report.read} lines read, ${report.added} records added`);
  const settings = { ...freshSettings(cluster.addresses), shards: 3 };
  await using own = await openOpenSearchEngine(settings, { rules: RULES, removals });
  const samples = new Map<Kind, readonly StoredRecord[]>();
  for (const kind of KINDS) samples.set(kind, await copy(embedded, own, kind));
  assert.deepEqual(await own.fingerprints(), await embedded.fingerprints());
  for (const kind of KINDS) await compare({ own, embedded, samples }, kind, Number(values.queries) / 2);
}

/** Batches in the order of time; returns some of the records, spread over all. */
async function copy(from: SearchEngine, to: SearchEngine, kind: Kind): Promise<readonly StoredRecord[]> {
  const { records } = (await wholeStats(from))[kind];
  const sample: StoredRecord[] = [];
  let batch: StoredRecord[] = [];
  let copied = 0;
  const write = async () => {
    const { added } = await to.index(kind, packRecords(batch));
    assert.equal(added, batch.length);
    copied += added;
    batch = [];
    if (copied % (10 * BATCH) === 0) progress(`OpenSearch: ${copied} ${kind}s`);
  };
  for await (const some of from.scan(kind, { items: [] }, 'oldest')) {
    for (const record of some) {
      if (below(records) < SAMPLE) sample.push(record);
      batch.push(record);
      if (batch.length === BATCH) await write();
    }
  }
  if (batch.length > 0) await write();
  assert.equal(copied, records);
  return sample;
}

interface Compared {
  readonly own: SearchEngine;
  readonly embedded: SearchEngine;
  readonly samples: ReadonlyMap<Kind, readonly StoredRecord[]>;
}

async function compare({ own, embedded, samples }: Compared, kind: Kind, queries: number): Promise<void> {
  const sample = samples.get(kind)!;
  const found = { answers: 0, matching: 0, refused: 0 };
  for (let n = 0; n < queries; n++) {
    const asked = {
      kind,
      query: queryFrom(sample, 4),
      ...(kind === 'comment' && under(samples.get('post')!)),
    };
    const order = ORDERS[n % 3]!;
    const size = { limit: 1 + below(200) };
    let page = pageRequest(order, null, size);
    for (let pages = 0; pages < PAGES; pages++) {
      const question: Question = { ...asked, page, ...counted() };
      let expected = await compareAnswers({ own, embedded }, question);
      found.answers++;
      if ('limit' in expected) {
        found.refused++;
        // Most are timelines of too many hours.
        expected = await compareAnswers({ own, embedded }, { ...question, timeline: {} });
        found.answers++;
        if ('limit' in expected) break;
      }
      if (pages === 0 && expected.total > 0) found.matching++;
      const next = expected.page?.next ?? null;
      if (next === null) break;
      page = pageRequest(order, next, size);
    }
    if (n % 20 === 19) progress(`${n + 1} queries for ${kind}s`);
  }
  const { records } = (await wholeStats(embedded))[kind];
  process.stdout.write(
    `${queries} queries on ${records} real ${kind}s (${found.matching} with matches, ${found.answers} answers, ` +
      `${found.refused} of them refusals): no difference\n`,
  );
}

async function compareAnswers(
  { own, embedded }: Pick<Compared, 'own' | 'embedded'>,
  question: Question,
): Promise<Answer | LimitReached> {
  const expected = await answerOf(embedded, question);
  assert.deepEqual(await answerOf(own, question), expected, JSON.stringify(question));
  return expected;
}

/** Of 0 to `most` items; most have one or two. */
function queryFrom(sample: readonly StoredRecord[], most: number): Query {
  const items = below(20) === 0 ? 0 : 1 + Math.min(below(most), below(most));
  return { items: Array.from({ length: items }, () => itemOf(below, pick(below, sample))) };
}

/** For every fourth question; few posts have comments here, so half of these are of communities of posts that do. */
function under(posts: readonly StoredRecord[]): { readonly under?: Query } {
  if (below(4) > 0) return {};
  if (below(2) === 0) return { under: queryFrom(posts, 2) };
  return { under: { items: [{ kind: 'community', name: 'ethfinance', negated: false }] } };
}

function counted(): Pick<Question, 'breakdowns' | 'timeline' | 'evidence'> {
  const fields = ['community', 'domain'] as const;
  const breakdowns = fields.map((field): BreakdownRequest => {
    const part = below(3);
    return {
      ...{ field, size: 1 + below(100), distinct: below(2) === 0 },
      ...(part === 1 && { skip: below(200) }),
      ...(part === 2 && { prefix: pick(below, ['a', 's', 'yo', 'i.', '2']) }),
    };
  });
  const step = pick(below, [undefined, ...TIMELINE_STEPS]);
  const timeline = { ...(step && { step }), ...(below(2) === 0 && { measure: 'score' as const }) };
  return { breakdowns, timeline, evidence: below(2) === 0 };
}

function progress(what: string): void {
  process.stderr.write(`${what}\n`);
}
