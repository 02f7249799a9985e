import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { textArbitrary } from '../../../test/generators/records.ts';
import { linkedDomains } from '../../text/domains.ts';
import { tokens } from '../../text/tokenizer.ts';
import { orderOf, orderOfKeys } from './key-order.ts';
import { KeyPool } from './key-pool.ts';
import { KeyTable } from './key-table.ts';
import { tokenClass } from './pairs.ts';
import { beginsLink, classOf, LISTED_TOKENS, placeInList, TOKEN_LABELS } from './token-labels.ts';
import { TokenTable } from './token-table.ts';

function scan(table: TokenTable, text: string): string[] {
  const bytes = Buffer.from(` ${text} `);
  const found = table.scan(bytes, 1, bytes.length - 1);
  return [...table.numbers.subarray(0, found)].map((number) => table.keys.pool.text(number));
}

describe('token table', () => {
  it('finds the tokens that the tokenizer finds, whatever the texts before', () => {
    const text = fc.oneof(
      textArbitrary(20),
      fc.string({ maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.constantFrom(
        '#️⃣ *️⃣',
        'a & b&',
        'rock’n’roll — “x”…',
        'a\u00a0b\u2028c',
        'see http://x.com',
        'WWW.X.com/a',
        'x'.repeat(300),
        `${'Y'.repeat(127)} ${'y'.repeat(129)}`,
        'The THE the tHe',
        '',
      ),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), (texts) => {
        const table = new TokenTable();
        for (const one of texts) {
          // Texts are stored as UTF-8, which has no lone surrogates.
          assert.deepEqual(scan(table, one), tokens(one.toWellFormed()), one);
          const found = [...table.numbers.subarray(0, tokens(one.toWellFormed()).length)];
          for (const [i, number] of found.entries())
            assert.equal(classOf(table.labels[i]!), tokenClass(table.keys.pool.text(number)));
          if (linkedDomains(one).length > 0) assert.ok(table.mayHoldLink, one);
        }
        const { pool } = table.keys;
        const all = new Set(Array.from({ length: pool.count }, (_, number) => pool.text(number)));
        assert.equal(all.size, pool.count);
      }),
      { numRuns: 300 },
    );
  });

  it('thousands of tokens keep their numbers', () => {
    const table = new TokenTable();
    const words = Array.from({ length: 50_000 }, (_, i) => `w${i.toString(36)}`);
    for (const word of words) scan(table, word);
    for (const [i, word] of words.entries()) {
      assert.deepEqual(scan(table, word.toUpperCase()), [word]);
      assert.equal(table.numbers[0], i);
    }
  });

  it('each of thousands of tokens has its class, where the tables grow too', () => {
    const table = new TokenTable();
    const check = (token: string) => {
      assert.deepEqual(scan(table, token), [token]);
      assert.equal(classOf(table.labels[0]!), tokenClass(token), token);
    };
    for (let round = 0; round < 2; round++) {
      for (let code = 0x4e00; code < 0x6e00; code++) check(String.fromCharCode(code));
      for (let i = 0; i < 20_000; i++) check(`w${i.toString(36)}`);
      for (const token of LISTED_TOKENS) if (tokens(token)[0] === token) check(token);
    }
  });

  it('a label tells the place in the list, and whether a link may begin there', () => {
    const table = new TokenTable();
    for (const token of [...LISTED_TOKENS, 'unlisted']) {
      scan(table, token);
      const place = LISTED_TOKENS.indexOf(tokens(token)[0]!);
      assert.equal(placeInList(table.labels[0]!), place, token);
      assert.equal(beginsLink(table.labels[0]!), ['http', 'https', 'www'].includes(token), token);
    }
    assert.ok(Math.max(...LISTED_TOKENS.map((token) => TOKEN_LABELS.ofText(token))) <= 0xffff);
  });
});

describe('key table', () => {
  const key = fc.string({
    unit: fc.constantFrom('a', 'z', '0', '9', 'A', '_', '-', 'é', '日', '😀', '\uffee', 'abcdef'),
    maxLength: 16,
  });

  it('every key keeps its number and its bytes', () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 300 }), (keys) => {
        const table = new KeyTable();
        const numbers = new Map<string, number>();
        for (const one of [...keys, ...keys]) {
          const number = table.numberOfText(one);
          assert.equal(numbers.get(one) ?? number, number);
          numbers.set(one, number);
          assert.equal(table.pool.text(number), one);
        }
        assert.equal(table.pool.count, new Set(keys).size);
      }),
    );
  });

  it('the order of its keys is that of their UTF-16 units', () => {
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 300 }), (keys) => {
        const pool = new KeyPool();
        for (const one of keys) pool.add(Buffer.from(one), 0, Buffer.byteLength(one));
        const ordered = [...orderOfKeys(pool)].map((number) => keys[number]);
        assert.deepEqual(
          ordered,
          [...keys].sort((a, b) => (a < b ? -1 : 1)),
        );
      }),
    );
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
