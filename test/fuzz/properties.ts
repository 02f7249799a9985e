// What must hold for any bytes and texts that readers meet. Each property is run with many seeds: shortly by
// fuzz.test.ts, as long as wanted by `npm run test:long -- fuzz`.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ByteReader } from '../../src/engines/packing/bytes.ts';
import {
  createdAt,
  idPlace,
  packedRow,
  packRecords,
  recordsOf,
} from '../../src/engines/packing/packed-records.ts';
import { KINDS } from '../../src/model/record.ts';
import { recordArbitrary } from '../generators/records.ts';
import { containerProperties } from './containers.ts';
import { csvProperties } from './csv.ts';
import { markdownProperties } from './markdown.ts';
import type { FuzzProperty } from './property.ts';

export const PROPERTIES: readonly FuzzProperty[] = [
  ...containerProperties,
  ...csvProperties,
  ...markdownProperties,
  ...KINDS.map(
    (kind): FuzzProperty => ({
      name: `packed ${kind}s: ids, times and rows stand where the reader of records finds them`,
      runs: 100,
      property: fc.property(fc.array(recordArbitrary(kind), { maxLength: 20 }), (records) => {
        const batch = packRecords(records);
        const read = recordsOf(kind, batch);
        const seen = batch.parts.flatMap((pack) => {
          const bytes = Buffer.from(pack.buffer, pack.byteOffset, pack.byteLength);
          const found: (readonly [id: string, created: number])[] = [];
          for (let place = 0; place < bytes.length; ) {
            const { start, end, next } = idPlace(new ByteReader(bytes, place), kind);
            const row = packedRow(kind, bytes, place);
            assert.equal(row.byteOffset + row.length, bytes.byteOffset + next, 'a row ends with its record');
            found.push([bytes.toString('utf8', start, end), createdAt(bytes, place)]);
            place = next;
          }
          return found;
        });
        const expected = read.map(({ id, created }) => [id, created]);
        assert.deepEqual(seen, expected);
      }),
    }),
  ),
];
