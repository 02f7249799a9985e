import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokenSpans, tokens } from './tokenizer.ts';

const CASES: readonly (readonly [rule: string, text: string, tokens: readonly string[]])[] = [
  // What separates.
  ['nothing in an empty text', '', []],
  ['nothing in punctuation, signs and controls', ' & !!! - * … “” \0 \t$+=^`|~ €', []],
  ['no stemming, no stop words', 'The runners are running', ['the', 'runners', 'are', 'running']],
  ['letters and digits are one token', 'covid19 covid-19 4chan', ['covid19', 'covid', '19', '4chan']],
  ['_ separates', 'snake_case_ _x', ['snake', 'case', 'x']],
  [
    'the apostrophe separates, straight, curly, modifier, fullwidth',
    "don't don’t donʼt don＇t",
    ['don', 't', 'don', 't', 'don', 't', 'don', 't'],
  ],
  ['an address falls into its words', 'http://imdb.com/name?x=1', ['http', 'imdb', 'com', 'name', 'x', '1']],
  ['white space of every kind', 'a\u00a0b\u3000c\u2003d\u2028e\nf', ['a', 'b', 'c', 'd', 'e', 'f']],
  ['NUL and U+FFFD', 'a\0b\ufffdc', ['a', 'b', 'c']],
  ['lone surrogates', 'a\ud800b\udc00c\udc00\ud800', ['a', 'b', 'c']],
  ['numbers in other scripts are as written', '٣ ५ Ⅷ', ['٣', '५', 'viii']],
  // Entities.
  ['entities are decoded', 'AT&amp;T caf&eacute; a&nbsp;b &lt;b&gt;', ['at', 't', 'cafe', 'a', 'b', 'b']],
  ['entities are decoded twice', 'x &amp;#x200B; y&amp;nbsp;z', ['x', 'y', 'z']],
  ['what is no entity is text', '&copy=2 &foo; &amp', ['copy', '2', 'foo', 'amp']],
  // Ignorables.
  [
    'soft hyphen, ZWJ, ZWNJ, U+200B, word joiner, BOM are dropped',
    'so\u00adft a\u200db\u200cc\u200bd\u2060e\ufefff',
    ['soft', 'abcdef'],
  ],
  ['also as entities', 'so&shy;ft a&#8203;b', ['soft', 'ab']],
  ['variation selectors are dropped', '葛\u{E0100}a\ufe0f', ['葛', 'a']],
  ['ignorables alone are no token', '\u200b \u00ad\u200d', []],
  // Folding: folding.test.ts has its rules.
  ['a letter under a mark', 'Pokémon naïve cafe\u0301 Ἀθῆναι', ['pokemon', 'naive', 'cafe', 'αθηναι']],
  ['NFKC', 'Ｆｕｌｌ ﬁre x² ｶﾞ ⅷ', ['full', 'fire', 'x2', 'ガ', 'viii']],
  [
    'cut again where folding brought a separator in',
    '½ 1½ ŉ ⑴ ﷺ',
    ['1', '2', '11', '2', 'n', '1', 'صلى', 'الله', 'عليه', 'وسلم'],
  ],
  ['a sign beside a word is not folded into it', 'Pokémon™ 20℃ №5', ['pokemon', '20', '5']],
  ['astral letters', '𝐇𝐞𝐥𝐥𝐨 𐐀𐐨 𠮷野', ['hello', '𐐨𐐨', '𠮷', '野']],
  // Scripts.
  ['Han: a token each', '日本語', ['日', '本', '語']],
  [
    'Hiragana, Katakana, length and iteration marks',
    'ひらラーメン人々',
    ['ひ', 'ら', 'ラ', 'ー', 'メ', 'ン', '人', '々'],
  ],
  ['kana with its voicing mark', 'か\u3099き', ['が', 'き']],
  ['halfwidth kana', 'ｶﾞﾗｽ', ['ガ', 'ラ', 'ス']],
  ['words beside Han', 'abc日本123語x', ['abc', '日', '本', '123', '語', 'x']],
  ['Thai: with marks above and below', 'ที่นี่ครับ', ['ที่', 'นี่', 'ค', 'รั', 'บ']],
  [
    'Thai and Lao: the vowel AM is a character',
    'น้ำ ทำ ນ້ຳ aำ',
    ['น้', '\u0e4d\u0e32', 'ท', '\u0e4d\u0e32', 'ນ້', '\u0ecd\u0eb2', 'a', '\u0e4d\u0e32'],
  ],
  ['Lao', 'ສະບາຍດີ', ['ສ', 'ະ', 'ບ', 'າ', 'ຍ', 'ດີ']],
  ['Khmer: with subscripts', 'ខ្មែរ', ['ខ្', 'មែ', 'រ']],
  ['Myanmar: with marks', 'မြန်မာ', ['မြ', 'န်', 'မာ']],
  ['their digits too', '๑๒ ໑ ១ ၁', ['๑', '๒', '໑', '១', '၁']],
  ['Hangul is words', '한국어를 배우다 ㅋㅋ', ['한국어를', '배우다', '\u110f\u110f']],
  ['Hangul in jamo', '\u1112\u1161\u11ab\u1100\u116e\u11a8', ['한국']],
  [
    'Arabic, Hebrew, Devanagari, Armenian, Georgian are words',
    'سلام שלום नमस्ते Բարև გამარჯობა',
    ['سلام', 'שלום', 'नमस्ते', 'բարև'.normalize('NFKC'), 'გამარჯობა'],
  ],
  // Long tokens.
  ...(
    [
      ['128 units are whole', 'a'.repeat(128), 'a'.repeat(128)],
      ['a longer token counts by its first 128', `${'a'.repeat(128)}b`, 'a'.repeat(128)],
      ['units after folding count', 'ß'.repeat(65), 's'.repeat(128)],
      ['the same on the general path', 'e\u0301'.repeat(200), 'e'.repeat(128)],
      ['capitals', 'A'.repeat(130), 'a'.repeat(128)],
      ['a surrogate pair is not split', `a${'𐐨'.repeat(64)}`, `a${'𐐨'.repeat(63)}`],
    ] as const
  ).map(([rule, text, token]) => [rule, `x ${text} y`, ['x', token, 'y']] as const),
];

for (const [rule, text, expected] of CASES) {
  test(`tokens: ${rule}`, () => assert.deepEqual(tokens(text), expected));
}

const SPANS: readonly (readonly [rule: string, text: string, places: readonly string[]])[] = [
  ['words without what separates them', '“Don’t!”', ['don=Don', 't=t']],
  [
    'marks and ignorables inside belong to the word',
    'cafe\u0301s so\u00adft\u200b x',
    ['cafes=cafe\u0301s', 'soft=so\u00adft', 'x=x'],
  ],
  ['tokens of one character share its place', '½ ŉ', ['1=½', '2=½', 'n=ŉ']],
  ['single characters have a place each', '日本abc ｶﾞ', ['日=日', '本=本', 'abc=abc', 'ガ=ｶﾞ']],
  ['emoji', 'a👨‍👩‍👧b❤️', ['a=a', '👨‍👩‍👧=👨‍👩‍👧', 'b=b', '❤=❤️']],
  [
    'a token that was cut keeps the place of the whole',
    'a'.repeat(130),
    [`${'a'.repeat(128)}=${'a'.repeat(130)}`],
  ],
];

for (const [rule, text, places] of SPANS) {
  test(`spans: ${rule}`, () => {
    const found = tokenSpans(text).map(({ token, start, end }) => `${token}=${text.slice(start, end)}`);
    assert.deepEqual(found, places);
  });
}

test('spans of tokens with some beginnings: all of these are there, in order, and fewer others', () => {
  const text = [...CASES, ...SPANS].map(([, part]) => part).join(' ');
  const all = tokenSpans(text);
  const units = new Set(all.map(({ token }) => token.charCodeAt(0) & 0xff));
  for (const unit of units) {
    const beginnings = new Uint8Array(256);
    beginnings[unit] = 1;
    const isWanted = ({ token }: { readonly token: string }) => (token.charCodeAt(0) & 0xff) === unit;
    const found = tokenSpans(text, beginnings);
    assert.deepEqual(found.filter(isWanted), all.filter(isWanted), String.fromCharCode(unit));
    assert.ok(found.length < all.length);
  }
});
