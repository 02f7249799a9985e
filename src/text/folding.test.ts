import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { CONTINUATION, fold } from './folding.ts';
import { tokens } from './tokenizer.ts';

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

const EMOJI_CASES: readonly (readonly [rule: string, text: string, tokens: readonly string[]])[] = [
  ['each of a row is a token', '😂😂👍', ['😂', '😂', '👍']],
  ['letters beside one are cut off', 'lol😂lol', ['lol', '😂', 'lol']],
  ['with and without U+FE0F, and with U+FE0E', '❤️ ❤ ❤︎', ['❤', '❤', '❤']],
  ['a skin tone belongs to it', '👍🏽👍', ['👍🏽', '👍']],
  ['a skin tone alone', '🏽', ['🏽']],
  ['ZWJ family is one, and none of its members', '👨‍👩‍👧‍👦', ['👨‍👩‍👧‍👦']],
  ['ZWJ with selectors in between', '🏳️‍🌈 👁️‍🗨️ ❤️‍🔥', ['🏳‍🌈', '👁‍🗨', '❤‍🔥']],
  ['ZWJ with skin tones', '👩🏽‍❤️‍💋‍👨🏿', ['👩🏽‍❤‍💋‍👨🏿']],
  ['ZWJ behind one joins no letter', '👩\u200da', ['👩', 'a']],
  ['flags, also in a row', '🇩🇪🇫🇷', ['🇩🇪', '🇫🇷']],
  ['a regional indicator left alone', '🇩🇪🇫', ['🇩🇪', '🇫']],
  ['a flag of tags', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴', ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🏴']],
  ['tags without an end are ignorable', '🏴\u{E0067}\u{E0062}x', ['🏴', 'x']],
  ['keycaps, with and without U+FE0F', '1️⃣2⃣#️⃣*⃣', ['1⃣', '2⃣', '#⃣', '*⃣']],
  ['a keycap takes one digit', '10⃣', ['1', '0⃣']],
  ['digits, # and * are none', '1 # * #1', ['1', '1']],
  ['a digit with U+FE0F is a digit', '1\ufe0f', ['1']],
  ['signs of ordinary text are none', '© ® ™ ‼ ⁉ 〰 〽 Ⓜ ㊗', []],
  ['but with U+FE0F they are', '©️™️‼️㊗️', ['©️', '™️', '‼️', '㊗️']],
  ['ℹ is a letter, ℹ️ an emoji', 'ℹ ℹ️', ['i', 'ℹ️']],
  ['ordinary symbols are separators', 'a→b ★ ∞ ☭', ['a', 'b']],
  ['written as entities', '&#128514; &amp;#x1F602;', ['😂', '😂']],
  ['cut to whole characters at 128 units', '😂\u200d'.repeat(60) + '😂', ['😂\u200d'.repeat(42) + '😂']],
];

for (const [rule, text, expected] of EMOJI_CASES) {
  test(`emoji: ${rule}`, () => assert.deepEqual(tokens(text), expected));
}

test('every recommended sequence without ZWJ is one token, and stays one', () => {
  const sequences = candidates().filter((sequence) => /^\p{RGI_Emoji}$/v.test(sequence));
  assert.ok(sequences.length > 2_000);
  const wrong = sequences.filter((sequence) => {
    const [token, ...more] = tokens(`a${sequence}b`).slice(1, -1);
    return token === undefined || more.length > 0 || tokens(token)[0] !== token;
  });
  assert.deepEqual(wrong, []);
});

function candidates(): string[] {
  const found: string[] = [];
  const tones = [...'\u{1F3FB}\u{1F3FC}\u{1F3FD}\u{1F3FE}\u{1F3FF}'];
  const regions = [...Array(26).keys()].map((i) => String.fromCodePoint(0x1f1e6 + i));
  for (let code = 0x23; code < 0x20000; code++) {
    const character = String.fromCodePoint(code);
    if (!/\p{Emoji}/u.test(character)) continue;
    found.push(...['', '\ufe0f', '\ufe0f\u20e3', ...tones].map((behind) => character + behind));
  }
  for (const first of regions) found.push(...regions.map((second) => first + second));
  return found;
}
