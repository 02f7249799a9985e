import assert from 'node:assert/strict';
import { it } from 'node:test';
import { embeddedEngine } from '../../../../test/embedded-index.ts';
import { queryOf } from '../../../../test/engine-suite.ts';
import { comment, START_OF_2008 } from '../../../../test/helpers.ts';
import type { WordCounts } from '../../../model/analyses.ts';
import type { OneOfMany } from '../../../model/engine.ts';

it('two samples in one walk are those of each alone, where a segment has matches of one only', async () => {
  const records = Array.from({ length: 440 }, (_, i) => {
    const one = i < 420 && i % 3 === 0 ? 'one' : '';
    const other = i >= 200 && i % 2 === 0 ? 'other' : '';
    return comment({ id: String(i), body: `${one} ${other} own${i}`, created: START_OF_2008 + i });
  });
  // The hashes of the first segment are read as a whole, those of the second one by one.
  const batches = [records.slice(0, 400), records.slice(400, 420), records.slice(420)];
  await using engine = await embeddedEngine(...batches);
  const wordsOf = async (query: string, of?: string): Promise<WordCounts> => {
    const question: OneOfMany = {
      ...{ kind: 'comment', query: queryOf(query), ...(of !== undefined && { of: queryOf(of) }) },
      words: { size: 100, seed: 'seed', least: 1 },
    };
    return (await engine.ask(question)).words!;
  };
  for (const [query, of] of [
    ['one', 'other'],
    ['other', 'one'],
    ['other', 'nothinglikethis'],
    ['nothinglikethis', 'other'],
    ['one', 'one'],
  ] as const) {
    const both = await wordsOf(query, of);
    const [first, second] = [await wordsOf(query), await wordsOf(of)];
    assert.deepEqual([both.sample, both.ofSample], [first.sample, second.sample]);
    const used = (side: 'count' | 'of') =>
      both.words.values().flatMap((row) => (row[side]! > 0 ? [[row.word, row[side]]] : []));
    const alone = ({ words }: WordCounts) => words.values().map(({ word, count }) => [word, count]);
    assert.deepEqual([...used('count')], [...alone(first)]);
    assert.deepEqual([...used('of')], [...alone(second)]);
  }
});
