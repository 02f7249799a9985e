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
  ..."aZ7 -_'’\u02bc.\0\u00a0#*&;é",
  ...['word', 'CAPS'],
  ...'ßςΣİıёйЖﬁ½²ŉǰﷺͺᴬʰ⑴㈠ﬆⅧÅ',
  ...'\u0301\u0308\u0300\u0345\u20dd\u20e3\u3099\u0e49\u0e4d\u064b\u0336',
  ...'\u00ad\u200b\u200c\u200d\ufe0e\ufe0f\u{E0100}\u{E0067}\u{E007F}\u180e',
  ...'日ーかカｶﾞ々ゟ〆。กำเກຳໜខ្မ်๑',
  ...'한ㅋㅏ\u1112\u1161\u11abﾡￂ\u115f\u{16D67}\u{16D63}মاﹰ',
  ...'😂❤👩🏽🏳🏴🇩🇪™ℹ㊗☺★𝐀𐐀𠮷🈁',
  ...['\ud83d', '\ude02'],
  ...['&amp;', '&eacute;', '&#x200B;', '&amp;#128514;', '&#39;', '&foo;', 'http://x.com/a_b'],
];
const texts = fc.oneof(
  fc.array(fc.constantFrom(...PARTS), { maxLength: 24 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 24 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 24 })
    .map((units) => String.fromCharCode(...units)),
);
const runs = { numRuns: 700 };

const tokensIn = (spans: readonly TokenSpan[]) => spans.map(({ token }) => token);

test('spans give exactly the tokens, in order and inside the text', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const decoded = decodeEntities(text);
      const spans = tokenSpans(decoded);
      assert.deepEqual(tokensIn(spans), tokens(text));
      for (const [i, { start, end }] of spans.entries()) {
        assert.ok(0 <= start && start < end && end <= decoded.length);
        const before = spans[i - 1];
        if (before !== undefined) assert.ok(before.start <= start && before.end <= end);
      }
    }),
    runs,
  );
});

/** Code points of each script whose texts go a way of their own, and of what stands between them. */
const SCRIPTS: Readonly<Record<string, string>> = {
  Latin: '20-24f 300-36f 1e00-1eff',
  Greek: '20-3f 370-3ff 1f00-1fff',
  Cyrillic: '20-3f 400-52f',
  Hebrew: '20-3f 591-5f4',
  Arabic: '20-3f 600-6ff fb50-fdff',
  Devanagari: '20-3f 900-97f',
  Tamil: '20-3f b80-bff',
  Thai: '20-3f e00-e7f',
  Lao: '20-3f e80-eff',
  Myanmar: '20-3f 1000-109f',
  Khmer: '20-3f 1780-17ff',
  Hangul: '20-3f 1100-11ff ac00-ae00 3130-318f',
  'Han and kana': '3000-30ff 4e00-5000 ff00-ffef 20000-20100',
  Emoji: '1f1e6-1f1ff 1f300-1faff 2600-27bf fe0e-fe0f 200d-200d',
  Compatibility: 'b2-be 2070-218f 2460-24ff 3200-33ff fb00-fb06',
};

/** Texts of these code points, among them entities and default-ignorable characters. */
function textsOf(ranges: string): fc.Arbitrary<string> {
  const characters = ranges.split(' ').map((range) => {
    const [min, max] = range.split('-').map((code) => Number.parseInt(code, 16));
    return fc.integer({ min: min!, max: max! });
  });
  const character = fc.oneof(...characters).map((code) => String.fromCodePoint(code));
  const between = fc.constantFrom(...' \u00ad\u200b\ufe0fa.', '&amp;', '&#x200B;', '&lt;b&gt;');
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
  ['all of them', Object.values(SCRIPTS).join(' ')],
] as const) {
  test(`spans point at what their tokens were made of: ${name}`, () => {
    fc.assert(
      fc.property(textsOf(ranges), (text) => {
        // A Latin letter takes the mark of the vowel AM along or not by what stands behind it.
        fc.pre(!/[\u0e4d\u0ecd]/.test(text));
        const plain = decodeEntities(text).replaceAll('&', '+');
        assert.deepEqual(tokenSpans(plain), placesByTheRules(plain));
        for (const { token, start, end } of tokenSpans(plain)) {
          const source = tokens(plain.slice(start, end));
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
      const cases = [text.toUpperCase(), text.toLowerCase()];
      for (const other of [...cases, text.normalize('NFD'), text.normalize('NFC')])
        assert.deepEqual(tokens(other), tokens(text));
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
  const hostile = '& &# \u0301 a\u200d 👩\u200d 🏴\u{E0061} \u00ad 🇩 1\ufe0f か\u3099 ㅏ ﷺ';
  for (const part of hostile.split(' ')) {
    const text = `e${part.repeat(100_000 / part.length)}!`;
    assert.equal(tokenSpans(text).length, tokens(text).length);
  }
});
