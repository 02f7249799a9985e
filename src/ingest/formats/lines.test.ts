import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chunked } from '../../../test/helpers.ts';
import { BLOCK_BYTES, type Block, MAX_VALUE_BYTES } from './block.ts';
import { readLines } from './lines.ts';

async function blocksOf(chunks: AsyncIterable<Buffer>, from?: Block['end']): Promise<Block[]> {
  return Array.fromAsync(readLines(chunks, from));
}

function contentOf(blocks: readonly Block[]): string {
  return Buffer.concat(blocks.map(({ data }) => data)).toString();
}

/** Lines of a few hundred kilobytes, so that several blocks come of them. */
const LONG = Buffer.from(
  Array.from({ length: 40 }, (_, i) => `{"n":${i},"text":"${'日本 😀 '.repeat(9_000)}"}`).join('\n'),
);

test('blocks hold every byte, whatever the chunks, and end at line feeds', async () => {
  for (const size of [1_000_003, 65_536, 4_099]) {
    const blocks = await blocksOf(chunked(LONG, size));
    assert.ok(blocks.length > 3);
    assert.equal(contentOf(blocks), LONG.toString());
    for (const { data } of blocks.slice(0, -1)) assert.equal(data.at(-1), 10);
  }
});

test('blocks say where they stand: first line, and the place behind them', async () => {
  const blocks = await blocksOf(chunked(LONG, 50_000));
  let line = 1;
  let offset = 0;
  for (const { data, lines, end } of blocks) {
    assert.equal(lines, line);
    offset += data.length;
    line += Buffer.from(data).toString().split('\n').length - 1;
    assert.equal(end.offset, offset);
  }
  assert.deepEqual(blocks.at(-1)?.end, { offset: LONG.length, line: 40 });
});

test('reading goes on behind any block', async () => {
  const blocks = await blocksOf(chunked(LONG, 65_536));
  for (const [i, { end }] of blocks.entries()) {
    const rest = await blocksOf(chunked(LONG, 10_007), end);
    assert.equal(contentOf(rest), contentOf(blocks.slice(i + 1)));
    if (rest.length > 0) assert.equal(rest[0]?.lines, blocks[i + 1]?.lines);
  }
});

test('a line over the limit is rejected by its number, and the lines around it stay', async () => {
  const long = 'x'.repeat(MAX_VALUE_BYTES + BLOCK_BYTES);
  for (const [text, around, line] of [
    [`first\n${long}\nlast\n`, 'first\nlast\n', 2],
    [`${long}\nlast`, 'last', 1],
    [`first\n${long}`, 'first\n', 2],
  ] as const) {
    const blocks = await blocksOf(chunked(Buffer.from(text), 300_000));
    assert.equal(contentOf(blocks), around);
    const rejects = blocks.flatMap((block) => block.rejects);
    assert.deepEqual(rejects, [{ line, reason: 'too_long', text: 'x'.repeat(80) }]);
    assert.equal(blocks.at(-1)?.end.offset, text.length);
  }
});

test('an error of the source comes behind the last whole line', async () => {
  async function* breaking(): AsyncGenerator<Buffer> {
    yield Buffer.from('one\ntwo\nthr');
    throw new Error('broken off');
  }
  const seen: string[] = [];
  await assert.rejects(async () => {
    for await (const { data } of readLines(breaking())) seen.push(Buffer.from(data).toString());
  }, /broken off/);
  assert.deepEqual(seen, ['one\ntwo\n']);
});

test('any text, cut anywhere, comes out as it went in', async () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '\n', 'a', 'a\n', 'a\r\nb', '\n\n'),
  );
  const property = fc.asyncProperty(texts, fc.integer({ min: 1, max: 9 }), async (text, size) => {
    const content = Buffer.from(text);
    assert.equal(contentOf(await blocksOf(chunked(content, size))), content.toString());
  });
  await fc.assert(property);
});
