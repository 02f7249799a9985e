// What is hard to answer right from several shards: acceptance by real answers of a cluster.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OpenSearchSettings } from '../../src/engines/opensearch/cluster/client.ts';
import { indexNames } from '../../src/engines/opensearch/cluster/indices.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { Question, SearchEngine } from '../../src/model/engine.ts';
import { ORDERS } from '../../src/model/pages.ts';
import { MAX_PREFIX_TOKENS } from '../../src/model/query.ts';
import { MAX_TEXT_BYTES, type StoredRecord } from '../../src/model/record.ts';
import { EVERYTHING, everything, fill, firstPage, idsOf, queryOf, RULES, walk } from '../engine-suite.ts';
import { comment, linkPost, post, START_OF_2008, temporaryFolder } from '../helpers.ts';
import { openReferenceEngine } from '../reference/reference-engine.ts';
import { call } from './harness.ts';
import { inPlace, open } from './place.ts';
import { onCluster } from './test-cluster.ts';

interface Explained {
  /** `_shard` ends in its number in brackets. */
  readonly hits: { readonly hits: readonly { readonly _id: string; readonly _shard: string }[] };
}

await onCluster('OpenSearch: answers of several shards', (nodes) => {
  /** Runs `test` with an engine over these records. */
  function withEngine(
    records: readonly StoredRecord[],
    test: (engine: SearchEngine) => Promise<void>,
    changed: Partial<OpenSearchSettings> = {},
  ): Promise<void> {
    const filled = async (settings: OpenSearchSettings) => {
      await using engine = await open({ ...settings, ...changed });
      await fill(engine, records);
      await test(engine);
    };
    return inPlace(nodes, filled, 2);
  }

  /** The same answers as those of the reference engine. */
  async function agrees(
    records: readonly StoredRecord[],
    questions: readonly Question[],
    changed?: Partial<OpenSearchSettings>,
  ): Promise<void> {
    using folder = temporaryFolder();
    await using reference = await openReferenceEngine(folder.path, { rules: RULES });
    await fill(reference, records);
    const compare = async (engine: SearchEngine) => {
      for (const question of questions) {
        assert.deepEqual(await engine.ask(question), await reference.ask(question), JSON.stringify(question));
      }
    };
    await withEngine(records, compare, changed);
  }

  /** These ids by the shard that keeps them, of three. */
  async function shardsOf(ids: readonly string[]): Promise<string[][]> {
    const shards: string[][] = [[], [], []];
    await inPlace(nodes, async (settings) => {
      await using engine = await open({ ...settings, shards: shards.length });
      await engine.index('comment', packRecords(ids.map((id) => comment({ id }))));
      const path = `/${indexNames(settings).comment}/_search`;
      const asked = { size: ids.length, _source: false, explain: true };
      const { hits } = await call<Explained>(settings, 'POST', path, asked);
      for (const { _id, _shard } of hits.hits) shards[Number(_shard.at(-2))]!.push(_id);
    });
    return shards;
  }

  describe('breakdowns', () => {
    it('the first name is found where no shard has it among the 1,100 first of its own', async () => {
      const ids = Array.from({ length: 6_900 }, (_, i) => `${i}`);
      const ofShards = await shardsOf(ids);
      // Of each shard: 1,100 names of two records that are nowhere else, and one record of the name that is everywhere.
      const records = ofShards.flatMap((own, shard) =>
        own
          .slice(0, 2_201)
          .map((id, i) => comment({ id, community: i === 2_200 ? 'all' : `${shard}x${i >> 1}` })),
      );
      assert.equal(records.length, 3 * 2_201);
      const ask = (size: number, more: object = {}): Question => ({
        ...{ kind: 'comment', query: EVERYTHING, breakdowns: [{ field: 'community', size, ...more }] },
      });
      const questions = [ask(1), ask(10), ask(3, { skip: 1_000 }), ask(1, { prefix: 'a' }), ask(5_000)];
      return await agrees(records, [...questions, ask(1, { distinct: true })], { shards: 3 });
    });

    it('names of one count come by their code units, where those of UTF-8 are in another order', () => {
      const names = ['\ue000', '😀', '\uffee', 'z', '🀀', '日本'];
      const records = names.map((community, i) => comment({ id: `${i}`, community }));
      const breakdowns = [1, 2, 3, 6].map((size) => ({ field: 'community', size }) as const);
      return agrees(records, [{ kind: 'comment', query: EVERYTHING, breakdowns }], { shards: 3 });
    });
  });

  it(`${MAX_PREFIX_TOKENS} words behind a prefix are looked for, one more is refused: over 3 shards`, () => {
    const words = Array.from({ length: MAX_PREFIX_TOKENS }, (_, i) => `ww${i.toString(36)}`);
    // Two records: of three shards one has none. Some words are in both.
    const records = [
      comment({ id: '1', body: words.slice(0, 60_000).join(' ') }),
      comment({ id: '2', body: words.slice(50_000).join(' ') }),
    ];
    const test = async (engine: SearchEngine) => {
      const total = async (text: string) =>
        (await engine.ask({ kind: 'comment', query: queryOf(text) })).total;
      assert.deepEqual([await total('ww*'), await total('wwa*'), await total('zz*')], [2, 1, 0]);
      await engine.index('comment', packRecords([comment({ id: '3', body: 'wwmore' })]));
      const word = { kind: 'prefix', prefix: 'ww', typed: 'ww' };
      const reached = { limit: 'prefix_tokens', word };
      await assert.rejects(total('wwm* ww*'), { name: 'EngineLimit', reached });
    };
    return withEngine(records, test, { shards: 3 });
  });

  it('a query of 31 phrases of 64 signs each finds what has them all', () => {
    // As many as 2,048 characters hold; a sign is a token.
    const signs = Array.from({ length: 64 * 31 }, (_, i) => String.fromCharCode(0x4e00 + i));
    const phrases = Array.from({ length: 31 }, (_, i) => signs.slice(64 * i, 64 * (i + 1)).join(''));
    const records = [
      comment({ id: 'all', body: signs.join('') }),
      comment({ id: 'less', body: signs.slice(1).join('') }),
    ];
    const items = phrases.flatMap((phrase) => queryOf(phrase).items);
    return withEngine(records, async (engine) => {
      const ask = async (query: Question['query']) =>
        idsOf(await engine.ask({ kind: 'comment', query, page: firstPage('oldest', 9) }));
      assert.deepEqual(await ask({ items }), ['all']);
      const either = items.flatMap((item) => (item.kind === 'words' ? item.words : []));
      assert.equal(either.length, 31);
      assert.deepEqual(await ask({ items: [{ kind: 'words', words: either, negated: false }] }), [
        'all',
        'less',
      ]);
      assert.deepEqual(await ask({ items: [{ kind: 'words', words: either, negated: true }] }), []);
    });
  });

  it('64 phrases of 64 tokens are within what a cluster takes', () => {
    const word = (i: number) => ({
      kind: 'phrase' as const,
      typed: '',
      tokens: Array.from({ length: 64 }, (_, k) => String.fromCharCode(0x4e00 + ((i * 64 + k) % 20_000))),
    });
    const items = Array.from({ length: 64 }, (_, i) => ({
      kind: 'words' as const,
      words: [word(i)],
      negated: false,
    }));
    const body = items.flatMap(({ words }) => words[0]!.tokens).join('');
    return withEngine([comment({ id: '1', body })], async (engine) => {
      assert.equal((await engine.ask({ kind: 'comment', query: { items } })).total, 1);
    });
  });

  it('ids of 64 characters, scores of ±2^53, texts of 1 MiB come back, are ordered and counted', () => {
    const [long, longer] = ['z'.repeat(63), 'a'.repeat(64)];
    const text = 'a word '.repeat(MAX_TEXT_BYTES / 7).slice(0, MAX_TEXT_BYTES);
    const records = [
      post({ id: long, score: Number.MAX_SAFE_INTEGER, created: START_OF_2008, selftext: text }),
      post({ id: longer, score: -Number.MAX_SAFE_INTEGER, created: START_OF_2008, selftext: `${text} end` }),
      linkPost({ id: '1', score: 0, created: START_OF_2008, domain: `${'a.'.repeat(126)}x` }),
    ];
    return withEngine(records, async (engine) => {
      assert.deepEqual(new Set(await everything(engine, 'post')), new Set(records));
      assert.deepEqual(await walk(engine, 'post', 'newest', 1), [longer, long, '1']);
      assert.deepEqual(await walk(engine, 'post', 'top', 1, 1_000), [long, '1', longer]);
      const total = async (query: Question['query']) => (await engine.ask({ kind: 'post', query })).total;
      assert.equal(await total(queryOf(`id:${longer}`)), 1);
      assert.equal(await total(queryOf('score:1')), 1);
      assert.equal(await total(queryOf('"word end"')), 1);
      const least = { kind: 'score', min: Number.MAX_SAFE_INTEGER, max: null } as const;
      assert.equal(await total({ items: [least] }), 1);
      const breakdowns = [{ field: 'domain', size: 1, prefix: 'a.' }] as const;
      const { breakdowns: found } = await engine.ask({ kind: 'post', query: EVERYTHING, breakdowns });
      assert.deepEqual(found![0]!.rows, [{ name: `${'a.'.repeat(126)}x`, count: 1 }]);
    });
  });

  it('domains longer than a keyword may be are counted, named and found as they are', () => {
    const long = `${'日'.repeat(20_000)}.example`;
    const alike = `${long}.org`;
    const self = `self.${'a'.repeat(40_000)}`;
    const records = [
      ...['1', '2', '3'].map((id) => linkPost({ id, domain: long })),
      ...['4', '5'].map((id) => linkPost({ id, domain: alike })),
      post({ id: '6', domain: self.toUpperCase().replace('SELF', 'self') }),
      linkPost({ id: '7', domain: `${'日'.repeat(8_000)}` }),
      ...['8', '9', '10', '11'].map((id) => linkPost({ id, domain: 'example.org' })),
    ];
    const asked = (question: Omit<Question, 'kind'>): Question => ({ kind: 'post', ...question });
    const site = (domain: string, negated = false) => ({ kind: 'site', domain, negated }) as const;
    return agrees(records, [
      asked({ query: EVERYTHING, breakdowns: [{ field: 'domain', size: 10 }] }),
      asked({ query: EVERYTHING, breakdowns: [{ field: 'domain', size: 1, skip: 1, distinct: true }] }),
      asked({ query: EVERYTHING, breakdowns: [{ field: 'domain', size: 10, prefix: '日日' }] }),
      asked({ query: { items: [site(self)] }, page: firstPage('newest', 10) }),
      asked({ query: { items: [site(self, true)] }, breakdowns: [{ field: 'domain', size: 10 }] }),
      asked({ query: queryOf('site:self') }),
      asked({ query: queryOf('site:example') }),
      asked({ query: queryOf('site:org') }),
    ]);
  });

  it('a page of large records is read in parts, and is the page', () => {
    const text = 'x'.repeat(200_000);
    const records = Array.from({ length: 150 }, (_, i) =>
      comment({ id: `${100 + i}`, created: START_OF_2008 + (i >> 2), score: i % 7, body: text }),
    );
    const size = { limit: 1_000, maxBytes: 60_000_000 };
    const questions = ORDERS.map((order): Question => {
      return { kind: 'comment', query: EVERYTHING, page: { order, after: null, ...size } };
    });
    return agrees(records, questions);
  });
});
