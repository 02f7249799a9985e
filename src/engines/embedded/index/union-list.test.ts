import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { embeddedEngine } from '../../../../test/embedded-index.ts';
import { queryOf } from '../../../../test/engine-suite.ts';
import { comment } from '../../../../test/helpers.ts';
import { packRecords } from '../../../packing/packed-records.ts';

/** More than two chunks. */
const COMMENTS = 140_000;

/** Words by how often they come: lists of every sort, of which several share docs. */
const EVERY: Readonly<Record<string, number>> = {
  ...{ third: 3, fifth: 5, tenth: 10, sixtieth: 60, ninetieth: 90, hundredth: 100 },
  ...{ thousandth: 1_000, seldom: 7_000, rarest: 60_000 },
};

function wordsOf(i: number): string[] {
  return Object.keys(EVERY).filter((word) => i % EVERY[word]! === EVERY[word]! - 1);
}

describe('any of several words', () => {
  it('common and rare ones together, by numbers or by bits, have each of their docs once', async () => {
    await using engine = await embeddedEngine();
    const all = Array.from({ length: COMMENTS }, (_, i) =>
      comment({ id: `c${i}`, created: i, body: `x ${wordsOf(i).join(' ')}` }),
    );
    await engine.index('comment', packRecords(all));
    for (const words of [
      'seldom rarest',
      'thousandth seldom rarest',
      'hundredth thousandth seldom rarest',
      'sixtieth ninetieth hundredth',
      'third sixtieth seldom',
      'third fifth tenth ninetieth hundredth',
      'absent rarest',
    ]) {
      const query = queryOf(words.replaceAll(' ', '|'));
      const expected = all.filter((_, i) => wordsOf(i).some((word) => words.includes(word)));
      const found: string[] = [];
      for await (const records of engine.scan('comment', query, 'oldest')) {
        found.push(...records.map(({ id }) => id));
      }
      assert.equal(found.join(), expected.map(({ id }) => id).join(), words);
      assert.equal((await engine.ask({ kind: 'comment', query })).total, expected.length, words);
    }
  });
});
