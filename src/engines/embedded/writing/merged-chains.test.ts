import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordArbitrary } from '../../../../test/generators/records.ts';
import { temporaryFolder } from '../../../../test/helpers.ts';
import { withSection } from '../../../../test/segment-sections.ts';
import { tokensOf } from '../../../model/query.ts';
import type { StoredRecord } from '../../../model/record.ts';
import { packRecords } from '../../../packing/packed-records.ts';
import { ChainCheck } from '../check.ts';
import { openEmbeddedEngine } from '../engine.ts';
import { CHAINS, ChainReader, recordChains, WINDOW_BYTES } from '../format/chains.ts';
import { MemorySink } from '../format/segment-writer.ts';
import { KindStore } from '../index/kind-store.ts';
import { loadMemorySegment, Segment } from '../index/segment.ts';
import { openView, type ViewSegment } from '../index/view.ts';
import { mergeSegments } from './merge.ts';

/** A segment of these records, some of which are dead. */
async function segmentOf(records: readonly StoredRecord[], dead: readonly string[]): Promise<ViewSegment> {
  using folder = temporaryFolder();
  {
    await using engine = await openEmbeddedEngine(folder.path, {
      rules: { keepOriginals: false },
      workers: 0,
    });
    await engine.index('comment', packRecords(records));
    await engine.hide(1, 'comment', { ids: dead });
  }
  const store = new KindStore(folder.path, 'comment');
  store.refresh();
  const [one, ...others] = openView(store.current, undefined).segments;
  assert.equal(others.length, 0);
  const bytes = withSection(one!.segment, CHAINS, (chains) => chains);
  store.close();
  return { ...one!, segment: new Segment(loadMemorySegment('one', bytes)) };
}

function merged(sources: readonly ViewSegment[]): Segment {
  const sink = new MemorySink();
  mergeSegments(
    sink,
    sources.map((source) => {
      const { docs } = source.segment;
      return { source, from: 0, to: docs, map: new Uint32Array(docs) };
    }),
  );
  return new Segment(loadMemorySegment('merged', sink.bytes()));
}

function chainsOf(segment: Segment): Buffer[] {
  const reader = new ChainReader(segment.source, segment.chains, segment.docs, Buffer.alloc(WINDOW_BYTES), 1);
  return Array.from({ length: segment.docs }, (_, doc) => {
    reader.find(doc);
    return Buffer.from(reader.bytes.subarray(reader.start, reader.end));
  });
}

describe('chains of merged segments', () => {
  it('are those of their records, with dead records', async () => {
    const sources: ViewSegment[] = [];
    for (let i = 0; i < 3; i++) {
      const records = fc
        .sample(recordArbitrary('comment'), { numRuns: 300, seed: i })
        .map((record, n) => ({ ...record, id: `s${i}n${n}` }));
      sources.push(await segmentOf(records, [`s${i}n5`, `s${i}n6`, `s${i}n299`]));
    }
    const expected = merged(sources);
    assert.equal(expected.docs, 891);
    const chains = chainsOf(expected);
    for (const [doc, bytes] of chains.entries()) {
      assert.deepEqual(bytes, Buffer.from(recordChains(tokensOf(expected.record(doc)))), `doc ${doc}`);
    }
    assert.ok(chains.filter(({ length }) => length > 0).length > 100);
  });

  it('a check compares them with the records', async () => {
    const records = fc.sample(recordArbitrary('comment'), { numRuns: 300, seed: 9 });
    const { segment } = await segmentOf(
      records.map((record, n) => ({ ...record, id: `n${n}` })),
      [],
    );
    const problemsOf = (checked: Segment) => {
      const check = new ChainCheck(checked);
      for (let doc = 0; doc < checked.docs; doc++) check.add(doc, checked.record(doc));
      return check.problems;
    };
    assert.deepEqual(problemsOf(segment), []);
    const docs = chainsOf(segment);
    const changed = withSection(segment, CHAINS, (bytes) => {
      const long = docs.findLast(({ length }) => length >= 3)!;
      const at = bytes.lastIndexOf(long);
      return Buffer.concat([bytes.subarray(0, at), Buffer.of(long[0]! ^ 1), bytes.subarray(at + 1)]);
    });
    const problems = problemsOf(new Segment(loadMemorySegment('changed', changed)));
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, /^expected the chains of the words of record n\d+, found others$/);
  });
});
