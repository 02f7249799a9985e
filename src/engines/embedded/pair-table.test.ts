import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { orderOfKeys } from './key-order.ts';
import { PairTable } from './pair-table.ts';
import { TokenTable } from './token-table.ts';

/** Every pair of the texts, one a doc, with its docs, in the order in which they are written. */
function pairsOf(texts: readonly string[], segmentDocs: number): string[] {
  const tokens = new TokenTable();
  const pairs = new PairTable(segmentDocs);
  for (const text of texts) {
    const bytes = Buffer.from(text);
    pairs.addText(tokens.numbers, tokens.labels, tokens.scan(bytes, 0, bytes.length));
    pairs.endDoc();
  }
  const { pool } = tokens.keys;
  const ranks = new Uint32Array(pool.count);
  for (const [rank, number] of orderOfKeys(pool).entries()) ranks[number] = rank;
  const found: string[] = [];
  pairs.forEach(ranks, (first, second, docs, from, to) => {
    found.push(`${pool.text(first)}\0${pool.text(second)} ${docs.subarray(from, to).join()}`);
  });
  return found;
}

it('pairs come in their order with their docs, the same in large and small segments', () => {
  const word = fc.constantFrom(
    ...['the', 'of', 'a', 'i', 'x', 'b', 'cat', 'dog', 'zebra', '1', '7', '日', '本', '!'],
  );
  const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), (texts) => {
      const small = pairsOf(texts, texts.length);
      assert.deepEqual(pairsOf(texts, 100_000), small);
      const keys = small.map((line) => line.slice(0, line.indexOf(' ')));
      assert.deepEqual(keys, [...new Set(keys)].sort());
    }),
  );
});
