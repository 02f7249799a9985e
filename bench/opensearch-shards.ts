// `npm run bench -- opensearch-shards [--seconds 20] [--at-once 32]`: our process beside a cluster of 65 + 200 shards.
// A fake in a process of its own sends as many rows, names, days and words as such a cluster does. Each question has a
// line: answers a second, and the longest hold of the event loop (processor time between two looks).

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { OpenSearchSettings } from '../src/engines/opensearch/cluster/client.ts';
import { indexBody, indexNames } from '../src/engines/opensearch/cluster/indices.ts';
import { openOpenSearchEngine } from '../src/engines/opensearch/engine.ts';
import type { Question } from '../src/model/engine.ts';
import type { Query } from '../src/model/query.ts';
import { comment } from '../test/helpers.ts';
import { FakeCluster, type Told } from '../test/opensearch/fake-cluster.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    'at-once': { type: 'string', default: '32' },
    fake: { type: 'boolean', default: false },
  },
});
const SHARDS = { post: 65, comment: 200 };
/** How long a search takes there (docs/scaling.md), in milliseconds. */
const SEARCH_MS = 200;
const DAYS = 365 * 15;
const COMMUNITIES = 200_000;
const WORDS_OF_SHARD = 2_000;
const DAY = 86_400;
const EVERYTHING: Query = { items: [] };
const PREFIX: Query = {
  items: [{ kind: 'words', words: [{ kind: 'prefix', prefix: 'so', typed: 'so*' }], negated: false }],
};

if (values.fake) await fake();
else await ask();

async function fake(): Promise<void> {
  const cluster = await FakeCluster.start();
  const settings = { ...cluster.settings, shards: SHARDS };
  const names = indexNames(settings);
  for (const kind of ['post', 'comment'] as const) {
    cluster.state.indices[names[kind]] = indexBody(settings, kind);
  }
  const pit = 'p'.repeat(SHARDS.comment * 100);
  const shards = { total: SHARDS.comment, successful: SHARDS.comment, skipped: 0, failed: 0 };
  const ok = (body: object): Told => ({ status: 200, body });
  cluster.fault = ({ method, path, body }) => {
    if (path.endsWith('/point_in_time') && method === 'POST') return ok({ pit_id: pit, _shards: shards });
    if (path.endsWith('/_validate/query'))
      return ok({ valid: true, _shards: shards, explanations: listed(body) });
    if (path !== '/_search') return null;
    const asked = JSON.parse(body);
    const { ids } = asked.query.bool?.filter?.find((one: object) => 'ids' in one) ?? {};
    const numbers = ids?.values.map((id: string) => Number.parseInt(id, 36)) ?? [...Array(asked.size).keys()];
    const hits = numbers.map((i: number) => hitOf(i, asked._source === false));
    return ok({
      ...{ timed_out: false, _shards: shards, hits: { total: { value: 10 ** 9, relation: 'eq' }, hits } },
      aggregations: aggregationsOf(asked.aggs ?? {}),
    });
  };
  process.send!(settings);
}

function listed(body: string): object[] {
  const { rewrite } = JSON.parse(body).query.prefix.t;
  const most = Math.min(WORDS_OF_SHARD, Number(/\d+$/.exec(rewrite)?.[0] ?? Infinity));
  return Array.from({ length: SHARDS.comment }, (_, shard) => ({
    explanation: Array.from({ length: most }, (__, i) => `t:so${(i * (1 + (shard % 3))).toString(36)}`).join(
      ' ',
    ),
  }));
}

function hitOf(i: number, isBare: boolean): object {
  const r = comment({ id: i.toString(36), body: 'solar '.repeat(60), created: 1_700_000_000 - i });
  return { _id: r.id, sort: [i, i, `!${r.id}`], ...(!isBare && { _source: { r, a: 1, b: 'b', g: 1 } }) };
}

type Aggregations = Readonly<Record<string, Asked>>;

/** Parts of an aggregation, of which one is there. */
interface Asked {
  readonly terms?: { readonly size: number; readonly include?: readonly string[] | string };
  readonly composite?: { readonly size: number; readonly after?: object };
  readonly histogram?: object;
  readonly min?: object;
  readonly max?: object;
  readonly aggs?: Aggregations;
}

function aggregationsOf(aggs: Aggregations): object {
  return Object.fromEntries(Object.entries(aggs).map(([name, of]) => [name, aggregationOf(of)]));
}

function aggregationOf({ terms, composite, histogram, min, max, aggs }: Asked): object {
  const nameOf = (i: number) => `community${String(i).padStart(9, '0')}`;
  const numbers = (from: number, size: number) => Array.from({ length: size }, (_, i) => from + i);
  if (min) return { value: 0 };
  if (max) return { value: (DAYS - 1) * DAY };
  if (histogram) return { buckets: numbers(0, DAYS).map((i) => ({ key: i * DAY, doc_count: 9 })) };
  if (composite) {
    const from = composite.after === undefined ? 0 : Number(Object.values(composite.after)[0].slice(9)) + 1;
    const found = numbers(from, Math.min(composite.size, COMMUNITIES - from));
    const buckets = found.map((i) => ({ key: { name: nameOf(i) }, doc_count: (i * 7919) % 1000 }));
    return { buckets, ...(buckets.length > 0 && { after_key: buckets.at(-1)!.key }) };
  }
  const { include, size = 0 } = terms ?? {};
  const names = Array.isArray(include) ? include : numbers(0, size).map(nameOf);
  const buckets = names.map((key, i) => ({
    ...{ key, doc_count: 10 ** 7 - i, doc_count_error_upper_bound: 0, ...aggregationsOf(aggs ?? {}) },
  }));
  return { buckets, doc_count_error_upper_bound: 1, sum_other_doc_count: 10 ** 6 };
}

async function ask(): Promise<void> {
  const child = fork(new URL(import.meta.url), ['--fake']);
  const [settings] = (await once(child, 'message')) as [OpenSearchSettings];
  const page = { order: 'newest', limit: 100, after: null } as const;
  const names = { field: 'community', size: 100 } as const;
  const questions: Readonly<Record<string, Omit<Question, 'kind'>>> = {
    'newest 100': { query: EVERYTHING, page },
    'top 100 communities': { query: EVERYTHING, breakdowns: [names] },
    '200,000 communities counted': { query: EVERYTHING, breakdowns: [{ ...names, distinct: true }] },
    'days of 15 years': { query: EVERYTHING, timeline: { step: 'day' } },
    'days of 18 communities': { query: EVERYTHING, breakdowns: [{ ...names, size: 18, by: 'day' }] },
    'sample of 500': { query: EVERYTHING, page: { order: 'sample', size: 500, seed: '1' } },
    'prefix of 400,000 words listed': { query: PREFIX },
  };
  let [peak, looked, held, at] = [0, process.threadCpuUsage(), 0, performance.now()];
  const look = setInterval(() => {
    const { user, system } = process.threadCpuUsage(looked);
    looked = process.threadCpuUsage();
    held = Math.max(held, (user + system) / 1000);
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 1);
  await using engine = await openOpenSearchEngine(settings, { rules: { keepOriginals: false } });
  await engine.warm();
  console.log('| question | answers a second | longest hold, ms |\n|---|---:|---:|');
  for (const [name, question] of [...Object.entries(questions), ['all', null] as const]) {
    [held, at] = [0, performance.now()];
    let answers = 0;
    const all = Object.values(questions);
    const askOn = async (_: unknown, lane: number) => {
      while (performance.now() - at < Number(values.seconds) * 1000) {
        await engine.ask({ kind: 'comment', ...(question ?? all[(answers + lane) % all.length]!) });
        answers++;
        await sleep(SEARCH_MS);
      }
    };
    await Promise.all(Array.from({ length: Number(values['at-once']) }, askOn));
    const rate = (answers * 1000) / (performance.now() - at);
    console.log(`| ${name} | ${rate.toFixed(0)} | ${held.toFixed(0)} |`);
  }
  clearInterval(look);
  console.log(`\nmost memory: ${Math.round(peak / 2 ** 20)} MiB`);
  child.kill();
}
