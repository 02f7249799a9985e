// Which words tell one sample from another: the log-odds ratio of each word with an informative Dirichlet prior, as a
// z-score (Monroe, Colaresi and Quinn, "Fightin' Words", Political Analysis 16(4), 2008, equations 16 and 20 to 23).
//
// The prior of a word is how often both samples together use it, so that what nobody uses much counts for little:
//
//   α  = y1 + y2      α0 = n1 + n2      y: uses of the word, n: of all words, in the first sample and in the second
//   δ  = ln((y1 + α) / (n1 + α0 − y1 − α)) − ln((y2 + α) / (n2 + α0 − y2 − α))
//   z  = δ / √(1 / (y1 + α) + 1 / (y2 + α))

/** Words that both samples together use less often are not looked at: chance alone would rank them. */
export const LEAST_USES = 5;

/** How often the two samples use a word. */
export interface Uses {
  readonly word: string;
  readonly count: number;
  readonly against: number;
}

export interface ScoredWord extends Uses {
  /** Above 0 where the first sample uses it more often than the second. */
  readonly z: number;
}

/** How many words the two samples have in all, those of few uses included. */
export interface SampleTokens {
  readonly count: number;
  readonly against: number;
}

/**
 * The `size` words that tell the first sample most clearly from the second, z down, and those that tell the second from
 * the first, z up; of equal ones the lesser by code unit first. A word is in one list at the most.
 */
export function distinctiveWords(
  words: readonly Uses[],
  tokens: SampleTokens,
  size: number,
): { readonly first: readonly ScoredWord[]; readonly second: readonly ScoredWord[] } {
  const scored = words.map((uses) => ({ ...uses, z: zScore(uses, tokens) }));
  const first = scored.filter(({ z }) => z > 0).sort((a, b) => b.z - a.z || byWord(a, b));
  const second = scored.filter(({ z }) => z < 0).sort((a, b) => a.z - b.z || byWord(a, b));
  return { first: first.slice(0, size), second: second.slice(0, size) };
}

function byWord(a: Uses, b: Uses): number {
  return a.word < b.word ? -1 : 1;
}

/** 0 where one of the samples is empty, or has no other word: nothing can be told then. */
export function zScore({ count, against }: Uses, tokens: SampleTokens): number {
  if (tokens.count === 0 || tokens.against === 0) return 0;
  const prior = count + against;
  const all = tokens.count + tokens.against;
  const [first, second] = [count + prior, against + prior];
  const [otherFirst, otherSecond] = [tokens.count + all - first, tokens.against + all - second];
  if (otherFirst === 0 || otherSecond === 0) return 0;
  const difference = Math.log(first / otherFirst) - Math.log(second / otherSecond);
  return difference / Math.sqrt(1 / first + 1 / second);
}
