import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { tokens } from '../../../text/tokenizer.ts';
import { bytesOfPhrase } from './phrase-bytes.ts';
import { ABSENT, FOUND, OPEN } from './phrase-codes.ts';

const STATES = new Map([
  [ABSENT, 'absent'],
  [FOUND, 'found'],
  [OPEN, 'open'],
]);

/** The text stands between bytes that are none of its. */
function lookIn(text: string, phrase: readonly string[]): string {
  const bytes = Buffer.from(`a${text}a`);
  return STATES.get(bytesOfPhrase(phrase).lookIn(bytes, 1, bytes.length - 1))!;
}

/** Whatever may join, split, make or be a token, beside what certainly separates tokens. */
const PIECES = [
  ...['i', 'met', 'I', 'Met', 'me', 'metal', 'x', '1', 'amp', 'gt', 'i met', 'wikipedia.org'],
  ...[
    ' ',
    ' ',
    '.',
    '\n',
    '_',
    '-',
    "'",
    '’',
    '—',
    '…',
    '\u00a0',
    '#',
    '*',
    '&',
    ';',
    '&amp;',
    '&gt;',
    '&lt;',
  ],
  ...[
    '&amp;gt;',
    '&#109;et',
    '&#x69;',
    '&amp;amp;',
    '&eacute;',
    '&copy=2',
    '&copy',
    '&amp;copy',
    '&#59;',
    '\u200b',
    '\u00ad',
    '\u0301',
  ],
  ...['é', 'ĳ', 'ﬁ', '日', 'ไท', '😀', '\ufe0f', '\u20e3', '\u02bc', 'İ', 'K', 'ſ', '\u2060', '½', '™'],
];

const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 16 }).map((pieces) => pieces.join(''));
const phrase = fc
  .array(fc.constantFrom('i', 'met', 'me', 'x', '1', 'wikipedia', 'org', 'gt', 'k', '日', 'é', 'e'), {
    minLength: 2,
    maxLength: 4,
  })
  .filter((words) => tokens(words.join(' ')).length === words.length);

describe('a phrase in the bytes of a text', () => {
  for (const [given, expected] of [
    ['Yesterday I met him.', 'found'],
    ['I met', 'found'],
    ['I met — “Alice”', 'found'],
    ['&gt; I met', 'found'],
    ['you &amp; I, #met', 'found'],
    ['i i met', 'found'],
    ['i metal met', 'absent'],
    ['him I metal', 'absent'],
    ['I', 'absent'],
    ['', 'absent'],
    ['met i', 'absent'],
    // Up to here it stands in plain text; what follows cannot change it.
    ['I met 日本', 'found'],
    ['I met\u0301', 'open'],
    ['é I met', 'open'],
    ['I met&eacute;', 'open'],
    ['I met &amp;eacute;', 'found'],
    ['watch?v=1&amp;feature=i&amp;x I met', 'found'],
    ['Q&A: I met', 'found'],
    ['I&gt met', 'absent'],
    ['I&amp;gt; met', 'open'],
    ['x&amp;gt&#59; I met', 'open'],
    ['I met&&#35;120;', 'open'],
    ['I &amp;#x200B; met', 'open'],
    ['met *\ufe0f\u20e3', 'open'],
  ] as const) {
    it(`${JSON.stringify(given)}: ${expected}`, () => {
      assert.equal(lookIn(given, ['i', 'met']), expected);
    });
  }

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
