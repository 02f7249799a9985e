// What posting lists cannot settle: the words of a query checked in the stored text of a record.

import type { Conditions } from '../../../model/conditions.ts';
import type { Word } from '../../../model/query.ts';
import { tokens } from '../../../text/tokenizer.ts';

/** True if the searched texts of a record meet every included word of the query and contain no excluded one. */
export function textMatches(searched: readonly string[], conditions: Conditions): boolean {
  const texts = searched.map((text) => tokens(text));
  const holds = (word: Word) => texts.some((text) => textHolds(text, word));
  return conditions.words.every((anyOf) => anyOf.some(holds)) && !conditions.excludedWords.some(holds);
}

/**
 * Written apart from model/matcher.ts on purpose: the reference engine answers by that one, and the tests that compare
 * the two engines compare these as well.
 */
function textHolds(text: readonly string[], word: Word): boolean {
  switch (word.kind) {
    case 'term':
      return text.includes(word.token);
    case 'prefix':
      return text.some((token) => token.startsWith(word.prefix));
    case 'phrase':
      return holdsPhrase(text, word.tokens);
  }
}

function holdsPhrase(text: readonly string[], phrase: readonly string[]): boolean {
  const first = phrase[0]!;
  for (let at = text.indexOf(first); at !== -1; at = text.indexOf(first, at + 1)) {
    let i = 1;
    while (i < phrase.length && text[at + i] === phrase[i]) i++;
    if (i === phrase.length) return true;
  }
  return false;
}
