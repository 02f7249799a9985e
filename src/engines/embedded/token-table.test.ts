import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { textArbitrary } from '../../../test/generators/records.ts';
import { tokens } from '../../text/tokenizer.ts';
import { orderOf } from './key-order.ts';
import { tokenClass } from './pairs.ts';
import { TokenTable } from './token-table.ts';

describe('token table', () => {
  it('finds the tokens that the tokenizer finds, whatever the texts before', () => {
    const text = fc.oneof(
      textArbitrary(20),
      fc.string({ maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.constantFrom('#️⃣ *️⃣', 'x'.repeat(300), `${'Y'.repeat(127)} ${'y'.repeat(129)}`, 'The THE the tHe', ''),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), (texts) => {
        const table = new TokenTable();
        for (const one of texts) {
          const found = table.scan(one);
          const read = [...table.numbers.subarray(0, found)].map((number) => table.texts[number]);
          assert.deepEqual(read, tokens(one));
        }
        assert.equal(new Set(table.texts).size, table.count);
        for (const [number, token] of table.texts.entries())
          assert.equal(table.classes[number], tokenClass(token));
      }),
      { numRuns: 200 },
    );
  });

  it('thousands of tokens keep their numbers', () => {
    const table = new TokenTable();
    const words = Array.from({ length: 50_000 }, (_, i) => `w${i.toString(36)}`);
    for (const word of words) table.scan(word);
    for (const [i, word] of words.entries()) {
      assert.equal(table.scan(word), 1);
      assert.equal(table.numbers[0], i);
    }
  });

  it('each of thousands of tokens has its class, where the tables grow too', () => {
    const table = new TokenTable();
    for (let code = 0x4e00; code < 0x9e00; code++) table.scan(String.fromCharCode(code));
    for (let i = 0; i < 50_000; i++) table.scan(`w${i.toString(36)}`);
    const wrong = table.texts.filter((token, number) => table.classes[number] !== tokenClass(token));
    assert.deepEqual(wrong, []);
  });
});

describe('order of keys', () => {
  it('is that of their UTF-16 units', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'z', '0', '\0', '~', '\u007f', 'é', '日', '😀', '\uffee'),
      maxLength: 7,
    });
    fc.assert(
      fc.property(fc.uniqueArray(text, { maxLength: 300 }), (texts) => {
        const ordered = [...orderOf(texts)].map((i) => texts[i]);
        assert.deepEqual(
          ordered,
          [...texts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
        );
      }),
    );
  });
});
