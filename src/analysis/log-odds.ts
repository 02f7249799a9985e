// Which words tell one sample from another: the log-odds ratio of each word with an informative Dirichlet prior, as a
// z-score (Monroe, Colaresi and Quinn, "Fightin' Words", Political Analysis 16(4), 2008, equations 16 and 20 to 23).
//
// The prior of a word is how often both samples together use it, so that what nobody uses much counts for little:
//
//   α  = y1 + y2      α0 = n1 + n2      y: uses of the word, n: of all words, in the first sample and in the second
//   δ  = ln((y1 + α) / (n1 + α0 − y1 − α)) − ln((y2 + α) / (n2 + α0 − y2 − α))
//   z  = δ / √(1 / (y1 + α) + 1 / (y2 + α))

import { setImmediate } from 'node:timers/promises';

/** Words that both samples together use less often are not looked at: chance alone would rank them. */
export const LEAST_USES = 5;

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

/** Words that are scored before others have their turn: some milliseconds of work. */
const WORDS_A_TURN = 8_192;

/**
 * The `size` words that tell the first sample most clearly from the second, z down, and those that tell the second from
 * the first, z up; of equal ones the lesser by code unit first. A word is in one list at the most. Others have their
 * turn on the event loop in between.
 */
export async function distinctiveWords(
  words: Iterable<Uses>,
  tokens: SampleTokens,
  size: number,
): Promise<{ readonly first: readonly ScoredWord[]; readonly second: readonly ScoredWord[] }> {
  const [first, second] = [new StrongestWords(size), new StrongestWords(size)];
  let scored = 0;
  for (const uses of words) {
    if (++scored % WORDS_A_TURN === 0) await setImmediate();
    const z = zScore(uses, tokens);
    if (z > 0) first.add(uses, z);
    else if (z < 0) second.add(uses, z);
  }
  return { first: first.sorted(), second: second.sorted() };
}

/** Words of one sign: those with the largest scores, and a few more until they are asked for. */
class StrongestWords {
  readonly #size: number;
  #words: ScoredWord[] = [];
  /** What scores nearer to 0 is not among them. */
  #least = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(uses: Uses, z: number): void {
    if (Math.abs(z) < this.#least) return;
    this.#words.push({ ...uses, z });
    if (this.#words.length >= this.#size * 2 + 64) this.#dropRest();
  }

  sorted(): readonly ScoredWord[] {
    this.#dropRest();
    return this.#words;
  }

  #dropRest(): void {
    this.#words.sort((a, b) => Math.abs(b.z) - Math.abs(a.z) || byWord(a, b));
    this.#words.length = Math.min(this.#words.length, this.#size);
    if (this.#words.length === this.#size) this.#least = Math.abs(this.#words.at(-1)?.z ?? Infinity);
  }
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
