// Samples, and the words of samples: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareRanks, rankKey, rankOf, type Sample, type WordsRequest } from '../src/model/analyses.ts';
import type { Answer, Question, SearchEngine } from '../src/model/engine.ts';
import { contentHash } from '../src/model/hash.ts';
import { compareIds, countedBytes } from '../src/model/pages.ts';
import type { StoredRecord } from '../src/model/record.ts';
import { exported, idsIn } from './engine-export.ts';
import type { EngineHarness } from './engine-harness.ts';
import { EVERYTHING, engineMaker, idsOf, queryOf, testsOver } from './engine-suite.ts';
import { comment, post, START_OF_2008 } from './helpers.ts';

const MONTH = 2_678_400;

/** In 5 communities and 4 months; every second has the word. */
const RECORDS = Array.from({ length: 300 }, (_, i) =>
  comment({
    ...{ id: ((i * 7919) % 1296).toString(36), community: `c${i % 5}`, post: `p${i % 3}` },
    ...{ created: START_OF_2008 + (i % 4) * MONTH, score: i % 7 },
    body: i % 2 === 0 ? 'solar panel, solar' : 'wind',
  }),
);

/** Ids of all records by rank. */
function ranked(records: readonly StoredRecord[], seed: string): string[] {
  const key = rankKey(seed);
  const ranks = new Map(records.map((record) => [record.id, rankOf(key, contentHash(record))]));
  const compare = (a: string, b: string) => compareRanks(ranks.get(a)!, ranks.get(b)!) || compareIds(a, b);
  return [...ranks.keys()].sort(compare);
}

function draw(engine: SearchEngine, sample: Sample, rest: Partial<Question> = {}): Promise<Answer> {
  const page = { order: 'sample', ...sample } as const;
  return engine.ask({ kind: 'comment', query: EVERYTHING, page, ...rest });
}

export function sampleConformance(harness: EngineHarness): void {
  const { name } = harness;
  const withEngine = engineMaker(harness);
  const test = testsOver(harness, RECORDS);

  describe(`${name}: samples`, () => {
    test('are the lowest ranks by rank, so that one lies inside every larger one of its seed', async (engine) => {
      for (const seed of ['1', '2', 'ein Körnchen']) {
        const all = ranked(RECORDS, seed);
        for (const size of [1, 2, 70, 299, 300, 301]) {
          const answer = await draw(engine, { size, seed });
          assert.deepEqual(idsOf(answer), all.slice(0, size));
          const { next, hasMore, isShort } = answer.page!;
          assert.deepEqual([next, hasMore, isShort, answer.total], [null, size < 300, false, 300]);
        }
      }
      assert.notDeepEqual(ranked(RECORDS, '1'), ranked(RECORDS, '2'));
    });

    it('of what matches alone, under posts too; with what is known of its communities and arrivals', () =>
      withEngine([...RECORDS, post({ id: 'p1', title: 'roof' }), post({ id: 'p2' })], async (engine) => {
        const solar = RECORDS.filter(({ body }) => body.startsWith('solar'));
        const query = queryOf('solar');
        const rest = { query, evidence: true, arrived: true };
        const answer = await draw(engine, { size: 9, seed: '1' }, rest);
        assert.deepEqual(idsOf(answer), ranked(solar, '1').slice(0, 9));
        const names = new Set(answer.page!.records.map(({ community }) => community));
        assert.deepEqual([...answer.evidence!.keys()].sort(), [...names].sort());
        assert.equal(answer.arrived!.length, 9);
        const under = solar.filter((record) => record.post === 'p1');
        const ofRoof = await draw(engine, { size: 9, seed: '1' }, { query, under: queryOf('roof') });
        assert.deepEqual(idsOf(ofRoof), ranked(under, '1').slice(0, 9));
        const none = await draw(engine, { size: 9, seed: '1' }, { query: queryOf('nothinglikethis') });
        const page = { records: [], next: null, hasMore: false, isShort: false };
        assert.deepEqual(none, { total: 0, page, arrival: none.arrival });
      }));

    test('of each community and of each month: the lowest ranks of each, all together by rank', async (engine) => {
      const all = ranked(RECORDS, '7');
      const byId = new Map(RECORDS.map((record) => [record.id, record]));
      const groups = {
        community: (id: string) => byId.get(id)!.community,
        month: (id: string) => new Date(byId.get(id)!.created * 1000).toISOString().slice(0, 7),
      };
      for (const per of ['community', 'month'] as const) {
        for (const size of [1, 3, 60, 1000]) {
          const taken = new Map<string, number>();
          const expected = all.filter((id) => {
            const before = taken.get(groups[per](id)) ?? 0;
            taken.set(groups[per](id), before + 1);
            return before < size;
          });
          assert.deepEqual(idsOf(await draw(engine, { size, seed: '7', per })), expected, `${size} ${per}`);
          assert.equal(taken.size, per === 'community' ? 5 : 4);
        }
      }
    });

    test('larger than their bytes are an EngineLimit', async (engine) => {
      const records = (await draw(engine, { size: 20, seed: '1' })).page!.records;
      const maxBytes = records.reduce((sum, record) => sum + countedBytes(record), 0);
      const ask = (most: number) =>
        engine.ask({
          ...{ kind: 'comment', query: EVERYTHING },
          page: { order: 'sample', size: 20, seed: '1', maxBytes: most },
        });
      assert.equal(idsOf(await ask(maxBytes)).length, 20);
      const reached = { limit: 'sample_bytes', maxBytes: maxBytes - 1 };
      await assert.rejects(ask(maxBytes - 1), { name: 'EngineLimit', reached });
    });
  });

  describe(`${name}: words of samples`, () => {
    const first = { size: 40, seed: '1', least: 1 };
    const ask = async (engine: SearchEngine, rest: Omit<Question, 'words'>, words: WordsRequest = first) =>
      (await engine.ask({ ...rest, words })).words!;

    it('are the tokens of all texts of its records, each once a record: one record with many uses led', () =>
      withEngine([post({ id: 'a', title: 'Solar roof', selftext: 'solar &amp; Été' })], async (engine) => {
        const posts = { kind: 'post', query: EVERYTHING } as const;
        const words = ['ete', 'roof', 'solar'].map((word) => ({ word, count: 1, of: 0 }));
        const sample = { records: 1, tokens: 3 };
        assert.deepEqual(await ask(engine, posts), { sample, words });
        assert.deepEqual(await ask(engine, posts, { ...first, least: 2 }), { sample, words: [] });
        const none = { sample: { records: 0, tokens: 0 }, words: [] };
        assert.deepEqual(await ask(engine, { kind: 'post', query: queryOf('none') }), none);
        assert.deepEqual(await ask(engine, { kind: 'comment', query: EVERYTHING }), none);
      }));

    test('stand beside those of a sample of what the other query matches, both by the same seed', async (engine) => {
      const sample = new Set(ranked(RECORDS, '1').slice(0, 40));
      const solar = RECORDS.filter(({ id, body }) => sample.has(id) && body !== 'wind').length;
      const both = { kind: 'comment', query: queryOf('wind'), of: EVERYTHING } as const;
      const words = [
        { word: 'panel', count: 0, of: solar },
        { word: 'solar', count: 0, of: solar },
        { word: 'wind', count: 40, of: 40 - solar },
      ];
      assert.deepEqual(await ask(engine, both), {
        sample: { records: 40, tokens: 40 },
        ofSample: { records: 40, tokens: solar * 2 + (40 - solar) },
        words,
      });
      const most = { ...first, least: solar + 1 };
      assert.deepEqual((await ask(engine, both, most)).words, words.slice(2));
      const ofNone = await ask(engine, { ...both, query: queryOf('none'), of: queryOf('none') });
      const empty = { records: 0, tokens: 0 };
      assert.deepEqual(ofNone, { sample: empty, ofSample: empty, words: [] });
    });
  });

  describe(`${name}: exports of samples`, () => {
    test('give the records of the sample in the order asked for; the head says how many match', async (engine) => {
      const query = queryOf('solar');
      const solar = RECORDS.filter(({ body }) => body !== 'wind');
      for (const size of [1, 33, 500]) {
        const sample = { size, seed: '3' };
        const asked = { kind: 'comment', query, sample } as const;
        const { head, ...all } = await exported(engine, asked);
        const ids = new Set(ranked(solar, '3').slice(0, size));
        assert.deepEqual(head, { ...head, total: ids.size, matches: 150 });
        const everything = idsIn(await exported(engine, { kind: 'comment', query }));
        const expected = everything.filter((id) => ids.has(id));
        assert.deepEqual(idsIn({ head, ...all }), expected);
        const newest = await exported(engine, { ...asked, order: 'newest', limit: 9, skip: 2 });
        assert.deepEqual(idsIn(newest), [...expected].reverse().slice(2, 9));
      }
      const drawn = { kind: 'comment', query: queryOf('none'), sample: { size: 3, seed: '1' } } as const;
      const none = await exported(engine, drawn);
      assert.deepEqual([none.head.total, none.head.matches, none.text], [0, 0, '']);
    });
  });
}
