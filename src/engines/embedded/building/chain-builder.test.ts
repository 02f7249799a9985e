import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { tokens } from '../../../text/tokenizer.ts';
import { BETWEEN, FIRST_LEAD, recordChains, UNKNOWN } from '../format/chains.ts';
import { ChainBuilder } from './chain-builder.ts';
import { LISTED_TOKENS } from './token-part.ts';
import { TokenScanner } from './token-scanner.ts';

const scanner = new TokenScanner();
const builder = new ChainBuilder();

/** Of one record. */
function built(texts: readonly string[]): Uint8Array {
  for (const text of texts) {
    const bytes = Buffer.from(text);
    builder.addText(scanner, scanner.scan(bytes, 0, bytes.length));
  }
  builder.endDoc();
  return Uint8Array.from(builder.bytes.written());
}

/** Texts are stored as UTF-8, which has no lone surrogates. */
function plain(texts: readonly string[]): Uint8Array {
  return recordChains(texts.map((text) => tokens(text.toWellFormed())));
}

const LATIN = "the The of I don't élan unlisted &amp; été".split(' ');
const OTHERS = '日本語 本 ไทย 😀👍 한국어 𠀀日 1 z ｶﾞ cafe\u0301'.split(' ');
const word = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...LISTED_TOKENS) },
  { weight: 2, arbitrary: fc.constantFrom(...LATIN) },
  { weight: 2, arbitrary: fc.constantFrom(...OTHERS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(' ', ' ', ', ', '', '\n')), { maxLength: 60 })
  .map((pieces) => pieces.flat().join(''));

describe('chains of a record', () => {
  it('are built as the plain way finds them, in texts of all scripts', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 2 }), (texts) => assert.deepEqual(built(texts), plain(texts))),
      { numRuns: 1_500 },
    );
  });

  it('are rows of three tokens and more of which each two neighbours are a pair', () => {
    const [the, of, and] = built(['the of and the']);
    assert.deepEqual([...built(['the of and the'])], [the, of, and, the]);
    assert.deepEqual([...built(['the of and solar and of the'])], [the, of, and, BETWEEN, and, of, the]);
    assert.deepEqual([...built(['the of', 'and the of'])], [and, the, of], 'not across texts');
    assert.equal(built(['日本語日']).length, 4, 'letters of a script without spaces');
  });

  it('are left out where no token comes twice, so that pairs alone tell', () => {
    for (const text of ['', 'solar panel roof', 'the of', 'the of and', 'the solar the']) {
      assert.equal(built([text]).length, 0, text);
    }
    assert.deepEqual([...built(['the of solar of and'])], [BETWEEN], 'the of and does not stand there');
  });

  it('a code stands for one token of the record; those that share all theirs with another have none', () => {
    const some = LISTED_TOKENS.filter((token) => /^[a-z]{3,}$/.test(token));
    const long = some.flatMap((token) => ['the', token]).join(' ');
    const chains = built([long]);
    assert.deepEqual(chains, plain([long]));
    const byCode = new Map<number, Set<string>>();
    const words = tokens(long);
    let next = 0;
    for (let i = 0; i < chains.length; i++) {
      const lead = chains[i]!;
      const code = lead < FIRST_LEAD ? lead : lead * 256 + chains[++i]!;
      if (lead === BETWEEN) continue;
      byCode.set(code, (byCode.get(code) ?? new Set()).add(words[next++]!));
    }
    assert.equal(next, words.length);
    for (const [code, held] of byCode) if (code !== UNKNOWN) assert.equal(held.size, 1, [...held].join());
    assert.ok(byCode.get(UNKNOWN)!.size > 10);
    assert.ok([...byCode.keys()].some((code) => code >= FIRST_LEAD * 256));
  });
});
