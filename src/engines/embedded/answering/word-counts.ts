// How often the tokens of two samples occur.

import type { WordCounts } from '../../../model/word-counts.ts';
import { tokens } from '../../../text/tokenizer.ts';
import type { Deadline } from './deadline.ts';
import type { MatchPlace } from './match-walk.ts';
import { readAll } from './sample.ts';
import { TokenCounter } from './token-counter.ts';

/**
 * Of the searched texts of what stands at these places. `ofPlaces`: of the sample beside it; null: there is none.
 * `least`: as in WordsRequest. Throws `query_timeout`.
 */
export function wordCountsOf(
  places: readonly MatchPlace[],
  ofPlaces: readonly MatchPlace[] | null,
  least: number,
  deadline: Deadline,
): WordCounts {
  const counter = new TokenCounter();
  const count = (all: readonly MatchPlace[], side: 0 | 1) => {
    readAll(all, ({ segment, doc }) => {
      deadline.step();
      for (const text of segment.texts(doc)) for (const token of tokens(text)) counter.add(token, side);
    });
    return { records: all.length, tokens: counter.totals[side] };
  };
  const sample = count(places, 0);
  const ofSample = ofPlaces && count(ofPlaces, 1);
  const words = counter
    .counted(least)
    .map(({ token, counts }) => ({ word: token, count: counts[0], of: counts[1] }));
  words.sort((a, b) => (a.word < b.word ? -1 : 1));
  return { sample, ...(ofSample && { ofSample }), words };
}
