import assert from 'node:assert/strict';
import { it } from 'node:test';
import { embeddedEngine } from '../../../../test/embedded-index.ts';
import { queryOf } from '../../../../test/engine-suite.ts';
import { comment, START_OF_2008 } from '../../../../test/helpers.ts';
import type { WordCounts } from '../../../model/analyses.ts';
import type { OneOfMany } from '../../../model/engine.ts';
import { packRecords } from '../../../packing/packed-records.ts';

it('two samples in one walk are those of each alone, where a segment has matches of one only', async () => {
  await using engine = await embeddedEngine();
  // The hashes of the first segment are read as a whole, those of the second one by one.
  for (const [from, to] of [
    [0, 400],
    [400, 420],
    [420, 440],
  ] as const) {
    const records = Array.from({ length: to - from }, (_, i) => {
      const number = from + i;
      const words = [number < 420 && number % 3 === 0 && 'one', number >= 200 && number % 2 === 0 && 'other'];
      const body = `${words.filter((word) => word !== false).join(' ')} own${number}`;
      return comment({ id: String(number), body, created: START_OF_2008 + number });
    });
    await engine.index('comment', packRecords(records));
  }
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
