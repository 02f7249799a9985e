import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { syntheticComments } from '../../../../bench/corpus.ts';
import { embeddedEngine, openKind } from '../../../../test/embedded-index.ts';
import { everything } from '../../../../test/engine-suite.ts';
import type { StoredComment } from '../../../model/record.ts';
import { ByteWriter } from '../../packing/bytes.ts';
import { writeRecord } from '../../packing/record-codec.ts';
import { checkIndex } from '../check.ts';
import { DecodedRow, SymbolTable, sampleRows, trainSymbols, writtenBytes } from './symbol-table.ts';

function roundTrip(table: SymbolTable, bytes: Buffer): void {
  const written = new ByteWriter(4);
  table.encode(bytes, 0, bytes.length, written);
  const read = new DecodedRow();
  const length = table.decode(written.bytes, 0, written.length, read);
  assert.deepEqual(read.bytes.subarray(0, length), bytes);
  assert.ok(written.length <= bytes.length * 2);
}

function rowOf(record: StoredComment): Buffer {
  const writer = new ByteWriter();
  writeRecord(writer, record);
  return Buffer.from(writer.written());
}

const comments = (count: number): StoredComment[] =>
  [...syntheticComments(count, { batch: count, communities: 50 })].flat();

describe('symbol table', () => {
  it('every row is read back as it was, whatever the symbols', () => {
    const few = fc.uint8Array({ maxLength: 60, max: 3 });
    const bytes = fc.oneof(few, fc.uint8Array({ maxLength: 60 }));
    const symbol = fc.constantFrom(3, 255).chain((max) => fc.uint8Array({ minLength: 1, maxLength: 8, max }));
    const symbols = fc.array(symbol, { maxLength: 255 });
    fc.assert(
      fc.property(symbols, fc.array(bytes, { maxLength: 20 }), (all, rows) => {
        const table = new SymbolTable(all);
        const again = SymbolTable.fromBytes(table.toBytes());
        assert.deepEqual(again.toBytes(), table.toBytes());
        for (const row of rows) roundTrip(again, Buffer.from(row));
      }),
    );
  });

  it('what is chosen by a sample makes rows of its kind less than half as long', () => {
    const rows = comments(2_000).map(rowOf);
    const table = trainSymbols(sampleRows(1_000, (i) => rows[i]!));
    const others = Buffer.concat(rows.slice(1_000));
    assert.ok(writtenBytes(table, others) < others.length / 2);
    for (const row of rows) roundTrip(table, row);
    roundTrip(trainSymbols(Buffer.alloc(0)), rows[0]!);
  });

  it('rows of an index are written with the same symbols, before and after a merge; small batches stand as they are', async () => {
    const all = comments(26_000);
    /** Of each segment of the index as it is now, null where its rows are stored as they are. */
    const symbols = () => {
      using opened = openKind(engine.path);
      const found = opened.store.current.segments.map(({ data }) => data.columns.symbols);
      return found.map((one) => (one === null ? null : Buffer.from(one).toString('hex')));
    };
    const batches = Array.from({ length: 13 }, (_, i) => all.slice(i * 2_150, (i + 1) * 2_150));
    await using engine = await embeddedEngine(...batches);
    const before = symbols();
    assert.ok(before.length > 1 && before.length < 8, `${before.length} segments`);
    assert.ok(before.includes(null));
    const used = new Set(before.filter((one) => one !== null));
    assert.equal(used.size, 1);
    await engine.maintain();
    assert.deepEqual(symbols(), [...used]);
    const read = await everything(engine, 'comment');
    assert.deepEqual(new Map(read.map((one) => [one.id, one])), new Map(all.map((one) => [one.id, one])));
    assert.deepEqual((await checkIndex(engine.path)).problems, []);
  });
});
