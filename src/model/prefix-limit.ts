// The refusal of a prefix with too many tokens behind it: only an engine can tell.

import { ServiceError } from '../errors.ts';
import { MAX_PREFIX_TOKENS, type PrefixWord } from './query.ts';

/** `prefix_too_broad`, with the word that is refused. */
export class PrefixTooBroadError extends ServiceError {
  readonly word: PrefixWord;

  constructor(word: PrefixWord) {
    const most = MAX_PREFIX_TOKENS.toLocaleString('en');
    super(
      'prefix_too_broad',
      `expected at most ${most} different words that begin with a prefix, found more for \`${word.typed}*\`; write more of the word`,
    );
    this.word = word;
  }
}
