import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokens } from './tokenizer.ts';

const CASES: readonly (readonly [rule: string, text: string, tokens: readonly string[]])[] = [
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

for (const [rule, text, expected] of CASES) {
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
  const tones = ['\u{1F3FB}', '\u{1F3FC}', '\u{1F3FD}', '\u{1F3FE}', '\u{1F3FF}'];
  const regions = [...Array(26).keys()].map((i) => String.fromCodePoint(0x1f1e6 + i));
  for (let code = 0x23; code < 0x20000; code++) {
    const character = String.fromCodePoint(code);
    if (!/\p{Emoji}/u.test(character)) continue;
    found.push(
      character,
      `${character}\ufe0f`,
      `${character}\ufe0f\u20e3`,
      ...tones.map((tone) => character + tone),
    );
  }
  for (const first of regions) found.push(...regions.map((second) => first + second));
  return found;
}
