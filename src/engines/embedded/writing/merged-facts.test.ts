import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment } from '../../../../test/helpers.ts';
import { contentHash, textHash } from '../../../model/hash.ts';
import type { StoredComment } from '../../../model/record.ts';
import { UNCOUNTED } from '../../../model/time.ts';
import { packRecords } from '../../../packing/packed-records.ts';
import { BatchRecords, ONLY_LANE } from '../building/batch-records.ts';
import { buildSegment } from '../building/segment-builder.ts';
import { factProblems } from '../check.ts';
import { ARRIVAL_UNKNOWN } from '../format/fact-columns.ts';
import { MemorySink } from '../format/segment-writer.ts';
import { loadMemorySegment, Segment } from '../index/segment.ts';
import { emptyView, openView, type ViewSegment } from '../index/view.ts';
import { mergeSegments } from './merge.ts';
import { LEFT_BEHIND } from './merge-lists.ts';

/** Comments with these ids, each with its arrival; `arrival`: that of the segment. */
function sourceOf(name: string, arrival: number, arrivals: Readonly<Record<string, number>>): ViewSegment {
  const records = Object.keys(arrivals).map((id): StoredComment => {
    const body = `the body of number ${id}, which is long enough for a hash`;
    return comment({ id, created: Number(id), body, retrieved: 7, sentiment: Number(id) / 10_000 });
  });
  const batch = new BatchRecords('comment', packRecords(records).parts, ONLY_LANE);
  for (const [i, { id }] of records.entries()) batch.choose(i, arrivals[id]);
  const sink = new MemorySink();
  buildSegment(sink, 'comment', batch.ordered(), null);
  const alive = { dead: [], deadVersion: 0, tombstones: 0, hidden: 0, hiddenSince: null };
  const data = { ...alive, arrival, sum: null, data: loadMemorySegment(name, sink.bytes()) };
  return openView({ ...emptyView('comment'), segments: [data] }, undefined).segments[0]!;
}

function merged(sources: readonly ViewSegment[]): Segment {
  const sink = new MemorySink();
  mergeSegments(
    sink,
    sources.map((source) => {
      const { docs } = source.segment;
      return { source, from: 0, to: docs, map: new Uint32Array(docs).fill(LEFT_BEHIND) };
    }),
  );
  return new Segment(loadMemorySegment('merged', sink.bytes()));
}

describe('a merge takes facts along', () => {
  it('of each record, with the number of its commit in place of 0', () => {
    const segment = merged([
      sourceOf('one', UNCOUNTED, { 1: 0, 3: 5, 5: 0 }),
      sourceOf('two', 12, { 2: 9, 4: UNCOUNTED, 6: 0 }),
    ]);
    const facts = Array.from({ length: segment.docs }, (_, doc) => {
      return [segment.id(doc), segment.arrivalAt(doc), segment.marksAt(doc) & ARRIVAL_UNKNOWN];
    });
    const unknown = [UNCOUNTED, ARRIVAL_UNKNOWN];
    assert.deepEqual(facts, [
      ['1', ...unknown],
      ['2', 9, 0],
      ['3', 5, 0],
      ['4', ...unknown],
      ['5', ...unknown],
      ['6', 12, 0],
    ]);
    assert.deepEqual(factProblems(segment), []);
    for (let doc = 0; doc < segment.docs; doc++) {
      const record = segment.record(doc);
      assert.deepEqual(segment.contentHashAt(doc), contentHash(record));
      assert.equal(segment.textHashAt(doc), textHash(record));
      assert.notEqual(segment.textHashAt(doc), 0);
      assert.equal(segment.sentimentAt(doc), Number(record.id) / 10_000);
    }
  });
});
