// Phrases as they stand in comments: two to six words from a place at random, so that frequent words come as often as
// people write them; the same of frequent words alone; those that are written most; and ends of addresses (`d0 com`).

import type { StoredComment } from '../src/model/record.ts';
import { tokens } from '../src/text/tokenizer.ts';
import { randomNumbers } from './corpus.ts';
import type { QueryClass } from './queries.ts';

const WORDS = [2, 3, 4, 5, 6];
const A_CLASS = 100;
/** Places that are looked at for a phrase of the class, at the most. */
const TRIES = 100_000;
const FREQUENT_WORDS = 200;
const ADDRESS_WORDS = [2, 3];
const ADDRESS_END = 'com';
/** Comments that phrases are counted in. */
const COUNTED = 20_000;

type Phrase = readonly string[];

export function phraseClasses(comments: readonly StoredComment[]): QueryClass[] {
  const texts = comments.slice(0, COUNTED).map(({ body }) => tokens(body));
  const frequent = new Set(mostCounted(texts, 1, FREQUENT_WORDS).map(([word]) => word));
  const addresses = ADDRESS_WORDS.map((words) =>
    classOf(
      `phrase, ${words} words of an address`,
      atRandom(texts, words, (phrase) => phrase.at(-1) === ADDRESS_END),
    ),
  );
  const others = WORDS.flatMap((words) => [
    classOf(
      `phrase, ${words} words of a text`,
      atRandom(texts, words, () => true),
    ),
    classOf(
      `phrase, ${words} frequent words of a text`,
      atRandom(texts, words, (phrase) => phrase.every((word) => frequent.has(word))),
    ),
    classOf(`phrase, ${words} words, the commonest`, mostCounted(texts, words, A_CLASS)),
  ]);
  return [...addresses, ...others];
}

function classOf(name: string, phrases: readonly Phrase[]): QueryClass {
  const queries = phrases.map((held) => {
    const word = { kind: 'phrase', tokens: held, typed: held.join(' ') } as const;
    return { items: [{ kind: 'words', words: [word], negated: false } as const] };
  });
  return { name, queries, isInMix: false };
}

/** Different ones. */
function atRandom(texts: readonly Phrase[], words: number, fits: (phrase: Phrase) => boolean): Phrase[] {
  const random = randomNumbers(words);
  const found = new Map<string, Phrase>();
  for (let tries = 0; tries < TRIES && found.size < A_CLASS; tries++) {
    const text = texts[Math.floor(random() * texts.length)]!;
    if (text.length < words) continue;
    const from = Math.floor(random() * (text.length - words + 1));
    const phrase = text.slice(from, from + words);
    if (fits(phrase)) found.set(phrase.join(' '), phrase);
  }
  return [...found.values()];
}

function mostCounted(texts: readonly Phrase[], words: number, most: number): Phrase[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (let from = 0; from + words <= text.length; from++) {
      const phrase = text.slice(from, from + words).join(' ');
      counts.set(phrase, (counts.get(phrase) ?? 0) + 1);
    }
  }
  const ranked = [...counts].sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1));
  return ranked.slice(0, most).map(([phrase]) => phrase.split(' '));
}
