import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { it } from 'node:test';
import fc from 'fast-check';
import { comment, post } from '../../../../test/helpers.ts';
import { textHash } from '../../../model/text-hash.ts';
import { TextHasher } from './text-hasher.ts';
import { TokenScanner } from './token-scanner.ts';

const scanner = new TokenScanner();
const hasher = new TextHasher();

/** As a segment is built: from the bytes of the texts. */
function scanned(texts: readonly string[]): number {
  hasher.clear();
  for (const text of texts) {
    const bytes = Buffer.from(`##${text}##`);
    scanner.scan(bytes, 2, bytes.length - 2);
    hasher.add(scanner.texts, bytes, 2, bytes.length - 2);
  }
  return hasher.hash();
}

const pieces = fc.constantFrom(
  ...[
    'solar ',
    'Panel',
    ' ',
    '  ',
    "don't",
    '. ',
    '_',
    '&',
    '&amp;',
    '&#x200B;',
    '\u00a0',
    '\u2019',
    'é',
    'ß',
    '日本',
  ],
  ...[
    '👩‍🔬',
    'x'.repeat(127),
    'Y'.repeat(129),
    'ab'.repeat(300),
    'https://Example.org/a?b=c ',
    '\n\n',
    '\u00ad',
    '0',
  ],
);
const text = fc.oneof(
  fc.array(pieces, { maxLength: 20 }).map((all) => all.join('')),
  fc.string({ unit: 'grapheme', maxLength: 120 }),
  fc.string({ maxLength: 120 }),
);

it('the hash of words is that of the plain definition, for bodies and for titles with selftexts', () => {
  fc.assert(
    fc.property(text, text, (first, second) => {
      assert.equal(scanned([first]), textHash(comment({ id: '1', body: first })));
      assert.equal(scanned([first, second]), textHash(post({ id: '1', title: first, selftext: second })));
    }),
    { numRuns: 2_000 },
  );
});

it('spelling, signs and where the texts are divided make no difference; 40 characters are needed', () => {
  const words = 'the quick brown fox jumps over the lazy dog';
  const [title, selftext] = ['The quick: BROWN fox', '“jumps”, over the lazy dog!'];
  assert.notEqual(scanned([words]), 0);
  assert.equal(scanned([title, selftext]), scanned([words]));
  assert.equal(scanned(['x'.repeat(39)]), 0);
  assert.notEqual(scanned(['x'.repeat(40)]), 0);
});
