import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, post } from '../../test/helpers.ts';
import { tokens } from '../text/tokenizer.ts';
import { TextHashInput, textHash } from './text-hash.ts';

const SENTENCE = 'The quick brown fox jumps over the lazy dog';

const ofBody = (body: string) => textHash(comment({ id: '1', body }));

describe('textHash', () => {
  it('is the same for every spelling of the same tokens', () => {
    assert.notEqual(ofBody(SENTENCE), 0);
    assert.equal(ofBody(`**the** QUICK brown, fox\n\njumps over the "lazy" dog!`), ofBody(SENTENCE));
    assert.equal(ofBody(SENTENCE.replace('lazy', 'lázy')), ofBody(SENTENCE));
  });

  it('differs where a token, their order or their borders differ', () => {
    const hashes = [
      SENTENCE,
      `${SENTENCE} s`,
      SENTENCE.replace('lazy dog', 'dog lazy'),
      SENTENCE.replace('lazy dog', 'lazydog'),
    ].map(ofBody);
    assert.equal(new Set(hashes).size, hashes.length);
  });

  it('is that of title and selftext together', () => {
    const both = post({ id: '1', title: 'The quick brown fox', selftext: 'jumps over the lazy dog' });
    assert.equal(textHash(both), ofBody(SENTENCE));
  });

  it('is 0 below 40 characters of the joined tokens, counted as code points', () => {
    const rows: readonly [body: string, has: boolean][] = [
      ['', false],
      ['...', false],
      ['x'.repeat(39), false],
      ['x'.repeat(40), true],
      [`${'x'.repeat(38)} x`, true],
      [`${'x'.repeat(37)} x`, false],
      ['日'.repeat(20), false],
      ['日'.repeat(21), true],
      [`${'😀 '.repeat(19)}x`, false],
      [`${'😀 '.repeat(19)}xx`, true],
    ];
    for (const [body, has] of rows) assert.equal(ofBody(body) !== 0, has, body);
  });

  it('is 0 for a withdrawn text', () => {
    assert.equal(textHash(comment({ id: '1', body: SENTENCE, withdrawn: true })), 0);
  });

  it('is the same from tokens one by one, and from the bytes of those that are plain', () => {
    const asItIs = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    for (const body of [SENTENCE, `${'日本 ёлка '.repeat(9)}👩‍🔬`, 'short']) {
      const input = new TextHashInput();
      for (const token of tokens(body)) {
        const bytes = new TextEncoder().encode(token);
        if (bytes.length === token.length) input.plain(bytes, 0, bytes.length, asItIs);
        else input.token(token);
      }
      assert.equal(input.hash(), ofBody(body));
    }
  });

  it('is the same for ever', () => {
    const texts = [SENTENCE, 'Straße, naïve; 日本 ёлка '.repeat(3)];
    assert.deepEqual(
      texts.map((text) => ofBody(text).toString(16)),
      ['af7db4fd', 'cc022e90'],
    );
  });
});
