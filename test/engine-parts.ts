// Counts of queries that are made of the same parts, asked together: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SearchEngine } from '../src/model/engine.ts';
import type { Kind, StoredRecord } from '../src/model/record.ts';
import type { EngineHarness } from './engine-harness.ts';
import { engineMaker, queryOf } from './engine-suite.ts';
import { comment, post, START_OF_2008 } from './helpers.ts';

const WORDS = ['solar', 'wind', 'roof', 'the cat', 'heat pump'];

/** Each word by its own pattern. */
function recordAt(i: number): StoredRecord {
  const body = WORDS.filter((_, word) => i % (word + 2) === 0).join(' ');
  const community = ['energy', 'cats', 'dogs'][i % 3]!;
  return comment({
    id: `${i}`,
    body,
    community,
    score: i % 11,
    created: START_OF_2008 + i,
    post: `p${i % 7}`,
  });
}

export function partsConformance(harness: EngineHarness): void {
  const withEngine = engineMaker(harness);
  const totals = async (engine: SearchEngine, kind: Kind, texts: readonly string[]) => {
    const questions = texts.map((text) => ({ kind, query: queryOf(text) }));
    return (await engine.askAll(questions)).answers.map(({ total }) => total);
  };
  /** The same one by one. */
  const single = (engine: SearchEngine, kind: Kind, texts: readonly string[]) =>
    Promise.all(texts.map(async (text) => (await engine.ask({ kind, query: queryOf(text) })).total));

  describe(`${harness.name}: counts of queries with parts in common`, () => {
    const records = [
      ...[0, 1, 2, 3, 4, 6, 12, 30].map(recordAt),
      post({ id: 'p', title: 'solar wind', created: START_OF_2008 }),
    ];
    const items = [
      'solar',
      '-wind',
      '/r/energy',
      'score:1..6',
      '/r/cats',
      '"heat pump"|roof',
      'before:2009-01-01',
    ];

    it('are those of each query by itself: every item alone, all without it, all up to it', () =>
      withEngine(records, async (engine) => {
        const texts = items.flatMap((item, i) => [
          ...[item, items.toSpliced(i, 1).join(' '), items.slice(0, i + 1).join(' ')],
        ]);
        assert.deepEqual(await totals(engine, 'comment', texts), await single(engine, 'comment', texts));
        const some = ['solar', 'wind', 'solar wind', 'wind solar', ''];
        assert.deepEqual(await totals(engine, 'post', some), [1, 1, 1, 1, 1]);
        assert.deepEqual(await totals(engine, 'comment', some), [6, 5, 4, 4, 8]);
        // Any of the communities, whatever stands between them.
        const places = ['/r/energy', '/r/cats', '/r/energy solar /r/cats', 'solar', '/r/energy solar'];
        assert.deepEqual(await totals(engine, 'comment', places), [5, 2, 5, 6, 4]);
        assert.deepEqual(await totals(engine, 'comment', ['solar -solar', 'solar', '-solar']), [0, 6, 2]);
      }));

    it('may be many: 64 items, each alone, all without it, all up to it', () =>
      withEngine(records, async (engine) => {
        const words = Array.from({ length: 64 }, (_, i) => (i % 8 === 0 ? 'solar' : `-w${i}`));
        const texts = words.flatMap((item, i) => [
          ...[item, words.toSpliced(i, 1).join(' '), words.slice(0, i + 1).join(' ')],
        ]);
        const expected = words.flatMap((_, i) => (i % 8 === 0 ? [6, 6, 6] : [8, 6, 6]));
        assert.deepEqual(await totals(engine, 'comment', texts), expected);
      }));

    it('follow what is hidden and taken back', () =>
      withEngine(records, async (engine) => {
        const texts = ['solar', '-wind', 'solar -wind', ''];
        const before = await totals(engine, 'comment', texts);
        await engine.hide(1, 'comment', { ids: ['2', '3'] });
        const hidden = await totals(engine, 'comment', texts);
        assert.deepEqual(
          [before, hidden],
          [
            [6, 3, 2, 8],
            [5, 2, 1, 6],
          ],
        );
        await engine.restore(1);
        assert.deepEqual(await totals(engine, 'comment', texts), before);
      }));
  });
}
