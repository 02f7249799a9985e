import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chunked } from '../../../test/helpers.ts';
import { type Block, MAX_VALUE_BYTES } from './block.ts';
import { readValues } from './values.ts';

async function read(text: string, size = 7): Promise<Block[]> {
  return Array.fromAsync(readValues(chunked(Buffer.from(text), size)));
}

/** Line and text of each value. */
function valuesOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap(({ data, lines }) => {
    const texts = Buffer.from(data).toString().split('\n').slice(0, -1);
    return texts.map((text, i) => `${(lines as Uint32Array)[i]} ${text}`);
  });
}

const CASES: [rule: string, text: string, values: string[]][] = [
  ['elements of an array, one a line', '[\n{"a":1},\n{"b":2}\n]\n', ['2 {"a":1}', '3 {"b":2}']],
  ['elements of an array on one line', '[{"a":1},{"b":[{}]}]', ['1 {"a":1}', '1 {"b":[{}]}']],
  ['an indented object', '{\n "a": {\n  "b": 1\n }\n}\n', ['1 {  "a": {   "b": 1  } }']],
  ['indented objects after one another', '{\n"a":1}\n{\n"b":2}', ['1 { "a":1}', '3 { "b":2}']],
  ['brackets and quotes in strings', '[{"a":"}]\\"{"},\n{"b":1}]', ['1 {"a":"}]\\"{"}', '2 {"b":1}']],
  ['numbers and words stand alone', '[1,\nnull,{"a":1}]', ['1 1', '2 null', '2 {"a":1}']],
  ['too many closing brackets are passed over', ']]{"a":1}]}\n{"b":2}', ['1 {"a":1}', '1 }', '2 {"b":2}']],
  ['an array that is not closed', '[{"a":1},{"b":', ['1 {"a":1}', '1 {"b":']],
  ['nothing', ' \n\n', []],
];

for (const [rule, text, values] of CASES) {
  test(`values: ${rule}`, async () => {
    for (const size of [1, 3, 1000]) assert.deepEqual(valuesOf(await read(text, size)), values);
  });
}

test('a value that is cut off costs only itself: reading goes on at the next line that opens an object', async () => {
  const text = '[\n{"a": "cut off\n{"b": 2},\n  {"c": 3}\n]';
  const texts = valuesOf(await read(text, 1000));
  assert.deepEqual(texts.slice(1), ['3 {"b": 2}', '4 {"c": 3}']);
});

test('behind a broken value a record whose brace is the first byte of a chunk is found', async () => {
  const text = '[\n{"a": "cut off\nrest {"x": 1}\n \t{"b": 2},\n{"c": 3}\n]';
  for (let size = 1; size <= text.length; size++) {
    const texts = valuesOf(await read(text, size));
    assert.deepEqual(texts.slice(1), ['4 {"b": 2}', '5 {"c": 3}'], `chunks of ${size}`);
  }
});

test('a value over the limit is rejected, and those around it stay', async () => {
  const long = `{"a":"${'x'.repeat(MAX_VALUE_BYTES)}"}`;
  const blocks = await read(`[{"b":1},\n${long},\n{"c":2}]`, 500_000);
  assert.deepEqual(valuesOf(blocks), ['1 {"b":1}', '3 {"c":2}']);
  const [reject] = blocks.flatMap(({ rejects }) => rejects);
  assert.deepEqual([reject?.line, reject?.reason, reject?.text.length], [2, 'too_long', 80]);
});

test('any array of objects, printed in any way, comes out element by element', async () => {
  const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 });
  const [indents, sizes] = [fc.constantFrom(0, 2), fc.integer({ min: 1, max: 50 })];
  const property = fc.asyncProperty(objects, indents, sizes, async (list, indent, size) => {
    const values = valuesOf(await read(JSON.stringify(list, null, indent), size));
    const found = values.map((value) => JSON.parse(value.replace(/^\d+ /, '')));
    assert.deepEqual(found, JSON.parse(JSON.stringify(list)));
  });
  await fc.assert(property);
});
