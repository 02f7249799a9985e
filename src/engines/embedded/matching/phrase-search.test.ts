import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { tokens } from '../../../text/tokenizer.ts';
import { ABSENT, FOUND, OPEN } from './links.ts';
import { bytesOfPhrase } from './phrases.ts';

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
      { numRuns: 5_000 },
    );
    assert.ok(settled > 500, `${settled} of 5,000 settled`);
  });
});
