import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { textArbitrary } from '../../../../test/generators/records.ts';
import { comment, post } from '../../../../test/helpers.ts';
import { textHash } from '../../../model/hash.ts';
import { linkedDomains } from '../../../text/domains.ts';
import { tokens } from '../../../text/tokenizer.ts';
import { byteHash } from '../../packing/bytes.ts';
import { ByteTable } from '../format/byte-table.ts';
import { writeCodes } from '../format/key-codes.ts';
import { isPair, tokenClass } from '../format/pairs.ts';
import { KeyPool, orderOf, orderOfKeys } from './keys.ts';
import { NumberedTokens, PairTable, TokenPostings } from './token-postings.ts';
import {
  BY_CODES,
  beginsLink,
  classOf,
  LISTED,
  LISTED_TOKENS,
  placeInList,
  TextHasher,
  TOKEN_LABELS,
  TokenScanner,
} from './token-scanner.ts';

function scan(scanner: TokenScanner, text: string): string[] {
  const bytes = Buffer.from(` ${text} `);
  scanner.clear();
  scanner.scan(bytes, 1, bytes.length - 1);
  return Array.from({ length: scanner.length }, (_, i) => {
    const id = scanner.ids[i]!;
    if (id >= LISTED) return scanner.others.pool.text(id - LISTED);
    if (id !== BY_CODES) return LISTED_TOKENS[id]!;
    const written = Buffer.alloc(16);
    const end = writeCodes(scanner.firsts[i]! >>> 0, scanner.seconds[i]! >>> 0, written);
    return written.toString('latin1', 0, end);
  });
}

/** Of several bytes, tokens or lengths. */
const SPLITTING = [
  ...[
    'solar ',
    'Panel',
    "don't",
    '. ',
    '&amp;',
    '&#x200B;',
    '日本',
    '👩‍🔬',
    'éß',
    'https://Example.org/a?b=c ',
  ],
  ...['x'.repeat(127), 'Y'.repeat(129), 'ab'.repeat(300)],
];

const anyText = fc.oneof(
  textArbitrary(20),
  fc.string({ maxLength: 200 }),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc
    .array(fc.constantFrom(...'the of a i x b cat zebra 1 7 日 本 не 😀'.split(' ')))
    .map((words) => words.join(' ')),
  fc.string({ unit: fc.constantFrom('a', 'b', '9', 'Z'), minLength: 4, maxLength: 16 }),
  fc.string({ unit: fc.constantFrom(..." .&_-'’\u00a0\u00ad\n", ...SPLITTING), maxLength: 20 }),
  fc.constantFrom(
    ...['#️⃣ *️⃣', 'a & b&', 'rock’n’roll — “x”…', 'a\u00a0b\u2028c', 'see http://x.com', 'WWW.X.com/a'],
    ...['x'.repeat(300), `${'Y'.repeat(127)} ${'y'.repeat(129)}`, 'The THE the tHe', '', 'automatically'],
  ),
);

describe('token scanner', () => {
  it('finds the tokens that the tokenizer finds, whatever the texts before', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 30 }), (texts) => {
        const scanner = new TokenScanner();
        for (const one of texts) {
          // Texts are stored as UTF-8, which has no lone surrogates.
          const expected = tokens(one.toWellFormed());
          assert.deepEqual(scan(scanner, one), expected, one);
          for (const [i, token] of expected.entries())
            assert.equal(classOf(scanner.labels[i]!), tokenClass(token), token);
          if (linkedDomains(one).length > 0) assert.ok(scanner.mayHoldLink, one);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('a label tells the class, the place in the list, and whether a link may begin there', () => {
    const scanner = new TokenScanner();
    for (const token of [...LISTED_TOKENS, 'unlisted', '日', 'unlistedunlisted']) {
      const [found] = scan(scanner, token);
      assert.equal(placeInList(scanner.labels[0]!), LISTED_TOKENS.indexOf(found!), token);
      assert.equal(beginsLink(scanner.labels[0]!), ['http', 'https', 'www'].includes(token), token);
      assert.equal(classOf(scanner.labels[0]!), tokenClass(found!), token);
    }
    assert.ok(Math.max(...LISTED_TOKENS.map((token) => TOKEN_LABELS.ofText(token))) <= 0xffff);
  });
});

describe('lists of tokens and pairs', () => {
  it('come in the order of their keys, each with the docs that hold it', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 60 }), (texts) => {
        assert.deepEqual(collected(texts), plain(texts));
      }),
      { numRuns: 300 },
    );
  });

  it('of thousands of docs too', () => {
    const texts = Array.from({ length: 20_000 }, (_, i) => {
      const word = (factor: number) => LISTED_TOKENS[(i * factor) % LISTED]!;
      return `${word(7)} the ${word(11)} of ${word(3)} t${i % 9} a${(i * i) % 4099} the of`;
    });
    assert.deepEqual(collected(texts), plain(texts));
  });
});

/** What the index is made of: key and docs. */
function collected(texts: readonly string[]): string[] {
  const scanner = new TokenScanner();
  const postings = new TokenPostings();
  const pairs = new PairTable();
  for (const text of texts) {
    const bytes = Buffer.from(text);
    scanner.clear();
    scanner.scan(bytes, 0, bytes.length);
    postings.add(scanner);
    pairs.add(scanner);
    postings.endDoc();
    pairs.endDoc();
  }
  const lines: string[] = [];
  const tokens = new NumberedTokens(scanner.others.pool);
  pairs.forEach(tokens, (first, second, { docs }, from, to) => {
    const key = `${Buffer.from(first).toString()}\0${Buffer.from(second).toString()}`;
    lines.push(`${key} ${docs.subarray(from, to).join()}`);
  });
  postings.forEach(tokens, (bytes, start, end, { docs }, from, to) => {
    lines.push(`${Buffer.from(bytes.subarray(start, end)).toString()} ${docs.subarray(from, to).join()}`);
  });
  return lines;
}

function plain(texts: readonly string[]): string[] {
  const byKey = [new Map<string, Set<number>>(), new Map<string, Set<number>>()] as const;
  const add = (keys: Map<string, Set<number>>, key: string, doc: number) => {
    if (!keys.has(key)) keys.set(key, new Set());
    keys.get(key)!.add(doc);
  };
  for (const [doc, text] of texts.entries()) {
    const held = tokens(text.toWellFormed());
    for (const [i, token] of held.entries()) {
      add(byKey[1], token, doc);
      const next = held[i + 1];
      if (next !== undefined && isPair(tokenClass(token), tokenClass(next)))
        add(byKey[0], `${token}\0${next}`, doc);
    }
  }
  return byKey.flatMap((keys) =>
    [...keys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, docs]) => `${key} ${[...docs].join()}`),
  );
}

describe('keys', () => {
  const unit = fc.constantFrom(...'az09A_-\0~\u007fé日😀\uffee', 'abcdef');
  const key = fc.string({ unit, maxLength: 16 });

  it('the order of its keys is that of their UTF-16 units', () => {
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 300 }), (keys) => {
        const pool = new KeyPool();
        for (const one of keys) pool.add(Buffer.from(one), 0, Buffer.byteLength(one));
        const sorted = [...keys].sort((a, b) => (a < b ? -1 : 1));
        for (const order of [orderOfKeys(pool), orderOf(keys)])
          assert.equal([...order].map((number) => keys[number]!).join('|'), sorted.join('|'));
      }),
    );
  });
});

describe('keys while a segment is built', () => {
  it('a key is its own bytes alone, though another one has the same hash', () => {
    const table = new ByteTable();
    const numberOf = (key: string) => table.number(Buffer.from(key), 0, key.length);
    assert.equal(byteHash(Buffer.from('costarring'), 0, 10), byteHash(Buffer.from('liquid'), 0, 6));
    assert.deepEqual(['costarring', 'liquid', 'liqui', 'costarring'].map(numberOf), [0, 1, 2, 0]);
  });

  it('a long text in another script has all of its tokens', () => {
    const words = Array.from({ length: 9_000 }, (_, i) => `\u0436${i}`);
    assert.equal(scan(new TokenScanner(), words.join(' ')).length, 9_000);
  });
});

const scanner = new TokenScanner();
const hasher = new TextHasher();

/** As a segment is built: from the bytes of the texts. */
function scanned(texts: readonly string[]): number {
  hasher.clear();
  scanner.clear();
  for (const text of texts) {
    const bytes = Buffer.from(`##${text}##`);
    scanner.scan(bytes, 2, bytes.length - 2);
    hasher.add(scanner.texts, bytes, 2, bytes.length - 2);
  }
  return hasher.hash();
}

it('the hash of words is that of the plain definition, for bodies and for titles with selftexts', () => {
  fc.assert(
    fc.property(anyText, anyText, (first, second) => {
      assert.equal(scanned([first]), textHash(comment({ id: '1', body: first })));
      assert.equal(scanned([first, second]), textHash(post({ id: '1', title: first, selftext: second })));
    }),
    { numRuns: 700 },
  );
});
