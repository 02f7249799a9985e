// How often samples of texts use their words.

import type { Sample } from './sample.ts';

/** Of each side alike: a sample of the matches, and with the same seed one of those of the question's `of`. */
export interface WordsRequest extends Omit<Sample, 'per'> {
  /** Words that both samples together use less often are not given. */
  readonly least: number;
}

export interface WordCounts {
  readonly sample: SampledTexts;
  /** Absent where the question has no `of`. */
  readonly ofSample?: SampledTexts;
  /** By code unit. */
  readonly words: readonly WordUses[];
}

export interface SampledTexts {
  readonly records: number;
  /** In all their searched texts. */
  readonly tokens: number;
}

/** How often the samples use a token. */
export interface WordUses {
  readonly word: string;
  readonly count: number;
  /** In the sample of the question's `of`; 0 where it has none. */
  readonly of: number;
}
