// CSV of any bytes: reading never throws, and where the chunks end makes no difference.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Block } from '../../src/ingest/formats/block.ts';
import { csvLayout, readCsv } from '../../src/ingest/formats/csv.ts';
import { damageArbitrary, damaged } from '../generators/damage.ts';
import type { FuzzProperty } from './property.ts';

const HEADERS = ['id,subreddit,created_utc,body', 'id\tsubreddit\tcreated_utc\ttitle\tselftext'];
const pieces = [
  ...['a', '"', '""', ',', '\t', ';', '\n', '\r\n', '\r', ' ', 'é', '😀', '\0', '\ufeff', 'x,1,"b"\n'],
];
const text = fc.string({ unit: fc.constantFrom(...pieces), maxLength: 120, size: 'max' });
const signs = ['"', '\n', '"\n', ',', '\0', '\x80'].map((sign) => Buffer.from(sign, 'latin1'));

async function* chunked(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

/** Rows, their lines and what was rejected, whatever the blocks. */
async function read(content: Buffer, size: number) {
  const layout = csvLayout(content);
  if (layout === null || !('fields' in layout)) return null;
  const blocks: readonly Block[] = await Array.fromAsync(readCsv(chunked(content, size), layout));
  return {
    rows: Buffer.concat(blocks.map(({ data }) => data)).toString(),
    lines: blocks.flatMap(({ lines }) => (typeof lines === 'number' ? [lines] : [...lines])),
    rejects: blocks.flatMap(({ rejects }) => rejects),
  };
}

export const csvProperties: readonly FuzzProperty[] = [
  {
    name: 'csv: rows, lines and rejects are the same whatever the chunks',
    runs: 400,
    property: fc.asyncProperty(
      fc.constantFrom(...HEADERS),
      text,
      fc.array(damageArbitrary(200, signs), { maxLength: 2 }),
      fc.integer({ min: 1, max: 20 }),
      async (header, rows, changes, size) => {
        const content = changes.reduce(damaged, Buffer.from(`${header}\n${rows}`));
        const whole = await read(content, 1 << 20);
        assert.deepEqual(await read(content, size), whole);
        if (whole === null) return;
        const objects = whole.rows.split('\n').slice(0, -1);
        for (const object of objects) assert.equal(typeof JSON.parse(object).id, 'string');
        for (const [i, line] of whole.lines.entries()) assert.ok(line > (whole.lines[i - 1] ?? 0));
      },
    ),
  },
];
