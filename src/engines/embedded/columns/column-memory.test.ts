import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ColumnOwner, divideMemory, FRAME_BYTES } from './column-memory.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

describe('the memory of an index', () => {
  it('is what threads keep, what segments keep and, of what is left, columns', () => {
    const division = divideMemory({ budget: GIB, threads: 2, tables: 60 * MIB, names: 40 * MIB, docs: 1e8 });
    assert.equal(division.tables, 60 * MIB);
    assert.equal(division.threads + division.tables + division.columns, GIB);
  });

  it('goes to threads by their number, and by the names and records of the index', () => {
    const threadsOf = (threads: number, names: number, docs: number) =>
      divideMemory({ budget: 64 * GIB, threads, tables: 0, names, docs }).threads;
    assert.equal(threadsOf(0, 40 * MIB, 6 * MIB), 0);
    assert.equal(threadsOf(6, 40 * MIB, 6 * MIB), 3 * threadsOf(2, 40 * MIB, 6 * MIB));
    assert.equal(threadsOf(2, 40 * MIB, 0) - threadsOf(2, 0, 0), 40 * MIB);
    // The memory of kernels has an end.
    assert.equal(threadsOf(1, 0, 206 * MIB) - threadsOf(1, 0, 200 * MIB), 3 * MIB);
    assert.ok(threadsOf(1, 0, 6 * MIB) - threadsOf(1, 0, 0) > 3 * MIB);
  });

  it('leaves at least a half to columns, however little there is', () => {
    for (const budget of [64 * MIB, 128 * MIB, GIB]) {
      for (const threads of [1, 3, 64]) {
        for (const tables of [0, budget / 4, budget, 2 * budget]) {
          const division = divideMemory({ budget, threads, tables, names: tables / 2, docs: tables });
          const others = division.threads + division.tables;
          assert.equal(division.columns, others > budget / 2 ? budget / 2 : budget - others);
        }
      }
    }
  });

  it('is divided anew when segments are opened and closed', () => {
    const owner = new ColumnOwner(GIB, 2);
    const { parts } = owner.use;
    const needs = { tables: 8 * FRAME_BYTES, paged: 100 * FRAME_BYTES, names: 2 * FRAME_BYTES, docs: 0 };
    owner.note(needs, 1);
    const open = owner.use;
    const [threads, columns] = [parts.threads + 2 * FRAME_BYTES, parts.columns - 10 * FRAME_BYTES];
    assert.deepEqual(open.parts, { threads, tables: 8 * FRAME_BYTES, columns });
    assert.equal(open.held, open.parts.threads + open.parts.tables);
    assert.equal(open.wanted, open.held + 100 * FRAME_BYTES);
    owner.note(needs, -1);
    assert.deepEqual(owner.use.parts, parts);
  });
});
