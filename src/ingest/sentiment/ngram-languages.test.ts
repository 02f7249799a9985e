// The verdict in typed arrays beside that of eld itself.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eld } from 'eld/extrasmall';
import fc from 'fast-check';
import { isVerdictReliable, ngramsAreEnglish } from './ngram-languages.ts';

/** Words that several languages share, some of one alone, and what stands between words. */
const PIECES = [
  ...'the and die der les que not och het een pas une para con sono nie jest tak ja ikke'.split(' '),
  ...'kita dan saya a I é x no an in on is it was haus information internationalisation'.split(' '),
  ..."' ’ ` '' ’’ . , - — … “ ” 😂 ❤️ 10 2024 \n \t & $ £ ½ µ".split(' '),
  ...[' ', '  ', 'don’t', "isn't", "'cause", 'rock`n`roll', 'x'.repeat(66), 'abc'.repeat(30), 'é'.repeat(37)],
  'donaudampfschifffahrtsgesellschaftskapitänsmütze',
  // Letters of which eld writes a byte as a blank.
  ...'ʖ ʼ ǎ nǐ ʼn İ Ԁ aʖb ʻokina ܐ Ǆabc hawaiʻi abcʼ abcdʼefgh'.split(' '),
  ...'Straße ελληνικά это ไทย 日本語 한국어 ſ K ﬁ'.split(' '),
  '\ud83d',
];

/** Of all bytes that begin a letter, with blanks and apostrophes between. */
const LETTERS = fc.oneof(
  fc.constantFrom(' ', "'", '’', 'a', 'e', 'n', 'x'),
  fc.integer({ min: 0x80, max: 0x7ff }).map((code) => String.fromCharCode(code)),
  fc.integer({ min: 0x800, max: 0xd7ff }).map((code) => String.fromCharCode(code)),
);

function expectSame(text: string): void {
  const verdict = ngramsAreEnglish(text);
  const detected = eld.detect(text);
  assert.equal(verdict, detected.language === 'en', JSON.stringify(text));
  if (verdict) assert.equal(isVerdictReliable(), detected.isReliable(), JSON.stringify(text));
}

describe('languages by n-grams', () => {
  for (const [text, expected] of [
    ['Replacing the battery took about twenty minutes, no special tools needed.', true],
    ['They don’t know what they’re talking about 😂', true],
    ['12 %, 13 %', false],
    ['ein schöner Tag', false],
    ['Café owners in the naïve façade district disagreed with their neighbours.', true],
    ['sure ( ͡° ͜ʖ ͡°) whatever you say', true],
    [`${'word '.repeat(10)}${'x'.repeat(71)}`, true],
    [`${'word '.repeat(10)}${'x'.repeat(400)}`, true],
  ] as const) {
    it(`${JSON.stringify(text.slice(0, 40))}: ${expected}`, () => {
      assert.equal(ngramsAreEnglish(text), expected);
      expectSame(text);
    });
  }

  for (const [text, expected] of [
    ['thank you very much', true],
    ['banana', false],
    ['xx', false],
    ['the the the the', false],
  ] as const) {
    it(`${JSON.stringify(text)} is ${expected ? 'reliable' : 'not reliable'}`, () => {
      expectSame(text);
      if (ngramsAreEnglish(text) === true) assert.equal(isVerdictReliable(), expected);
    });
  }

  it('is what eld says of any words and marks, with blanks between them or none', () => {
    const piece = fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(' ', ' ', ' ', ''));
    const pieces = fc.array(piece, { maxLength: 120 });
    const property = fc.property(pieces, (all) => expectSame(all.flat().join('').slice(0, 1000)));
    fc.assert(property, { numRuns: 1000 });
  });

  it('is what eld says of any text', () => {
    for (const unit of ['binary', 'grapheme-ascii', LETTERS] as const) {
      const property = fc.property(fc.string({ unit, maxLength: 500 }), expectSame);
      fc.assert(property, { numRuns: 1000 });
    }
  });

  it('is what eld says of texts that end anywhere around the last byte that is read', () => {
    for (let length = 330; length < 400; length++) {
      for (const word of ['internationally', 'haus ', 'the ', 'don’t ', 'ok, ’til ']) {
        const text = 'une de la het '.repeat(20).slice(0, length - 60) + word.repeat(30);
        for (let end = length - 10; end < length + 10; end++) expectSame(text.slice(0, end));
      }
    }
  });
});
