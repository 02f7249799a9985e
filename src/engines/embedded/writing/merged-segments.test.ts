import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { embeddedEngine, openKind, segmentBytes } from '../../../../test/embedded-index.ts';
import { recordArbitrary } from '../../../../test/generators/records.ts';
import { comment } from '../../../../test/helpers.ts';
import { withSection } from '../../../../test/segment-sections.ts';
import { contentHash, textHash } from '../../../model/hash.ts';
import { tokensOf } from '../../../model/query.ts';
import type { StoredComment, StoredRecord } from '../../../model/record.ts';
import { UNCOUNTED } from '../../../model/time.ts';
import { ChainCheck, factProblems } from '../check.ts';
import { CHAINS, ChainReader, recordChains, WINDOW_BYTES } from '../format/chains.ts';
import { ARRIVAL_UNKNOWN } from '../format/segment-columns.ts';
import { MemorySink } from '../format/segment-writer.ts';
import { loadMemorySegment, Segment } from '../index/segment.ts';
import { emptyView, openView, type ViewSegment } from '../index/view.ts';
import { mergeSegments } from './merge.ts';
import { LEFT_BEHIND } from './merged-lists.ts';

/** A segment of these records, some of which are dead. */
async function segmentOf(records: readonly StoredRecord[], dead: readonly string[]): Promise<ViewSegment> {
  await using engine = await embeddedEngine(records);
  await engine.hide(1, 'comment', { ids: dead });
  using opened = openKind(engine.path);
  const [one, ...others] = opened.view.segments;
  assert.equal(others.length, 0);
  const bytes = withSection(one!.segment, CHAINS, (chains) => chains);
  return { ...one!, segment: new Segment(loadMemorySegment('one', bytes)) };
}

function merged(sources: readonly ViewSegment[]): Segment {
  const sink = new MemorySink();
  const merging = sources.map((source) => {
    const { docs } = source.segment;
    return { source, from: 0, to: docs, map: new Uint32Array(docs).fill(LEFT_BEHIND) };
  });
  mergeSegments(sink, merging);
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

/** Comments with these ids, each with its arrival; `arrival`: that of the segment. */
function sourceOf(name: string, arrival: number, arrivals: Readonly<Record<string, number>>): ViewSegment {
  const records = Object.keys(arrivals).map((id): StoredComment => {
    const body = `the body of number ${id}, which is long enough for a hash`;
    return comment({ id, created: Number(id), body, retrieved: 7, sentiment: Number(id) / 10_000 });
  });
  const bytes = segmentBytes(records, (i) => arrivals[records[i]!.id]!);
  const alive = { dead: [], deadVersion: 0, tombstones: 0, hidden: 0, hiddenSince: null };
  const data = { ...alive, arrival, sum: null, data: loadMemorySegment(name, bytes) };
  return openView({ ...emptyView('comment'), segments: [data] }, undefined).segments[0]!;
}

it('a merge takes the facts of each record along, with the number of its commit in place of 0', () => {
  const segment = merged([
    sourceOf('one', UNCOUNTED, { 1: 0, 3: 5, 5: 0 }),
    sourceOf('two', 12, { 2: 9, 4: UNCOUNTED, 6: 0 }),
  ]);
  const facts = Array.from({ length: segment.docs }, (_, doc) => {
    const isUnknown = (segment.facts.marks(doc) & ARRIVAL_UNKNOWN) !== 0;
    assert.equal(isUnknown, segment.facts.arrival(doc) === UNCOUNTED);
    return [segment.id(doc), segment.facts.arrival(doc)];
  });
  const expected = { 1: UNCOUNTED, 2: 9, 3: 5, 4: UNCOUNTED, 5: UNCOUNTED, 6: 12 };
  assert.deepEqual(Object.fromEntries(facts), expected);
  assert.deepEqual(factProblems(segment), []);
  for (let doc = 0; doc < segment.docs; doc++) {
    const record = segment.record(doc);
    assert.deepEqual(segment.facts.contentHash(doc), contentHash(record));
    assert.equal(segment.facts.textHash(doc), textHash(record));
    assert.notEqual(segment.facts.textHash(doc), 0);
    assert.equal(segment.facts.sentiment(doc), Number(record.id) / 10_000);
  }
});
