import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { CONTINUATION, fold } from './folding.ts';

const CASES: readonly (readonly [rule: string, run: string, folded: string])[] = [
  ['lower case', 'ABC', 'abc'],
  ['lower case past ASCII', 'ÆØЖԱႠ', 'æøжաⴀ'],
  ['NFKC: fullwidth, ligatures, superscripts, roman numbers', 'ＡｂｃﬁﬃⅧx²', 'abcfiffiviiix2'],
  ['capitals that NFKC gives', 'ᴬ𝐀𝒜ℂ', 'aaac'],
  ['ß and its capital', 'ßẞStraße', 'ssssstrasse'],
  ['final sigma, whichever way it came', 'ΟΔΟΣ ς ϲ', 'οδοσ σ σ'],
  ['marks after Latin letters, composed or not', 'éèñÅřạ̈e\u0301\u0327z\u0336\u20dd', 'eenaraez'],
  ['marks after Greek letters', 'Ἀθῆναι ΰ ᾳ Ά', 'αθηναι υ α α'],
  ['the dot of İ is a mark, ı has none to lose', 'İIıi', 'iiıi'],
  ['letters that are no base and mark stay', 'øłđæœþ', 'øłđæœþ'],
  ['ё is е', 'Ёлка всё', 'елка все'],
  ['ё out of two', 'е\u0308', 'е'],
  ['ё with another mark', 'ё\u0300 ё\u0308 ё\u0323', 'ѐ е е\u0323'],
  ['other marks in Cyrillic stay', 'й ї ў ѓ и\u0306 а\u0301', 'й ї ў ѓ й а\u0301'],
  ['marks of other scripts stay', 'كِتَاب שָׁלוֹם हिन्दी', 'كِتَاب שָׁלוֹם हिन्दी'],
  ['voiced kana, also halfwidth', 'がガｶﾞｶﾟか\u3099', 'がガガカ゚が'],
  ['jamo compose', '\u1112\u1161\u11ab', '한'],
  ['separators may come', '½⑴㈠', '1⁄2(1)(一)'],
];

for (const [rule, run, folded] of CASES) {
  test(`folding: ${rule}`, () => assert.equal(fold(run), folded));
}

test('folding what is folded changes nothing, for every code point', () => {
  const changed = allCharacters().filter((character) => fold(fold(character)) !== fold(character));
  assert.deepEqual(changed, []);
});

// Thai and Lao AM decompose into a mark, but one that neither composes nor moves, and that folding leaves alone.
const AM = ['\u0e33', '\u0eb3'];

test('what grows together with the character before it is a CONTINUATION, for every code point', () => {
  const missed = new Set<string>();
  for (const character of allCharacters()) {
    const beginsWithMark = /^\p{M}/u.test(character.normalize('NFKD')) && !AM.includes(character);
    if (beginsWithMark && !CONTINUATION.test(character)) missed.add(character);
    if ([...character.normalize('NFC')].length > 1) continue;
    for (const part of [...character.normalize('NFD')].slice(1))
      if (!CONTINUATION.test(part)) missed.add(part);
  }
  assert.deepEqual([...missed], []);
});

function allCharacters(): string[] {
  const characters: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code < 0xd800 || code > 0xdfff) characters.push(String.fromCodePoint(code));
  }
  return characters;
}

describe('long runs', () => {
  it('a letter under very many marks takes no more than linear work, and is the letter still', () => {
    const marks = '\u0323\u0301'.repeat(500_000);
    assert.equal(fold(`a${marks}`), 'a');
    assert.equal(fold(`ж${marks}`).length, 512);
  });

  it('a word longer than what is folded at once folds as its parts do', () => {
    assert.equal(fold('Ée\u0301ß'.repeat(400)), 'eess'.repeat(400));
  });
});
