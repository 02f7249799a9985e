import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { tokens } from '../../../text/tokenizer.ts';
import { LISTED_TOKENS } from '../building/token-scanner.ts';
import { codeOf, numberAt, ownCode, recordChains, tokenHash } from '../format/chains.ts';
import { FREQUENT, isPair, tokenClass } from '../format/pairs.ts';
import { ABSENT, bytesOfPhrase, codesOfPhrase, FOUND, OPEN } from './phrases.ts';

const STATES = { [ABSENT]: 'absent', [FOUND]: 'found', [OPEN]: 'open' };

/** The text stands between bytes that are none of its. */
function lookIn(text: string, phrase: readonly string[]): string {
  const bytes = Buffer.from(`a${text}a`);
  return STATES[bytesOfPhrase(phrase).lookIn(bytes, 1, bytes.length - 1) as keyof typeof STATES];
}

/** Whatever may join, split, make or be a token, beside what certainly separates tokens. */
const PIECES = [
  ...['i', 'met', 'I', 'Met', 'me', 'metal', 'x', '1', 'amp', 'gt', 'i met', 'wikipedia.org'],
  ..." .\n_-'’—…\u00a0#*&; ",
  ...'&amp; &gt; &lt; &amp;gt; &#109;et &#x69; &amp;amp; &eacute; &copy=2 &copy &amp;copy &#59;'.split(' '),
  ...'\u200b\u00ad\u0301éĳﬁ日😀\ufe0f\u20e3\u02bcİKſ\u2060½™',
  'ไท',
];

const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 16 }).map((pieces) => pieces.join(''));
const phrase = fc
  .array(fc.constantFrom(...'i met me x 1 wikipedia org gt k 日 é e'.split(' ')), {
    minLength: 2,
    maxLength: 4,
  })
  .filter((words) => tokens(words.join(' ')).length === words.length);

describe('a phrase in the bytes of a text', () => {
  it('a token that may have been cut is left to the tokenizer', () => {
    const long = 'x'.repeat(128);
    assert.equal(lookIn(`i ${long}x`, ['i', long]), 'open');
  });

  it('says what the tokens say, or that it does not know', () => {
    let settled = 0;
    fc.assert(
      fc.property(text, phrase, (given, words) => {
        const state = lookIn(given, words);
        if (state === 'open') return;
        settled++;
        const held = ` ${tokens(given).join(' ')} `.includes(` ${words.join(' ')} `);
        assert.equal(state, held ? 'found' : 'absent');
      }),
      { numRuns: 20_000 },
    );
    assert.ok(settled > 2_000, `${settled} of 20,000 settled`);
  });
});

const CHARACTERS = Array.from({ length: 300 }, (_, i) => String.fromCodePoint(0x4e00 + i * 7));

/** Few different tokens, so that phrases come again, or so many that they share their codes. */
const token = fc.oneof(
  fc.constantFrom('the', 'of', 'and', 'cat', 'is'),
  fc.constantFrom(...LISTED_TOKENS),
  fc.constantFrom(...CHARACTERS),
  fc.constantFrom(...CHARACTERS.slice(0, 6)),
);

const areNeighbours = (a: string, b: string) => isPair(tokenClass(a), tokenClass(b));

function pairsIn(texts: readonly (readonly string[])[]): Set<string> {
  return new Set(texts.flatMap((text) => text.slice(1).map((second, i) => `${text[i]} ${second}`)));
}

function holds(text: readonly string[], phrase: readonly string[]): boolean {
  return text.some((_, at) => phrase.every((one, i) => text[at + i] === one));
}

/** Phrases that can be made of the pairs of the texts, whether they stand there or not. */
function phrasesOf(texts: readonly (readonly string[])[], random: () => number): string[][] {
  const pairs = [...pairsIn(texts)]
    .map((pair) => pair.split(' ') as [string, string])
    .filter(([a, b]) => areNeighbours(a, b));
  const after = Map.groupBy(pairs, ([first]) => first);
  return Array.from({ length: Math.min(60, pairs.length) }, (_, i) => {
    const phrase = [...pairs[Math.floor(random() * pairs.length)]!];
    for (let more = 1 + (i % 4); more > 0; more--) {
      const next = after.get(phrase.at(-1)!);
      if (next === undefined) break;
      phrase.push(next[Math.floor(random() * next.length)]![1]);
    }
    return phrase;
  }).filter((phrase) => phrase.length > 2);
}

describe('a phrase in the chains of a record', () => {
  it('is found if and only if it stands in one of the texts; seldom is it left open', () => {
    const told = [0, 0, 0];
    const randoms = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }));
    const texts = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.array(token, { maxLength: 40 }) },
        { weight: 1, arbitrary: fc.array(token, { minLength: 300, maxLength: 900 }) },
      ),
      { minLength: 1, maxLength: 2 },
    );
    fc.assert(
      fc.property(texts, randoms, (record, random) => {
        const chains = recordChains(record);
        // Other bytes before and behind must not count.
        const bytes = Uint8Array.from([255, ...chains, ...chains]);
        for (const phrase of phrasesOf(record, () => random.next().value!)) {
          const found = codesOfPhrase(phrase).lookIn(bytes, 1, 1 + chains.length);
          told[found]!++;
          const expected = record.some((text) => holds(text, phrase));
          if (found !== OPEN) assert.equal(found === FOUND, expected, phrase.join(' '));
        }
      }),
      { numRuns: 300 },
    );
    assert.ok(told[ABSENT]! > 500 && told[FOUND]! > 500 && told[OPEN]! > 0, told.join());
    assert.ok(told[OPEN]! < (told[ABSENT]! + told[FOUND]!) / 2, told.join());
  });

  it('does not begin at the second byte of a code', () => {
    const hashed = LISTED_TOKENS.filter((one) => tokenClass(one) === FREQUENT && ownCode(one) === 0);
    const own = LISTED_TOKENS.filter((one) => ownCode(one) !== 0);
    const shortOf = (one: string) => codeOf(0, numberAt(0, tokenHash(one)));
    const secondOf = (one: string) => codeOf(1, numberAt(1, tokenHash(one))) >>> 8;
    let tried = 0;
    for (const long of hashed) {
      const other = hashed.find((one) => one !== long && shortOf(one) === shortOf(long));
      const first = own.find((one) => ownCode(one) === secondOf(long));
      if (other === undefined || first === undefined) continue;
      const record = [[long, 'the', 'of', 'solar', first, 'the', 'panel', other, 'the', 'and']];
      const chains = recordChains(record);
      assert.ok(chains.includes(ownCode(first)), 'the byte is there');
      assert.equal(codesOfPhrase([first, 'the', 'of']).lookIn(chains, 0, chains.length), ABSENT, first);
      assert.equal(codesOfPhrase([long, 'the', 'of']).lookIn(chains, 0, chains.length), FOUND, long);
      tried++;
    }
    assert.ok(tried > 10, `${tried} tokens`);
  });
});
