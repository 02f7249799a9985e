// What no corpus of the conformance suite or of the agreement with the reference engine reaches: sizes, and what a
// cluster is not asked.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { comment } from '../../../../test/helpers.ts';
import { compareRanks, rankKey, rankOf } from '../../../model/analyses.ts';
import { contentHash } from '../../../model/hash.ts';
import { MAX_TOKEN_UNITS } from '../../../text/tokenizer.ts';
import { documentOf } from '../cluster/documents.ts';
import { Steps } from '../cluster/hit-walk.ts';
import { indexBody } from '../cluster/indices.ts';
import { type Hit, type SearchBody, Searcher } from '../cluster/search.ts';
import { tokensIn } from './queries.ts';
import { sampleIds } from './sample.ts';

it('steps bring some 16 MiB, one record at the least, 10,000 at the most', () => {
  const hitsOfLength = (length: number): Hit[] =>
    Array.from({ length: 10 }, () => {
      const r = comment({ id: '1', body: 'x'.repeat(length) });
      return { _id: '1', sort: [], _source: { r, a: 1, b: '', g: 1 } };
    });
  for (const [length, least, most] of [
    [0, 10_000, 10_000],
    [10_000, 1_400, 1_700],
    [1_048_576, 15, 16],
    [20_000_000, 1, 1],
  ] as const) {
    const steps = new Steps();
    steps.add(hitsOfLength(length));
    assert.ok(steps.most() >= least && steps.most() <= most, `${length}: ${steps.most()}`);
  }
});

it('of the default seed only the sample is read, however many match; of another the ranks of all, 10,000 a search', async () => {
  const records = Array.from({ length: 60_000 }, (_, i) => comment({ id: i.toString(36), created: i }));
  const documents = records.map((r) => documentOf(r, { arrived: 1, batch: '', generation: 1 }) as Ranked);
  const byRank = [...documents].sort((a, b) => a.q0 - b.q0 || a.q1 - b.q1);
  const sizes: number[] = [];
  const search = async (_pit: string, { size, sort, search_after: after }: SearchBody) => {
    sizes.push(size);
    if (sort![0]!.q0 === 'asc') {
      return { hits: byRank.slice(0, size).map(({ q0, q1, key }) => ({ sort: [q0, q1, key] })) };
    }
    const from = after === undefined ? 0 : Number(after[0]);
    const hits = documents.slice(from, from + size).map(({ r, ...fields }, i) => ({
      sort: [from + i + 1],
      fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [value]])),
    }));
    return { hits };
  };
  const searcher: Searcher = Object.assign(Object.create(Searcher.prototype), { search });
  const drawn = { searcher, pit: '', query: {}, total: records.length };
  for (const [seed, asked] of [
    ['1', [70]],
    ['2', [...Array(7)].map(() => 10_000)],
  ] as const) {
    const key = rankKey(seed);
    const ranked = records.map((r) => ({ id: r.id, rank: rankOf(key, contentHash(r)) }));
    ranked.sort((a, b) => compareRanks(a.rank, b.rank));
    const expected = ranked.slice(0, 70).map(({ id }) => id);
    assert.deepEqual(await sampleIds(drawn, { size: 70, seed }), expected, seed);
    assert.deepEqual(sizes.splice(0), asked, seed);
  }
});

interface Ranked {
  readonly q0: number;
  readonly q1: number;
  readonly key: string;
  readonly r: object;
}

/** Longer tokens are cut in pieces by the analyzer `whitespace` of OpenSearch, in UTF-16 units. */
const MAX_WHITESPACE_TOKEN = 255;

it('no token of ours is cut in pieces by the analyzer of the mapping', () => {
  const settings = { nodes: [], prefix: 'test', shards: 1, replicas: 0, signIn: null };
  const { t } = indexBody(settings, 'post').mappings.properties!;
  assert.equal((t as { readonly analyzer: string }).analyzer, 'whitespace');
  assert.ok(MAX_TOKEN_UNITS < MAX_WHITESPACE_TOKEN);
});

it('tokens behind a prefix are those of all shards, each once; a shard without any names the prefix itself', async () => {
  const found = await tokensIn(['t:pan t:panel', 't:pan*', 't:panel t:pants']);
  assert.deepEqual([...found], ['t:pan', 't:panel', 't:pants']);
  assert.equal((await tokensIn(['t:pan*', 't:pan*'])).size, 0);
});
