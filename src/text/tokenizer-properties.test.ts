// What holds for every text: the fast paths agree with the general one, places are in order, folding is stable.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeEntities } from './entities.ts';
import {
  EMOJI_SEQUENCE,
  emojiToken,
  FOLDED_TOKEN,
  fold,
  IGNORABLES,
  PIECE,
  RUN_WITH_IGNORABLES,
} from './folding.ts';
import { MAX_TOKEN_UNITS, type TokenSpan, tokenSpans, tokens } from './tokenizer.ts';

/** Pieces that meet in every order: what the rules name, and what a fast path might mistake. */
const PARTS = [
  ...[
    'a',
    'Z',
    '7',
    'word',
    'CAPS',
    ' ',
    '-',
    '_',
    "'",
    '’',
    '\u02bc',
    '.',
    '\0',
    '\u00a0',
    '#',
    '*',
    '&',
    ';',
    'é',
  ],
  ...[
    'ß',
    'ς',
    'Σ',
    'İ',
    'ı',
    'ё',
    'й',
    'Ж',
    'ﬁ',
    '½',
    '²',
    'ŉ',
    'ǰ',
    'ﷺ',
    'ͺ',
    'ᴬ',
    'ʰ',
    '⑴',
    '㈠',
    'ﬆ',
    'Ⅷ',
    'Å',
  ],
  ...[
    '\u0301',
    '\u0308',
    '\u0300',
    '\u0345',
    '\u20dd',
    '\u20e3',
    '\u3099',
    '\u0e49',
    '\u0e4d',
    '\u064b',
    '\u0336',
  ],
  ...[
    '\u00ad',
    '\u200b',
    '\u200c',
    '\u200d',
    '\ufe0e',
    '\ufe0f',
    '\u{E0100}',
    '\u{E0067}',
    '\u{E007F}',
    '\u180e',
  ],
  ...[
    '日',
    'ー',
    'か',
    'カ',
    'ｶ',
    'ﾞ',
    '々',
    'ゟ',
    '〆',
    '。',
    'ก',
    'ำ',
    'เ',
    'ກ',
    'ຳ',
    'ໜ',
    'ខ',
    '្',
    'မ',
    '်',
    '๑',
  ],
  ...[
    '한',
    'ㅋ',
    'ㅏ',
    '\u1112',
    '\u1161',
    '\u11ab',
    'ﾡ',
    'ￂ',
    '\u115f',
    '\u{16D67}',
    '\u{16D63}',
    'ম',
    'ا',
    'ﹰ',
  ],
  ...[
    '😂',
    '❤',
    '👩',
    '🏽',
    '🏳',
    '🏴',
    '🇩',
    '🇪',
    '™',
    'ℹ',
    '㊗',
    '☺',
    '★',
    '𝐀',
    '𐐀',
    '𠮷',
    '🈁',
    '\ud83d',
    '\ude02',
  ],
  ...['&amp;', '&eacute;', '&#x200B;', '&amp;#128514;', '&#39;', '&foo;', 'http://x.com/a_b'],
];
const texts = fc.oneof(
  fc.array(fc.constantFrom(...PARTS), { maxLength: 24 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 24 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 24 })
    .map((units) => String.fromCharCode(...units)),
);
const runs = { numRuns: 2_000 };

test('spans give exactly the tokens, in order and inside the text', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const spans = tokenSpans(text);
      assert.deepEqual(
        spans.map(({ token }) => token),
        tokens(text),
      );
      for (const [i, { start, end }] of spans.entries()) {
        assert.ok(0 <= start && start < end && end <= text.length);
        const before = spans[i - 1];
        if (before !== undefined) assert.ok(before.start <= start && before.end <= end);
      }
    }),
    runs,
  );
});

/** Code points of each script whose texts go a way of their own, and of what stands between them. */
const SCRIPTS: Readonly<Record<string, readonly (readonly [from: number, to: number])[]>> = {
  Latin: [
    [0x20, 0x24f],
    [0x300, 0x36f],
    [0x1e00, 0x1eff],
  ],
  Greek: [
    [0x20, 0x3f],
    [0x370, 0x3ff],
    [0x1f00, 0x1fff],
  ],
  Cyrillic: [
    [0x20, 0x3f],
    [0x400, 0x52f],
  ],
  Hebrew: [
    [0x20, 0x3f],
    [0x591, 0x5f4],
  ],
  Arabic: [
    [0x20, 0x3f],
    [0x600, 0x6ff],
    [0xfb50, 0xfdff],
  ],
  Devanagari: [
    [0x20, 0x3f],
    [0x900, 0x97f],
  ],
  Tamil: [
    [0x20, 0x3f],
    [0xb80, 0xbff],
  ],
  Thai: [
    [0x20, 0x3f],
    [0xe00, 0xe7f],
  ],
  Lao: [
    [0x20, 0x3f],
    [0xe80, 0xeff],
  ],
  Myanmar: [
    [0x20, 0x3f],
    [0x1000, 0x109f],
  ],
  Khmer: [
    [0x20, 0x3f],
    [0x1780, 0x17ff],
  ],
  Hangul: [
    [0x20, 0x3f],
    [0x1100, 0x11ff],
    [0xac00, 0xae00],
    [0x3130, 0x318f],
  ],
  'Han and kana': [
    [0x3000, 0x30ff],
    [0x4e00, 0x5000],
    [0xff00, 0xffef],
    [0x20000, 0x20100],
  ],
  Emoji: [
    [0x1f1e6, 0x1f1ff],
    [0x1f300, 0x1faff],
    [0x2600, 0x27bf],
    [0xfe0e, 0xfe0f],
    [0x200d, 0x200d],
  ],
  Compatibility: [
    [0xb2, 0xbe],
    [0x2070, 0x218f],
    [0x2460, 0x24ff],
    [0x3200, 0x33ff],
    [0xfb00, 0xfb06],
  ],
};

/** Texts of these code points, among them entities and default-ignorable characters. */
function textsOf(ranges: readonly (readonly [from: number, to: number])[]): fc.Arbitrary<string> {
  const character = fc
    .oneof(...ranges.map(([min, max]) => fc.integer({ min, max })))
    .map((code) => String.fromCodePoint(code));
  const between = fc.constantFrom(
    ' ',
    '&amp;',
    '&#x200B;',
    '&lt;b&gt;',
    '\u00ad',
    '\u200b',
    '\ufe0f',
    'a',
    '.',
  );
  const part = fc.oneof({ weight: 5, arbitrary: character }, { weight: 1, arbitrary: between });
  return fc.array(part, { maxLength: 24 }).map((parts) => parts.join(''));
}

/** The places by the rules alone, in a text without entities: each piece of a run is folded by itself. */
function placesByTheRules(text: string): TokenSpan[] {
  const spans: TokenSpan[] = [];
  const addRuns = (words: string, offset: number) => {
    for (const { 0: run, index } of words.matchAll(RUN_WITH_IGNORABLES)) {
      let folded = '';
      const sources: [start: number, end: number][] = [];
      for (const { 0: piece, index: at } of run.matchAll(PIECE)) {
        const start = offset + index + at;
        const form = fold(piece.replace(IGNORABLES, ''));
        for (const _unit of form.split('')) sources.push([start, start + piece.length]);
        folded += form;
      }
      for (const { 0: token, index: at } of folded.matchAll(FOLDED_TOKEN)) {
        spans.push({ token, start: sources[at]![0], end: sources[at + token.length - 1]![1] });
      }
    }
  };
  let end = 0;
  for (const { 0: sequence, index } of text.matchAll(EMOJI_SEQUENCE)) {
    addRuns(text.slice(end, index), end);
    end = index + sequence.length;
    spans.push({ token: emojiToken(sequence), start: index, end });
  }
  addRuns(text.slice(end), end);
  return spans;
}

for (const [name, ranges] of [
  ...Object.entries(SCRIPTS),
  ['all of them', Object.values(SCRIPTS).flat()],
] as const) {
  test(`spans point at what their tokens were made of: ${name}`, () => {
    fc.assert(
      fc.property(textsOf(ranges), (text) => {
        // A Latin letter takes the mark of the vowel AM along or not by what stands behind it.
        fc.pre(!/[\u0e4d\u0ecd]/.test(text));
        const found = tokenSpans(text);
        assert.deepEqual(
          found.map(({ token }) => token),
          tokens(text),
        );
        const plain = decodeEntities(text).replaceAll('&', '+');
        assert.deepEqual(tokenSpans(plain), placesByTheRules(plain));
        for (const { token, start, end } of found) {
          const source = tokens(text.slice(start, end));
          assert.ok(source.includes(token), `${JSON.stringify(token)} in ${JSON.stringify(source)}`);
        }
      }),
      { numRuns: 500 },
    );
  });
}

test('a space between two texts separates their tokens', () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      assert.deepEqual(tokens(`${a} ${b}`), [...tokens(a), ...tokens(b)]);
    }),
    runs,
  );
});

test('the tokens of tokens are themselves', () => {
  fc.assert(
    fc.property(texts, (text) => {
      // `²` with the mark U+20E3 folds to what is read as a keycap.
      fc.pre(!text.includes('\u20e3'));
      const found = tokens(text);
      assert.deepEqual(tokens(found.join(' ')), found);
      for (const token of found) assert.deepEqual(tokens(token), [token]);
    }),
    runs,
  );
});

test('case, and how a letter is composed, play no part', () => {
  // Without the letters whose capitals are others (ı, ﬁ …), and without entities, whose names have a case.
  const letters = fc.array(fc.constantFrom(...'aZéñÅΣςάйЖЁé日カ한 -7'), { maxLength: 24 });
  fc.assert(
    fc.property(letters, (characters) => {
      const text = characters.join('');
      for (const other of [
        text.toUpperCase(),
        text.toLowerCase(),
        text.normalize('NFD'),
        text.normalize('NFC'),
      ]) {
        assert.deepEqual(tokens(other), tokens(text));
      }
    }),
    runs,
  );
});

test('no token is empty, over its length, or holds spaces, lone surrogates or what folding would change', () => {
  fc.assert(
    fc.property(texts, (text) => {
      for (const token of tokens(text)) {
        assert.ok(token !== '' && token.length <= MAX_TOKEN_UNITS);
        assert.ok(!/\s/.test(token) && token.isWellFormed());
        if (!/\p{Emoji}/u.test(token)) assert.equal(fold(token), token);
      }
    }),
    runs,
  );
});

test('hostile texts of a hundred thousand characters are answered', () => {
  const hostile = [
    '&',
    '&#',
    '\u0301',
    'a\u200d',
    '👩\u200d',
    '🏴\u{E0061}',
    '\u00ad',
    '🇩',
    '1\ufe0f',
    'ㅏ',
    'か\u3099',
    'ﷺ',
  ];
  for (const part of hostile) {
    const text = `e${part.repeat(100_000 / part.length)}!`;
    assert.equal(tokenSpans(text).length, tokens(text).length);
  }
});
